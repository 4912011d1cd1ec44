"""The different values of a column, as text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..._utils.extras import require
from .written import never_a_level

__all__ = ["Distinct"]


@dataclass(frozen=True)
class Distinct:
    """The different values of a column.

    Attributes
    ----------
    codes : (n,) array of int, the position of each cell's value among ``texts``; −1 where the cell is empty
    values : list, one value for each text
    texts : list of str, without blanks around them; blank text is an empty cell
    words_for_empty : tuple of str, such as n/a and ?, whose cells are empty too
    """

    codes: np.ndarray
    values: list[Any]
    texts: list[str]
    words_for_empty: tuple[str, ...] = ()

    @classmethod
    def of(cls, column: Any) -> Distinct:
        raw, found = require("pandas").factorize(column.astype(object), use_na_sentinel=True)
        position: dict[str, int] = {}
        values: list[Any] = []
        place = np.full(len(found) + 1, -1)
        all_texts = [cls.text_of(value) for value in found]
        is_minus = "+" in all_texts  # a result of a test, not an empty cell
        words = [text for text in all_texts if text and never_a_level(text) and not (is_minus and text[0] == "-")]
        left_out = {"", *words}
        for i, (value, text) in enumerate(zip(found, all_texts, strict=True)):
            if text in left_out:
                continue
            if text not in position:
                position[text] = len(values)
                values.append(value)
            place[i] = position[text]
        return cls(place[raw], values, list(position), tuple(dict.fromkeys(words)))

    @staticmethod
    def text_of(value: Any) -> str:
        """Return a value as text: whole numbers without a point, as 7 and 7.0 are the same code."""
        if isinstance(value, (float, np.floating)) and float(value).is_integer() and abs(float(value)) < 2**53:
            return str(int(value))
        return (value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)).strip()

    @property
    def n_present(self) -> int:
        return int(np.count_nonzero(self.codes >= 0))

    def counts(self) -> np.ndarray:
        return np.bincount(self.codes[self.codes >= 0], minlength=len(self.texts))

    def by_frequency(self, least: float = 0) -> tuple[str, ...]:
        """The texts from the most frequent, and by name where they are equally frequent."""
        counts = self.counts()
        order = sorted(range(len(self.texts)), key=lambda i: (-int(counts[i]), self.texts[i]))
        return tuple(self.texts[i] for i in order if counts[i] >= least)

    def sorted_texts(self) -> tuple[str, ...]:
        return tuple(sorted(self.texts))

    def share_of(self, texts: tuple[str, ...]) -> float:
        wanted = set(texts)
        counts = self.counts()
        return float(sum(n for text, n in zip(self.texts, counts, strict=True) if text in wanted) / max(counts.sum(), 1))

    def first_row(self, text: str) -> int:
        return int(np.argmax(self.codes == self.texts.index(text)))

    def mean_words(self) -> float:
        return float(np.mean([len(text.split()) for text in self.texts[:1000]]))
