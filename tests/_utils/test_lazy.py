"""Attributes that are computed when they are first read."""

import threading

from viewfuse._utils.lazy import lazy


class Waits:
    """Two objects whose attributes are computed only if both are at once."""

    def __init__(self, barrier):
        self._barrier = barrier

    @lazy
    def met(self):
        """Whether the other one came."""
        self._barrier.wait(timeout=20)
        return True


def test_objects_of_a_class_do_not_wait_for_each_other():
    barrier = threading.Barrier(2)
    both = [Waits(barrier), Waits(barrier)]
    threads = [threading.Thread(target=lambda each=each: each.met) for each in both]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [vars(each).get("met") for each in both] == [True, True]


def test_it_is_computed_once_and_keeps_its_documentation():
    one = Waits(threading.Barrier(1))
    assert one.met
    one._barrier = None
    assert one.met
    assert Waits.met.__doc__ == "Whether the other one came."
