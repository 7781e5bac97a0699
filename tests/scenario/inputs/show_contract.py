"""Reads one JSON object from stdin and prints its keys, each with the kind of its value."""
import json
import sys


def kind(value):
    if value is None or isinstance(value, bool):
        return str(value).lower()
    return {str: "text", int: "number", float: "number", list: "list", dict: "object"}[type(value)]


data = json.load(sys.stdin)
for key, value in data.items():
    print(f"{key}: {kind(value)}")
for key, value in data["steady_state"].items():
    print(f"steady_state.{key}: {kind(value)}")
print(f"instances: {len(data['instances'])}")
