"""The NAS's services: iperf3, ssh, SFTP without encryption, Samba."""

import os
import shutil
import signal
import socket
import sys
import time
from pathlib import Path

from .hosts import DATA, STATE, sh, spawn, wait_for
from .machine import host_env, slow_env
from .scenario import LabError


def listening(host, port):
    return f":{port} " in sh("ss", "-Hltn", host=host)


def serve(state, name, port, *cmd):
    """Starts a service on the NAS and waits until its port is open."""
    child = spawn(state, "nas", name, *cmd, env=host_env(state, "nas"))

    def ready():
        if child.poll() is not None:
            raise LabError(f"{name} ended: {(STATE / 'log' / name).read_text().strip()[-500:]}")
        return listening("nas", port)

    wait_for(f"{name} on port {port}", ready)


def start_iperf3(state):
    spec = {"port": 5201, **(state["scenario"].get("iperf3") or {})}
    serve(state, "iperf3", spec["port"], "iperf3", "-s", "-p", spec["port"])
    if spec.get("busy"):  # one endless test, next to no traffic: others are told the server is busy
        spawn(state, "nas", "iperf3-busy", "iperf3", "-c", "127.0.0.1", "-p", spec["port"],
              "-b", "1M", "-l", "1K", "-t", "86400")
        time.sleep(0.5)


BUSY = {  # what keeps a host busy beside its services
    "cpu": "while True: pass",
    "disk": """
import mmap, os, sys
folder, way = sys.argv[1:]
block = mmap.mmap(-1, 1 << 20)
fd = os.open(folder + "/.other-job", os.O_CREAT | os.O_RDWR | os.O_DIRECT)
for i in range(256):
    os.pwrite(fd, block, i << 20)
i = 0
while True:
    os.pwrite(fd, block, i << 20) if way == "write" else os.preadv(fd, [block], i << 20)
    i = (i + 1) % 256
"""}


def start_other_jobs(state):
    """Other work on the hosts: loops on so many cores, a stream of large requests to the disk."""
    for host in ("client", "nas"):
        busy = state["scenario"].get(host, {}).get("busy", {})
        for i in range(busy.get("cpu", 0)):
            spawn(state, host, f"busy-{host}-{i}", sys.executable, "-c", BUSY["cpu"])
        if "disk" in busy:
            spawn(state, host, f"busy-{host}-disk", sys.executable, "-c", BUSY["disk"], DATA[host], busy["disk"])


def start_sshd(state):
    for key in ("id", "hostkey"):
        sh("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", STATE / key)
    shutil.copy(STATE / "id.pub", STATE / "authorized_keys")
    slow = " ".join(f"{k}={v}" for k, v in slow_env(state, "nas").items())  # for commands run by ssh
    (STATE / "sshd_config").write_text(
        f"HostKey {STATE}/hostkey\nAuthorizedKeysFile {STATE}/authorized_keys\nPidFile none\nUsePAM no\n"
        f"PasswordAuthentication no\nPermitRootLogin yes\nStrictModes no\nUseDNS no\n"
        f"Subsystem sftp {sftp_server()}\n"
        + (f"SetEnv {slow}\n" if slow else ""))
    Path("/run/sshd").mkdir(exist_ok=True)
    serve(state, "sshd", 22, "/usr/sbin/sshd", "-D", "-e", "-f", STATE / "sshd_config")


def sftp_server():
    for path in ("/usr/lib/openssh/sftp-server", "/usr/libexec/openssh/sftp-server"):
        if Path(path).exists():
            return path
    raise LabError("no sftp-server (install openssh-sftp-server)")


def sftpd(port):
    """SFTP over plain TCP, what sshfs speaks with -o directport: no encryption, little CPU."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    listener = socket.create_server(("", port))
    while True:
        peer, _ = listener.accept()
        peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if os.fork() == 0:
            os.dup2(peer.fileno(), 0)
            os.dup2(peer.fileno(), 1)
            os.execv(sftp_server(), ["sftp-server"])
        peer.close()


def start_smbd(state, folder):
    smb = STATE / "smb"
    for d in ("private", "lock", "state", "cache", "pid", "ncalrpc"):
        (smb / d).mkdir(parents=True)
    options = state["scenario"].get("mount", {}).get("server_options", {})
    (smb / "smb.conf").write_text("\n".join(
        ["[global]", "server role = standalone server", "smb ports = 445", "disable netbios = yes",
         "load printers = no", "printing = bsd", "server min protocol = SMB2", f"log file = {smb}/log",
         f"private dir = {smb}/private", f"lock directory = {smb}/lock", f"state directory = {smb}/state",
         f"cache directory = {smb}/cache", f"pid directory = {smb}/pid", f"ncalrpc dir = {smb}/ncalrpc",
         "[data]", f"path = {folder}", "read only = no", "force user = root"]
        + [f"{k} = {v}" for k, v in options.items()]) + "\n")
    sh("smbpasswd", "-c", smb / "smb.conf", "-s", "-a", "root", stdin="lab\nlab\n")
    serve(state, "smbd", 445, "smbd", "-F", "--no-process-group", "-s", smb / "smb.conf")
