"""Times between which work was done."""

import time as _time

import weft as _weft

__all__ = ("time",)

_DIVISORS = {"s": 1e9, "ms": 1e6, "us": 1000, "ns": 1}


class _Whole(int):
    def value(self):
        """The time as a number."""
        return int(self)


class _Fraction(float):
    def value(self):
        """The time as a number."""
        return float(self)


def time(units="us"):
    """The time of a steady clock after all earlier operations have ended: in s, ms, us or ns."""
    if units not in _DIVISORS:
        raise ValueError(f"time units should be one of {', '.join(_DIVISORS)}, not {units!r}")
    _weft.wait()
    now, divisor = _time.perf_counter_ns(), _DIVISORS[units]
    return _Whole(now // divisor) if units in ("us", "ns") else _Fraction(now / divisor)
