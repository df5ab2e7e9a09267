//! `whybox-init`: carries out a plan, becomes PID 1 of the cage, and stays until it ends.
//!
//! It is started by the library with the control socket on descriptor 3 and the plan on
//! descriptor 4, never by hand. It is single-threaded, links no C library, and holds no
//! memory of the harness: it is a program of its own, not a fork.
#![no_std]
#![no_main]

extern crate alloc;

#[path = "init/confine.rs"]
mod confine;
#[path = "init/control.rs"]
mod control;
#[path = "init/copies.rs"]
mod copies;
#[path = "init/dev.rs"]
mod dev;
#[path = "init/heap.rs"]
mod heap;
#[path = "init/ids.rs"]
mod ids;
#[path = "init/launch.rs"]
mod launch;
#[path = "init/memory.rs"]
mod memory;
#[path = "init/mounts.rs"]
mod mounts;
#[path = "init/network.rs"]
mod network;
#[path = "init/program.rs"]
mod program;
#[path = "init/reap.rs"]
mod reap;
#[path = "init/start.rs"]
mod start;
#[path = "init/streams.rs"]
mod streams;
#[path = "init/sys.rs"]
mod sys;
#[path = "init/tmp.rs"]
mod tmp;
