"""Where AnchorGFSC gets its rows from: memory, files, devices or Dask workers."""
