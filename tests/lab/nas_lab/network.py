"""Wires: cables, switches and routers with a rate, a delay, loss or a frame size of their own."""

import shutil

from .hosts import HOSTS, STATE, build_helper, netns, sh, spawn, wait_for
from .scenario import LabError, number, per_direction

FLOW_CLASSES = 64
ETHERNET_SPEEDS = (10, 100, 1000, 2500, 5000, 10000)


def plan_wires(scenario):
    """Each wire with its devices and addresses filled in."""
    wires = []
    for i, spec in enumerate(scenario.get("wires", [{}])):
        if i > 1:
            raise LabError("a lab has at most two wires")
        net = 128 * i  # a /25 out of 10.77.0.0/24 for each wire, and of 10.78.0.0/24 behind a router
        wire = {"name": "lan" if i == 0 else "p2p", "via": "direct", "mtu": 1500, **spec}
        if wire.get("device", "eth") not in ("eth", "wlan", "tun"):
            raise LabError(f"wire {wire['name']}: device must be eth, wlan or tun")
        if wire.get("device") == "tun":  # a tunnel's device holds no Ethernet frames: it is made by the delay line
            wire.setdefault("rtt_ms", 0)
        if wire["via"] not in ("direct", "switch", "router"):
            raise LabError(f"wire {wire['name']}: via must be direct, switch or router")
        routed = wire["via"] == "router"
        wire.update(dev=f"{wire.get('device', 'eth')}{i}", client=f"10.77.0.{net + 2}", nas=f"10.7{7 + routed}.0.{net + 1}",
                    gateway={"client": f"10.77.0.{net + 126}", "nas": f"10.78.0.{net + 126}"})
        wires.append(wire)
    return wires


def wire_named(state, name):
    for wire in state["wires"]:
        if wire["name"] == (name or state["wires"][0]["name"]):
            return wire
    raise LabError(f"no wire named {name!r}")


def shape(host, dev, rate, mtu, flow_cap=None, flow_port=None, queue=None):
    """Limits what a device sends to the payload a real Ethernet of that rate would carry."""
    ns = netns(host)
    if not rate:
        if flow_cap:
            raise LabError("flow_cap needs a rate for all flows together")
        return sh("tc", "-n", ns, "qdisc", "del", "dev", dev, "root", check=False)
    # A frame takes 24 bytes more on the wire (preamble, checksum, gap) than the kernel counts.
    on_wire = (mtu + 14) / (mtu + 38)
    bits = int(number(rate) * on_wire)
    burst = max(80_000, bits // 8 // 500)  # 2 ms, and never less than one 64 KiB GSO frame
    queue = int(number(queue)) if queue else max(150_000, bits // 8 // 50)  # 20 ms
    if queue < burst:
        burst = 16_000  # a small buffer is no help if the shaper itself holds more
    if not flow_cap:
        return sh("tc", "-n", ns, "qdisc", "replace", "dev", dev, "root", "tbf",
                  "rate", f"{bits}bit", "burst", burst, "limit", burst + queue)
    # One class per bucket of client port numbers. Linux gives connect() ports of one parity, so
    # bit 0 says nothing. The guaranteed rate is small, so that the total stays under the parent's.
    cap = int(number(flow_cap) * on_wire)
    lines = [f"qdisc replace dev {dev} root handle 1: htb default 2",
             f"class add dev {dev} parent 1: classid 1:1 htb rate {bits}bit burst {burst} cburst {burst}",
             f"class add dev {dev} parent 1:1 classid 1:2 htb rate {bits}bit burst {burst} quantum 60000"]
    for k in range(FLOW_CLASSES):
        leaf = f"1:{k + 16:x}"
        lines += [f"class add dev {dev} parent 1:1 classid {leaf} htb rate {bits // FLOW_CLASSES}bit"
                  f" ceil {cap}bit burst 80000 cburst 80000 quantum 60000",
                  f"qdisc add dev {dev} parent {leaf} bfifo limit {max(150_000, cap // 8 // 50)}",
                  f"filter add dev {dev} parent 1: protocol ip prio 1 u32 match ip protocol 6 0xff"
                  f" match ip {flow_port} {k * 2} 0x7e flowid {leaf}"]
    sh("tc", "-n", ns, "qdisc", "del", "dev", dev, "root", check=False)
    sh("tc", "-n", ns, "-batch", "-", stdin="\n".join(lines))


def shape_wire(wire):
    mtu = min(wire["mtu"], wire.get("nas_mtu", wire["mtu"]))
    rate, cap = per_direction(wire.get("rate")), per_direction(wire.get("flow_cap"))
    nas_rate = per_direction(wire.get("nas_rate", wire.get("rate")))
    shape("client", wire["dev"], rate["up"], mtu)
    shape("nas", wire["dev"], nas_rate["down"], mtu)
    if wire["via"] != "direct":
        n = wire["dev"][-1]
        shape("router", f"n{n}", nas_rate["up"], mtu, cap["up"], "sport", wire.get("queue"))
        shape("router", f"c{n}", rate["down"], mtu, cap["down"], "dport", wire.get("queue"))


def connect(state, wire, a, b, rtt_ms=None):
    """A cable between two (host, device) ends: a veth pair, or with a delay two TAPs and a relay."""
    if rtt_ms is None:
        sh("ip", "link", "add", a[1], "netns", netns(a[0]), "type", "veth",
           "peer", "name", b[1], "netns", netns(b[0]))
    else:
        one_way_us = int(rtt_ms * 500)
        spawn(state, a[0], f"wire-{wire['name']}", build_helper("wire.c"),
              f"/run/netns/{netns(a[0])}", a[1], f"/run/netns/{netns(b[0])}", b[1], one_way_us, one_way_us,
              network_only=True)
        wait_for("the delay line", lambda: "ready" in (STATE / "log" / f"wire-{wire['name']}").read_text())
    for host, dev in (a, b):
        mtu = wire.get("nas_mtu", wire["mtu"]) if host == "nas" else wire["mtu"]
        sh("ip", "-n", netns(host), "link", "set", dev, "mtu", mtu, "txqueuelen", 10000, "up")
        if wire.get("loss"):  # lose single packets, not 64 KiB super-frames
            sh("ethtool", "-K", dev, "tso", "off", "gso", "off", "gro", "off", host=host)
        if rtt_ms is not None:
            sh("ethtool", "-s", dev, "speed", wire_speed(wire, host), "duplex", "full", "autoneg", "off", host=host)


def wire_speed(wire, host="client"):
    """What an interface claims as its speed: unless told, the standard one its rate fits in."""
    if "speed" in wire:
        return wire["speed"]
    rate = wire.get("nas_rate", wire.get("rate")) if host == "nas" else wire.get("rate")
    mbits = max(number(r or "10G") for r in per_direction(rate).values()) / 1e6
    return next((s for s in ETHERNET_SPEEDS if s >= mbits), ETHERNET_SPEEDS[-1])


def set_routes(state, wire, host):
    """The host's routes over a wire, with the congestion control of a plain Linux host."""
    ns, dev, cc = netns(host), wire["dev"], state["scenario"].get("cc", "cubic")
    own = wire[host]
    net = lambda ip: ip.rsplit(".", 1)[0] + f".{int(ip.rsplit('.', 1)[1]) // 128 * 128}/25"
    sh("ip", "-n", ns, "route", "replace", net(own), "dev", dev, "src", own, "congctl", cc)
    if wire["via"] == "router":
        far = wire["nas" if host == "client" else "client"]
        sh("ip", "-n", ns, "route", "replace", net(far), "via", wire["gateway"][host],
           "src", own, "congctl", cc)


def build_network(state):
    scenario, wires = state["scenario"], state["wires"]
    hosts = [h for h in HOSTS if h != "router" or any(w["via"] != "direct" for w in wires)]
    for host in hosts:
        sh("ip", "netns", "add", netns(host))
        sh("ip", "-n", netns(host), "link", "set", "lo", "up")
        settings = ["net.ipv6.conf.all.disable_ipv6=1", "net.ipv4.ip_forward=" + str(int(host == "router"))]
        for key, value in scenario.get(host, {}).get("tcp", {}).items():
            top = int(number(value))
            settings.append(f"net.ipv4.tcp_{key}=4096 {min(top, 131072 if key == 'rmem' else 16384)} {top}")
        sh("ip", "netns", "exec", netns(host), "sysctl", "-qew", *settings)
    for wire in wires:
        dev, n = wire["dev"], wire["dev"][-1]
        if wire["via"] == "direct":
            connect(state, wire, ("client", dev), ("nas", dev), wire.get("rtt_ms"))
        else:
            connect(state, wire, ("client", dev), ("router", f"c{n}"), wire.get("rtt_ms"))
            connect(state, wire, ("router", f"n{n}"), ("nas", dev))
        if wire["via"] == "switch":
            sh("ip", "-n", netns("router"), "link", "add", f"br{n}", "type", "bridge")
            for port in (f"c{n}", f"n{n}"):
                sh("ip", "-n", netns("router"), "link", "set", port, "master", f"br{n}")
            sh("ip", "-n", netns("router"), "link", "set", f"br{n}", "up")
        for host in ("client", "nas"):
            sh("ip", "-n", netns(host), "addr", "add", f"{wire[host]}/25", "noprefixroute", "dev", dev)
            set_routes(state, wire, host)
            if wire["via"] == "router":
                port = ("c" if host == "client" else "n") + n
                sh("ip", "-n", netns("router"), "addr", "add", f"{wire['gateway'][host]}/25", "dev", port)
                if "path_mtu" in wire:
                    sh("ip", "-n", netns("router"), "route", "replace", f"{wire[host]}/32", "dev", port,
                       "mtu", "lock", wire["path_mtu"])
        if wire.get("icmp") is False:
            iptables("router", "filter", "OUTPUT", "-p", "icmp", "-j", "DROP")
        shape_wire(wire)
        loss = per_direction(wire.get("loss", 0))  # in percent; dropped where it arrives, as by a bad cable
        for host, percent in (("nas", loss["up"]), ("client", loss["down"])):
            if percent:
                iptables(host, "raw", "PREROUTING", "-i", dev, "-p", "tcp", "-m", "statistic", "--mode",
                         "random", "--probability", percent / 100, "-j", "DROP")


def iptables(host, table, chain, *rule):
    tool = "iptables-legacy" if shutil.which("iptables-legacy") else "iptables"
    sh(tool, "-w", "5", "-t", table, "-A", chain, *rule, host=host)
