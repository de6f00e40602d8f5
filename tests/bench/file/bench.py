#!/usr/bin/env python3
"""bench.py NASDIAG [--size 256M] [--rounds 5] [--places fast,sshfs] [--parts large,small,overlap,hash] [--at DIR]

nasdiag's file layer beside cp, dd, rsync, rclone, xxhsum, openssl and sha1sum: one after the other in each round,
so that a busy machine slows all alike. Prints the median rate of each and, per peer, the median over the rounds of
nasdiag's rate divided by the peer's of the same round. Needs root for its mounts: `fast` is ext4 on a loop device in
memory, past the page cache of its image; `sshfs` a folder in memory through sftp-server. --at measures a mount that
is there already (GVfs, NFS) in place of them.

Everybody writes with the flush inside the time, and reads files whose pages were dropped before. nasdiag hashes
what it reads; the peers don't."""
import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

SFTP_SERVER = "/usr/lib/openssh/sftp-server"


def run(*words, **options):
    return subprocess.run(words, check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)


def timed(*commands):
    start = time.monotonic()
    for words in commands:
        run(*words)
    return time.monotonic() - start


def rate_of(amount, commands, name, rates):
    """Adds the rate of a peer, unless it isn't installed or can't do this here (rsync over GVfs), which is said."""
    if not shutil.which(commands[0][0]):
        return
    try:
        rates[name] = amount / timed(*commands)
    except subprocess.CalledProcessError as failure:
        print(f"{name} FAILED: {failure.stderr.decode(errors='replace').partition(chr(10))[0]}", file=sys.stderr)


def drop(path):
    fd = os.open(path, os.O_RDONLY)
    os.fsync(fd)
    os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
    os.close(fd)


class Bench:
    def __init__(self, arguments):
        self.nasdiag = os.path.abspath(arguments.nasdiag)
        self.size = arguments.size
        self.rounds = arguments.rounds
        self.work = tempfile.mkdtemp(prefix="nasdiag-bench", dir="/dev/shm")
        self.source = os.path.join(self.work, "source")
        with open(self.source, "wb") as file:
            for _ in range(self.size >> 20):
                file.write(os.urandom(1 << 20))
        self.small = os.path.join(self.work, "small")
        os.mkdir(self.small)
        for number in range(arguments.small_files):
            with open(os.path.join(self.small, str(number)), "wb") as file:
                file.write(os.urandom(4096))
        self.small_files = arguments.small_files
        self.memory = 0
        self.turn = False

    def close(self):
        shutil.rmtree(self.work, ignore_errors=True)

    def file_report(self, place, *options):
        report = os.path.join(self.work, "report.json")
        program = subprocess.Popen([self.nasdiag, "file", place, "--json", report, "--time", "60s", *options],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(program.pid, 0)
        program.returncode = os.waitstatus_to_exitcode(status)
        if program.returncode != 0:
            raise RuntimeError(f"nasdiag file {place} {' '.join(options)} ended with {program.returncode}")
        self.memory = max(self.memory, usage.ru_maxrss * 1024)  # of the program or its worker, the larger
        with open(report, encoding="utf-8") as file:
            return json.load(file)["experiments"]

    # Each of the following gives {program: rate} of one round.

    def large(self, place):
        target = os.path.join(place, "by-peer")
        mib = str(self.size >> 20) + "M"
        writes, reads = {}, {}
        for experiment in self.file_report(place, "--experiments", "write,read", "--size", mib):
            (writes if experiment["direction"] == "write" else reads)["nasdiag"] = \
                experiment["rate_bits_per_second"] / 8e6
        peers = {
            "cp": [["cp", self.source, target], ["sync", target]],
            "dd bs=1M": [["dd", f"if={self.source}", f"of={target}", "bs=1M", "conv=fsync"]],
            "rsync": [["rsync", "--whole-file", "--fsync", self.source, target]],
            "rclone": [["rclone", "copyto", self.source, target], ["sync", target]],
        }
        for name, commands in peers.items():
            if os.path.exists(target):
                os.unlink(target)
            rate_of(self.size / 1e6, commands, name, writes)
        local = os.path.join(self.work, "copy")
        peers = {
            "cp": ["cp", target, local],
            "dd bs=1M": ["dd", f"if={target}", "of=/dev/null", "bs=1M"],
            "rsync": ["rsync", "--whole-file", target, local],
            "rclone": ["rclone", "copyto", target, local],
        }
        for name, words in peers.items():
            if os.path.exists(local):
                os.unlink(local)
            shutil.copyfile(self.source, target)  # written just before, as nasdiag's own is
            drop(target)
            rate_of(self.size / 1e6, [words], name, reads)
        os.unlink(target)
        if os.path.exists(local):
            os.unlink(local)
        return {"durable write, MB/s": writes, "cold read, MB/s": reads}

    def small_file_rates(self, place):
        rates = {}
        report = self.file_report(place, "--experiments", "small", "--small-files", str(self.small_files))
        for experiment in report[:2]:
            create = experiment["operations"][0]
            rates[f"nasdiag, {experiment['threads']} threads"] = create["operations_per_second"]
        rates["nasdiag"] = max(rates.values())
        target = os.path.join(place, "small-by-peer")
        peers = {
            "cp -r": ["cp", "-r", self.small, target],
            "rsync -a": ["rsync", "-a", self.small + "/", target],
            "rclone --transfers 8": ["rclone", "copy", "--transfers", "8", self.small, target],
        }
        for name, words in peers.items():
            shutil.rmtree(target, ignore_errors=True)
            rate_of(self.small_files, [words], name, rates)
        shutil.rmtree(target, ignore_errors=True)
        return {"small files, made/s": rates}

    def overlap(self, place):
        """A read that is hashed beside one that isn't."""
        rates = {}
        mib = str(self.size >> 20) + "M"
        kinds = [("nasdiag", "xxh3"), ("without hash", "none")]
        self.turn = not self.turn  # who reads first changes from round to round
        for program, kind in kinds if self.turn else reversed(kinds):
            report = self.file_report(place, "--experiments", "write,read", "--hash", kind, "--size", mib)
            rates[program] = report[1]["rate_bits_per_second"] / 8e6
        return {"cold read and hash, MB/s": rates}

    def hashes(self, place):
        target = os.path.join(place, "to-hash")
        shutil.copyfile(self.source, target)
        mib = str(self.size >> 20) + "M"
        peers = {"xxh3": [["xxhsum", "-H2", target]],
                 "sha256": [["openssl", "dgst", "-sha256", target]],
                 "sha1": [["openssl", "dgst", "-sha1", target], ["sha1sum", target]]}
        results = {}
        for kind, commands in peers.items():
            report = self.file_report(place, "--experiments", "warm", "--hash", kind, "--size", mib)
            rates = {"nasdiag": report[0]["rate_bits_per_second"] / 8e6}
            for words in commands:
                if shutil.which(words[0]):
                    run("cat", target)
                    rates[words[0]] = self.size / 1e6 / timed(words)
            results[f"{kind} of a cached file, MB/s"] = rates
        os.unlink(target)
        return results

    def compare(self, title, part, place):
        rounds = {}
        for _ in range(self.rounds):
            for name, rates in part(place).items():
                rounds.setdefault(name, []).append(rates)
        for name, rates in rounds.items():
            print(f"{title}: {name}")
            for program in rates[0]:
                median = statistics.median(entry[program] for entry in rates)
                ratio = statistics.median(entry["nasdiag"] / entry[program] for entry in rates)
                beside = "" if program.startswith("nasdiag") else f"   nasdiag / {program} = {ratio:.2f}"
                print(f"  {program:24} {median:10.0f}{beside}")
            sys.stdout.flush()


class Fast:
    """ext4 on a loop device whose image lies in memory: as fast as a disk gets, and pages can be dropped."""

    def __init__(self, work, size):
        self.mount = os.path.join(work, "fast")
        os.mkdir(self.mount)
        image = os.path.join(work, "image")
        with open(image, "wb") as file:
            file.truncate(4 * size + (256 << 20))
        run("mkfs.ext4", "-q", "-E", "lazy_itable_init=0,lazy_journal_init=0", image)
        self.device = run("losetup", "--find", "--show", "--direct-io=on", image).stdout.decode().strip()
        run("mount", self.device, self.mount)

    def close(self):
        subprocess.run(["umount", self.mount], check=False)
        subprocess.run(["losetup", "--detach", self.device], check=False)


class Sshfs:
    """A folder in memory, served through sshfs with sftp-server in place of ssh: no encryption in the way."""

    def __init__(self, work):
        self.mount = os.path.join(work, "sshfs")
        served = os.path.join(work, "served")
        os.mkdir(self.mount)
        os.mkdir(served)
        script = os.path.join(work, "ssh")
        with open(script, "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\nexec {SFTP_SERVER}\n")
        os.chmod(script, 0o700)
        run("sshfs", "-o", f"ssh_command={script}", f"nas:{served}", self.mount)

    def close(self):
        subprocess.run(["fusermount3", "-u", self.mount], check=False)


def parse_size(text):
    factor = {"M": 1 << 20, "G": 1 << 30}[text[-1]]
    return int(text[:-1]) * factor


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("nasdiag")
    parser.add_argument("--size", type=parse_size, default=parse_size("256M"))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--small-files", type=int, default=300)
    parser.add_argument("--places", default="fast,sshfs")
    parser.add_argument("--parts", default="large,small,overlap,hash")
    parser.add_argument("--at")
    arguments = parser.parse_args()
    bench = Bench(arguments)
    made = []
    try:
        places = {arguments.at: arguments.at} if arguments.at else {}
        for name in [] if arguments.at else arguments.places.split(","):
            made.append(Sshfs(bench.work) if name == "sshfs" else Fast(bench.work, bench.size))
            places[name] = made[-1].mount
        parts = {"large": bench.large, "small": bench.small_file_rates, "overlap": bench.overlap, "hash": bench.hashes}
        for title, place in places.items():
            for part in arguments.parts.split(","):
                if part != "hash" or title != "sshfs":
                    bench.compare(title, parts[part], place)
        print(f"nasdiag's memory at most: {bench.memory / 2**20:.1f} MiB")
    finally:
        for place in made:
            place.close()
        bench.close()
    return 0


sys.exit(main())
