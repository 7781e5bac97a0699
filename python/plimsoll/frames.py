"""Results as pandas frames. pandas is imported only here, and only when asked for."""

# The rows that people look at, by result.
_TABLES = ("all_candidates", "evidence")


def to_frame(result, table=None):
    """A pandas frame of a result: a row per candidate of plan(), per test of capacity(), else one.

    `table` names another list of the result. Keys within keys are joined by dots.
    """
    import pandas

    if table is None:
        table = next((name for name in _TABLES if name in result), None)
    return pandas.json_normalize(result if table is None else result[table])
