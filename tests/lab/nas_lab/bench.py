"""Moves data by one thread in 1 MiB pieces; run on a host by `lab measure`."""

import mmap
import os
import time


def bench(mode, path, size, seconds, source=None):
    """Moves data by one thread in 1 MiB pieces. Prints Mbit/s, or for fsync ms, for rand IO/s."""
    block, buffer = 1 << 20, mmap.mmap(-1, 1 << 20)
    buffer.write(os.urandom(block))
    direct = os.O_DIRECT if mode in ("dwrite", "dread", "rand") else 0
    began, moved, ops = time.monotonic(), 0, 0
    if mode in ("write", "dwrite", "copy"):
        fd = os.open(path, os.O_CREAT | os.O_TRUNC | os.O_WRONLY | direct, 0o644)
        src = os.open(source, os.O_RDONLY) if mode == "copy" else None
        if src is not None:
            os.posix_fadvise(src, 0, 0, os.POSIX_FADV_DONTNEED)
        while moved < size and time.monotonic() - began < seconds:
            data = os.read(src, block) if src is not None else buffer
            if not data:
                break
            moved += os.write(fd, data)
        os.fsync(fd)
        os.close(fd)
    elif mode in ("read", "dread"):
        fd = os.open(path, os.O_RDONLY | direct)
        os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
        while moved < size and time.monotonic() - began < seconds:
            n = os.readv(fd, [buffer])
            moved += n
            if n == 0:
                break
    elif mode == "fsync":
        fd = os.open(path, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o644)
        while time.monotonic() - began < seconds:
            os.write(fd, buffer[:4096])
            os.fsync(fd)
            ops += 1
        return (time.monotonic() - began) * 1000 / ops
    elif mode == "rand":
        fd, small = os.open(path, os.O_RDONLY | direct), mmap.mmap(-1, 4096)
        blocks = os.fstat(fd).st_size // 4096
        while time.monotonic() - began < seconds:
            os.preadv(fd, [small], int.from_bytes(os.urandom(6), "big") % blocks * 4096)
            ops += 1
        return ops / (time.monotonic() - began)
    return moved * 8 / 1e6 / (time.monotonic() - began)
