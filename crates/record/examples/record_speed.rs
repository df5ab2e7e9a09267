//! How long it takes to record an event that is new, repeated, or dropped.
//!
//! Run with `cargo run --release -p whybox-record --example record_speed`.

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use whybox_record::{
    DeniedBy, DeniedByKind, Errno, Event, Operation, Process, Recorder, Target, Witness,
};

const EVENTS: u32 = 1_000_000;

fn main() {
    let processes: Vec<_> = (0..8u32)
        .map(|pid| {
            Arc::new(Process::new(1000 + pid, 1, b"python3").with_exe(b"/usr/bin/python3.11"))
        })
        .collect();
    let reason = Arc::new(DeniedBy::new(DeniedByKind::Hidden).with_rule("--hide secrets"));
    let paths: Vec<String> = (0..100_000)
        .map(|n| format!("/home/user/project/secrets/module/file-{n}.json"))
        .collect();
    let time = SystemTime::now();
    let event = |n: u32, targets: usize| {
        let path = paths.get(n as usize % targets).map_or("", String::as_str);
        let process = processes.get(n as usize % processes.len());
        Event::new(
            Operation::FileReadData,
            Target::path(path.as_bytes()),
            process.map_or_else(|| Arc::new(Process::new(0, 0, b"")), Arc::clone),
            Arc::clone(&reason),
            Errno::EACCES,
            Witness::Ghost,
            time,
        )
    };
    let measure = |label: &str, targets: usize, mut recorder: Recorder| {
        let started = Instant::now();
        for n in 0..EVENTS {
            black_box(event(n, targets));
        }
        let making = started.elapsed();
        let started = Instant::now();
        for n in 0..EVENTS {
            black_box(recorder.record(event(n, targets)));
        }
        let each: Duration = started.elapsed().saturating_sub(making) / EVENTS;
        println!(
            "{label}: {each:?} an event beyond making it ({} entries, {} dropped)",
            recorder.len(),
            recorder.dropped().total()
        );
    };
    measure("repeated", 500, Recorder::new());
    measure("mostly dropped", 100_000, Recorder::new());
}
