"""The colours of clusters and views, in plots and in the report."""

__all__ = ["MAGMA", "PALETTE", "SCALE", "colour_of"]

# The first ten are distinguishable with every common colour blindness (after Okabe & Ito, and Tol). Each of the next twenty
# is as far as possible from all before it in CIELAB, where equal distances look equally different.
PALETTE = (
    "#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#332288", "#882255", "#999999",
    "#FF00FF", "#00DD00", "#0000FF", "#555500", "#FF0055", "#FF22AA", "#FFAA88", "#559900", "#CC77FF", "#0055FF",
    "#BBCC88", "#881111", "#11DD77", "#005555", "#FF0000", "#BBAAFF", "#55DDDD", "#885544", "#3377EE", "#8800CC",
)  # fmt: skip

# Stops of the scales cividis (values) and magma (heat maps) of matplotlib; colours between them are interpolated.
SCALE = ("#00224e", "#123570", "#3b496c", "#575d6d", "#707173", "#8a8678", "#a59c74", "#c3b369", "#e1cc55", "#fee838")
MAGMA = ("#000004", "#180f3d", "#440f76", "#721f81", "#9e2f7f", "#cd4071", "#f1605d", "#fd9668", "#feca8d", "#fcfdbf")


def colour_of(number: int) -> str:
    """The colour of a cluster or a view; colours repeat after thirty."""
    return PALETTE[number % len(PALETTE)]
