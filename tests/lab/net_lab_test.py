#!/usr/bin/env python3
"""net_lab_test.py NASDIAG [SCENARIO...]: the network layer in the lab of two hosts.

`nasdiag net` must say why a flow gets no more, in both directions, and `nasdiag net --path` what the way is like. Says
SKIPPED where the lab can't run. A busy machine can spoil a run, so each has two tries."""
import json
import os
import sys
import time

from in_lab import Lab

# What limits writing and reading; names as in the JSON. "path" is what is expected of the way.
SCENARIOS = {
    "small-windows": {"write": ["receive-window", "send-buffer"], "read": ["receive-window", "send-buffer"],
                      "link_local": True},
    "lossy-cable": {"write": ["congestion"], "read": ["path-rate"]},
    "long-way": {"write": ["path-rate"], "read": ["path-rate"]},
    "routed-vlan": {"write": ["path-rate"], "read": ["path-rate"], "ceiling": "per-flow",
                    "path": {"hops": 1, "mtu": {"path": 1500, "black_hole": False}}},
    "dongle-asymmetric": {"write": ["path-rate"], "read": ["path-rate"]},
    "client-receive-buffer": {"read": ["receive-window"]},
    "nas-send-buffer": {"read": ["send-buffer"]},
    "mtu-black-hole": {"path": {"mtu": {"interface": 9000, "path": 1500, "black_hole": True}}},
}


lab = Lab("nt")


def net(scenario, *options):
    done = lab("exec", scenario, "--", NASDIAG, "net", "nas", "--json", "-", *options)
    try:
        return json.loads(done.stdout)
    except ValueError:
        return {"error": done.stdout + done.stderr}


def wrong_limit(scenario, way, wanted):
    report = net(scenario, "-t", "2", *(["-R"] if way == "read" else []))
    if "nasdiag" not in report:
        return f"{way}: {report}"
    finding = report["nasdiag"]["directions"][0]["limit"]
    if finding["limit"] in wanted:
        return None
    return f"{way}: {finding['limit']} instead of {' or '.join(wanted)}: {finding['evidence']}"


def differences(found, wanted, name):
    for key, value in wanted.items():
        if isinstance(value, dict):
            yield from differences(found.get(key, {}), value, f"{name} {key}")
        elif found.get(key) != value:
            yield f"{name} {key}: {found.get(key)} instead of {value}"


def link_local_address(scenario, *host):
    """The address of the host's first wire and that wire's name. The lab's hosts are without IPv6 until told."""
    lab("exec", scenario, *host, "--", "sysctl", "-q", "-w", "net.ipv6.conf.all.disable_ipv6=0")
    for _ in range(50):
        done = lab("exec", scenario, *host, "--", "ip", "-j", "-6", "address", "show", "scope", "link")
        for wire in json.loads(done.stdout or "[]"):
            for address in wire.get("addr_info", []):
                if "local" in address and not address.get("tentative"):
                    return address["local"], wire["ifname"]
        time.sleep(0.1)
    return None, None


def wrong_over_link_local(scenario):
    """An address that means something only with the interface behind a percent sign."""
    (nas, _), (_, wire) = link_local_address(scenario, "--nas"), link_local_address(scenario)
    if nas is None or wire is None:
        return "the hosts have no link-local addresses"
    done = lab("exec", scenario, "--", NASDIAG, "net", f"{nas}%{wire}", "--json", "-", "-t", "1")
    if done.returncode != 0 or json.loads(done.stdout)["end"]["sum_received"]["bytes"] == 0:
        return f"{nas}%{wire}: {done.stdout}{done.stderr}"
    without = lab("exec", scenario, "--", NASDIAG, "net", nas, "-t", "1")
    if without.returncode == 0 or nas not in without.stderr:
        return f"{nas} without an interface: {without.returncode} {without.stderr}"
    return None


def what_is_wrong(scenario, wanted):
    for way in ("write", "read"):
        if way in wanted:
            yield wrong_limit(scenario, way, wanted[way])
    if "link_local" in wanted:
        yield wrong_over_link_local(scenario)
    if "ceiling" in wanted:
        yield from differences(net(scenario, "--sweep"), {"ceiling": wanted["ceiling"]}, "sweep")
    if "path" in wanted:
        yield from differences(net(scenario, "--path"), wanted["path"], "path")


def run(scenario):
    up = lab("up", scenario)
    if up.returncode != 0:
        print(f"SKIPPED: the lab can't run here: {up.stderr}")
        sys.exit(0)
    wrong = [line for line in what_is_wrong(scenario, SCENARIOS[scenario]) if line]
    lab("down")
    return wrong


def main():
    if os.geteuid() != 0:
        print("SKIPPED: building a lab needs root")
        return 0
    failed = 0
    for scenario in sys.argv[2:] or SCENARIOS:
        wrong = run(scenario) and run(scenario)
        print(f"{scenario}: {'ok' if not wrong else '; '.join(wrong)}", flush=True)
        failed += bool(wrong)
    return 1 if failed else 0


if __name__ == "__main__":
    NASDIAG = os.path.abspath(sys.argv[1])
    sys.exit(main())
