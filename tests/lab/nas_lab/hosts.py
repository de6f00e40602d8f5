"""The hosts of a lab: where they live, running something on them, and what is remembered of it all."""

import ctypes
import json
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

from .scenario import HERE, LabError, read_scenario

LAB = HERE / "lab"
PREFIX = os.environ.get("LAB_PREFIX", "nd")
STATE = Path(f"/run/{PREFIX}-lab")
CGROUP = Path("/sys/fs/cgroup")
HOSTS = ("client", "nas", "router")
DATA = {"client": "/mnt/local", "nas": "/mnt/data"}  # where each host's disk is mounted
SHARE = "/mnt/nas"  # where the client mounts the NAS
LAYER = "/mnt/layer"  # where the NAS shows its disk through FUSE, if it does


def netns(host):
    return f"{PREFIX}-{host}"


def pin(host):
    return STATE / f"{host}.mnt"


def cgroups(host):
    return [CGROUP / kind / f"{PREFIX}-lab-{host}" for kind in ("cpu", "memory")]


def enter(host, network_only=False):
    """Moves the calling process onto a host: its cgroups, network and mounts."""
    spaces = [Path("/run/netns") / netns(host)]
    if not network_only:
        spaces += [p for p in [pin(host)] if p.exists()]  # the router has no mounts of its own
        for group in cgroups(host):
            if group.exists():
                (group / "cgroup.procs").write_text("0")
    libc = ctypes.CDLL(None, use_errno=True)
    for path in spaces:
        with open(path) as f:
            if libc.setns(f.fileno(), 0) != 0:
                raise OSError(ctypes.get_errno(), f"cannot enter {path}")


def sh(*cmd, host=None, check=True, stdin="", timeout=60, env=None):
    """Runs a command, on a host if one is named; returns what it printed."""
    cmd = [str(c) for c in cmd]
    try:
        done = subprocess.run(cmd, input=stdin, capture_output=True, text=True, timeout=timeout,
                              env=env, preexec_fn=(lambda: enter(host)) if host else None)
    except FileNotFoundError:
        raise LabError(f"{cmd[0]} is not installed (see README.md, What it needs)") from None
    except subprocess.TimeoutExpired:
        raise LabError(f"no answer within {timeout} s: {' '.join(cmd)}") from None
    if check and done.returncode != 0:
        raise LabError(f"{' '.join(cmd)}: {(done.stderr or done.stdout).strip()}")
    return done.stdout


def wait_for(what, ready, seconds=10):
    end = time.monotonic() + seconds
    while not ready():
        if time.monotonic() > end:
            raise LabError(f"waited {seconds} s for {what}")
        time.sleep(0.05)


def spawn(state, host, name, *cmd, env=None, network_only=False):
    """Starts a long-running process on a host; it lives until 'down' or stop()."""
    (STATE / "log").mkdir(exist_ok=True)
    if not shutil.which(cmd[0]):
        raise LabError(f"{cmd[0]} is not installed (see README.md, What it needs)")
    log = open(STATE / "log" / name, "w")
    child = subprocess.Popen([str(c) for c in cmd], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                             start_new_session=True, env=env, preexec_fn=lambda: enter(host, network_only))
    state["pids"][name] = child.pid
    save(state)
    return child


def stop(state, name):
    pid = state["pids"].pop(name, None)
    if pid and pid in lab_pids():
        os.kill(pid, signal.SIGKILL)
    save(state)


def lab_pids():
    """Every process in the lab's network namespaces, so everything a lab ever started."""
    namespaces = sh("ip", "netns", "list").split()
    return {int(p) for h in HOSTS if netns(h) in namespaces
            for p in sh("ip", "netns", "pids", netns(h), check=False).split()}


def save(state):
    part = STATE / "state.json.part"
    part.write_text(json.dumps(state, indent=1))
    part.replace(STATE / "state.json")


def load(scenario=None):
    """The state of the lab that is up; scenario, if given, must be the one."""
    try:
        state = json.loads((STATE / "state.json").read_text())
    except FileNotFoundError:
        raise LabError("no lab is up") from None
    if scenario and read_scenario(scenario)["name"] != state["scenario"]["name"]:
        raise LabError(f"the lab that is up is {state['scenario']['name']!r}, not {scenario!r}")
    return state


def build_helper(source, *flags):
    """Compiles one of the C helpers into the state directory."""
    target = STATE / Path(source).stem
    sh("cc", "-O2", "-Wall", "-o", target, HERE / source, *flags)
    return target
