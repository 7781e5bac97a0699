"""Kernels of a GPU as if nobody had measured it: the mean of other files of catalog/kernels/."""
import pathlib
import re
import statistics

CATALOG = pathlib.Path(__file__).resolve().parent.parent / "catalog"

# A GPU whose operators were measured, and the set of kernels that they are.
MEASURED = {"H100": "hopper", "A100": "ampere", "L40S": "ada",
            "RTX-PRO-6000": "blackwell-workstation"}


def kernel_rows(kernels):
    """By section, row and part: the numbers of a file of kernels."""
    rows, section, row = {}, "", ""
    for line in (CATALOG / f"kernels/{kernels}.yaml").read_text().splitlines():
        found = re.match(r"( *)([\w/-]+):(?: *\{(.*?)\})?", line)
        if not found or line.startswith("source"):
            continue
        depth, name, numbers = len(found[1]) // 2, found[2], found[3]
        section, row = (name, "") if depth == 0 else (section, name if depth == 1 else row)
        if numbers:
            rows[section, row, name if depth == 2 else ""] = {
                k: float(v) for k, v in re.findall(r"(\w+): ([0-9.e-]+)", numbers)}
    return rows


def mean_kernels(names):
    """A file of kernels whose rows are the mean of those of these files that have them. What only
    whole runs decide is as in default.yaml."""
    files = [kernel_rows(name) for name in names]
    kept = kernel_rows("default")["prefill_attention", "bf16", ""]["decode_rereads"]
    text, section, row = 'source: "mean of others"\n', "", ""
    text += f"otherwise: [{', '.join(names)}]\n"
    for key in sorted(set().union(*files)):
        having = [file[key] for file in files if key in file]
        numbers = {p: statistics.mean(one[p] for one in having) for p in having[0]}
        if "decode_rereads" in numbers:
            numbers["decode_rereads"] = kept
        flow = "{" + ", ".join(f"{p}: {v:.6g}" for p, v in numbers.items()) + "}"
        text += f"{key[0]}:\n" if key[0] != section else ""
        if not key[2]:
            text += f"  {key[1]}: {flow}\n"
        else:
            text += f"  {key[1]}:\n" if key[:2] != (section, row) else ""
            text += f"    {key[2]}: {flow}\n"
        section, row = key[:2]
    return text
