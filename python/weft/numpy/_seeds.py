"""Bit generators: NumPy's own, which determine the next numbers. Each call of a distribution takes one key for Philox from them."""

import numpy as _np

from .. import _core
from . import _caller
from ._array import ndarray, to_host

BitGenerator = _np.random.BitGenerator


def hosted(value):
    """A seed or a part of a state converted for NumPy."""
    if isinstance(value, ndarray):
        return to_host(value)[()]
    return type(value)(map(hosted, value)) if type(value) in (list, tuple) else value


def _seeded(of):
    """NumPy's class, with arguments that may be arrays of Weft."""

    def __init__(self, *args, **kwargs):
        of.__init__(self, *map(hosted, args), **{name: hosted(one) for name, one in kwargs.items()})

    more = {"__init__": __init__, "__doc__": of.__doc__, "__module__": "weft.numpy.random", "__qualname__": of.__name__}
    if hasattr(of, "_legacy_seeding"):
        more["_legacy_seeding"] = lambda self, seed: of._legacy_seeding(self, hosted(seed))
    return type(of.__name__, (of,), more)


SeedSequence = _seeded(_np.random.SeedSequence)
MT19937, PCG64, PCG64DXSM, Philox, SFC64 = (
    _seeded(of)
    for of in (_np.random.MT19937, _np.random.PCG64, _np.random.PCG64DXSM, _np.random.Philox, _np.random.SFC64)
)


def source(bit_generator):
    """A source that draws one array; the next call returns another one."""
    key = int(bit_generator.random_raw())
    if isinstance(bit_generator, _np.random.MT19937):
        # Its steps are of 32 bits.
        key |= int(bit_generator.random_raw()) << 32
    return _core.Random(key)


def _state(bit_generator):
    """The state. NumPy reads it word by word, and takes its lock only when it draws."""
    with bit_generator.lock:
        return bit_generator.state


def _set_state(bit_generator, state):
    with bit_generator.lock:
        bit_generator.state = state


def legacy_state(bit_generator, legacy):
    """The result of `RandomState.get_state`."""
    state = _state(bit_generator)
    if legacy and state["bit_generator"] != "MT19937":

        text = (
            "get_state and legacy can only be used with the MT19937 BitGenerator. "
            "To silence this warning, set `legacy` to False."
        )
        _caller.warn(text, RuntimeWarning)
        legacy = False
    if legacy:
        return state["bit_generator"], state["state"]["key"], state["state"]["pos"], 0, 0.0
    return {**state, "has_gauss": 0, "gauss": 0.0}


def restore(bit_generator, state):
    """Restores a state from `legacy_state`. No normal number is kept for later, so a stored one is ignored."""
    if isinstance(state, dict):
        if "bit_generator" not in state or "state" not in state:
            raise ValueError("state dictionary is not valid.")
        _set_state(bit_generator, {name: one for name, one in state.items() if name not in ("has_gauss", "gauss")})
        return
    if not isinstance(state, (tuple, list)):
        raise TypeError("state must be a dict or a tuple.")
    if state[0] != "MT19937":
        raise ValueError("set_state can only be used with legacy MT19937 state instances.")
    _set_state(bit_generator, {"bit_generator": state[0], "state": {"key": hosted(state[1]), "pos": state[2]}})
