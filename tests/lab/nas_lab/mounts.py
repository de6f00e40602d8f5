"""The share on the client, by each kind of mount."""

import sys

from .hosts import DATA, LAB, LAYER, SHARE, STATE, sh, spawn, wait_for
from .machine import host_env
from .scenario import LabError
from .services import serve, start_smbd


def mount_fuse(state, source, *cmd):
    child = spawn(state, "client", "mount", *cmd, env=host_env(state, "client"))

    def mounted():
        if child.poll() not in (None, 0):
            raise LabError(f"mounting {source} failed: {(STATE / 'log' / 'mount').read_text().strip()[-500:]}")
        return f" {SHARE} " in sh("cat", "/proc/self/mounts", host="client")

    wait_for(f"{source} to be mounted", mounted, 20)
    return SHARE


def options_of(spec):
    return ["-o", spec["options"]] if spec.get("options") else []


def shared_folder(state, spec):
    """What the NAS shares: its disk, or a FUSE file system that shows the disk once more."""
    if not spec.get("layered"):
        return DATA["nas"]
    spawn(state, "nas", "layer", "sshfs", "-f", f"localhost:{DATA['nas']}", LAYER, "-o", "allow_other",
          env=host_env(state, "nas"))
    wait_for("the FUSE layer", lambda: f" {LAYER} " in sh("cat", "/proc/self/mounts", host="nas"))
    return LAYER


def mount_sftp(state, spec, nas):
    serve(state, "sftpd", 2222, sys.executable, LAB, "_sftpd", 2222)
    source = f"{nas}:{shared_folder(state, spec)}"
    return mount_fuse(state, source, "sshfs", "-f", source, SHARE, "-o", "directport=2222", *options_of(spec))


def mount_sshfs(state, spec, nas):
    return mount_fuse(state, f"{nas}:{DATA['nas']}", "sshfs", "-f", f"root@{nas}:{DATA['nas']}", SHARE,
                      *options_of(spec))


def mount_rclone(state, spec, nas):
    source = f":sftp,host={nas},user=root,key_file={STATE}/id,shell_type=none:{DATA['nas']}"
    return mount_fuse(state, source, "rclone", "mount", source, SHARE, "--config", "/dev/null",
                      "--cache-dir", "/mnt/local/.rclone", "--dir-cache-time", "1s", *spec.get("options", "").split())


def mount_gvfs(state, spec, nas):
    start_smbd(state, shared_folder(state, spec))
    env = host_env(state, "client")
    sh("mkdir", "-p", "-m", "700", "/mnt/home/run/gvfs", host="client")
    spawn(state, "client", "dbus", "dbus-daemon", "--session", "--nofork", "--nosyslog",
          "--address=" + env["DBUS_SESSION_BUS_ADDRESS"], env=env)
    wait_for("the session bus", lambda: "bus" in sh("ls", "/mnt/home/run", host="client"))
    spawn(state, "client", "gvfsd", "/usr/libexec/gvfsd", "--no-fuse", env=env)
    spawn(state, "client", "mount", "/usr/libexec/gvfsd-fuse", "/mnt/home/run/gvfs", "-f", env=env)
    wait_for("gvfsd-fuse", lambda: "gvfsd-fuse" in sh("cat", "/proc/self/mounts", host="client"))
    wait_for("gvfsd on the session bus", lambda: "org.gtk.vfs.Daemon" in sh(
        "dbus-send", "--session", "--print-reply", "--dest=org.freedesktop.DBus", "/", "org.freedesktop.DBus.ListNames",
        host="client", env=env, check=False))
    path = f"/mnt/home/run/gvfs/smb-share:server={nas},share=data"

    def opened():  # a daemon that has just started may not know its backends yet: asked again
        sh("gio", "mount", f"smb://{nas}/data", stdin="root\nWORKGROUP\nlab\n", host="client", env=env, check=False)
        return sh("ls", "-d", path, host="client", env=env, check=False)

    wait_for("the share", opened)
    return path


def mount_local(state, spec, nas):
    """The NAS's own disk, with no network at all between: what an ideal mount would give."""
    sh("mount", state["loops"]["nas"], SHARE, host="client")
    return SHARE


MOUNTS = {"sftp": mount_sftp, "sshfs": mount_sshfs, "gvfs": mount_gvfs, "rclone": mount_rclone,
          "local": mount_local, "none": lambda state, spec, nas: None}
