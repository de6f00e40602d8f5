"""What the tests share that run in the lab of two hosts: a lab of their own, and one scenario after the other."""
import json
import os
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))


class Lab:
    """The tool `lab` with a prefix of its own, so that labs of different tests can stand side by side."""

    def __init__(self, prefix):
        self.environment = dict(os.environ, LAB_PREFIX=prefix, LC_ALL="C")
        self.failures = []

    def __call__(self, *words, timeout=120):
        return subprocess.run([os.path.join(HERE, "lab"), *words], env=self.environment, check=False, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=timeout)

    def start_on_client(self, scenario, *words):
        return subprocess.Popen([os.path.join(HERE, "lab"), "exec", scenario, "--", *words], env=self.environment,
                                text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)

    def start_on_nas(self, scenario, *words):
        return subprocess.Popen([os.path.join(HERE, "lab"), "exec", scenario, "--nas", "--", *words],
                                env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def check(self, condition, what):
        if not condition:
            self.failures.append(what)
            print("FAILED:", what, flush=True)

    def run(self, scenarios):
        """Calls each scenario's test with its name and what `lab up` tells. Exit status; says SKIPPED where no lab
        can be built."""
        for name, test in scenarios.items():
            up = self("up", name)
            if up.returncode != 0:
                print(f"SKIPPED: the lab does not come up here ({name}): {up.stderr.strip() or up.stdout.strip()}")
                self("down")
                return 0
            try:
                test(name, json.loads(up.stdout))
            finally:
                self("down")
        return 1 if self.failures else 0
