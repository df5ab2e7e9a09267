# The same refusals again and again, in one process, which changes its name on the way.
import ctypes, os

libc = ctypes.CDLL(None)
for number in range(500):
    for path in ("secret.env", "../outside/data.txt", "hidden/inside.txt"):
        try:
            os.close(os.open(path, os.O_RDONLY))
        except OSError:
            pass
    os.access("../outside/data.txt", os.R_OK)
    if number == 250:
        libc.prctl(15, b"other name\n[1]", 0, 0, 0)
