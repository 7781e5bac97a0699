"""Does tools/prose_figures.py find figures of prose that no command of their section prints?"""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
from prose_figures import unfounded_figures  # noqa: E402

PAGE = """# Page

## Step 1

{}

```console
$ plimsoll run --num-instances 17
steady: 17 instances hold 200 req/s at TTFT p99 142 ms; backlog 81.1 ms, 1.77 s.
  TTFT p99 ms
         95.2
```

## Step 2

{}

```console
$ plimsoll run --rate 5
steady: TTFT p99 135 ms
```
"""


def wrong(first, second=""):
    return [what.split('"')[1] for _, what in unfounded_figures(PAGE.format(first, second))]


class ProseFigures(unittest.TestCase):
    def test_a_stale_figure_is_found_even_if_another_section_prints_it(self):
        self.assertEqual(wrong("TTFT p99 is 135 ms with 17 instances."), ["135 ms"])
        self.assertEqual(wrong("", "It is 135 ms, and was 142 ms."), ["142 ms"])

    def test_rounded_figures_other_units_and_bare_numbers_of_tables_fit(self):
        self.assertEqual(wrong("At 200 requests per second 0.14 s, 1.8 s, 95.2 ms or 95 ms."), [])
        self.assertEqual(wrong("Not 0.15 s, 1.7 s or 95.3 ms."), ["0.15 s", "1.7 s", "95.3 ms"])

    def test_a_number_of_one_unit_does_not_stand_for_another(self):
        self.assertEqual(wrong("It takes 142 requests and 200 ms."), ["142 requests", "200 ms"])

    def test_about_rounds_to_tens(self):
        self.assertEqual(wrong("It is about 80 ms."), [])
        self.assertEqual(wrong("It is 80 ms."), ["80 ms"])

    def test_what_is_given_is_allowed_while_it_is_used(self):
        self.assertEqual(wrong("<!-- given: 500 ms; 6,910.42 us -->\n\nAbove 500 ms, 6,910.42 us."), [])
        self.assertEqual(wrong("<!-- given: 500 ms -->\n\nAbove 400 ms."), ["400 ms", "500 ms"])

    def test_code_and_sections_without_commands_are_left_out(self):
        self.assertEqual(wrong("`--slo 999ms` and `999 ms`\n\n    999 ms"), [])
        self.assertEqual(list(unfounded_figures("# Page\n\nIt takes 999 ms.\n")), [])


if __name__ == "__main__":
    unittest.main()
