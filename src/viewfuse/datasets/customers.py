"""Made-up customers in three tables, as a company has them: for the documentation, examples and tests."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from .._utils.extras import require

__all__ = ["make_customers"]

_SEGMENTS = ("students", "families", "travellers", "pensioners")
_AGE = (23, 41, 36, 68)
_INCOME = (9.4, 10.9, 11.2, 10.2)  # logarithm
_REGIONS = ("north", "south", "east", "west", "abroad")
_REGION_SHARES = ((0.4, 0.2, 0.2, 0.2, 0.0), (0.3, 0.3, 0.2, 0.2, 0.0), (0.1, 0.1, 0.1, 0.1, 0.6), (0.1, 0.5, 0.2, 0.2, 0.0))
_PREMIUM = (0.1, 0.5, 0.9, 0.3)
_RATES = (
    (9, 1, 12, 1, 2, 8),
    (3, 8, 4, 6, 3, 2),
    (5, 2, 6, 1, 12, 3),
    (1, 5, 1, 9, 1, 1),
)
_USES = ("streaming", "groceries", "games", "garden", "trips", "music")
_ANSWERS = ("never", "rarely", "sometimes", "often", "always")
_QUESTIONS = ("shops_online", "compares_prices", "reads_newsletter", "pays_by_phone", "calls_support")
_MEAN_ANSWERS = ((4, 4, 0, 4, 1), (3, 4, 2, 3, 2), (4, 1, 1, 4, 1), (1, 2, 4, 0, 3))


def make_customers(n_samples: int = 600, random_state: Any = None) -> tuple[dict[str, Any], Any]:
    """Make tables about the same customers, with all that real tables have.

    Columns are numbers in different units, categories, yes and no, dates, and answers in words. Some cells are empty, the
    tables are in different orders, and a fifth of the customers has not answered the survey.

    Parameters
    ----------
    n_samples : int
    random_state : int, RandomState or None

    Returns
    -------
    tables : dict of name to DataFrame
        "profile", "usage" and "survey", each with a column "customer".
    segments : Series
        The segment of each customer, by id. For comparison only.

    Examples
    --------
    >>> from viewfuse.datasets import make_customers
    >>> tables, segments = make_customers(random_state=0)
    >>> {name: table.shape for name, table in tables.items()}
    {'profile': (600, 6), 'usage': (600, 7), 'survey': (480, 6)}
    """
    pandas, rng = require("pandas"), check_random_state(random_state)
    segment = rng.randint(len(_SEGMENTS), size=n_samples)
    ids = np.array([f"C{number:05d}" for number in rng.permutation(n_samples)], dtype=object)
    profile = pandas.DataFrame(
        {
            "customer": ids,
            "age": np.round(rng.normal(np.take(_AGE, segment), 5)),
            "income": np.round(np.exp(rng.normal(np.take(_INCOME, segment), 0.3)), 2),
            "region": [rng.choice(_REGIONS, p=_REGION_SHARES[s]) for s in segment],
            "premium": np.where(rng.uniform(size=n_samples) < np.take(_PREMIUM, segment), "yes", "no"),
            "joined": pandas.Timestamp("2020-01-01") + pandas.to_timedelta(rng.randint(0, 2000, n_samples), "D"),
        }
    )
    counts = pandas.DataFrame(rng.poisson(np.take(_RATES, segment, axis=0)), columns=_USES).astype(float)
    usage = counts.mask(rng.uniform(size=counts.shape) < 0.05)
    usage.insert(0, "customer", ids)
    answers = np.clip(np.round(rng.normal(np.take(_MEAN_ANSWERS, segment, axis=0), 0.8)), 0, 4).astype(int)
    survey = pandas.DataFrame(np.array(_ANSWERS, dtype=object)[answers], columns=_QUESTIONS)
    survey.insert(0, "customer", ids)
    tables = {
        "profile": profile,
        "usage": usage.iloc[rng.permutation(n_samples)].reset_index(drop=True),
        "survey": survey.iloc[rng.permutation(n_samples)[: 4 * n_samples // 5]].reset_index(drop=True),
    }
    return tables, pandas.Series(np.take(_SEGMENTS, segment), index=ids, name="segment")
