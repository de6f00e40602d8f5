#!/usr/bin/env python3
"""file_lab_test.py NASDIAG: the file layer in the lab of two hosts.

A GVfs mount is identified and measured; a NAS whose cable is pulled in the middle of a write, and one whose disk
fills up, are reported with the figures so far; a mount that keeps files in a cache of its own is waited for. Says
SKIPPED where the lab can't run."""
import json
import os
import shutil
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


# rclone says that all is flushed when it lies in its folder of this machine, and sends it a second later.
WITH_CACHE = """
command=$(tr '\\0' '\\n' < /proc/$(pgrep -f -o "^rclone mount .* $0 ")/cmdline | sed -n 3p)
mkdir -p /mnt/cached && rclone mount "$command" /mnt/cached --config /dev/null --cache-dir /mnt/local/.cached \
  --vfs-cache-mode writes --vfs-write-back 1s --daemon || exit 9
"$1" file /mnt/cached --experiments write,read --size 100M --time 20s --json - 2>/dev/null
status=$?
fusermount3 -u /mnt/cached
exit $status
"""


# davfs2, too, keeps what is written in a folder of this machine, and sends it a second after the file was closed.
DAVFS = """
mkdir -p -m 777 /mnt/dav /mnt/local/.dav
printf 'cache_dir /mnt/local/.dav\\nask_auth 0\\nuse_locks 0\\ndelay_upload 1\\n' > /mnt/local/dav.conf
mount.davfs http://nas:8099/ /mnt/dav -o conf=/mnt/local/dav.conf < /dev/null || exit 9
"$1" file /mnt/dav --experiments write,read --size 100M --time 20s --json - 2>/dev/null
status=$?
umount /mnt/dav >/dev/null
exit $status
"""


def davfs(name, place):
    if not shutil.which("mount.davfs"):
        print("SKIPPED: a WebDAV mount, because mount.davfs (davfs2) is not installed")
        return
    server = lab.start_on_nas(name, "timeout", "40", "rclone", "serve", "webdav", place["nas_data"], "--addr",
                              "0.0.0.0:8099", "--config", "/dev/null")
    time.sleep(1.5)
    done = lab("exec", name, "--", "bash", "-c", DAVFS, place["mount"], NASDIAG, timeout=60)
    server.terminate()
    check(done.returncode == 0 and done.stdout, f"davfs: status {done.returncode}: {done.stderr}")
    if not done.stdout:
        return
    report = json.loads(done.stdout)
    mount = report["mount"]
    check((mount["kind"], mount["server"]) == ("davfs", "nas"), f"davfs: taken for {mount}")
    check_sent("davfs", report["experiments"][0])
    read = report["experiments"][1]
    received = sum(interface["received_bytes"] for interface in read["counters"]["interfaces"])
    check(read["cache"] == "server-warm" and received >= read["moved_bytes"],
          f"davfs: {received} bytes received of a read taken for {read['cache']}")


def check_sent(mount, write):
    """The flush was not believed: in the window the interface sent all."""
    codes = {note["code"] for note in write["notes"]}
    check("flush-returned-early" in codes, f"{mount}: the early flush was believed, {codes}")
    sent = sum(interface["sent_bytes"] for interface in write["counters"]["interfaces"])
    check(sent >= write["moved_bytes"], f"{mount}: {sent} bytes of {write['moved_bytes']} sent in the window")


def rclone_with_cache(name, place):
    done = lab("exec", name, "--", "bash", "-c", WITH_CACHE, place["mount"], NASDIAG, timeout=60)
    check(done.returncode == 0 and done.stdout, f"rclone: status {done.returncode}: {done.stderr}")
    if not done.stdout:
        return
    report = json.loads(done.stdout)
    check(report["mount"]["protocol"] == "rclone", f"rclone: taken for {report['mount']['protocol']}")
    write, read = report["experiments"]
    check_sent("rclone", write)
    told = " ".join(note["text"] for note in write["notes"])
    check("before the mount's program sent anything" in told, f"rclone: its wait before sending is not told: {told}")
    check(read["cache"] == "warm", f"rclone: read from rclone's own cache, taken for {read['cache']}")


def caching_mounts(name, place):
    rclone_with_cache(name, place)
    davfs(name, place)


SCENARIOS = {"rclone-mount": caching_mounts, "gvfs-smb": gvfs, "nas-powers-off": cable_pulled,
             "nas-fills-up": disk_fills}


NASDIAG = os.path.abspath(sys.argv[1])
sys.exit(lab.run(SCENARIOS))
