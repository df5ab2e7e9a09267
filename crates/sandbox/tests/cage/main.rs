//! Commands in real cages, through the public library, as root and as an ordinary user.
//!
//! One file per concern, in one program: the tests share a harness and its supervisor, as the cages of a real one do.
#![cfg(target_os = "linux")]
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;
mod harness;

mod descriptors;
mod devices;
mod end;
mod environment;
mod everyday;
mod harnesses;
mod hidden;
mod init;
mod killed;
mod names;
mod nesting;
mod network;
mod outer;
mod reads;
mod record;
mod root;
mod start;
mod storms;
mod stream;
mod streams;
mod writes;
