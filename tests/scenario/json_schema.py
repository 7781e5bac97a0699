"""Does a value have the form that a JSON Schema describes? As much of JSON Schema as the API's description uses."""

KINDS = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}


def is_of(value, kind):
    if kind in ("integer", "number"):
        return isinstance(value, int if kind == "integer" else (int, float)) and not isinstance(value, bool)
    return isinstance(value, KINDS[kind])


def faults(value, schema, at="answer"):
    """Where it has not, and why."""
    kinds = schema.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if kinds and not any(is_of(value, kind) for kind in kinds):
        return [f"{at} is {str(value)[:60]!r}, not {' or '.join(kinds)}"]
    found = []
    if isinstance(value, list):
        for i, item in enumerate(value):
            found += faults(item, schema.get("items", {}), f"{at}[{i}]")
    elif isinstance(value, dict):
        found += [f"{at} has no {key}" for key in schema.get("required", ()) if key not in value]
        known, others = schema.get("properties", {}), schema.get("additionalProperties")
        for key, inner in value.items():
            if key in known:
                found += faults(inner, known[key], f"{at}.{key}")
            elif isinstance(others, dict):
                found += faults(inner, others, f"{at}.{key}")
            elif known:
                found.append(f"{at}.{key} is not described")
    return found
