"""Prints where the arrivals of a --json report (stdin) ended, and whether they add up."""
import json
import sys

run = json.load(sys.stdin)
inside = ("completed_requests", "still_queued", "still_running", "dropped_unservable",
          "timed_out_requests")
outside = ("rejected_admission", "rejected_routing", "still_arriving")
for key in ("arrived_requests", "injected_requests", *inside, *outside):
    print(f"{key} {run[key]}")
print("adds up:", run["injected_requests"] == sum(run[key] for key in inside)
      and run["arrived_requests"] == run["injected_requests"] + sum(run[key] for key in outside))
for dimension in ("per_class", "per_tenant"):
    for name, group in run.get(dimension, {}).items():
        parts = ("completed", "timed_out", "rejected", "unfinished")
        total = sum(group[f"{part}_requests"] for part in parts) + group["dropped_unservable"]
        print(f"{name}: {group['arrived_requests']} arrived, adds up: "
              f"{group['arrived_requests'] == total}")
