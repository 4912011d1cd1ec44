"""Small private helpers: arrays on devices, rows on disk, atomic files, optional imports, progress."""
