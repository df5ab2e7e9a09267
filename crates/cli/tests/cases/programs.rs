//! Ordinary programs that other sandboxes broke: they run as outside and leave no entry.

use crate::bed::{Bed, have, skip};

/// Process pools keep their semaphores in `/dev/shm`, which is the cage's own.
#[test]
fn enf_05_semaphores_in_shared_memory() {
    if !have(&["python3"]) {
        return;
    }
    let bed = Bed::new();
    let names = || {
        let mut names: Vec<_> = std::fs::read_dir("/dev/shm")
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .filter(|name| name.to_string_lossy().contains("whybox-case"))
            .collect();
        names.sort();
        names
    };
    let before = names();
    bed.sbx()
        .w("$T/w")
        .python(
            "from multiprocessing import Lock, Value, Pool, shared_memory
Lock(); Value('i')
shared_memory.SharedMemory('whybox-case', True, 100)
print(Pool(2).map(abs, [-1, -2]))",
        )
        .code(0)
        .out("[1, 2]\n")
        .no_entry()
        .unchanged();
    assert_eq!(names(), before);
}

/// Temporary files have a place that exists, is private to the run, and is gone afterwards.
#[test]
fn enf_08_a_place_for_temporary_files() {
    let bed = Bed::new();
    let ran = bed
        .sbx()
        .w("$T/w")
        .outside("TMPDIR", "/nonexistent/by/the/caller")
        .sh("f=$(mktemp) && echo x >$f && echo $f && ls -A ${TMPDIR:-/tmp} | wc -l")
        .code(0)
        .no_entry()
        .unchanged();
    let (file, rest) = ran.out.split_once('\n').unwrap();
    assert_eq!(rest, "1\n");
    assert!(!std::path::Path::new(file).exists(), "{file} is left");
}

/// The caller's `TMPDIR` may lead nowhere in the cage: the presets set one that is there.
#[test]
fn enf_08_tmpdir_is_set_by_the_presets() {
    for preset in ["agent", "build", "readonly"] {
        let bed = Bed::new();
        bed.sbx_of(preset)
            .outside("TMPDIR", "/nonexistent/by/the/caller")
            .sh("test -w \"$TMPDIR\" && rm \"$(mktemp)\" && echo ok")
            .code(0)
            .out("ok\n")
            .no_entry()
            .unchanged();
    }
}

/// Within one writable tree names move between directories, whatever the network is.
#[test]
fn enf_28_moves_and_links_between_directories() {
    for net in ["none", "all"] {
        for bed in [Bed::new(), Bed::in_tmp()] {
            bed.dir("w/sub");
            bed.write("w/a", "a\n");
            bed.sbx()
                .w("$T/w")
                .option(["--net", net])
                .run(&[
                    "perl",
                    "-e",
                    "rename('a', 'sub/a') or die $!; link('sub/a', 'b') or die $!; symlink('b', 'sub/l') or die $!; rename('sub', 'dir') or die $!",
                ])
                .code(0)
                .no_entry()
                .changed(&["+w/b", "+w/dir", "+w/dir/a", "+w/dir/l", "-w/a", "-w/sub"]);
        }
    }
}

/// A process reads its own maps, and so does its child.
#[test]
fn enf_30_each_process_has_its_own_proc() {
    let bed = Bed::new();
    let script = "head -c1 /proc/self/status >/dev/null && echo parent
sh -c 'head -c1 /proc/self/maps >/dev/null && head -c1 /proc/thread-self/comm >/dev/null && echo child'";
    bed.bare()
        .r("/usr")
        .r("/bin")
        .r("/lib")
        .r("/lib64")
        .r("/etc")
        .w("$T/w")
        .sh(script)
        .code(0)
        .out("parent\nchild\n")
        .no_entry()
        .unchanged();
    if have(&["node"]) {
        bed.sbx()
            .w("$T/w")
            .run(&["node", "-e", "1"])
            .code(0)
            .out("")
            .no_entry()
            .unchanged();
    }
}

/// Shells keep a long here-document in a temporary file.
#[test]
fn enf_35_here_documents() {
    let bed = Bed::new();
    for shell in ["bash", "dash"] {
        if !have(&[shell]) {
            continue;
        }
        let text = "a".repeat(100_000);
        bed.sbx()
            .w("$T/w")
            .run(&[shell, "-c", &format!("wc -c <<END\n{text}\nEND")])
            .code(0)
            .out("100001\n")
            .no_entry()
            .unchanged();
    }
}

/// The compiler moves and links files between the directories of its target.
#[test]
fn enf_46_cargo_builds() {
    let Some(toolchain) = toolchain() else {
        return skip("there is no cargo with a rustc beside it");
    };
    for bed in [Bed::new(), Bed::in_tmp()] {
        bed.dir("w/c/src");
        bed.write(
            "w/c/Cargo.toml",
            "[package]\nname = \"c\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[workspace]\n",
        );
        bed.write("w/c/src/lib.rs", "pub fn f() {}\n");
        let cargo = format!("{toolchain}/bin/cargo");
        let ran = bed
            .sbx()
            .w("$T/w")
            .r(&toolchain)
            .env("CARGO_HOME", bed.path("w/ch"))
            .env("RUSTC", format!("{toolchain}/bin/rustc"))
            .from("w/c")
            .run(&[&cargo, "build", "--offline"])
            .code(0);
        assert!(!ran.err.contains("warning"), "{ran:#?}");
        assert!(bed.path("w/c/target/debug/libc.rlib").exists());
        for entry in ran.entries() {
            assert!(!entry.contains("$T/w"), "{entry}");
        }
    }
}

/// Where `cargo` and `rustc` themselves lie, not a program that chooses between versions of them.
fn toolchain() -> Option<String> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = std::process::Command::new(rustc)
        .args(["--print", "sysroot"])
        .output()
        .ok()?;
    let root = String::from_utf8(output.stdout).ok()?.trim().to_owned();
    let complete = ["cargo", "rustc"]
        .iter()
        .all(|name| std::fs::File::open(format!("{root}/bin/{name}")).is_ok());
    complete.then_some(root)
}

/// No network is no reason to refuse a socket among one's own files.
#[test]
fn enf_48_local_sockets_without_network() {
    if !have(&["python3"]) {
        return;
    }
    for bed in [Bed::new(), Bed::in_tmp()] {
        bed.sbx()
            .w("$T/w")
            .python(
                "import socket, os
for kind in (socket.SOCK_STREAM, socket.SOCK_SEQPACKET):
    s = socket.socket(1, kind); s.bind('$T/w/s'); s.listen()
    c = socket.socket(1, kind); c.connect('$T/w/s'); c.send(b'ok'); print(s.accept()[0].recv(9)); os.unlink('$T/w/s')
s = socket.socket(1, 2); s.bind('$T/w/s'); socket.socket(1, 2).sendto(b'ok', '$T/w/s'); print(s.recv(9)); os.unlink('$T/w/s')",
            )
            .code(0)
            .out("b'ok'\nb'ok'\nb'ok'\n")
            .no_entry()
            .unchanged();
    }
}

/// The devices that every program may need, and no other.
#[test]
fn enf_52_the_usual_devices() {
    let bed = Bed::new();
    bed.sbx()
        .w("$T/w")
        .sh("echo x >/dev/null && head -c1 /dev/urandom >/dev/null && head -c1 /dev/random >/dev/null && head -c1 /dev/zero >/dev/null &&
(echo x 2>/dev/null >/dev/full; test $? != 0) && echo y >/dev/stdout && echo z >/proc/self/fd/1 && echo e >/dev/stderr &&
cat /dev/stdin </dev/null && echo a | cat /dev/fd/0 && test -z \"$(find /dev -type b)\" && echo ok")
        .code(0)
        .out("y\nz\na\nok\n")
        .no_entry()
        .unchanged();
    if have(&["python3"]) {
        bed.sbx()
            .w("$T/w")
            .python("import os\na, b = os.openpty(); os.write(b, b'x'); print(os.read(a, 1), os.ttyname(b)[:9])")
            .code(0)
            .out("b'x' /dev/pts/\n")
            .no_entry()
            .unchanged();
    }
}
