"""Tests of scripts/accuracy on made-up reports: no lab is built."""

import contextlib
import importlib.machinery
import importlib.util
import io
import json
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
SCRIPT = Path(__file__).resolve().parent.parent.parent / "scripts" / "accuracy"
LOADER = importlib.machinery.SourceFileLoader("accuracy", str(SCRIPT))
accuracy = importlib.util.module_from_spec(importlib.util.spec_from_loader("accuracy", LOADER))
LOADER.exec_module(accuracy)


def direction(layer, cause, confidence="likely", **more):
    return {"limiting_layer": layer, "cause": cause, "confidence": confidence, "alternatives": [],
            "achieved": {"bits_per_second": 9.2e8}, "capacities": {"link": {"bits_per_second": 9.41e8}}, **more}


def report(write, read):
    return {"format": "nasdiag-report", "version": 1, "diagnosis": {"write": write, "read": read}}


SCENARIO = {"name": "made-up", "expected": {
    "write": {"limit": "link", "accept": ["path"], "cause_id": "none/link-saturated", "accept_causes": ["link/*"]},
    "read": {"limit": "none", "cause_id": None},
    "figures": {"link": {"write": [1000, 1000], "read": [1000, 1000]}, "copy": {"write": [500, 945]}, "rtt_ms": [0, 1]}}}


class Judging(unittest.TestCase):
    def rows(self, write, read=None):
        return accuracy.judge(report(write, read or direction(None, None)), SCENARIO)

    def test_the_expected_and_an_accepted_layer_are_right(self):
        self.assertTrue(self.rows(direction("link", "none/link-saturated"))[0]["layer_right"])
        self.assertTrue(self.rows(direction("path", "path/wifi"))[0]["layer_right"])
        self.assertFalse(self.rows(direction("mount", "mount/fuse-layer"))[0]["layer_right"])

    def test_a_cause_may_match_a_family(self):
        self.assertTrue(self.rows(direction("link", "link/cable"))[0]["cause_right"])
        self.assertFalse(self.rows(direction("link", "path/wifi"))[0]["cause_right"])
        self.assertFalse(self.rows(direction("link", None))[0]["cause_right"])

    def test_where_nothing_limits_no_layer_is_right_and_no_cause_is_wanted(self):
        read = self.rows(direction("link", "none/link-saturated"))[1]
        self.assertTrue(read["layer_right"])
        self.assertIsNone(read["cause_right"])

    def test_certain_and_wrong_is_flagged(self):
        self.assertTrue(self.rows(direction("mount", None, "certain"))[0]["certain_and_wrong"])
        self.assertFalse(self.rows(direction("link", None, "certain"))[0]["certain_and_wrong"])
        self.assertFalse(self.rows(direction("mount", None, "likely"))[0]["certain_and_wrong"])

    def test_no_report_is_wrong_and_not_certain(self):
        row = accuracy.judge(None, SCENARIO)[1]
        self.assertFalse(row["layer_right"])
        self.assertFalse(row["certain_and_wrong"])

    def test_figures_are_compared_with_their_known_range(self):
        write = self.rows(direction("link", None))[0]
        self.assertEqual(write["deviations"], {"link": 0.0, "achieved": 0.0})
        self.assertAlmostEqual(accuracy.deviation(1100, 500, 1000), 0.1)

    def test_a_right_alternative_is_seen(self):
        row = self.rows(direction("mount", None, alternatives=[{"layer": "link", "cause": "link/cable"}]))[0]
        self.assertTrue(row["alternative_right"])


class Totals(unittest.TestCase):
    def test_confusion_counts_an_accepted_answer_as_the_expected(self):
        rows = accuracy.judge(report(direction("path", None), direction("mount", "mount/x")), SCENARIO)
        self.assertEqual({k: dict(v) for k, v in accuracy.confusion(rows).items()},
                         {"link": {"link": 1}, "none": {"mount": 1}})

    def test_one_certain_and_wrong_misses_the_target(self):
        good = accuracy.judge(report(direction("link", "link/cable"), direction(None, None)), SCENARIO) * 100
        self.assertEqual(accuracy.totals(good, False)["layer_right_percent"], 100)
        bad = accuracy.judge(report(direction("mount", None, "certain"), direction(None, None)), SCENARIO)
        self.assertFalse(accuracy.totals(good + bad, False)["reached"])


class Program(unittest.TestCase):
    def test_saved_reports_are_judged_and_written_as_json(self):
        with tempfile.TemporaryDirectory() as folder:
            saved, out = Path(folder) / "gigabit-healthy.1.json", Path(folder) / "out.json"
            full = direction("link", "none/link-saturated", capacities={"link": {"bits_per_second": 1e9}})
            saved.write_text(json.dumps(report(full, full)))
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                code = accuracy.main(["--judge", str(saved), "--json", str(out)])
            self.assertEqual(code, 0, printed.getvalue())
            self.assertIn("expected \\ said", printed.getvalue())
            self.assertEqual(json.loads(out.read_text())["totals"]["rows"], 2)

    def test_every_scenario_says_what_is_to_be_said(self):
        for scenario in accuracy.chosen_scenarios([]):
            for way in accuracy.DIRECTIONS:
                with self.subTest(scenario=scenario["name"], direction=way):
                    self.assertIn("limit", scenario["expected"][way])
                    self.assertIn("cause_id", scenario["expected"][way])


if __name__ == "__main__":
    unittest.main()
