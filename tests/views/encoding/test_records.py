"""The record of an encoding: views by name and position, and its table."""

from viewfuse.views.encoding import Encoding
from viewfuse.views.encoding.columns import ColumnEncoding
from viewfuse.views.encoding.table import TableEncoding

FIRST = TableEncoding(
    "a", (ColumnEncoding("x", "number", "standardised", 0), ColumnEncoding("who", "id", "", 3, left_out="ids")), True
)
SECOND = TableEncoding("c", (ColumnEncoding("word", "category", "3 indicators", 12, note="rare"),), True)
ENCODING = Encoding((FIRST, None, SECOND), None, "key", ("a", "b", "c"))


def test_some_of_the_views_by_position():
    some = ENCODING.of_views([2, None, 0])
    assert some.tables == (SECOND, None, FIRST)
    assert some.views == ("c", "", "a")
    assert some.id_name == "key"
    assert ENCODING.of_views([0], ["other"]).views == ("other",)


def test_views_by_name_or_by_position_if_no_name_is_known():
    assert ENCODING.for_views(["a", "b", "c"]) is ENCODING
    assert ENCODING.for_views(["c", "a"]).tables == (SECOND, FIRST)
    assert ENCODING.for_views(["c", "new"]).tables == (SECOND, None)
    assert ENCODING.for_views(["p", "q", "r"]) is ENCODING
    assert ENCODING.for_views(["p", "q"]).tables == (None, None)
    assert ENCODING.for_views(["p", "b", "c"]).tables == (None, None, SECOND)


def test_without_some_views():
    assert ENCODING.without([0]).tables == (None, None, SECOND)
    assert ENCODING.without([0]).views == ENCODING.views
    assert ENCODING.without([]).tables == ENCODING.tables


def test_the_table():
    assert [row["column"] for row in ENCODING.rows()] == ["x", "who", "word"]
    assert ENCODING.rows()[1] == {
        "view": "a", "column": "who", "type": "id", "encoding": "", "empty": 3, "left_out": "ids", "note": None,
    }  # fmt: skip
    assert str(ENCODING).splitlines() == [
        "view  column  type      encoding             empty",
        "a     x       number    standardised",
        "a     who     id        left out: ids        3",
        "c     word    category  3 indicators (rare)  12",
    ]
