"""Reads a result from stdin; prints its bottleneck and checks that the shares of time sum to one."""
import json
import sys

b = json.load(sys.stdin)["bottleneck"]
print(f"{b['limit']}: {b['resource']}\n{b['reason']}\n{b['lever']}")
shares = [value for key, value in b.items() if key.endswith("_share")]
if len(shares) != 6 or min(shares) < 0 or abs(sum(shares) - 1) > 1e-9:
    sys.exit(f"the shares are {shares}")
