"""Disks: a filesystem on a loop device for each host, slow or nearly full if the scenario says so."""

import json
import sys
from pathlib import Path

from .hosts import CGROUP, DATA, PREFIX, save, sh
from .scenario import LabError, number

IMAGES = {"ram": Path(f"/dev/shm/{PREFIX}-lab"), "disk": Path(f"/var/tmp/{PREFIX}-lab")}
# None of them gives the image's memory back before it begins.
MKFS = {"ext4": ["-F", "-m", "0", "-E", "nodiscard,lazy_itable_init=0,lazy_journal_init=0"],
        "xfs": ["-f", "-K"], "btrfs": ["-f", "-K"]}


def build_disk(state, host):
    """A filesystem on a loop device for the host, mounted in its namespace."""
    spec = state["scenario"].get(host, {}).get("disk", {})
    fs, backing = spec.get("fs", "ext4"), spec.get("backing", "ram")
    if fs not in MKFS or backing not in IMAGES:
        raise LabError(f"{host}: fs is one of {', '.join(MKFS)}, backing one of {', '.join(IMAGES)}")
    folder = IMAGES[backing]
    folder.mkdir(exist_ok=True)
    image = folder / f"{host}.img"
    make_image(image, int(number(spec.get("size", "3G"))), backing)
    loop = sh("losetup", "--find", "--show", image).strip()
    sh("losetup", "--direct-io=on", loop, check=False)  # no second copy in the page cache
    state["loops"][host] = loop
    save(state)
    sh(f"mkfs.{fs}", "-q", *MKFS[fs], loop)
    options = ["-o", spec["mount_options"]] if "mount_options" in spec else []
    sh("mount", "-t", fs, *options, loop, DATA[host], host=host)
    sh("losetup", "-d", loop)  # from now on the device goes away with its last mount
    if "free" in spec:
        fill_disk(host, spec["free"])
    throttle(loop, spec)


def make_image(image, size, backing):
    """An image that the lab before left is taken again.

    A virtual machine's memory is many times slower the first time a page is used. That would look like a slow disk, so
    an image in memory is written once, where there is enough of it."""
    if image.exists() and image.stat().st_size == size:
        return
    with open(image, "wb") as f:
        f.truncate(size)
        if backing == "ram" and available_memory() > 4 * size:
            piece = bytes(1 << 20)
            for _ in range(size >> 20):
                f.write(piece)


def available_memory():
    line = next(line for line in Path("/proc/meminfo").read_text().splitlines() if line.startswith("MemAvailable:"))
    return int(line.split()[1]) * 1024


FILL = """
import os, sys
d, free = sys.argv[1], int(sys.argv[2])
f = os.open(d + "/.ballast", os.O_CREAT | os.O_WRONLY)
for piece in (1 << 30, 1 << 24, 1 << 20, 1 << 16):
    try:
        while (s := os.statvfs(d)).f_bavail * s.f_frsize - free >= piece:
            os.posix_fallocate(f, os.fstat(f).st_size, piece)
    except OSError:
        pass  # another writer was faster: go on in smaller pieces
"""


def fill_disk(host, free):
    """Leaves that much free space on the host's disk, also while others write to it."""
    sh(sys.executable, "-c", FILL, DATA[host], int(number(free)), host=host)


def throttle(loop, spec):
    """Limits a block device for everyone, buffered writes included (so in the root cgroup)."""
    dev = Path(f"/sys/block/{Path(loop).name}/dev").read_text().strip()
    for key, name in (("read", "read_bps"), ("write", "write_bps"),
                      ("read_iops", "read_iops"), ("write_iops", "write_iops")):
        limit, file = int(number(spec.get(key, 0))), CGROUP / "blkio" / f"blkio.throttle.{name}_device"
        if file.exists():
            file.write_text(f"{dev} {limit}\n")
        elif limit:
            raise LabError(f"cannot slow down a disk here: no {file} (it takes cgroup v1)")
    # Dirty pages the writers may pile up before they have to wait for the disk.
    bdi = Path(f"/sys/class/bdi/{dev}")
    slow = any(k in spec for k in ("write", "write_iops", "dirty"))
    if slow or (bdi / "strict_limit").exists():
        (bdi / "strict_limit").write_text(str(int(slow)))
    if slow:
        (bdi / "max_bytes").write_text(str(int(number(spec.get("dirty", "64Mi")))))
    else:
        (bdi / "max_ratio").write_text("100")


def our_loops():
    listed = json.loads(sh("losetup", "--list", "--json", "-O", "NAME,BACK-FILE") or "{}")
    ours = tuple(f"{d}/" for d in IMAGES.values())
    return [d["name"] for d in listed.get("loopdevices", []) if (d["back-file"] or "").startswith(ours)]
