#!/usr/bin/env python3
"""file_lab_test.py NASDIAG: the file layer in the lab of two hosts.

A GVfs mount is identified and measured; a NAS whose cable is pulled in the middle of a write, and one whose disk
fills up, are reported with the figures so far. Says SKIPPED where the lab can't run."""
import json
import os
import sys
import time

from in_lab import Lab

lab = Lab("ft")
check = lab.check


def measure(name, place, *options, timeout=60):
    """Report (or nothing), exit status and seconds of `nasdiag file` on the client."""
    start = time.monotonic()
    done = lab("exec", name, "--", NASDIAG, "file", place["mount"], *options, "--json", "-", timeout=timeout)
    seconds = time.monotonic() - start
    if not done.stdout.strip():
        return None, done.returncode, seconds, done.stderr
    return json.loads(done.stdout), done.returncode, seconds, done.stderr


def gvfs(name, place):
    report, status, _, errors = measure(name, place, "--experiments", "write,read", "--size", "128M", "--time", "5s")
    check(status == 0, f"gvfs: status {status}: {errors}")
    if report is None:
        return
    mount = report["mount"]
    check((mount["kind"], mount["protocol"]) == ("gvfs", "gvfs-smb"), f"gvfs: taken for {mount['protocol']}")
    check(mount["server"] in ("nas", place["mount_address"]), f"gvfs: server {mount['server']}")
    helpers = {process["name"] for process in mount["processes"]}
    check({"gvfsd-fuse", "gvfsd-smb"} <= helpers, f"gvfs: served by {helpers}")
    for transfer in report["experiments"]:
        check(transfer["rate_bits_per_second"] > 0, f"gvfs {transfer['name']}: no rate")
        if transfer["direction"] == "read":
            check(transfer["hash"]["verdict"] == "match", f"gvfs: hash {transfer['hash']['verdict']}")
            check(transfer["cache"] == "server-warm", f"gvfs: cache {transfer['cache']}")


def cable_pulled(name, place):
    report, status, seconds, errors = measure(name, place, "--experiments", "write,read", "--size", "4G", "--time",
                                              "20s", "--stall", "3s")
    check(status in (1, 3), f"cable pulled: status {status}: {errors}")
    check(seconds < 25, f"cable pulled: took {seconds:.0f} s")
    if report is None:
        return
    write = report["experiments"][0]
    check(write["outcome"] == "hung", f"cable pulled: {write['outcome']} {write['failure']}")
    check("stopped answering after" in write["failure"], f"cable pulled: {write['failure']}")
    check(write["moved_bytes"] > 0 and len(write["samples"]) > 3, "cable pulled: the figures so far are gone")


def disk_fills(name, place):
    report, status, _, errors = measure(name, place, "--experiments", "write", "--size", "1G", "--time", "20s")
    check(status in (1, 3), f"disk full: status {status}: {errors}")
    if report is None:
        return
    write = report["experiments"][0]
    check(write["outcome"] == "failed", f"disk full: {write['outcome']}")
    check("free space" in write["failure"] or "make room" in write["failure"], f"disk full: {write['failure']}")
    check(write["moved_bytes"] > 50e6, "disk full: the figures so far are gone")
    left = lab("exec", name, "--nas", "--", "ls", "-A", place["nas_data"]).stdout
    check(".nasdiag-" not in left, f"disk full: left behind {left}")


SCENARIOS = {"gvfs-smb": gvfs, "nas-powers-off": cable_pulled, "nas-fills-up": disk_fills}


NASDIAG = os.path.abspath(sys.argv[1])
sys.exit(lab.run(SCENARIOS))
