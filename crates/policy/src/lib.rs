#![forbid(unsafe_code)]
//! Policies of whybox: what a confined program may touch, as plain data.
//!
//! A [`Policy`] is a set of file [`Rule`]s and a few settings (environment, network, limits, ...). It comes from a
//! preset, from a TOML or JSON file, or from a [`PolicyBuilder`]. The order of its rules never matters.
//!
//! A policy file, in TOML (JSON has the same shape):
//!
//! ```
//! # use whybox_policy::{Access, Context, Network, Policy};
//! # let text = r#"
//! version = 1               # of this format
//! preset = "agent"          # what to build on; without it, nothing is granted but what is written
//! tmp = "own"               # or "host"
//! lifetime = "run"          # or "detached": descendants may outlive the command
//! terminal = "inherit"      # or "none"
//!
//! [files]                   # relative to this file; ~, $HOME, $CWD, $REPO, $XDG_*; globs * ? [] {} **
//! read = ["../shared"]
//! write = ["build"]         # and read
//! exec = ["~/sdk"]          # and read
//! hide = [".env", "**/*.pem"]
//! protect = ["Makefile"]    # never written, read as granted
//! absent = ["~/.toolrc"]    # answers as if nothing were there
//!
//! [environment]             # with `mode` it replaces the preset's, without it adds to it
//! allow = ["CI_TOKEN", "MY_*"]
//! set = { LANG = "C.UTF-8" }
//!
//! [network]
//! mode = "none"             # or "all"
//!
//! [limits]                  # processes, memory_bytes, file_size_bytes, open_files, cpu_seconds, timeout_ms
//! timeout_ms = 600_000
//! # "#;
//! # let ctx = Context::new("/w/app").with_home("/home/u");
//! # let policy = Policy::from_toml(text, "whybox.toml".as_ref(), &ctx)?;
//! # assert!(policy.decide(Access::Read, "/w/shared/x").allowed && policy.network() == Network::None);
//! # Ok::<(), whybox_policy::PolicyError>(())
//! ```
//!
//! [`Policy::decide`] is the one place that knows what the rules mean; plans, witnesses and explanations all ask it.
//!
//! ```
//! use whybox_policy::{Access, Context, Policy, Reason};
//!
//! let ctx = Context::new("/home/u/app").with_home("/home/u");
//! let policy = Policy::builder(&ctx).write(".").hide(".env").build()?;
//!
//! assert!(policy.decide(Access::Write, "/home/u/app/main.c").allowed);
//! let refused = policy.decide(Access::Read, "/home/u/app/.env");
//! assert!(!refused.allowed);
//! assert_eq!(refused.reason, Reason::Hidden);
//! # Ok::<(), whybox_policy::PolicyError>(())
//! ```

#[doc(hidden)]
pub mod fuzzing;

mod access;
mod builder;
mod conflict;
mod context;
mod decide;
mod decode;
mod digest;
mod document;
mod encode;
mod environment;
mod error;
mod expand;
mod format;
mod glob;
mod glob_text;
mod limits;
mod load;
mod matches;
mod nearest;
mod pattern;
mod policy;
mod preset;
mod repository;
mod rule;
mod schema;
mod secret_names;
mod settings;
mod trie;

pub use access::Access;
pub use builder::PolicyBuilder;
pub use context::Context;
pub use decide::{Decider, Decision, Reason};
pub use environment::{Environment, EnvironmentMode, ResolvedEnvironment};
pub use error::{ErrorKind, PolicyError};
pub use glob::{Glob, GlobMatcher};
pub use limits::Limits;
pub use pattern::Pattern;
pub use policy::Policy;
pub use rule::{Rule, RuleKind, Source};
pub use settings::{Lifetime, Network, Terminal, Tmp};
