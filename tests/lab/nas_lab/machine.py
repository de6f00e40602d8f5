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
                  "mkdir /mnt/local /mnt/nas /mnt/data /mnt/home /mnt/cgroup",
                  "mount --rbind /sys/fs/cgroup /mnt/cgroup", "mount -t sysfs sysfs /sys",
                  "mount --rbind /mnt/cgroup /sys/fs/cgroup", "umount -l /mnt/cgroup; rmdir /mnt/cgroup",
                  f"mount --bind {STATE}/hosts /etc/hosts",
                  f"! test -e /etc/ssh/ssh_config || mount --bind {STATE}/ssh_config /etc/ssh/ssh_config"]
        for wire in state["wires"]:  # a veth always claims 10 Gbit/s in sysfs; a TAP was told its speed
            if "rtt_ms" not in wire:
                claim = STATE / f"speed-{host}-{wire['dev']}"
                claim.write_text(f"{wire_speed(wire, host)}\n")
                script.append(f"mount --bind {claim} /sys/class/net/{wire['dev']}/speed")
        sh("unshare", f"--mount={pin(host)}", "--propagation", "slave", "true")  # only makes and pins it
        sh("nsenter", f"--net=/run/netns/{netns(host)}", f"--mount={pin(host)}", "sh", "-ec",
           "\n".join(script))


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
