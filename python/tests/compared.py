"""Code that runs with NumPy and with Weft: both must have the same result, or raise the same kind of error."""

import decimal
import fractions
import warnings

import numpy
import weft.numpy as wnp


def normalized(made):
    """A result in a form that can be compared."""
    if isinstance(made, (list, tuple)):
        return [normalized(one) for one in made]
    if made is None or isinstance(made, (str, type)):
        return repr(made)
    host = numpy.asarray(made)
    return str(host.dtype), host.shape, repr(host.tolist())


def outcome(module, code):
    """The result of code: the value of an expression, or of `r` after statements; or the error it raises."""
    scope = {"m": module, "np": numpy, "nan": numpy.nan, "inf": numpy.inf, "F": fractions.Fraction, "D": decimal.Decimal}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            if ";" in code:
                exec(code, scope)
                return normalized(scope["r"])
            return normalized(eval(code, scope))
        except Exception as error:  # noqa: BLE001 - any error is compared
            return error


def is_same_error(theirs, ours):
    """Whether code that catches NumPy's error catches Weft's."""
    if type(theirs).__name__.lstrip("_").startswith("UFunc"):
        theirs = TypeError()
    return isinstance(ours, type(theirs))


def differences(codes):
    """The pieces of code with another result in Weft, with both results."""
    found = []
    for code in dict.fromkeys(codes):
        theirs, ours = outcome(numpy, code), outcome(wnp, code)
        if isinstance(theirs, Exception) or isinstance(ours, Exception):
            are_errors = isinstance(theirs, Exception) and isinstance(ours, Exception)
            is_same = are_errors and is_same_error(theirs, ours)
        else:
            is_same = theirs == ours
        if not is_same:
            found.append(f"{code}\n  NumPy: {theirs!r}\n  Weft:  {ours!r}")
    return found


def check(codes):
    """Fails with the pieces of code that differ."""
    found = differences(codes)
    assert not found, f"{len(found)} differ:\n" + "\n".join(found[:30])
