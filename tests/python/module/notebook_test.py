"""Does the notebook answer its question, cell by cell as Jupyter would run it?"""
import ast
import json
import os
import unittest

os.environ["MPLBACKEND"] = "Agg"
import plimsoll
from asking import EXAMPLES
from matplotlib import pyplot


def run_cell(source, names):
    """The value of the last expression; None: the cell does not end with one."""
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "<cell>", "exec"), names)
    return last and eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)


class NotebookTest(unittest.TestCase):
    def setUp(self):
        pyplot.close("all")
        self.addCleanup(pyplot.close, "all")

    def test_the_notebook_plans_a_service(self):
        notebook = json.loads((EXAMPLES / "chat-service.ipynb").read_text(encoding="utf-8"))
        cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
        names = {}
        for cell in cells:
            self.assertEqual((cell["outputs"], cell["execution_count"]), ([], None))
            value = run_cell("".join(cell["source"]), names)
            if isinstance(value, (plimsoll.Result, plimsoll.Sweep)):
                self.assertIn("<table>", value._repr_html_())
        self.assertEqual(len(pyplot.get_fignums()), 2)
        self.assertEqual(names["today"].steady_state.verdict, "steady")
        self.assertEqual(len(names["curve"]), 12)
        self.assertEqual(names["plan"].decision.verdict, "yes")
        self.assertEqual(names["proof"].instances, names["best"].total_gpus)


if __name__ == "__main__":
    unittest.main()
