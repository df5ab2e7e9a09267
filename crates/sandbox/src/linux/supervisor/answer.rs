//! What a refused call is told, and what the record is told of it.

use std::sync::Arc;
use std::time::SystemTime;

use whybox_record::{
    DeniedBy, DeniedByKind, Errno, Event, Kind, Operation, Process, Target, Witness,
};

use super::notify::Notification;
use crate::linux::seccomp::{Answer, Call, THIS, calls};

/// The errno for a call that the filter handed over, and its entry.
pub(super) fn answer(notification: &Notification, process: Arc<Process>) -> (i32, Event) {
    // Numbers of another architecture mean other calls.
    let call = (notification.architecture == THIS)
        .then(|| Call::find(notification.number.into(), &notification.arguments))
        .flatten();
    // The rest are calls of another architecture, and those newer than the table: every library asks for some.
    let errno = call.map_or(libc::ENOSYS, Call::errno);
    let (kind, reason) = match call {
        Some(call) => {
            let kind = if call.answer == Answer::Refused {
                Kind::Denial
            } else {
                Kind::Probe
            };
            (
                kind,
                DeniedBy::new(DeniedByKind::HardDeny).with_class(call.class),
            )
        }
        None => (Kind::Probe, DeniedBy::new(DeniedByKind::UnknownCall)),
    };
    let target = Target::call(describe(call, notification).as_bytes());
    let event = Event::new(
        Operation::SystemCall,
        target,
        process,
        Arc::new(reason),
        Errno::from_raw(errno),
        Witness::Supervisor,
        SystemTime::now(),
    )
    .with_kind(kind);
    (errno, event)
}

/// The call in words: its name, and what its arguments say.
fn describe(call: Option<&Call>, notification: &Notification) -> String {
    let Some(call) = call else {
        let of = if notification.architecture == THIS {
            ""
        } else {
            " of another architecture"
        };
        return format!("call {}{of}", notification.number);
    };
    let [first, second, ..] = notification.arguments;
    match call.name {
        "ioctl" if second as u32 == calls::TIOCSTI => "ioctl(TIOCSTI)".to_owned(),
        "ioctl" if second as u32 == calls::TIOCLINUX => "ioctl(TIOCLINUX)".to_owned(),
        "unshare" | "clone" => format!(
            "{}({})",
            call.name,
            namespaces(first as u32 & calls::NEW_NAMESPACES)
        ),
        "ptrace" => format!("ptrace({})", ptrace_request(first)),
        "prlimit64" => format!("prlimit64(pid {})", first as u32 as i32),
        name => name.to_owned(),
    }
}

fn namespaces(flags: u32) -> String {
    const NAMES: [(u32, &str); 8] = [
        (0x0000_0080, "CLONE_NEWTIME"),
        (0x0002_0000, "CLONE_NEWNS"),
        (0x0200_0000, "CLONE_NEWCGROUP"),
        (0x0400_0000, "CLONE_NEWUTS"),
        (0x0800_0000, "CLONE_NEWIPC"),
        (0x1000_0000, "CLONE_NEWUSER"),
        (0x2000_0000, "CLONE_NEWPID"),
        (0x4000_0000, "CLONE_NEWNET"),
    ];
    let names: Vec<&str> = NAMES
        .iter()
        .filter(|(bit, _)| flags & bit != 0)
        .map(|(_, name)| *name)
        .collect();
    names.join("|")
}

fn ptrace_request(request: u64) -> String {
    match request {
        0 => "PTRACE_TRACEME".to_owned(),
        16 => "PTRACE_ATTACH".to_owned(),
        0x4206 => "PTRACE_SEIZE".to_owned(),
        other => format!("request {other}"),
    }
}
