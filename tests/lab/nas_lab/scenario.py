"""Scenarios: reading, checking, and the quantities in them."""

import json
import re
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent
DISKS = ("client", "nas")  # the hosts that have one
MOUNT_KINDS = ("sftp", "sshfs", "gvfs", "rclone", "local", "none")
KEYS = {  # what each part of a scenario may say
    "scenario": "name description modelled_on wires server mount client nas cc iperf3 events expected",
    "wire": "name via device adapter rate nas_rate speed flow_cap queue rtt_ms loss mtu nas_mtu path_mtu icmp",
    "adapter": "usb pcie wifi driver",
    "host": "disk tcp cpu_quota cpu_ms_per_mib fsync_ms memory busy",
    "busy": "disk cpu",
    "disk": "fs size backing read write read_iops write_iops dirty free mount_options",
    "tcp": "rmem wmem",
    "mount": "kind wire options server_options layered",
    "event": "name when do repeat",
}


class LabError(Exception):
    pass


def number(value):
    """12, "64K", "1.5G" (powers of 1000) or "64Ki" (powers of 1024) as a float."""
    match = re.fullmatch(r"([0-9.]+)([KMG]?)(i?)", str(value))
    if not match:
        raise LabError(f"not a quantity: {value!r} (write 250000, \"250K\" or \"64Ki\")")
    base = 1024 if match[3] else 1000
    return float(match[1]) * base ** " KMG".index(match[2] or " ")


def per_direction(value):
    """A rate, delay or loss given once for both directions or as {"up": .., "down": ..}."""
    return value if isinstance(value, dict) else {"up": value, "down": value}


def read_scenario(name):
    path = Path(name) if Path(name).suffix == ".json" else HERE / "scenarios" / f"{name}.json"
    try:
        scenario = json.loads(path.read_text())
    except OSError as e:
        raise LabError(f"{path}: {e.strerror}") from None
    except ValueError as e:
        raise LabError(f"{path}: {e}") from None
    return checked(scenario, path)


def checked(scenario, path):
    """The scenario, unless it says something that nobody would heed."""
    parts = [("scenario", scenario), *(("wire", w) for w in scenario.get("wires", [])),
             *(("event", e) for e in scenario.get("events", [])), ("mount", scenario.get("mount", {})),
             *(("adapter", w["adapter"]) for w in scenario.get("wires", []) if "adapter" in w)]
    for host in DISKS:
        spec = scenario.get(host, {})
        parts += [("host", spec), ("disk", spec.get("disk", {})), ("tcp", spec.get("tcp", {})), ("busy", spec.get("busy", {}))]
    for kind, part in parts:
        if unknown := set(part) - set(KEYS[kind].split()):
            raise LabError(f"{path}: unknown in {kind}: {', '.join(sorted(unknown))} (known: {KEYS[kind]})")
    if "name" not in scenario:
        raise LabError(f"{path}: no name")
    return scenario


def mount_spec(scenario):
    spec = {"kind": "sftp", **scenario.get("mount", {})}
    if spec["kind"] not in MOUNT_KINDS:
        raise LabError(f"mount kind {spec['kind']!r}: choose one of {', '.join(MOUNT_KINDS)}")
    return spec


def all_scenarios():
    return [read_scenario(str(path)) for path in sorted((HERE / "scenarios").glob("*.json"))]
