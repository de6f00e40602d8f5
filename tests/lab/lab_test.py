"""Tests of the lab tool itself: scenarios are read strictly, a lab comes up, runs commands and leaves nothing."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))

from nas_lab.scenario import LabError, all_scenarios, number, per_direction, read_scenario  # noqa: E402

LAB = Path(__file__).resolve().parent / "lab"
ENVIRONMENT = {**os.environ, "LAB_PREFIX": "nt"}


def lab(*words):
    return subprocess.run([str(LAB), *words], capture_output=True, text=True, env=ENVIRONMENT, timeout=120)


class Scenarios(unittest.TestCase):
    def test_every_scenario_is_accepted_and_named_as_its_file(self):
        scenarios = all_scenarios()
        self.assertGreaterEqual(len(scenarios), 60)
        for scenario in scenarios:
            self.assertTrue((LAB.parent / "scenarios" / f"{scenario['name']}.json").exists(), scenario["name"])

    def test_at_least_thirty_causes_and_every_layer_have_one(self):
        expected = [s["expected"][way] for s in all_scenarios() for way in ("read", "write")]
        self.assertGreaterEqual(len({e["cause_id"] for e in expected} - {None}), 30)
        layers = {"link", "path", "tcp", "client-disk", "client-cpu", "nas-disk", "nas-cpu", "mount"}
        self.assertEqual(layers - {e["limit"] for e in expected}, set())

    def test_an_unknown_key_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            for text in ('{"name": "x", "wire": []}', '{"name": "x", "nas": {"disk": {"speed": 1}}}', '{"wires": []}'):
                path = Path(folder) / "x.json"
                path.write_text(text)
                with self.assertRaises(LabError, msg=text):
                    read_scenario(str(path))

    def test_quantities(self):
        self.assertEqual([number(x) for x in (12, "64K", "1.5G", "64Ki", "2Mi")], [12, 64e3, 1.5e9, 65536, 2 << 20])
        self.assertEqual(per_direction(3), {"up": 3, "down": 3})
        with self.assertRaises(LabError):
            number("fast")


class Program(unittest.TestCase):
    def setUp(self):
        if os.geteuid() != 0:
            self.skipTest("SKIPPED: building a lab needs root")
        up = lab("up", "usb2-port")
        if up.returncode != 0:
            self.skipTest(f"SKIPPED: no lab can be built here: {up.stderr.strip()}")
        self.info = json.loads(up.stdout)

    def tearDown(self):
        self.assertEqual(lab("down").returncode, 0)

    def test_a_lab_runs_commands_and_leaves_nothing(self):
        self.assertEqual(self.info["server"], "nas")
        self.assertEqual(lab("exec", "usb2-port", "--", "sh", "-c", "exit 7").returncode, 7)
        on_client = lab("exec", "--", "sh", "-c", f"echo hello > {self.info['mount']}/x && cat /sys/class/net/eth0/speed")
        self.assertEqual(on_client.stdout, "1000\n", on_client.stderr)
        on_nas = lab("exec", "--nas", "--", "cat", f"{self.info['nas_data']}/x")
        self.assertEqual(on_nas.stdout, "hello\n", on_nas.stderr)
        self.assertEqual(lab("exec", "gigabit-healthy", "--", "true").returncode, 1)
        self.assertEqual(lab("down").returncode, 0)
        self.assertFalse(Path("/run/nt-lab").exists())
        self.assertFalse(Path("/run/netns/nt-client").exists())
        self.assertNotEqual(lab("exec", "--", "true").returncode, 0)


if __name__ == "__main__":
    unittest.main()
