"""The generated parts of README.md.

``make pages`` runs this file, which writes them anew; ``tests/project/test_readme.py`` checks them.

The table shows how three frameworks read a URL, without postel and behind it. The applications are those of
examples/; they receive each target as servers pass it on (see ``wire``). The code of the README becomes a
file for type checkers.
"""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

from applications import Stack, django_settings, example, settings_of_the_example
from postel import Policy
from wire import Answer

README = Path(__file__).parent.parent / "README.md"
TYPED = Path(__file__).parent.parent / "tests" / "typing" / "readme.py"
TYPED_HEAD = """\
# The code of README.md, for type checkers. Made by "make pages", not edited by hand.
"""
BEGIN, END = '<!-- table: made by "make pages" -->\n\n', "\n<!-- end of table -->\n"
COST, END_OF_COST = '<!-- cost: made by "make pages" -->\n\n', "\n<!-- end of cost -->\n"
PERFORMANCE = Path(__file__).parent.parent / "docs" / "performance.md"
# The table is short, so that it fits on the first screen with the sections on installing and wrapping.
TARGETS = (
    "//admin/panel",
    "/admin%2Fpanel",
    "/%61dmin/panel",
    "/admin%0A",
    "/search?q=%C4rzteblatt",
    "/books/a%C4b",
    "/search?q=50%+off",
    "/search?q=%C3%84rzteblatt",
)


def table() -> str:
    with django_settings(settings_of_the_example()):
        stacks = [
            Stack("Flask", lambda: example("flask_app").bare, is_asgi=False),
            Stack("Django", lambda: example("django_app").bare, is_asgi=False),
            Stack("Starlette", lambda: example("starlette_app").bare, is_asgi=True),
        ]
        head = ["Request", *(stack.name for stack in stacks), "Each, behind postel"]
        rows = [head, ["---"] * len(head), *(row(stacks, target) for target in TARGETS)]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in rows)


def row(stacks: list[Stack], target: str) -> list[str]:
    octets = target.encode()
    bare = [description(*stack.ask(octets, None)) for stack in stacks]
    [behind] = {description(*stack.ask(octets, Policy.STANDARD), octets) for stack in stacks}
    return [code(target), *bare, behind]


def description(answer: Answer, handed: bytes | None, sent: bytes | None = None) -> str:
    """Describe what an application read, and the URL that it received if that differs from the one sent."""
    demo = example("demo")
    head = "\n".join(f"{name}: {value}" for name, value in answer.headers.items())
    text = code(demo.summary(answer.status, head, answer.body))
    if text == code(demo.PASSED):
        return f"**{demo.PASSED.lower()}**"
    return f"{text}, from {code(handed.decode())}" if handed and sent not in {None, handed} else text


def code(text: str) -> str:
    return "`" + text.replace("|", "\\|") + "`"


def with_table(text: str) -> str:
    """Return the README with the current table."""
    before, _, rest = text.partition(BEGIN)
    return before + BEGIN + table() + END + rest.partition(END)[2]


def cost() -> str:
    """Describe what a plain request costs, as measured in docs/performance.md."""
    served = PERFORMANCE.read_text("utf-8").partition("\n## A request\n")[2]
    rows = re.findall(r"^\| (\w+) \+ (\w+) \| [^|]+ \| \d+ \| \d+ \| ([\d.]+) \|", served, re.MULTILINE)
    ratios: dict[str, list[float]] = {}
    for server, app, ratio in rows:
        ratios.setdefault(f"with {app} on {server}", []).append(float(ratio))
    costs = [f"{max(each) - 1:.0%} {where}" for where, each in ratios.items()]
    return (
        "What it costs: the processor time of a plain request from a browser grows by\n"
        f"{', '.join(costs[:-1])} and {costs[-1]}.\n"
        "[Performance](docs/performance.md) has the details.\n"
    )


def with_cost(text: str) -> str:
    """Return the README with the current cost."""
    before, _, rest = text.partition(COST)
    return before + COST + cost() + END_OF_COST + rest.partition(END_OF_COST)[2]


def typed(text: str) -> str:
    """Return the code of the README for type checkers, with each piece in a function of its own.

    Django is left out, since it brings no types.
    """
    pieces = [
        f"def piece_{number}() -> None:\n{textwrap.indent(code, '    ')}"
        for number, code in enumerate(re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL))
        if "django" not in code
    ]
    return "\n\n".join([TYPED_HEAD, *pieces])


if __name__ == "__main__":
    README.write_text(with_cost(with_table(README.read_text("utf-8"))), "utf-8")
    TYPED.write_text(typed(README.read_text("utf-8")), "utf-8")
