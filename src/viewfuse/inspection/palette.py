"""The colours of clusters and views, in plots and in the report."""

__all__ = ["PALETTE"]

# Distinguishable with every common colour blindness (after Okabe & Ito, and Tol); repeated after ten clusters.
PALETTE = (
    "#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#332288", "#882255", "#999999",
)  # fmt: skip
