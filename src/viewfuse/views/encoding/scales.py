"""Words with an order: answers such as never … always, sizes, and ranges such as 18-24."""

from __future__ import annotations

import re
from collections.abc import Iterable

__all__ = ["known_order"]

# Each scale from its lowest word to its highest; words on one place mean the same.
_SCALES: tuple[tuple[tuple[str, ...], ...], ...] = (
    (
        ("never",),
        ("almost never", "hardly ever"),
        ("rarely", "seldom"),
        ("occasionally",),
        ("sometimes",),
        ("regularly",),
        ("often", "frequently"),
        ("usually", "very often", "mostly"),
        ("almost always", "nearly always"),
        ("always",),
    ),
    (("never",), ("yearly", "annually"), ("monthly",), ("weekly",), ("daily",), ("hourly",)),
    (
        ("strongly disagree", "completely disagree"),
        ("disagree",),
        ("somewhat disagree", "slightly disagree"),
        ("neutral", "neither agree nor disagree", "undecided"),
        ("somewhat agree", "slightly agree"),
        ("agree",),
        ("strongly agree", "completely agree"),
    ),
    (
        ("very dissatisfied", "very unsatisfied"),
        ("dissatisfied", "unsatisfied"),
        ("somewhat dissatisfied",),
        ("neutral", "neither satisfied nor dissatisfied"),
        ("somewhat satisfied",),
        ("satisfied",),
        ("very satisfied",),
    ),
    (("none",), ("very low",), ("low",), ("medium", "moderate", "mid", "normal"), ("high",), ("very high",)),
    (
        ("terrible", "awful"),
        ("very poor", "very bad"),
        ("poor", "bad"),
        ("fair", "average", "ok", "okay"),
        ("good",),
        ("very good",),
        ("excellent",),
    ),
    (("none", "no"), ("minimal",), ("mild", "slight"), ("moderate",), ("severe",), ("very severe", "extreme")),
    (
        ("not at all",),
        ("a little", "slightly", "a bit"),
        ("somewhat", "moderately"),
        ("quite", "quite a bit", "considerably"),
        ("very", "very much", "a lot"),
        ("extremely",),
    ),
    (("very unlikely",), ("unlikely",), ("neutral", "possible"), ("likely",), ("very likely",), ("certain",)),
    (("very small",), ("small",), ("medium",), ("large", "big"), ("very large",)),
    (("xxs",), ("xs",), ("s",), ("m",), ("l",), ("xl",), ("xxl", "2xl"), ("xxxl", "3xl")),
    (("beginner", "novice"), ("intermediate",), ("advanced",), ("expert",)),
    (("bronze",), ("silver",), ("gold",), ("platinum",), ("diamond",)),
)
_FEWEST = 3  # with two values, an order says no more than a category
_RANGE = re.compile(
    r"(?:[<≤]|under |below |up to )?\s*(\d+(?:[.,]\d+)?)\s*(?:(?:-|–|to|bis)\s*\d+(?:[.,]\d+)?|\+|and over)?"
)
_IS_RANGE = re.compile(r"\d\s*(?:-|–|to|bis)\s*\d|\d\s*\+$|^[<≤]|^under |^below |^up to |and over$")


def known_order(values: Iterable[str]) -> tuple[str, ...] | None:
    """Return the values from the lowest to the highest if all are words of one scale, or ranges of numbers; else None.

    >>> known_order(["often", "Never", "always"])
    ('Never', 'often', 'always')
    >>> known_order(["65+", "18-24", "25-64"])
    ('18-24', '25-64', '65+')
    >>> known_order(["north", "south", "east"]) is None
    True
    """
    values = list(values)
    if len(values) < _FEWEST:
        return None
    words = {value: " ".join(value.lower().replace("_", " ").split()) for value in values}
    for scale in _SCALES:
        place = {word: rank for rank, same in enumerate(scale) for word in same}
        if all(word in place for word in words.values()) and len({place[word] for word in words.values()}) >= _FEWEST:
            return tuple(sorted(values, key=lambda value: (place[words[value]], value)))
    return _order_of_ranges(words)


def _order_of_ranges(words: dict[str, str]) -> tuple[str, ...] | None:
    """The order of values such as <18, 18-24, 25-64 and 65+ by their first number."""
    found = {value: _RANGE.fullmatch(word) for value, word in words.items()}
    if not all(found.values()) or sum(bool(_IS_RANGE.search(word)) for word in words.values()) < len(words) / 2:
        return None

    def first_number(value: str) -> tuple[float, bool]:
        match = found[value]
        number = float(match[1].replace(",", ".")) if match is not None else 0.0
        is_below = words[value].startswith(("<", "≤", "under", "below", "up to"))
        return number, not is_below

    return tuple(sorted(words, key=first_number))
