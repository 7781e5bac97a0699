"""Are the results of two runs equal, but for what they were asked by?"""
import json
import sys

results = [json.load(open(path)) for path in sys.argv[1:]]
for result in results:
    del result["config"]
print("equal" if results[0] == results[1] else "unequal")
