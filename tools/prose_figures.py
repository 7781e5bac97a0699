"""Are the figures in the prose of a page those that its commands print?

Of each section (`## `) with console blocks, every figure with a unit, such as "142 ms" or "17 instances",
has to stand in one of those blocks, rounded as the prose has it and in any unit of the same kind; a bare
number of a block fits any unit. "about 80 ms" may also round to tens. What is no output (a limit, a fact,
arithmetic) stands in a comment of the section, written as in the prose:

    <!-- given: 500 ms; 16.1 instances -->

A figure that is given and no longer used is named, too. Called by tools/docs-check.
"""
import re

SCALES = {"time": {"us": 1e-3, "ms": 1.0, "s": 1e3, "seconds": 1e3, "min": 6e4, "minutes": 6e4,
                   "h": 3.6e6, "hours": 3.6e6},
          "rate": {"req/s": 1.0, "requests/s": 1.0, "requests per second": 1.0},
          "share": {"%": 1.0, "percent": 1.0},
          "tokens/s": {"tokens/s": 1.0},
          "instances": {"instances": 1.0, "instance": 1.0},
          "GPUs": {"GPUs": 1.0, "GPU": 1.0},
          "requests": {"requests": 1.0, "request": 1.0},
          "blocks": {"blocks": 1.0, "block": 1.0},
          "tokens": {"tokens": 1.0, "token": 1.0},
          "bytes": {"GiB": 1.0, "GB": 1.0}}
KIND = {unit: kind for kind, units in SCALES.items() for unit in units}
UNIT = "|".join(sorted(map(re.escape, KIND), key=len, reverse=True))
FIGURE = re.compile(r"((?:about|some|nearly|almost) )?(?<![\w.$-])(\d[\d,]*(?:\.\d+)?)(?: ?(" + UNIT +
                    r")(?![\w/]))?")
GIVEN = re.compile(r"<!-- given: (.*?) -->", re.S)


class Figure:
    def __init__(self, match):
        roughly, number, self.unit = match.groups()
        number = number.rstrip(",").replace(",", "")
        self.text = match.group(0)[len(roughly or ""):]
        self.value = float(number)
        self.kind = KIND.get(self.unit)
        self.grain = 10.0 ** -len(number.partition(".")[2])
        if roughly and number.endswith("0") and "." not in number:
            self.grain = 10.0

    def fits(self, printed):
        """Is this figure of the prose that figure of a block?"""
        value = printed.value
        if printed.kind is not None:
            if printed.kind != self.kind:
                return False
            value *= SCALES[self.kind][printed.unit] / SCALES[self.kind][self.unit]
        return abs(value - self.value) <= self.grain / 2 * (1 + 1e-9)


def sections(text):
    """Of each section: the numbered lines of its prose, and those of its console blocks."""
    prose, blocks, fence = [], [], None
    for number, line in enumerate(text.splitlines(), start=1):
        if line.startswith("```"):
            fence = None if fence else line.strip()
        elif fence:
            if fence == "```console":
                blocks.append(line)
        elif line.startswith("## "):
            yield prose, blocks
            prose, blocks = [], []
        elif not line.startswith(("#", "    ")):
            prose.append((number, line))
    yield prose, blocks


def figures(text):
    return [Figure(match) for match in FIGURE.finditer(text)]


def unfounded_figures(text):
    """(line, what is wrong) of each figure with a unit that no block of its section prints."""
    for prose, blocks in sections(text):
        if not blocks:
            continue
        printed = [figure for line in blocks for figure in figures(line)]
        whole = "\n".join(line for _, line in prose)
        given = {figure.strip() for match in GIVEN.findall(whole) for figure in match.split(";")}
        used = set()
        for number, line in prose:
            if line.startswith("<!--"):
                continue
            for figure in figures(re.sub(r"`[^`]*`|!\[[^]]*\]", "", line)):
                if figure.kind is None or any(figure.fits(other) for other in printed):
                    continue
                used.add(figure.text)
                if figure.text not in given:
                    yield number, f'"{figure.text}" stands in no output of this section'
        for figure in sorted(given - used):
            yield prose[0][0] if prose else 0, f'"{figure}" is given and not needed'
