"""Building a lab, running something in it, taking it away."""

import errno
import os
import shutil
import signal
import socket
import sys
import time
from pathlib import Path

from .disk import IMAGES, build_disk, our_loops, throttle
from .hosts import (DATA, HOSTS, LAB, PREFIX, STATE, build_helper, cgroups, enter, lab_pids, load, netns, pin,
                    save, sh, spawn, wait_for)
from .machine import build_cgroups, build_mounts, host_env
from .mounts import MOUNTS
from .network import build_network, plan_wires, wire_named, wire_speed
from .scenario import LabError, mount_spec
from .services import start_iperf3, start_other_jobs, start_sshd


def hold_lock():
    """Only one up or down at a time; the lock goes with the process, whatever ends it."""
    lock = socket.socket(socket.AF_UNIX)

    def bound():
        try:
            lock.bind(f"\0{PREFIX}-lab")
            return True
        except OSError as e:
            if e.errno != errno.EADDRINUSE:
                raise
            return False

    wait_for("another 'lab up' or 'lab down' to end", bound, 120)
    return lock


def up(scenario, name):
    if os.geteuid() != 0:
        raise LabError("lab needs root: it makes network namespaces, mounts and loop devices")
    wires = plan_wires(scenario)
    mount = mount_spec(scenario)
    lock = hold_lock()
    tear_down(keep_images=True)
    STATE.mkdir()
    state = {"scenario": scenario, "pids": {}, "loops": {}, "wires": wires}
    state["server_wire"] = wire_named(state, scenario.get("server"))
    mount_wire = wire_named(state, mount.get("wire", state["server_wire"]["name"]))
    save(state)
    try:
        if any(k in scenario.get(h, {}) for h in ("client", "nas") for k in ("cpu_ms_per_mib", "fsync_ms")):
            build_helper("slow.c", "-shared", "-fPIC").rename(STATE / "slow.so")
        build_cgroups(state)
        build_network(state)
        build_mounts(state)
        for host in ("client", "nas"):
            build_disk(state, host)
        start_sshd(state)
        if scenario.get("iperf3", True):
            start_iperf3(state)
        start_other_jobs(state)
        nas = "nas" if mount_wire is state["server_wire"] else f"nas-{mount_wire['name']}"
        share = MOUNTS[mount["kind"]](state, mount, nas)
    except BaseException:
        tear_down()
        raise
    lab_exec = [sys.executable, str(LAB), "exec",
                str(Path(name).resolve()) if name.endswith(".json") else name]
    state["info"] = {
        "scenario": scenario["name"], "server": "nas", "server_address": state["server_wire"]["nas"],
        "iperf3_port": (scenario.get("iperf3") or {}).get("port", 5201), "mount": share,
        "mount_kind": mount["kind"], "mount_address": mount_wire["nas"], "local_dir": DATA["client"],
        "nas_data": DATA["nas"], "exec": lab_exec + ["--"], "exec_nas": lab_exec + ["--nas", "--"],
        "client_address": state["server_wire"]["client"],
        "interfaces": {w["dev"]: {"wire": w["name"], "speed": wire_speed(w), "nas": w["nas"]} for w in wires},
        "netns": {h: netns(h) for h in HOSTS}, "mount_namespace": {h: str(pin(h)) for h in DATA},
        "log": str(STATE / "log"), "events": [e.get("name") for e in scenario.get("events", [])],
        "expected": scenario.get("expected")}
    save(state)
    if scenario.get("events"):
        spawn(state, "nas", "watch", sys.executable, LAB, "_watch",
              network_only=True)
    lock.close()
    return state["info"]


def execute(args):
    host, options = "client", {"--nas": "nas", "--router": "router", "--client": "client"}
    state = load(args.pop(0) if args and args[0] not in (*options, "--") else None)
    while args and args[0] in (*options, "--"):
        word = args.pop(0)
        if word == "--":
            break
        host = options[word]
    if not args:
        raise LabError("exec what?  lab exec SCENARIO [--nas] -- CMD...")
    env, where = host_env(state, host), os.getcwd()
    enter(host)
    try:
        os.chdir(where)
    except OSError:
        os.chdir("/")
    try:
        os.execvpe(args[0], args, env)
    except OSError as e:
        raise LabError(f"{args[0]}: {e.strerror}") from None


def down():
    lock = hold_lock()
    tear_down()
    lock.close()


def tear_down(keep_images=False):
    """Removes whatever a lab with this prefix left, however it ended; the disks' images not if another lab follows."""
    if shutil.which("ip") is None:
        raise LabError("ip is not installed (iproute2)")
    end = time.monotonic() + 15
    while (pids := lab_pids() - {os.getpid()}) and time.monotonic() < end:
        for pid in pids:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        time.sleep(0.05)
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            pass
    loops = our_loops()
    for loop in loops:
        throttle(loop, {})
    for host in DATA:
        sh("umount", pin(host), check=False)
    for host in HOSTS:
        if (Path("/run/netns") / netns(host)).exists():
            sh("ip", "netns", "del", netns(host))
        shutil.rmtree(Path("/etc/netns") / netns(host), ignore_errors=True)
        for group in cgroups(host):
            if group.exists():
                wait_for(f"{group} to empty", lambda: not (group / "cgroup.procs").read_text().strip())
                group.rmdir()
    try:
        Path("/etc/netns").rmdir()
    except OSError:
        pass  # not there, or another's
    wait_for("loop devices to go", lambda: not [sh("losetup", "-d", x, check=False) for x in our_loops()])
    while f" {STATE} " in Path("/proc/self/mounts").read_text():
        sh("umount", "-l", STATE)
    folders = [STATE] if keep_images else [STATE, *IMAGES.values()]
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)
    left = [str(p) for p in folders if p.exists()] + [str(p) for p in lab_pids()]
    if left:
        raise LabError("could not remove: " + ", ".join(left))
