"""A process that stands in for one of ours that was forked off elsewhere: see `forked`.

It hands its own arguments, surroundings and files over, passes signals on, and ends as that ends.
It is started as `python -I -S stand_in.py SOCKET MODULE ARGUMENTS`, and imports next to nothing.
"""

import marshal
import os
import signal
import socket
import sys
from types import FrameType

_PASSED_ON = ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGWINCH", "SIGUSR1")
_FILES = (0, 1, 2)


def order(
    forge: socket.socket,
    words: list[str],
    *,
    folder: str,
    environment: dict[str, str],
    files: tuple[int, int, int],
) -> int:
    """Has a process made for a module and its arguments; returns its id."""
    said = marshal.dumps((words, folder, environment))
    socket.send_fds(forge, [len(said).to_bytes(4, "big")], files)
    forge.sendall(said)
    return int.from_bytes(forge.recv(4, socket.MSG_WAITALL), "big")


def main() -> None:
    """Orders the process, and waits until it has ended."""
    with socket.socket(socket.AF_UNIX) as forge:
        forge.connect(sys.argv[1])

        def pass_on(number: int, _frame: FrameType | None) -> None:
            forge.send(bytes([number]))

        order(forge, sys.argv[2:], folder=os.getcwd(), environment=dict(os.environ), files=_FILES)
        for name in _PASSED_ON:
            signal.signal(getattr(signal, name), pass_on)
        for file in _FILES:
            os.close(file)  # whoever reads or writes at the other end is to see that one only
        told = forge.recv(4)
    code = os.waitstatus_to_exitcode(int.from_bytes(told, "big")) if told else os.EX_SOFTWARE
    if code < 0:
        if -code != signal.SIGKILL:
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code)


if __name__ == "__main__":
    main()
