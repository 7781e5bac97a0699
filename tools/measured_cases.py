"""What tools/accuracy and tools/fit-runs share: measured cases, their errors, the pages of both."""
import json
import os
import pathlib
import re
import subprocess
import sys

PAGES = pathlib.Path(__file__).resolve().parent.parent / "docs" / "explanation"

# Metrics of a table, in the order of its columns.
COLUMNS = {"TPOT": "tpot_ms.mean", "TTFT": "ttft_ms.mean", "TTFT p99": "ttft_ms.p99",
           "E2E": "e2e_ms.mean", "E2E p99": "e2e_ms.p99"}
# Instead of it: where a source does not say of what its number is, or gives the median alone.
OTHERWISE = {"TPOT": ["tpot_ms", "tpot_ms.p50"], "TTFT": ["ttft_ms", "ttft_ms.p50"],
             "E2E": ["e2e_ms.p50"]}
# Far off, and nobody knows why: nothing was fitted to them. Left out of headline figures; the page
# says so.
UNEXPLAINED = "inferencex-token-position"

DENSE_MODELS = ("Llama", "Qwen2.5", "Mistral-Nemo")


def validate(binary, paths, catalog=None, intervals=True):
    """What `plimsoll validate` says of these cases, with files of a catalog of one's own."""
    env = dict(os.environ, **({"PLIMSOLL_CATALOG": str(catalog)} if catalog else {}))
    ended = subprocess.run([binary, "validate", *map(str, paths), "--json",
                            *([] if intervals else ["--no-model-error"])],
                           capture_output=True, text=True, env=env)
    if ended.returncode != 0:
        sys.exit(ended.stderr)
    return json.loads(ended.stdout)


def counted(cases):
    """The cases that goals are about: vLLM, nothing doubtful about the measurement."""
    return [c for c in cases if c["engine"] == "vllm" and c["confidence"] == "normal"]


def figure(case, column):
    for name in (COLUMNS[column], "stage:" + COLUMNS[column], *OTHERWISE.get(column, [])):
        if name in case["metrics"]:
            return case["metrics"][name]
    return None


def errors(cases, column):
    return [figure(c, column)["ape"] for c in cases if figure(c, column)]


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def write_sections(name_of_page, sections):
    """On that page of PAGES, replaces what stands between the marks "<!-- NAME -->" and "<!-- end of NAME -->"."""
    path = PAGES / name_of_page
    page = path.read_text()
    for name, text in sections.items():
        marks = re.compile(f"(<!-- {name} -->\n).*?(<!-- end of {name} -->)", re.S)
        if not marks.search(page):
            sys.exit(f"{path.name} has no marks for {name}")
        page = marks.sub(lambda m, text=text: m.group(1) + text + "\n" + m.group(2), page)
    path.write_text(page)


# Which cases a constant is fitted to.

def any_case(case):
    return True


def is_open(case):
    return case["kind"] != "closed_loop"


def is_dense(case):
    return is_open(case) and any(name in case["model"] for name in DENSE_MODELS)


def is_closed(*models, gpus=()):
    """Closed loops of these models and on these GPUs; all where there are none."""
    return lambda case: (not is_open(case)
                         and (not models or any(name in case["model"] for name in models))
                         and (not gpus or case["gpu"].split("-")[0] in gpus))


def stated(case):
    """What a case says of its weights (of experts, if the model has any) and of the release of its engine."""
    text = (case / "case.yaml").read_text()
    says = {key: found[1] for key in ("expert_weight_dtype", "weight_dtype", "engine_version")
            if (found := re.search(rf'^  {key}: "?([^"\n]+)', text, re.M))}
    release = re.match(r"\d+\.\d+", says.get("engine_version", ""))
    return {"format": says.get("expert_weight_dtype") or says.get("weight_dtype") or "not stated",
            "version": "vLLM " + release[0] if release else "vLLM, not stated"}
