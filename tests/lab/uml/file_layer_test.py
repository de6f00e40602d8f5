#!/usr/bin/env python3
"""file_layer_test.py NASDIAG: the file layer on real kernel NFS and SMB mounts in user-mode Linux.

Checks that each mount is identified, that what nasdiag says it moved is what the kernel counted, and that its
rates are within 10 % of those of dd with fsync in the same guest; that `nasdiag watch` sees another program's copy;
that a folder of autofs is mounted by looking at it; and that a read-only share, a quota that is used up and a server
that lost the files are one sentence each. Prints the ratios. Says SKIPPED where it can't run."""
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
EXPECTED = {
    "nfs4": {"kind": "nfs", "protocol": "nfs4.2", "connections": 2},
    "nfs3": {"kind": "nfs", "protocol": "nfs3", "connections": 1},
    "smb": {"kind": "cifs", "protocol": "smb3.1.1", "connections": 1},
}
# Over a wire of 1 Gbit/s both are near 118 MB/s: the wire is the limit, whatever else the machine does.
WIDEST = (0.9, 1.1)

failures = []


def check(condition, what):
    if not condition:
        failures.append(what)
        print("FAILED:", what)


def load(out, name):
    with open(os.path.join(out, name), encoding="utf-8") as file:
        return json.load(file)


def dd_rates(out, kind):
    rates = {"write": [], "read": []}
    with open(os.path.join(out, kind + ".dd"), encoding="utf-8") as file:
        for line in file:
            size = re.search(r"(\d+) bytes", line)
            time = re.search(r"copied, ([0-9.e-]+) s", line)
            if size and time:
                rates[line.split()[0]].append(int(size[1]) / float(time[1]))
    return rates


def moved_by_kernel(transfer, kind):
    counters = transfer["counters"]
    if kind == "smb":
        return counters["cifs"]["written_bytes" if transfer["direction"] == "write" else "read_bytes"]
    field = "written_to_server_bytes" if transfer["direction"] == "write" else "read_from_server_bytes"
    return counters["nfs"][field]


def check_transfer(transfer, kind):
    name = f"{kind} {transfer['name']}"
    check(transfer["outcome"] == "ok", f"{name}: {transfer['outcome']} {transfer['failure']}")
    if transfer["outcome"] != "ok":
        return
    check(not any(note["severity"] == "void" for note in transfer["notes"]), f"{name}: figure marked as void")
    ratio = moved_by_kernel(transfer, kind) / transfer["moved_bytes"]
    check(0.99 < ratio < 1.02, f"{name}: the kernel counted {ratio:.3f} of what was moved")
    if transfer["direction"] == "read":
        verdict = (transfer.get("hash") or {}).get("verdict", "match")
        check(verdict == "match", f"{name}: hash {verdict}")
        check(transfer["cache"] == "server-warm", f"{name}: cache {transfer['cache']}")
        check(transfer["cache_check"] == "wire-bytes", f"{name}: checked by {transfer['cache_check']}")


def check_observed(out, kind):
    """A copy of another program: its bytes in the mount's counters and on the kernel's own connections."""
    with open(os.path.join(out, kind + ".watched"), encoding="utf-8") as file:
        seen = json.loads(file.readline())
    counters = seen.get("mount") or {}
    written = (counters.get("cifs") or {}).get("written_bytes") or \
        (counters.get("nfs") or {}).get("written_to_server_bytes") or 0
    rate = 8 * written / seen["length_seconds"]
    sockets = [group for group in seen["sockets"] if group["group"] == "mount"]
    check(written > 0, f"{kind}: no bytes in the observed counters")
    check(len(sockets) == 1 and sockets[0]["kernel_owned"], f"{kind}: the kernel's connections are not seen")
    if sockets:
        sent = sockets[0]["sent_bits_per_second"]
        print(f"{kind} observed: {rate / 8e6:.0f} MB/s in the mount's counters, {sent / 8e6:.0f} on its connections")
        check(0.7 < sent / max(rate, 1) < 1.4, f"{kind}: {sent:.0f} bit/s on the wire, {rate:.0f} counted")


def check_kind(out, kind, expected):
    rates = {"write": [], "read": []}
    for run in ("verified", 1, 2, 3):
        report = load(out, f"{kind}.{run}.json")
        mount = report["mount"]
        for key, value in expected.items():
            check(mount[key] == value, f"{kind}: {key} is {mount[key]}, not {value}")
        check(mount["address"] == "10.99.0.1", f"{kind}: address {mount['address']}")
        for transfer in report["experiments"]:
            check_transfer(transfer, kind)
            if run == "verified":
                check(transfer["direction"] == "write" or transfer.get("hash"), f"{kind}: the read was not verified")
                continue
            rates[transfer["direction"]].append(transfer["rate_bits_per_second"] / 8)
    for direction, by_dd in dd_rates(out, kind).items():
        ratio = statistics.median(rates[direction]) / statistics.median(by_dd)
        print(f"{kind} {direction}: nasdiag {statistics.median(rates[direction]) / 1e6:.0f} MB/s, "
              f"dd {statistics.median(by_dd) / 1e6:.0f} MB/s, ratio {ratio:.2f}")
        check(WIDEST[0] < ratio < WIDEST[1], f"{kind} {direction}: {ratio:.2f} of what dd got")
    for experiment in load(out, f"{kind}.more.json")["experiments"]:
        check(experiment["outcome"] == "ok", f"{kind} {experiment['name']}: {experiment['failure']}")
    check_observed(out, kind)
    with open(os.path.join(out, kind + ".left"), encoding="utf-8") as file:
        left = file.read().split()
    check(left == [], f"{kind}: left behind {left}")


def read(out, name):
    with open(os.path.join(out, name), encoding="utf-8") as file:
        return file.read()


def check_broken(transfer, reason, advice):
    failure = transfer["failure"]
    check(transfer["outcome"] == "failed", f"{reason}: the write is {transfer['outcome']}")
    check(reason in failure and advice in failure and "MB" in failure, f"{reason}: told as '{failure}'")
    check(transfer["moved_bytes"] > 0 and transfer["samples"], f"{reason}: the figures so far are gone")


def check_faults(out):
    check_broken(load(out, "stale.json")["experiments"][0], "Stale file handle", "on the server")
    check_broken(load(out, "quota.json")["experiments"][0], "Disk quota exceeded", "make room")
    check(read(out, "quota.left").split() == ["lost+found"], "quota: left behind " + read(out, "quota.left"))
    told = read(out, "read-only.err").strip()
    check("Read-only file system" in told and "can be written to" in told and "\n" not in told,
          f"read-only share: told as '{told}'")
    check(read(out, "read-only.status").strip() == "3", "read-only share: exit status " + read(out, "read-only.status"))


def check_automount(out):
    if os.path.exists(os.path.join(out, "automount.skipped")):
        print("SKIPPED: a mount by autofs:", read(out, "automount.skipped").strip())
        return
    check(read(out, "automount.before").strip() == "0", "automount: it was mounted already")
    report = load(out, "automount.json")
    mount = report["mount"]
    check((mount["protocol"], mount["mount_point"]) == ("nfs4.2", "/run/auto/share"),
          f"automount: {mount['protocol']} at {mount['mount_point']}")
    check(report["experiments"][0]["outcome"] == "ok", "automount: " + report["experiments"][0]["failure"])


def main():
    with tempfile.TemporaryDirectory(prefix="nasdiag-uml-out") as out:
        guest = subprocess.run([os.path.join(HERE, "nas-guest"), os.path.join(HERE, "in-guest"),
                                os.path.abspath(sys.argv[1])],
                               env=dict(os.environ, OUT=out, LIMIT="180", RATE="1gbit"), check=False,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
        if guest.returncode == 77:
            print(guest.stdout)
            return 0
        if guest.returncode in (124, 137):
            print("SKIPPED: the guest did not finish in time: this machine is too busy")
            return 0
        if guest.returncode != 0:
            print(guest.stdout)
            print("FAILED: the guest ended with", guest.returncode)
            return 1
        for kind, expected in EXPECTED.items():
            check_kind(out, kind, expected)
        check_automount(out)
        check_faults(out)
        if failures:
            print(guest.stdout)
    return 1 if failures else 0


sys.exit(main())
