"""Events: faults that come later, when so many bytes have moved or when they are triggered."""

import json
import os
import time
from pathlib import Path

from .disk import fill_disk, throttle
from .hosts import DATA, STATE, load, netns, save, sh, stop, wait_for
from .network import set_routes, shape_wire, wire_named
from .scenario import LabError, number
from .services import start_iperf3


def act(action):
    """Carries out one event's "do", and notes in the state what holds from now on."""
    state = load()
    scenario = state["scenario"]
    for what, value in action.items():
        if what == "rate":
            for wire in state["wires"]:
                if wire["name"] == action.get("wire", state["wires"][0]["name"]):
                    wire["rate"] = value
                    wire.pop("nas_rate", None)
                    shape_wire(wire)
        elif what == "link":
            wire = wire_named(state, action.get("wire"))
            sh("ip", "-n", netns("nas"), "link", "set", wire["dev"], value)
            if value == "up":
                for host in ("client", "nas"):  # the kernel drops routes with the link
                    set_routes(state, wire, host)
        elif what in ("nas_disk", "client_disk"):
            host = what.split("_")[0]
            if "free" in value:
                fill_disk(host, value["free"])
            limits = scenario.setdefault(host, {}).setdefault("disk", {})
            limits.update({k: v for k, v in value.items() if k != "free"})
            throttle(state["loops"][host], limits)
        elif what == "iperf3":
            start_iperf3(state) if value == "start" else stop(state, "iperf3")
        elif what != "wire":
            raise LabError(f"unknown event action {what!r}")
    save(state)


def counters(state):
    """What event conditions look at, all growing from 'up' on."""
    stat = lambda host: Path(f"/sys/block/{Path(state['loops'][host]).name}/stat").read_text().split()
    used = os.statvfs(f"/proc/{state['pids']['sshd']}/root{DATA['nas']}")
    net = {line.split(":")[0].strip(): line.split(":")[1].split()
           for line in Path("/proc/net/dev").read_text().splitlines()[2:]}
    wire = lambda w: int(net[w["dev"]][0]) + int(net[w["dev"]][8])
    return {"wire_bytes": sum(wire(w) for w in state["wires"]),
            "nas_stored": (used.f_blocks - used.f_bfree) * used.f_frsize,
            "nas_written": int(stat("nas")[6]) * 512, "nas_read": int(stat("nas")[2]) * 512,
            "client_written": int(stat("client")[6]) * 512}


def watch():
    """Waits for each event's condition in turn and carries the event out; ends after an hour."""
    state = load()
    events = state["scenario"]["events"]
    origin, end = counters(state), time.monotonic() + 3600
    while True:
        for event in events:
            began, start = time.monotonic(), counters(state)
            while True:
                now, when = counters(state), event.get("when", {})
                grown = {k: now[k] - (start if when.get("since") == "last" else origin)[k] for k in now}
                grown["seconds"] = time.monotonic() - began
                conditions = {k: number(v) for k, v in when.items() if k != "since"}
                if conditions and all(grown[k] >= v for k, v in conditions.items()):
                    break
                ask = STATE / f"trigger-{event.get('name', '')}"
                if ask.exists():
                    break
                if time.monotonic() > end:
                    return
                time.sleep(0.05)
            act(event["do"])
            with open(STATE / "log" / "events", "a") as log:
                log.write(json.dumps({"time": time.time(), "event": event}) + "\n")
            ask.unlink(missing_ok=True)  # tells 'lab trigger' that it is done
        if not any(e.get("repeat") for e in events):
            return


def trigger(scenario, name):
    state = load(scenario)
    if name not in [e.get("name") for e in state["scenario"].get("events", [])]:
        raise LabError(f"{state['scenario']['name']} has no event named {name!r}")
    fired, ask = STATE / "log" / "events", STATE / f"trigger-{name}"
    if fired.exists() and f'"name": "{name}"' in fired.read_text():
        return  # its own condition came first
    ask.touch()
    wait_for(f"event {name} (events fire in the order the scenario lists them)", lambda: not ask.exists())
