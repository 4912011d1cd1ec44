"""The different values of a column, as text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..._utils.extras import require

__all__ = ["Distinct"]


@dataclass(frozen=True)
class Distinct:
    """The different values of a column.

    Attributes
    ----------
    codes : (n,) array of int, the position of each cell's value among ``texts``; −1 where the cell is empty
    values : list, one value for each text
    texts : list of str, without blanks around them; blank text is an empty cell
    """

    codes: np.ndarray
    values: list[Any]
    texts: list[str]

    @classmethod
    def of(cls, column: Any) -> Distinct:
        raw, found = require("pandas").factorize(column.astype(object), use_na_sentinel=True)
        position: dict[str, int] = {}
        values: list[Any] = []
        place = np.full(len(found) + 1, -1)
        for i, value in enumerate(found):
            text = cls.text_of(value)
            if text == "":
                continue
            if text not in position:
                position[text] = len(values)
                values.append(value)
            place[i] = position[text]
        return cls(place[raw], values, list(position))

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
