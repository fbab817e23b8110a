"""Constraints: how the arrays of a task are cut for its tiles."""

import operator as _operator


def _numbers(given):
    """One number, or several, as a list."""
    try:
        return [_operator.index(given)]
    except TypeError:
        return [_operator.index(one) for one in given]


class Constraint:
    """A constraint on how arrays are cut for the tiles of a task. Parameters are named by strings."""

    __slots__ = ("_told",)

    def __init__(self, *told):
        self._told = told

    def told(self):
        """The constraint as arguments for the runtime: for each part its kind, followed by its operands."""
        return self._told

    def __repr__(self):
        said = [f"{kind}({', '.join(repr(one) for one in rest)})" for kind, *rest in self._told]
        return ", ".join(said)


def align(*names):
    """These parameters have one shape, and are cut in the same way."""
    return Constraint(("align", list(names)))


def broadcast(name, axes=()):
    """Every tile gets all of these axes of the parameter; the whole parameter if no axes are given."""
    return Constraint(("broadcast", name, _numbers(axes)))


def halo(name, low, high=None):
    """A tile also gets `low` neighbours below its part and `high` above it: one number, or one for each axis. `high` defaults to `low`."""
    return Constraint(("halo", name, _numbers(low), _numbers(low if high is None else high)))


def scale(factors, small, large):
    """`factors` indices of `large` belong to each index of `small`: one factor, or one for each axis."""
    return Constraint(("scale", _numbers(factors), small, large))


def image(through, of, names="ranges", exact=False):
    """A tile gets the range of `of`, along its first axis, from the lowest to the highest index that its part of `through` names: by `ranges` (pairs along
    the last axis, an end after the last), `offsets` (where each range begins; one more than there are indices, by a halo above) or
    `coordinates` (indices). With `exact` only named elements come from other ranks; those between them are undefined."""
    return Constraint(("image", through, of, names, bool(exact)))


def project(name, projection):
    """The parameter follows the tiles by its own projection, such as ``"[i1, i0, ..*]"`` for a transpose: for each axis the task's axis that it
    follows, or ``*`` for all of it; ``..*`` stands for the remaining axes."""
    return Constraint(("project", name, projection))
