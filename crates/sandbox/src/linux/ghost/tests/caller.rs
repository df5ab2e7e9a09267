//! The process in the cage: makes the system calls that it is told to make.

use std::ffi::OsStr;
use std::io::{BufRead, Write};
use std::os::unix::ffi::OsStrExt;

use rustix::fs::{Access, AtFlags, CWD, Mode, OFlags, XattrFlags};
use rustix::io::Errno;

/// Set in the process that is to be the caller: the directory to enter.
pub(super) const ROOT: &str = "WHYBOX_TEST_GHOST_ROOT";

/// Reads one line a call, and writes one line an answer.
pub(super) fn run() {
    let Some(root) = std::env::var_os(ROOT) else {
        return;
    };
    rustix::process::chroot(&root).expect("chroot");
    println!("\n> ready");
    for line in std::io::stdin().lock().lines() {
        let line = line.expect("a line");
        let words: Vec<Vec<u8>> = line.split(' ').map(unhex).collect();
        let name = String::from_utf8(words[0].clone()).expect("the name of a call");
        let arguments: Vec<&OsStr> = words[1..]
            .iter()
            .map(|word| OsStr::from_bytes(word))
            .collect();
        let answer = if let Some(name) = name.strip_prefix("thread:") {
            std::thread::scope(|scope| {
                scope
                    .spawn(|| call(name, &arguments))
                    .join()
                    .expect("a thread")
            })
        } else {
            call(&name, &arguments)
        };
        match answer {
            Ok(text) => println!("> ok {}", hex(&text)),
            Err(errno) => println!("> {}", errno.raw_os_error()),
        }
        std::io::stdout().flush().expect("flush");
    }
}

fn call(name: &str, arguments: &[&OsStr]) -> Result<Vec<u8>, Errno> {
    let path = arguments[0];
    let number = |at: usize| -> u32 {
        arguments[at]
            .to_str()
            .and_then(|text| text.parse().ok())
            .expect("a number")
    };
    let nothing = |()| Vec::new();
    match name {
        "lstat" | "stat" => {
            let flags = if name == "stat" {
                AtFlags::empty()
            } else {
                AtFlags::SYMLINK_NOFOLLOW
            };
            let stat = rustix::fs::statat(CWD, path, flags)?;
            let text = format!(
                "{:o} {} {} {} {} {}",
                stat.st_mode, stat.st_size, stat.st_uid, stat.st_gid, stat.st_mtime, stat.st_ino
            );
            Ok(text.into_bytes())
        }
        "open" => rustix::fs::open(path, OFlags::from_bits_retain(number(1)), Mode::RWXU)
            .map(|_| Vec::new()),
        "list" => {
            let directory =
                rustix::fs::open(path, OFlags::RDONLY | OFlags::DIRECTORY, Mode::empty())?;
            let mut names = Vec::new();
            for entry in rustix::fs::Dir::new(directory)? {
                names.push(entry?.file_name().to_bytes().to_vec());
            }
            names.sort();
            Ok(names.join(&b' '))
        }
        "access" => rustix::fs::accessat(
            CWD,
            path,
            Access::from_bits_retain(number(1)),
            AtFlags::empty(),
        )
        .map(nothing),
        "readlink" => rustix::fs::readlinkat(CWD, path, Vec::new()).map(|link| link.into_bytes()),
        "chdir" => rustix::process::chdir(path).map(nothing),
        "statfs" => rustix::fs::statfs(path)
            .map(|stat| format!("{} {}", stat.f_blocks, stat.f_bsize).into_bytes()),
        "mkdir" => rustix::fs::mkdirat(CWD, path, Mode::RWXU).map(nothing),
        "mkfifo" => {
            rustix::fs::mknodat(CWD, path, rustix::fs::FileType::Fifo, Mode::RWXU, 0).map(nothing)
        }
        "symlink" => rustix::fs::symlinkat(arguments[1], CWD, path).map(nothing),
        "link" => rustix::fs::linkat(CWD, path, CWD, arguments[1], AtFlags::empty()).map(nothing),
        "rename" => rustix::fs::renameat(CWD, path, CWD, arguments[1]).map(nothing),
        "unlink" => rustix::fs::unlinkat(CWD, path, AtFlags::empty()).map(nothing),
        "rmdir" => rustix::fs::unlinkat(CWD, path, AtFlags::REMOVEDIR).map(nothing),
        "chmod" => rustix::fs::chmodat(CWD, path, Mode::RWXU, AtFlags::empty()).map(nothing),
        "chown" => {
            let user = rustix::fs::Uid::from_raw(number(1));
            rustix::fs::chownat(CWD, path, Some(user), None, AtFlags::empty()).map(nothing)
        }
        "truncate" => {
            let size = libc_free_truncate(path);
            size.map(nothing)
        }
        "touch" => {
            let time = rustix::fs::Timespec {
                tv_sec: 7,
                tv_nsec: 0,
            };
            let times = rustix::fs::Timestamps {
                last_access: time,
                last_modification: time,
            };
            rustix::fs::utimensat(CWD, path, &times, AtFlags::empty()).map(nothing)
        }
        "setxattr" => {
            rustix::fs::setxattr(path, "user.whybox", b"x", XattrFlags::empty()).map(nothing)
        }
        "removexattr" => rustix::fs::removexattr(path, "user.whybox").map(nothing),
        "getxattr" => rustix::fs::getxattr(path, "user.whybox", &mut [0; 16][..])
            .map(|length| vec![b'x'; length]),
        "listxattr" => {
            rustix::fs::listxattr(path, &mut [0; 16][..]).map(|length| vec![b'x'; length])
        }
        other => panic!("no call is named {other}"),
    }
}

/// rustix has no `truncate`; the standard library asks to open, which is
/// another question. `O_TRUNC` is what programs use.
fn libc_free_truncate(path: &OsStr) -> Result<(), Errno> {
    rustix::fs::open(path, OFlags::RDONLY | OFlags::TRUNC, Mode::empty()).map(drop)
}

/// Bytes as text without blanks.
pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The reverse.
pub(super) fn unhex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text
        .bytes()
        .map(|byte| (byte as char).to_digit(16).expect("a digit") as u8)
        .collect();
    digits
        .chunks(2)
        .map(|pair| pair[0] * 16 + pair[1])
        .collect()
}
