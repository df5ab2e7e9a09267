# Processes that live for a moment: made, refused, gone.
import os, sys

for number in range(int(sys.argv[1])):
    child = os.fork()
    if child == 0:
        try:
            os.open("secret.env" if number % 2 else "../outside/data.txt", os.O_RDONLY)
        except OSError:
            pass
        if number % 10 == 0 and os.fork() == 0:
            os.access("../outside/sub/more.txt", os.R_OK)
        os._exit(0)
    if number % 8 == 0:
        os.waitpid(child, 0)
