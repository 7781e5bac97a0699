"""Shows a comparison (JSON on stdin): verdict, figures by seed, differences."""
import json
import sys

r = json.load(sys.stdin)
print(r["verdict"])
for v in r["variants"]:
    f = v["figures"]["ttft_p99_ms"]
    print(v["name"], v["flags"], "|", v["verdicts"], "| TTFT p99", f["by_seed"])
for d in r["differences"]:
    if d["figure"] == "ttft_p99_ms":
        print("{variant} - {from}: {mean} [{low}, {high}] p {p_value} equal {equal} real {real}"
              .format(**d))
