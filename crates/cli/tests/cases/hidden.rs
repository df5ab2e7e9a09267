//! What is hidden stays hidden, however it is named and whatever is done to it.

use crate::bed::{Bed, have};

/// By the name as it is, by `/proc`, by a link, by a detour, with slashes to spare.
#[test]
fn enf_22_every_spelling_of_a_hidden_file() {
    for bed in [Bed::new(), Bed::in_tmp()] {
        bed.link("$T/hid/key", "w/l");
        bed.link("$T/hid", "w/d");
        let spellings = [
            "$T/hid/key",
            "/proc/self/root$T/hid/key",
            "/proc/thread-self/root$T/hid/key",
            "/proc/self/cwd/../hid/key",
            "l",
            "d/key",
            "../hid/key",
            "$T//hid/./key",
            "$T/w/../ro/../hid/key",
        ];
        for spelling in spellings {
            bed.sbx()
                .w("$T/w")
                .r("$T/ro")
                .h("$T/hid")
                .run(&["cat", spelling])
                .code(1)
                .out("")
                .record(&["cat file-lookup $T/hid/key (hidden --hide $T/hid)"])
                .unchanged();
        }
        bed.sbx()
            .w("$T/w")
            .h("$T/hid")
            .run(&["cat", "../w/l", "/proc/self/root$T/w/../w/ok"])
            .code(1);
    }
}

/// A descriptor that only names the file is no way in.
#[test]
fn enf_22_a_path_descriptor_reopened() {
    let bed = Bed::new();
    bed.dir("w/sec");
    bed.write("w/sec/key", "s3cret\n");
    bed.sbx()
        .w("$T/w")
        .h("$T/w/sec/key")
        .python(
            "import os
fd = os.open('$T/w/sec/key', os.O_PATH)
for name in ('/proc/self/fd/%d' % fd, '/dev/fd/%d' % fd):
    try: print('LEAK', open(name).read())
    except OSError as e: print(e.errno)",
        )
        .code(0)
        .out("13\n13\n")
        .record(&["python3 file-read-data $T/w/sec/key (hidden --hide $T/w/sec/key) x2"])
        .unchanged();
}

/// Each call that opens, and those that hand out a file without opening it.
#[test]
fn enf_39_every_call_that_opens() {
    if !have(&["python3"]) {
        return;
    }
    let bed = Bed::new();
    bed.dir("w/sec");
    bed.write("w/sec/key", "s3cret\n");
    bed.mode("w/sec/key", 0o755);
    bed.sbx()
        .w("$T/w")
        .h("$T/w/sec")
        .python(
            "import ctypes, struct, os
libc = ctypes.CDLL(None, use_errno=True)
key, here = b'$T/w/sec/key', -100
number = {'x86_64': (2, 257, 85, 303), 'aarch64': (None, 56, None, 264)}[os.uname().machine]
def call(nr, *arguments):
    ctypes.set_errno(0)
    result = libc.syscall(ctypes.c_long(nr), *arguments)
    print(ctypes.get_errno() if result < 0 else 'LEAK')
root = os.open('/', os.O_PATH)
for flags in (0, 1, 2, 4, 8, 16):
    how = struct.pack('QQQ', 0, 0, flags)
    at, name = (root, key[1:]) if flags in (8, 16) else (here, key)
    call(437, at, name, how, ctypes.c_size_t(24))
if number[0] is not None: call(number[0], key, 0)
else: call(number[1], here, key, 0)
call(number[1], here, key, os.O_PATH)
call(number[1], here, key, os.O_WRONLY | os.O_TRUNC)
call(number[3], here, key, ctypes.create_string_buffer(b'\\x80\\0\\0\\0' + bytes(200)), ctypes.create_string_buffer(8), 0)
try: os.execve(key, ['key'], {})
except OSError as e: print(e.errno)",
        )
        .code(0)
        .out("13\n18\n13\n13\n13\n13\n13\n13\n13\n13\n13\n")
        .record(&["python3 file-lookup $T/w/sec/key (hidden --hide $T/w/sec) x10"])
        .unchanged();
}

/// Not dumpable, a process cannot be looked into: it gets what is granted and nothing more, by its name.
#[test]
fn enf_43_a_process_that_nobody_may_look_into() {
    if !have(&["python3"]) {
        return;
    }
    let bed = Bed::new();
    bed.sbx()
        .r("$T/ro")
        .h("$T/hid")
        .python(
            "import ctypes
ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)
print(open('$T/ro/f').read().strip())
try: print('LEAK', open('$T/hid/key').read())
except OSError as e: print(e.errno)",
        )
        .code(0)
        .out("data\n13\n")
        .record(&["python3 file-lookup $T/hid/key (hidden --hide $T/hid)"])
        .unchanged();
}

/// A second name for what is hidden, and its removal to a place that is not.
#[test]
fn enf_56_links_to_and_moves_of_what_is_hidden() {
    for bed in [Bed::new(), Bed::in_tmp()] {
        bed.dir("w/sec");
        bed.write("w/sec/key", "s3cret\n");
        let ran = bed
            .sbx()
            .w("$T/w")
            .h("$T/w/sec")
            .sh("ln sec/key l && cat l; mv sec/key m && cat m; mv sec vis && cat vis/key; ln /proc/self/cwd/sec/key n; true")
            .code(0)
            .out("")
            .unchanged();
        for entry in ran.entries() {
            assert!(
                entry.contains(" $T/w/sec/key (hidden --hide $T/w/sec)"),
                "{entry}"
            );
        }
        assert!(ran.entries().len() >= 3, "{ran:#?}");
    }
}

/// The same for a single file, which is a mount of its own: it cannot be linked, moved or replaced.
#[test]
fn enf_56_links_to_and_moves_of_a_hidden_file() {
    let bed = Bed::new();
    bed.write("w/key", "s3cret\n");
    bed.sbx()
        .w("$T/w")
        .h("$T/w/key")
        .sh("ln key l && cat l; mv key m && cat m; echo x >n && mv n key; ln key l2; test ! -e l -a ! -e m -a ! -e l2")
        .code(0)
        .out("")
        .changed(&["+w/n"]);
}

/// Destruction needs no content.
#[test]
fn enf_59_what_is_hidden_is_not_destroyed() {
    for bed in [Bed::new(), Bed::in_tmp()] {
        bed.dir("w/sec");
        bed.write("w/sec/key", "s3cret\n");
        bed.sbx()
            .w("$T/w")
            .h("$T/w/sec")
            .sh("truncate -s0 sec/key; true >sec/key; rm -f sec/key; rmdir sec; rm -rf sec; echo x >n; mv n sec/key; rm -f n; true")
            .code(0)
            .out("")
            .unchanged();
    }
}

/// A name beneath a hidden directory answers the same whether it exists or not; the record knows better.
#[test]
fn enf_60_existence_is_not_told() {
    if !have(&["python3"]) {
        return;
    }
    let bed = Bed::new();
    let ran = bed
        .sbx()
        .w("$T/w")
        .h("$T/hid")
        .python(
            "import os, ctypes
libc = ctypes.CDLL(None, use_errno=True)
def watch(path):
    if libc.inotify_add_watch(libc.inotify_init(), path.encode(), 2) < 0: raise OSError(ctypes.get_errno(), '')
def access(path):
    if libc.access(path.encode(), 0) < 0: raise OSError(ctypes.get_errno(), '')
for call in (os.stat, os.lstat, open, access, os.readlink, watch, os.listdir, os.statvfs, os.listxattr, os.chdir, os.unlink):
    answers = []
    for name in ('key', 'nope'):
        try: call('$T/hid/' + name); answers.append('LEAK')
        except OSError as e: answers.append(e.errno)
    print(*answers)",
        )
        .code(0)
        .out(&"13 13\n".repeat(11))
        .unchanged();
    for entry in ran.entries() {
        assert!(entry.starts_with("python3 file-lookup $T/hid/"), "{entry}");
    }
}
