"""Benchmarks that asv (airspeed velocity) runs; ``make bench``."""
