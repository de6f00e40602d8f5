#!/usr/bin/env python3
"""observe_lab_test.py NASDIAG: what `nasdiag watch` and `nasdiag facts` see in the lab of two hosts.

While a copy runs, the programs that serve a mount have the share of a processor that pidstat gives them, within five
points; a mount that goes another way than to the server is pointed out. Says SKIPPED where the lab can't run."""
import json
import os
import shutil
import sys
import time

from in_lab import Lab

LOOK = 4  # seconds
lab = Lab("ot")
check = lab.check


def processors_by_pidstat(text):
    """Percent of one processor by process."""
    table, columns = {}, None
    for line in text.splitlines():
        words = line.split()
        if line.startswith("#"):
            columns = words[1:]
        elif columns and len(words) >= len(columns):
            table[int(words[columns.index("PID")])] = float(words[columns.index("%CPU")])
    return table


def while_copying(name, place):
    """The same seconds of one copy as `nasdiag watch` and pidstat saw them."""
    copy = lab.start_on_client(name, "timeout", str(LOOK + 6), "sh", "-c",
                               f"while dd if=/dev/zero of={place['mount']}/observed bs=1M count=256 conv=fsync; do :; done")
    time.sleep(2)
    watch = lab.start_on_client(name, NASDIAG, "watch", "--mount", place["mount"], "--interval", f"{LOOK}s",
                                "--seconds", str(LOOK + 1), "--json")
    pidstat = lab.start_on_client(name, "pidstat", "-u", "-h", str(LOOK), "1")
    lines, _ = watch.communicate(timeout=60)
    table, _ = pidstat.communicate(timeout=60)
    copy.communicate(timeout=60)
    return json.loads(lines.splitlines()[0]), processors_by_pidstat(table)


def shares_of_the_mount(name, place, daemons):
    observation, truth = while_copying(name, place)
    seen = {process["name"]: process for process in observation["processes"] if process["serves_mount"]}
    check(set(daemons) <= set(seen), f"{name}: of {daemons} only {sorted(seen)} are said to serve the mount")
    for daemon in set(daemons) & set(seen):
        process = seen[daemon]
        ours, theirs = 100 * process["cpu"], truth.get(process["process"], 0.0)
        print(f"{name}: {daemon} {ours:.1f} % of a processor, pidstat says {theirs:.1f} %", flush=True)
        check(abs(ours - theirs) <= 5, f"{name}: {daemon} {ours:.1f} %, pidstat {theirs:.1f} %")


def sshfs(name, place):
    shares_of_the_mount(name, place, ["sshfs", "ssh"])


def gvfs(name, place):
    shares_of_the_mount(name, place, ["gvfsd-fuse", "gvfsd-smb"])


def weak_client(name, place):
    shares_of_the_mount(name, place, ["sshfs"])


def two_ways(name, place):
    done = lab("exec", name, "--", NASDIAG, "facts", "--server", "nas", "--mount", place["mount"], "--json", "-")
    check("mount-other-way" in done.stdout, f"{name}: the other way of the mount is not told: {done.stderr}")


SCENARIOS = {"sshfs-same-link": sshfs, "gvfs-smb": gvfs, "weak-client-cpu": weak_client,
             "two-nics-mount-on-lan": two_ways}


if shutil.which("pidstat") is None:
    print("SKIPPED: pidstat (sysstat) is not installed")
    sys.exit(0)
NASDIAG = os.path.abspath(sys.argv[1])
sys.exit(lab.run({name: SCENARIOS[name] for name in sys.argv[2:] or SCENARIOS}))
