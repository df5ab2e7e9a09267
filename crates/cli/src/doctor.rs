//! `whybox doctor`: really starts a command in a cage, and says what works.
//!
//! The command is whybox itself, as `whybox doctor-probe`, which tries a file that is hidden from it.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::fs::File;
use std::io;
use std::path::Path;

use whybox::policy::{Network, RuleKind, Source};
use whybox::record::{CoverageState, Violations};
use whybox::{Cage, CageOptions, Command, Context, Error, Grants, Policy, Stdio};

use crate::failure::Failure;
use crate::output;

/// A file that every host has, and that is granted but for the rule that hides it.
const HIDDEN: &str = "/etc/passwd";

/// What the probe answers by its exit status.
const REFUSED: u8 = 0;
const READABLE: u8 = 10;
const OTHERWISE: u8 = 11;

/// Runs the probe and tells what came of it.
pub(crate) fn doctor() -> Result<u8, Failure> {
    let mut findings = Findings::default();
    match probe_run() {
        Ok((status, violations)) => judge(&mut findings, status, &violations),
        Err(failure) => findings.bad("a command can be started in a cage", &failure.text),
    }
    output::print(&findings.text)?;
    Ok(u8::from(findings.bad))
}

/// Tries what must be refused.
pub(crate) fn probe(hidden: &Path) -> Result<u8, Failure> {
    Ok(match File::open(hidden) {
        Ok(_) => READABLE,
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => REFUSED,
        Err(_) => OTHERWISE,
    })
}

fn probe_run() -> Result<(Option<i32>, Violations), Failure> {
    let program = std::env::current_exe()
        .map_err(|error| Failure::before(format!("cannot find whybox's own program: {error}")))?;
    let context = Context::from_process()?;
    let mut policy = Policy::preset("minimal", &context)?;
    let root = Path::new("/");
    for (kind, path) in [(RuleKind::Read, "/etc"), (RuleKind::Hide, HIDDEN)] {
        policy.add_rule(kind, path, root, Source::Builtin, &context)?;
    }
    policy.set_network(Network::None);
    let cage = Cage::with_options(&policy, &CageOptions::default().with_violations())?;
    let mut command = Command::new(&program);
    command.args([OsStr::new("doctor-probe"), OsStr::new(HIDDEN)]);
    command
        .current_dir(root)
        .stdin(Stdio::null())
        .stdout(Stdio::null());
    let mut child = cage.spawn(&mut command, &Grants::new().exec(&program))?;
    let failed = |source| {
        Failure::from(Error::Io {
            step: "wait for the probe",
            source,
        })
    };
    let status = child.wait().map_err(failed)?;
    Ok((status.code(), child.violations()))
}

/// The lines, and whether one of them is bad.
#[derive(Default)]
struct Findings {
    text: String,
    bad: bool,
}

// Writing to a string cannot fail, so results of `write!` are dropped here.
impl Findings {
    fn good(&mut self, what: &str) {
        let _ = writeln!(self.text, "ok       {what}");
    }

    fn bad(&mut self, what: &str, why: &str) {
        self.bad = true;
        let _ = writeln!(self.text, "MISSING  {what}: {why}");
    }

    fn check(&mut self, right: bool, what: &str, why: &str) {
        if right {
            self.good(what)
        } else {
            self.bad(what, why)
        }
    }

    fn note(&mut self, what: &str, state: &CoverageState) {
        let _ = writeln!(self.text, "note     {what}: {state}");
    }
}

fn judge(findings: &mut Findings, status: Option<i32>, violations: &Violations) {
    findings.good("a command can be started in a cage");
    let refused = match status.and_then(|status| u8::try_from(status).ok()) {
        Some(REFUSED) => None,
        Some(READABLE) => Some(
            "the hidden file could be read; do not rely on whybox here, and report it".to_owned(),
        ),
        _ => Some(format!(
            "the probe ended with {status:?} instead of an answer"
        )),
    };
    findings.check(
        refused.is_none(),
        "a hidden file cannot be read",
        refused.as_deref().unwrap_or_default(),
    );
    let seen = violations
        .iter()
        .any(|entry| entry.target.bytes() == HIDDEN.as_bytes());
    findings.check(
        seen,
        "what is refused is in the record",
        "the refused read has no entry",
    );
    findings.check(
        violations.complete,
        "the record is complete at the end",
        "a call was still under way after the end",
    );
    for (class, coverage) in violations.coverage.iter() {
        match &coverage.state {
            CoverageState::Unavailable { reason } => {
                findings.bad(&format!("{} is recorded", class.as_str()), reason);
            }
            state => findings.note(&format!("record of {}", class.as_str()), state),
        }
    }
}
