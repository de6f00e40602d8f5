"""Measures the figures that a scenario expects, one at a time."""

import json
import os
import subprocess
import sys

from .disk import throttle
from .events import trigger
from .hosts import DATA, LAB, load, sh
from .lifecycle import down, up
from .machine import host_env
from .scenario import HERE, LabError, checked, number


def run_bench(state, host, mode, path, size=400e6, seconds=4, source=None):
    out = sh(sys.executable, LAB, "_bench", mode, path, int(size), seconds, *([source] if source else []),
             host=host, timeout=120, env=host_env(state, host))
    return float(out)


def iperf(state, *options):
    """One iperf3 test from the client: its closing figures, all zero if the test failed."""
    info = state["info"]
    try:
        out = sh("iperf3", "-c", info["server"], "-p", info["iperf3_port"], "-J", "-t", "3", "-O", "1",
                 "--connect-timeout", "3000", *options, host="client", check=False, timeout=20,
                 env=host_env(state, "client"))
        result = json.loads(out or "{}")
        why = result.get("error", "")
    except LabError as e:
        result, why = {}, str(e)
    if why:
        print(f"iperf3: {why}", file=sys.stderr)
    nothing = {"sum_received": {"bits_per_second": 0}, "sum_sent": {"retransmits": 0},
               "cpu_utilization_percent": {"host_total": 0, "remote_total": 0}}
    return result["end"] if not why and "sum_received" in result.get("end", {}) else nothing


def prepare(state, host, name, size):
    """A file on a host's disk that no cache holds; made at full speed, whatever the fault."""
    loop = state["loops"][host]
    throttle(loop, {})
    run_bench(state, host, "dwrite", f"{DATA[host]}/{name}", size, 30)
    throttle(loop, load()["scenario"].get(host, {}).get("disk", {}))  # as it is by now


def measure_one(state, metric):
    """Measures one layer, such as "tcp.read"; Mbit/s unless the name says otherwise."""
    layer, _, way = metric.partition(".")
    info, back = state["info"], (["-R"] if way == "read" else [])
    share, local = info["mount"], info["local_dir"]
    name, size = f".lab-{os.getpid()}-{metric}", 400e6  # a new name each time: mounts cache names
    if free := state["scenario"].get("nas", {}).get("disk", {}).get("free"):
        size = min(size, number(free) / 3)
    if layer == "link":
        return float(sh("cat", f"/sys/class/net/{state['server_wire']['dev']}/speed", host="client"))
    if layer in ("tcp", "path"):
        return iperf(state, *back, *(["-P", "8"] if layer == "path" else []))["sum_received"]["bits_per_second"] / 1e6
    if metric == "rtt_ms":
        return connect_ms(state)
    if metric == "retransmits":
        return iperf(state)["sum_sent"]["retransmits"]
    if metric == "nas_cpu_percent":
        return iperf(state)["cpu_utilization_percent"]["remote_total"]
    if layer in ("nas-disk", "client-disk"):
        host = layer.split("-")[0]
        path = f"{DATA[host]}/{name}"
        if way in ("write", "buffered", "fsync_ms"):
            return run_bench(state, host, {"write": "dwrite", "buffered": "write", "fsync_ms": "fsync"}[way], path, size)
        prepare(state, host, name, size)
        return run_bench(state, host, {"read": "dread", "rand_iops": "rand"}[way], path, size)
    if layer not in ("mount", "copy"):
        raise LabError(f"no such figure: {metric}")
    if way == "read":
        prepare(state, "nas", name, size)
        if layer == "mount":
            return run_bench(state, "client", "read", f"{share}/{name}", size)
        return run_bench(state, "client", "copy", f"{local}/{name}", size, source=f"{share}/{name}")
    if layer == "mount":
        return run_bench(state, "client", "write", f"{share}/{name}", size)
    prepare(state, "client", name, size)
    return run_bench(state, "client", "copy", f"{share}/{name}", size, source=f"{local}/{name}")


def connect_ms(state):
    script = ("import socket, sys, time\nbest = 9e9\nfor _ in range(10):\n b = time.monotonic()\n"
              " socket.create_connection((sys.argv[1], 22), 5).close()\n best = min(best, time.monotonic() - b)\n"
              "print(best * 1000)")
    return float(sh(sys.executable, "-c", script, state["info"]["server_address"], host="client"))


def figures(expected):
    """(metric, low, high) for each figure that a scenario expects."""
    for layer, ways in expected.get("figures", {}).items():
        if isinstance(ways, list):
            yield layer, *ways
        else:
            for way, (low, high) in ways.items():
                yield f"{layer}.{way}", low, high


def measure(state):
    """Prints each expected figure beside what is reached; returns how many are out of range."""
    expected = state["scenario"].get("expected", {})
    bad = measure_figures(state, expected)
    for event, then in expected.get("after", {}).items():  # what is expected once an event has come
        trigger(None, event)
        print(f"{state['scenario']['name']:26} -- after event {event} --", flush=True)
        bad += measure_figures(load(), then)
    return bad


def measure_figures(state, expected):
    bad = 0
    for metric, low, high in figures(expected):
        try:
            value = measure_one(load(), metric)  # an event may have changed the state
            ok, shown = low <= value <= high, f"{value:10.1f}"
        except LabError as e:
            ok, shown = False, str(e)
        bad += not ok
        print(f"{state['scenario']['name']:26} {metric:20} {shown:>10}   expected {low} to {high}"
              f"{'' if ok else '   OUT OF RANGE'}", flush=True)
        for host, folder in DATA.items():
            sh("sh", "-c", f"rm -f {folder}/.lab-*", host=host)
    return bad


def check(names):
    """Builds each fault of checks.json alone and measures it."""
    bad = 0
    wanted = [c for c in json.loads((HERE / "checks.json").read_text()) if not names or c["name"] in names]
    if not wanted:
        raise LabError("no such check; checks.json has them all")
    for scenario in wanted:
        try:
            up(checked(scenario, "checks.json"), scenario["name"])
            bad += measure(load())
        except (LabError, OSError, subprocess.SubprocessError) as e:
            bad += 1
            print(f"{scenario['name']:26} UNSUPPORTED: {e}", flush=True)
    down()
    return bad
