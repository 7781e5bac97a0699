"""Does any name become more than a name in what the program prints and writes?

A name of a GPU, of a client, of a model's owner or of a scenario is refused, in words and before anything is
written, or it is emitted; then every file, read by a parser of its language, is built as with a name of letters.
"""
import csv
import html.parser
import json
import re
import stat

# Of names: what means something to some shell, parser, terminal or spreadsheet.
PIECES = ("\n", "\r", "\t", "'", '"', "\\", "`touch pwned`", "$(touch pwned)", "; touch pwned", "| touch pwned", "> pwned", "&&",
          ": ", " #", "{{ x }}", "- ", "\n---\n", "--x", "=1+1", "@x", "+x", "[", "]", "{", "}", ",", "*", "&a", "!!int", "%",
          "<b>", "</script>", "]]>", "<!--", "true", "null", "1e3", " ", "a", "Model-7B", "é", "~", "\x1b[31m", "\x1b]52;c;eA==\x07",
          "\x7f", "\x9b", "\u202e", "\u2066", "\u2028", "\U0001f6a2", "../", "/")
UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
PLAN = ("plan", "--model", "qwen3-14b", "--rate", "2", "--slo", "ttft_p90<2s", "--gpu-types", "evil", "--tp", "1",
        "--max-num-seqs", "8", "--prompt-tokens", "50", "--output-tokens", "5", "--gpu-price", "evil=3", "--duration", "5")
FORMS = ("vllm", "kubernetes", "llm-d")


class Tags(html.parser.HTMLParser):
    """How a page is built, without its texts."""

    def __init__(self, page):
        super().__init__()
        self.seen = []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.seen.append((tag, [key for key, _ in attrs if key != "class"]))  # that of long texts differs

    def handle_comment(self, data):
        self.seen.append("comment")


def write_inputs(t, slot, name):
    names = {"gpu": "x", "hub_id": "Org/Model", "client": "chat", "tenant": "one", "scenario": "peak", slot: name}
    quoted = {key: json.dumps(value, ensure_ascii=False) for key, value in names.items()}
    gpu = (t.source / "examples" / "catalog" / "gpus" / "my-gpu.yaml").read_text(encoding="utf-8")
    gpu = gpu.replace("name: MyGPU", f"name: {quoted['gpu']}").replace("aliases: []", "aliases: [evil]")
    model = (t.source / "catalog" / "models" / "qwen" / "qwen3-14b.yaml").read_text(encoding="utf-8")
    model = re.sub("^hub_id: .*\n", "", model, flags=re.M) + f"\nhub_id: {quoted['hub_id']}\n"
    for path, text in (("gpus/evil.yaml", gpu), ("models/qwen/qwen3-14b.yaml", model)):
        (t.folder / "own" / path).parent.mkdir(parents=True, exist_ok=True)
        (t.folder / "own" / path).write_text(text, encoding="utf-8")
    lengths = "{type: constant, params: {value: 50}}"
    (t.folder / "clients.yaml").write_text(
        'version: "2"\naggregate_rate: 5\nnum_requests: 5\nclients:\n'
        f"- {{id: {quoted['client']}, tenant_id: {quoted['tenant']}, rate_fraction: 1, arrival: {{process: constant}},\n"
        f"   input_distribution: {lengths}, output_distribution: {lengths}}}\n", encoding="utf-8")
    forecast = (t.source / "examples" / "launch-week.yaml").read_text(encoding="utf-8")
    (t.folder / "forecast.yaml").write_text(forecast.replace("launch peak", quoted["scenario"]), encoding="utf-8")


def commands(slot, forms):
    """What writes files with the name, all of them in out/."""
    if slot in ("gpu", "hub_id"):
        for form in forms:
            yield *PLAN, "--emit", form, "--output-dir", f"out/{form}", "--html", f"out/{form}.html"
    elif slot == "scenario":
        yield "forecast", "forecast.yaml", "--html", "out/forecast.html"
    else:
        run = ("run", "--model", "qwen3-14b", "--hardware", "H100", "--workload-spec", "clients.yaml", "--quiet")
        yield *run, "--results-path", "out/rows.csv", "--trace-output", "out/trace"
        yield *run, "--results-path", "out/rows.json", "--metrics-path", "out/metrics.json"
        yield "compose", "--from", "clients.yaml", "--from", "clients.yaml", "--output", "out/composed.yaml"


def words_of(t, script):
    """What the commands of a script are given; nothing else may happen."""
    t.check(t.system("sh", "-n", script)[0] == 0, script, "is no shell script")
    code, out, err = t.system("sh", script, path=str(t.folder / "bin"))
    t.check(code == 0 and not err, script, code, err)
    return out.decode().split("\0")


def keys_in(value, name):
    if isinstance(value, dict):
        return [("NAME" if key == name else key, keys_in(value[key], name)) for key in value]
    return [keys_in(element, name) for element in value] if isinstance(value, list) else type(value).__name__


def keys_of(text):
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    return [re.match(r"[\s-]*(\"(?:[^\"\\]|\\.)*\"|[^:\"]*):?", line)[1] for line in lines]


def build_of(t, path, name):
    """What of a file does not depend on the name."""
    shown = str(path.relative_to(t.folder))
    if path.suffix == ".sh":
        return [word.replace(name, "x") for word in words_of(t, shown)]
    text = path.read_bytes().decode()
    t.check(not UNPRINTABLE.search(text.replace("\r\n", "\n")), shown, "is not printable")
    if path.suffix == ".html":
        return Tags(text).seen
    if path.suffix == ".json":
        return keys_in(json.loads(text), name)
    if path.suffix == ".csv":
        rows = list(csv.reader(text.splitlines(True), strict=True))
        t.check(not any(cell[:1] in ("=", "@", "+") for row in rows for cell in row), shown, "has a formula")
        return [len(row) for row in rows]
    return keys_of(text)


def files_of(t, slot, name, forms):
    """Of every file in out/ its build; None: the name was refused."""
    t.clear("out")
    write_inputs(t, slot, name)
    before = t.names()
    for command in commands(slot, forms):
        code, out, err = t.run(*command, environment={"PLIMSOLL_CATALOG": "own"})
        for stream in (out, err):
            t.check(not UNPRINTABLE.search(stream.decode()), slot, repr(name), "is printed:", stream)
        if code == 2:
            t.check(b"error: " in err and not list((t.folder / "out").rglob("*.*")), slot, repr(name), err)
            return None
        t.check(code in (0, 1), slot, repr(name), command, code, err)
    files = {str(path.relative_to(t.folder)): build_of(t, path, name) for path in (t.folder / "out").rglob("*.*")}
    t.check(t.names() == before, slot, repr(name), "made", set(t.names()) - set(before))
    return files


def run(t):
    (t.folder / "bin").mkdir()
    for command in ("vllm", "plimsoll"):
        stub = t.folder / "bin" / command
        stub.write_text("#!/bin/sh\nprintf '%s\\0' \"$@\"\n")
        stub.chmod(stub.stat().st_mode | stat.S_IXUSR)
    slots = {"gpu": "x", "hub_id": "Org/Model", "client": "chat", "tenant": "one", "scenario": "peak"}
    usual = {slot: files_of(t, slot, name, FORMS) for slot, name in slots.items()}
    t.check(all(usual.values()), "a name of letters was refused")
    refused = 0
    for i in range(t.few_or(10, 1000)):
        slot = list(slots)[i % len(slots)]
        name = "".join(t.chance.choices(PIECES, k=t.chance.randint(1, 6)))
        files = files_of(t, slot, name, [t.chance.choice(FORMS)])
        refused += files is None
        may_be_refused = UNPRINTABLE.search(name) or re.search("[\n\t]", name) or slot == "hub_id"
        t.check(files is not None or may_be_refused, slot, repr(name), "was refused")
        for file, build in (files or {}).items():
            t.check(build == usual[slot][file], slot, repr(name), file, build)
    return f"{i + 1} names: {refused} were refused, the others were names everywhere"
