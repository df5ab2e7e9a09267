//! Pure entry points for fuzzers: they read anything, and panic only when a promise of this crate is broken.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use crate::{Access, Context, Pattern, Policy};

fn context() -> Context {
    Context::new("/home/u/app")
        .with_home("/home/u")
        .with_repository("/home/u/app", "/home/u/app/.git")
}

/// A policy file, as TOML and as JSON: what is read is written and read back as the same.
///
/// # Panics
/// A policy that was read does not survive being written.
pub fn policy_text(data: &[u8]) {
    let (ctx, origin) = (context(), Path::new("whybox.toml"));
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    for policy in [
        Policy::from_toml(text, origin, &ctx),
        Policy::from_json(text, origin, &ctx),
    ]
    .into_iter()
    .flatten()
    {
        let toml = Policy::from_toml(&policy.to_toml(), origin, &ctx);
        assert_eq!(toml.map(|p| p.digest()), Ok(policy.digest()));
        let json = Policy::from_json(&policy.to_json().to_string(), origin, &ctx);
        assert_eq!(json.map(|p| p.digest()), Ok(policy.digest()));
    }
}

/// A pattern as on the command line, and a path to decide.
///
/// # Panics
/// A pattern that was read is relative.
pub fn pattern(text: &[u8], path: &[u8]) {
    let ctx = context();
    let (text, path) = (OsStr::from_bytes(text), OsStr::from_bytes(path));
    if let Ok(pattern) = Pattern::parse(text, ctx.cwd(), &ctx) {
        let base = match &pattern {
            Pattern::Path(path) => path,
            Pattern::Glob(glob) => glob.base(),
        };
        assert!(base.is_absolute());
    }
    if let Ok(policy) = Policy::builder(&ctx).write(".").hide(text).build() {
        for access in Access::ALL {
            let _ = policy.decide(access, path);
        }
    }
}
