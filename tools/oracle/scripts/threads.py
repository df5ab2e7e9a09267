# Many threads of one process, refused at once, some under names of their own.
import ctypes, os, threading

libc = ctypes.CDLL(None)
gate = threading.Barrier(8)


def work(number):
    if number % 2:
        libc.prctl(15, b"thread-%d" % number, 0, 0, 0)
    gate.wait()
    for _ in range(20):
        for path in ("secret.env", "../outside/data.txt", f"../outside/missing-{number}", "hidden/inside.txt"):
            try:
                os.close(os.open(path, os.O_RDONLY))
            except OSError:
                pass


threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
# A thread that executes takes the place of its process.
threading.Thread(target=lambda: os.execv("/bin/cat", ["cat", "secret.env", "../outside/data.txt"])).start()
threading.Event().wait()
