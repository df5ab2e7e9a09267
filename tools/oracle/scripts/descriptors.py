# Paths that start at descriptors, and calls that shells have no word for.
import ctypes, os

BED = os.environ["BED"]
libc = ctypes.CDLL(None, use_errno=True)


def attempt(call, *args, **kwargs):
    try:
        return call(*args, **kwargs)
    except OSError:
        return None


work = os.open(".", os.O_RDONLY | os.O_DIRECTORY)
root = os.open("/", os.O_PATH | os.O_DIRECTORY)
outside = os.open("../outside", os.O_PATH | os.O_DIRECTORY)
hidden = os.open("hidden", os.O_PATH | os.O_DIRECTORY)
shut = os.open("../outside/data.txt", os.O_PATH)
own = os.open("plain.txt", os.O_RDONLY)
names = {
    work: ["plain.txt", "secret.env", "../outside/data.txt", "hidden/inside.txt", "to-outside", "missing", "to-secret"],
    root: [BED[1:] + "/outside/data.txt", BED[1:] + "/work/hidden/sub", "etc/shadow", "root"],
    outside: ["data.txt", "sub/more.txt", "sub", "../work/secret.env", "to-secret", ".", "missing", "../work/plain.txt"],
    hidden: ["inside.txt", "missing", "sub/deep.txt", "../plain.txt", "."],
}
for fd, paths in names.items():
    for path in paths:
        attempt(os.open, path, os.O_RDONLY, dir_fd=fd)
        attempt(os.open, path, os.O_PATH | os.O_NOFOLLOW, dir_fd=fd)
        attempt(os.stat, path, dir_fd=fd)
        attempt(os.stat, path, dir_fd=fd, follow_symlinks=False)
        attempt(os.readlink, path, dir_fd=fd)
        for mode in (os.F_OK, os.R_OK, os.W_OK, os.X_OK, os.R_OK | os.X_OK):
            attempt(os.access, path, mode, dir_fd=fd)
            attempt(os.access, path, mode, dir_fd=fd, effective_ids=True)
        # openat2, with an empty `struct open_how`.
        how = (ctypes.c_uint64 * 3)(0, 0, 0)
        libc.syscall(437, fd, os.fsencode(path), how, 24)
# An open descriptor of a refused file is no way to its content.
for fd in (shut, outside, hidden, own, work):
    attempt(os.open, f"/proc/self/fd/{fd}", os.O_RDONLY)
    attempt(os.open, f"/dev/fd/{fd}", os.O_RDONLY)
    attempt(os.stat, f"/proc/self/fd/{fd}")
    attempt(os.readlink, f"/proc/self/fd/{fd}")
    attempt(os.listdir, fd)
for path in ("plain.txt", "secret.env", "hidden", "hidden/inside.txt", "../outside", "../outside/data.txt", "missing"):
    attempt(os.getxattr, path, "user.whybox")
    attempt(os.listxattr, path)
    attempt(os.statvfs, path)
    attempt(os.listdir, path)
    watch = libc.inotify_init()
    libc.inotify_add_watch(watch, os.fsencode(path), 0x100)
    libc.statfs(os.fsencode(path), ctypes.create_string_buffer(256))
    attempt(os.execv, path, ["x"])
    attempt(os.chdir, path)
    os.fchdir(work)
# A refused directory can be stood in where the host lets its user through.
attempt(os.fchdir, hidden)
attempt(os.fchdir, outside)
for path in ("data.txt", "sub/more.txt", "../work/secret.env", ".", ".."):
    attempt(os.open, path, os.O_RDONLY)
    attempt(os.access, path, os.R_OK)
os.fchdir(work)
for name in os.listdir(b"."):
    attempt(os.open, b"../outside/" + name, os.O_RDONLY)
    attempt(os.open, b"hidden/" + name, os.O_RDONLY)
long = "../outside/" + "./" * 1900 + "data.txt"
attempt(os.open, long, os.O_RDONLY)
attempt(os.open, "../outside/" + "n" * 255, os.O_RDONLY)
attempt(os.open, "../outside/" + "n" * 256, os.O_RDONLY)
attempt(os.open, "hidden/" + "n" * 255, os.O_RDONLY)
attempt(os.open, "x/" * 3000, os.O_RDONLY)
