# Changes beside the grants: what the record says of them must be true.
import os

BED = os.environ["BED"]


def attempt(call, *args, **kwargs):
    try:
        return call(*args, **kwargs)
    except OSError:
        return None


for place in (BED + "/outside", BED + "/work/hidden", BED + "/home", "/etc", "/usr"):
    for name in ("data.txt", "inside.txt", "new", "sub/new", "sub"):
        path = place + "/" + name
        attempt(os.open, path, os.O_WRONLY)
        attempt(os.open, path, os.O_RDWR | os.O_CREAT, 0o600)
        attempt(os.open, path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        attempt(os.open, path, os.O_RDONLY | os.O_TRUNC)
        attempt(os.open, path, os.O_RDONLY | os.O_CREAT, 0o600)
        attempt(os.mkdir, path)
        attempt(os.rmdir, path)
        attempt(os.unlink, path)
        attempt(os.rename, path, path + "2")
        attempt(os.rename, path, "plain2")
        attempt(os.rename, "plain.txt", path)
        attempt(os.link, path, path + "2")
        attempt(os.link, "plain.txt", path)
        attempt(os.symlink, "x", path)
        attempt(os.chmod, path, 0o600)
        attempt(os.chown, path, os.getuid(), os.getgid())
        attempt(os.utime, path)
        attempt(os.truncate, path, 1)
        attempt(os.setxattr, path, "user.whybox", b"1")
        attempt(os.removexattr, path, "user.whybox")
attempt(os.open, BED + "/outside", os.O_WRONLY | os.O_TMPFILE)
# What the cage may change, it changes.
os.rename("plain.txt", "plain3.txt")
os.rename("plain3.txt", "plain.txt")
with open(os.environ["SHADOWED"] + "x", "w") as file:
    file.write("own")
