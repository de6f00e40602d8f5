"""What a host's processes see and get: their own mounts and names, a slow processor, little memory."""

import os
import shutil
from pathlib import Path

from .hosts import STATE, cgroups, netns, pin, sh
from .network import wire_speed
from .scenario import LabError, mount_spec, number


def build_mounts(state):
    """Gives the client and the NAS a mount namespace of their own, pinned to a file."""
    sh("mount", "--bind", STATE, STATE)
    sh("mount", "--make-private", STATE)
    names = [f"{w['nas']} nas-{w['name']}" for w in state["wires"]]
    names += [f"{state['server_wire']['nas']} nas", f"{state['server_wire']['client']} client"]
    (STATE / "hosts").write_text("127.0.0.1 localhost\n" + "\n".join(names) + "\n")
    (STATE / "ssh_config").write_text(
        f"Host *\n User root\n IdentityFile {STATE}/id\n IdentitiesOnly yes\n BatchMode yes\n"
        f" StrictHostKeyChecking no\n UserKnownHostsFile /dev/null\n LogLevel ERROR\n ConnectTimeout 10\n")
    for host in ("client", "nas"):
        for_exec = Path("/etc/netns") / netns(host)  # what 'ip netns exec' shows as /etc/hosts
        for_exec.mkdir(parents=True)
        shutil.copy(STATE / "hosts", for_exec / "hosts")
        pin(host).touch()
        script = ["sed -n 's,^/dev/loop[^ ]* \\([^ ]*\\) .*,\\1,p' /proc/self/mounts | xargs -r umount -l",  # not ours
                  "mount -t tmpfs -o mode=755,size=64m lab /mnt",
                  "mkdir /mnt/local /mnt/nas /mnt/data /mnt/home /mnt/cgroup /mnt/layer",
                  "mount --rbind /sys/fs/cgroup /mnt/cgroup", "mount -t sysfs sysfs /sys",
                  "mount --rbind /mnt/cgroup /sys/fs/cgroup", "umount -l /mnt/cgroup; rmdir /mnt/cgroup",
                  f"mount --bind {STATE}/hosts /etc/hosts",
                  f"! test -e /etc/ssh/ssh_config || mount --bind {STATE}/ssh_config /etc/ssh/ssh_config"]
        for wire in state["wires"]:
            script += claimed_speed(wire, host)
            if host == "client" and "adapter" in wire:
                script += disguise(wire)
        sh("unshare", f"--mount={pin(host)}", "--propagation", "slave", "true")  # only makes and pins it
        sh("nsenter", f"--net=/run/netns/{netns(host)}", f"--mount={pin(host)}", "sh", "-ec",
           "\n".join(script))


def claimed_speed(wire, host):
    """A veth always claims 10 Gbit/s in sysfs; a TAP was told its speed."""
    if "rtt_ms" in wire:
        return []
    claim = STATE / f"speed-{host}-{wire['dev']}"
    claim.write_text(f"{wire_speed(wire, host)}\n")
    return [f"mount --bind {claim} /sys/class/net/{wire['dev']}/speed"]


def disguise(wire):
    """Shell lines that lay a folder over an interface's in sysfs: the same files, and a USB or PCIe device or a
    radio behind them."""
    adapter, folder = wire["adapter"], f"/sys/devices/virtual/net/{wire['dev']}"
    lines = [f"mkdir /mnt/real-{wire['dev']}", f"mount --rbind {folder} /mnt/real-{wire['dev']}",
             f"mount -t tmpfs -o mode=755,size=1m lab {folder}", f"cd /mnt/real-{wire['dev']}",
             "for f in *; do test $f != tun_flags || continue",
             f"if test -L $f; then cp -P $f {folder}/$f; elif test -d $f; then mkdir {folder}/$f; else : > {folder}/$f; fi",
             f"test -L $f || mount --rbind $f {folder}/$f; done", "cd /",
             f"umount -l /mnt/real-{wire['dev']}; rmdir /mnt/real-{wire['dev']}"]
    device = f"{folder}/behind/1-1/1-1:1.0"
    lines += [f"mkdir -p {device}/driver-of/{adapter.get('driver', 'r8152')}",
              f"ln -s driver-of/{adapter.get('driver', 'r8152')} {device}/driver", f"ln -s behind/1-1/1-1:1.0 {folder}/device"]
    if "usb" in adapter:  # Mbit/s of the bus
        lines += [f"echo {adapter['usb']} > {device}/../speed", f"echo 00 > {device}/../bDeviceClass",
                  f"echo ' {'2.00' if adapter['usb'] <= 480 else '3.20'}' > {device}/../version",
                  f"echo 'USB network adapter' > {device}/../product"]
    if "pcie" in adapter:  # such as ["5.0 GT/s PCIe", 1, "8.0 GT/s PCIe", 4]: as it is, and as the card could be
        for name, value in zip(("current_link_speed", "current_link_width", "max_link_speed", "max_link_width"),
                               adapter["pcie"]):
            lines.append(f"echo '{value}' > {device}/{name}")
    if adapter.get("wifi"):
        lines.append(f"mkdir {folder}/wireless")
    return lines


def build_cgroups(state):
    for host in ("client", "nas"):
        spec = state["scenario"].get(host, {})
        cpu, memory = cgroups(host)
        for group, wanted in ((cpu, "cpu_quota"), (memory, "memory")):
            if wanted in spec and not group.parent.is_dir():
                raise LabError(f"{host}.{wanted}: no {group.parent} (it takes cgroup v1)")
        if "cpu_quota" in spec:  # cores, such as 0.3
            cpu.mkdir()
            period = 10_000 if spec["cpu_quota"] >= 0.1 else 100_000  # a quota is at least 1 ms
            (cpu / "cpu.cfs_period_us").write_text(str(period))
            (cpu / "cpu.cfs_quota_us").write_text(str(max(1000, int(spec["cpu_quota"] * period))))
        if "memory" in spec:
            memory.mkdir()
            (memory / "memory.limit_in_bytes").write_text(str(int(number(spec["memory"]))))


def slow_env(state, host):
    """The variables that make a process feel its host's slow processor."""
    spec = state["scenario"].get(host, {})
    if "cpu_ms_per_mib" not in spec and "fsync_ms" not in spec:
        return {}
    return {"LD_PRELOAD": str(STATE / "slow.so"), "SLOW_FSYNC_MS": str(spec.get("fsync_ms", 0)),
            "SLOW_NS_PER_KIB": str(int(spec.get("cpu_ms_per_mib", 0) * 1e6 / 1024))}


def host_env(state, host):
    env = {k: v for k, v in os.environ.items() if k not in ("DBUS_SESSION_BUS_ADDRESS", "DISPLAY")}
    env.update(slow_env(state, host))
    if host == "client" and mount_spec(state["scenario"])["kind"] == "gvfs":
        env.update(HOME="/mnt/home", XDG_RUNTIME_DIR="/mnt/home/run", GIO_USE_VOLUME_MONITOR="unix",
                   DBUS_SESSION_BUS_ADDRESS="unix:path=/mnt/home/run/bus")
    return env
