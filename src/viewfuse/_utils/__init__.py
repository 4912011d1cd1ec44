"""Small private helpers: arrays on devices, matrices in files, atomic files, optional imports, progress."""
