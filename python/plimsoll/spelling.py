"""The program's messages in the words of Python: `--num-instances 2` is `num_instances=2`."""
import re

_FLAG = re.compile(r'(?<!")--([a-z][a-z0-9-]*[a-z0-9])(?:([ =])("[^"]*"|[\w.|,:-]+))?')
_IS_VALUE = re.compile(r'\d[\d.]*$|[A-Z][A-Z|,:]+$|"')
_COMMAND = re.compile(r"(`plimsoll [^`]*`|: plimsoll .*)")


def keyword_of(flag):
    """num_instances of --num-instances."""
    return flag.removeprefix("--").replace("-", "_")


def spelled(text, choices):
    """`choices`: by flag, what it may be. A whole command of a shell stays as it is."""
    def keyword(match):
        name, gap, value = match.groups()
        spelling = keyword_of(name) + "="
        if value is None:
            return spelling
        bare = value.rstrip(".,:")
        if bare in choices.get("--" + name, ()):
            return f'{spelling}"{bare}"' + value[len(bare):]
        return spelling + ("" if gap == "=" or _IS_VALUE.match(bare) else " ") + value

    def outside(part):
        part = part.replace("--help shows all flags", "help() of the function shows all keywords")
        return re.sub(r"\bflag(s?)\b", r"keyword\1", _FLAG.sub(keyword, part))

    def command(part):
        verb = re.fullmatch(r"`plimsoll ([a-z]+)`", part)
        return f"{verb[1]}()" if verb else part

    return "".join(command(part) if at % 2 else outside(part)
                   for at, part in enumerate(_COMMAND.split(text)))
