"""
Customers in three tables
=========================

A company knows its customers from three tables: what they told when they joined, what they use, and what they answered in a
survey. Nothing is prepared: the columns are numbers in different units, categories, dates and words, some cells are empty,
and a fifth of the customers never answered the survey.
"""

# %%
# The tables, as files of the kind that people have: a CSV file, a Parquet file, and another CSV file with semicolons.

import tempfile
import warnings
from pathlib import Path

import matplotlib.pyplot as plt

import viewfuse as vf

tables, segments = vf.datasets.make_customers(random_state=0)
folder = Path(tempfile.mkdtemp())
tables["profile"].to_csv(folder / "profile.csv", index=False)
tables["usage"].to_parquet(folder / "usage.parquet", index=False)
tables["survey"].to_csv(folder / "survey.csv", index=False, sep=";")
print(tables["profile"].head(3).to_string(index=False))
print(tables["survey"].head(3).to_string(index=False))

# %%
# The column ``customer`` is in all three files, so it holds the ids: rows are matched by it, in any order.
# ``missing="keep"`` keeps the customers without a survey. What each column was taken for is in ``encoding``;
# ``viewfuse info`` prints the same.

files = [folder / "profile.csv", folder / "usage.parquet", folder / "survey.csv"]
with warnings.catch_warnings():
    warnings.simplefilter("ignore", vf.exceptions.EmptyCellsWarning)  # encoding says how many
    views = vf.load_views(files, missing="keep")
print(views.encoding)

# %%
# One line clusters the customers. The segments that the data was made from are used for this score only.

model = vf.AutoFusion(n_clusters=4, random_state=0).fit(views)
found = vf.metrics.evaluate(segments.loc[views.ids], model.labels_)
print(f"{found['acc']:.0%} of the customers are in the right segment")
for name, weight in zip(model.view_names_, model.view_weights_, strict=True):
    print(f"{name:8s} weight {weight:.2f}")

# %%
# New customers are encoded with the numbers of the fit: one at a time gives the same as all at once.

new, _ = vf.datasets.make_customers(n_samples=5, random_state=1)
with warnings.catch_warnings():
    warnings.simplefilter("ignore", vf.exceptions.ViewfuseWarning)
    print(model.predict(vf.Views(new, missing="keep", encoding=model.encoding_)))

# %%
# The report shows what sets the clusters apart, in the units of the columns, and lists what was done to each column. On the
# command line all of this is
# ``viewfuse cluster profile.csv usage.parquet survey.csv -k 4 --missing keep -o segments.csv --report segments.html``.

fit = vf.summarise(model, views)
for cluster in fit.clusters:
    apart = ", ".join(f"{feature.name} {'high' if feature.effect > 0 else 'low'}" for feature in cluster.top_features(3))
    print(f"cluster {cluster.label}: {cluster.size} customers; {apart}")
vf.report.write_report(folder / "segments.html", fit)
vf.io.save_labels(folder / "segments.csv", fit)
print((folder / "segments.csv").read_text().splitlines()[0])

# %%
vf.plotting.plot_embedding(fit)
plt.show()
