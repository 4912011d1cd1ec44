"""Everything known about a fit, computed once: what the report, the plots and the files are made from."""
