"""Universal functions: keywords, methods, and functions composed of others."""


import numpy as _np

from .. import _core
from . import _caller, _errors, _fallback
from ._arguments import check_order, check_subok, is_new_array
from ._array import array_type, elements, is_held, is_taken_over, knows_ufuncs, make, ndarray, operand, weak
from ._whole import whole

ufunc = _core.ufunc

#: Implementations by name. Each is called with operands of the resolved dtypes, and with these dtypes.
composed = {}
#: The universal functions created so far, by name.
made = {}


def compose(*names):
    """Registers the composition of a universal function from others."""

    def register(how):
        for name in names:
            composed[name] = how
        return how

    return register


def get(name):
    """The universal function of this name."""
    known = made.get(name)
    if known is None:
        of = getattr(_np, name)
        new = ufunc(of.__name__, of.nin, of.nout)
        new.__doc__ = of.__doc__
        # Another thread may have created it in between. There is one object for each name.
        known = made.setdefault(name, new)
    return known


def _kind(value):
    if weak(value):
        return type(value)
    return value.dtype


def _typed(value, dtype):
    """An operand with a dtype, also for Python's numbers."""
    if isinstance(value, ndarray):
        return value if value.dtype == dtype else _core.cast(value, dtype)
    return _core.full((), value, dtype)


def resolve(name, inputs, outs=None, dtype=None, casting="same_kind", signature=None):
    """NumPy's dtypes of inputs and results."""
    of = getattr(_np, name)
    outs = (None,) * of.nout if outs is None else tuple(None if out is None else out.dtype for out in outs)
    kinds = tuple(_kind(value) for value in inputs)
    if casting == "equiv" and name not in _LOGICAL:
        for kind in kinds:
            if kind is int and name in _COMPARISONS and all(isinstance(one, type) or one.kind in "iu" for one in kinds):
                # Integers are compared without a cast.
                continue
            if isinstance(kind, type) and any(not isinstance(one, type) and one != _np.dtype(kind) for one in kinds):
                raise TypeError(f"cannot cast Python {kind.__name__} to an array's dtype under the casting rule 'equiv'")
    if casting != "same_kind" and any(isinstance(kind, type) for kind in kinds):
        # NumPy 2.4's resolve_dtypes crashes if a Python number cannot be cast as requested.
        known = [kind for kind in kinds if not isinstance(kind, type)]
        if name == "ldexp" and kinds[1] is int:
            # The exponent's dtype does not follow that of the fraction.
            kinds = (kinds[0], _np.dtype("l"))
        kinds = tuple(_np.result_type(kind(0), *known) if isinstance(kind, type) else kind for kind in kinds)
    if dtype is not None:
        signature = (None,) * of.nin + (_np.dtype(dtype),) * of.nout
    if signature is None:
        return of.resolve_dtypes(kinds + outs, casting=casting)
    return of.resolve_dtypes(kinds + outs, signature=signature, casting=casting)


def compute(name, inputs, dtypes):
    """The results for operands, in these dtypes; `None` if only NumPy has code for them."""
    of = getattr(_np, name)
    if not all(is_held(dtype) for dtype in dtypes):
        return None
    ins, outs = dtypes[: of.nin], dtypes[of.nin :]
    comparison = name in _COMPARISONS
    if name in _LOGICAL and any(type(value) is int and not -(2**63) <= value < 2**63 for value in inputs):
        raise OverflowError("Python int too large to convert to C long")
    if name in _LOGICAL:
        # Only whether it is 0 matters.
        inputs = tuple(bool(value) if type(value) is int else value for value in inputs)
    if name not in composed or (comparison and not any(dtype.kind == "c" for dtype in ins)):
        # Comparisons of integers are exact: Python's integers and mixed dtypes are compared without
        # a cast. With booleans they are `int64`.
        is_exact = comparison and ins[0].kind in "iu" and not any(_kind(value) == bool for value in inputs)
        if is_exact and (ins[0] != ins[1] or any(type(value) is int for value in inputs)):
            values = tuple(inputs)
        else:
            values = tuple(_typed(value, dtype) for value, dtype in zip(inputs, ins))
        try:
            results = (_core.apply(name, values),)
        except TypeError:
            return None
    else:
        values = tuple(_typed(value, dtype) for value, dtype in zip(inputs, ins))
        results = composed[name](*values)
        if results is None:
            return None
        results = results if isinstance(results, tuple) else (results,)
        # A function that returns an input unchanged must return a copy.
        results = tuple(_core.copy(one) if any(_core.shares_store(one, value) for value in values) else one for one in results)
    return tuple(_typed(result, dtype) for result, dtype in zip(results, outs))


_NO_SIGNATURE = object()
_LOGICAL = {"logical_and", "logical_or", "logical_xor", "logical_not"}
_COMPARISONS = {"equal", "not_equal", "less", "less_equal", "greater", "greater_equal"}


def mask_of(where):
    """The mask of results: NumPy accepts lists of any elements, and arrays of booleans."""
    if where is True:
        return True
    where = elements(where)
    if isinstance(where, (ndarray, _np.ndarray)):
        if where.dtype.kind != "b":
            raise TypeError(f"Cannot cast array data from {where.dtype!r} to dtype('bool') according to the rule 'safe'")
        return where
    return make(where, _np.dtype(bool))


def check_mask(mask, shape):
    """Raises an error if an operand of this shape would be broadcast to the shape of a mask."""
    whole = _broadcast(mask.shape, shape)
    if whole is None:
        raise ValueError(f"operands could not be broadcast together with shapes {_text(shape)} {_text(mask.shape)} ")
    if whole != tuple(shape):
        raise ValueError(f"non-broadcastable operand with shape {_text(shape)} doesn't match the broadcast shape {_text(whole)}")


def _text(shape):
    return str(tuple(shape)).replace(" ", "")


def call(of, args, kwargs):
    """A call of a universal function in any form."""
    is_checked = _errors.watch.is_on and _errors.is_asked()
    name, nin, nout = of.__name__, of.nin, of.nout
    peer = getattr(_np, name)
    if len(args) < nin or len(args) > nin + nout:
        raise TypeError(f"{name}() takes from {nin} to {nin + nout} positional arguments but {len(args)} were given")
    for arg in args[:nin]:
        other = getattr(type(arg), "__array_ufunc__", _np)
        if other is None:
            raise TypeError(f"operand '{type(arg).__name__}' does not support ufuncs (__array_ufunc__=None)")
    out = kwargs.get("out")
    where = kwargs.get("where", True)
    # NumPy takes the elements of a mask of a subclass.
    if where is not True and knows_ufuncs(elements(where)):
        return where.__array_ufunc__(peer, "__call__", *args, **kwargs)
    if is_taken_over(args, out):
        # NumPy passes the call on, and arrays of Weft in it return here.
        return peer(*args, **kwargs)
    if peer.signature is not None:
        from . import _products

        return _products.generalized(name, args, kwargs)
    given, kwargs = kwargs, dict(kwargs)
    out = kwargs.pop("out", None)
    is_array_wanted = is_new_array(out)
    out = None if is_array_wanted else out
    if nout > 1 and "out" in given and not is_array_wanted and not isinstance(out, tuple):
        raise TypeError("'out' must be a tuple of arrays")
    outs = out if isinstance(out, tuple) else (out,) * 1 if nout == 1 else (None,) * nout if out is None else out
    if len(args) > nin:
        outs = tuple(args[nin:]) + (None,) * (nin + nout - len(args))
    has_out = out is not None or "out" in given or len(args) > nin
    where = mask_of(kwargs.pop("where", True))
    if where is not True and not has_out:
        _caller.warn("'where' used without 'out', expect uninitialized memory in output. If this is intentional, use out=None.", UserWarning)
    casting = kwargs.pop("casting", "same_kind")
    dtype = kwargs.pop("dtype", None)
    if "signature" in kwargs and "sig" in kwargs:
        raise TypeError("cannot specify both 'sig' and 'signature'")
    signature = kwargs.pop("signature", kwargs.pop("sig", _NO_SIGNATURE))
    if signature is None:
        raise TypeError("the signature object to ufunc must be a string or a tuple.")
    signature = None if signature is _NO_SIGNATURE else signature
    if signature is not None and dtype is not None:
        raise TypeError("cannot specify both 'signature' and 'dtype'")
    check_order(kwargs.pop("order", None))
    check_subok(kwargs.pop("subok", True))
    if not isinstance(casting, (str, bytes)):
        raise TypeError(f"casting must be str, not {type(casting).__name__}")
    if kwargs:
        raise TypeError(f"{name}() got an unexpected keyword argument '{next(iter(kwargs))}'")
    if len(outs) != nout:
        raise ValueError("The 'out' tuple must have exactly one entry per ufunc output")
    if any(one is Ellipsis for one in outs):
        raise TypeError("out=... is only allowed as a keyword argument.")
    for one in outs:
        if one is not None and not isinstance(one, (array_type, _np.ndarray)):
            raise TypeError("return arrays must be of ArrayType")
    inputs = [operand(arg) for arg in args[:nin]]
    if nin == 1 and type(inputs[0]) is int and not -(2**63) <= inputs[0] < 2**63:
        inputs = [make(inputs[0])]
    if any(isinstance(value, _np.ndarray) for value in inputs):
        return _elsewhere(name, peer, args, out, where, casting, dtype, signature)
    if name == "isnat":
        raise TypeError("ufunc 'isnat' is only defined for np.datetime64 and np.timedelta64.")
    dtypes = resolve(name, inputs, outs, dtype, casting, signature)
    if where is not True:
        inputs[1:] = [used(name, where, one, dtype) for one, dtype in zip(inputs[1:], dtypes[1:])]
    with whole(*outs):
        results = compute(name, inputs, dtypes)
        if results is None:
            return _elsewhere(name, peer, args, out, where, casting, dtype, signature)
        if is_checked:
            _errors.check(name, inputs, results, where)
        results = tuple(
            _deliver(result, into, where, casting, name) for result, into in zip(results, outs)
        )
    if is_array_wanted:
        results = tuple(map(_core.as_array, results))
    return results[0] if nout == 1 else results


def used(name, where, right, dtype):
    """The right operand of a function of integers with a mask. Masked elements may have any value, which is invalid for an exponent."""
    return _core.select(make(where), right, 0, dtype) if name == "power" and dtype.kind == "i" else right


def _elsewhere(name, peer, args, out, where, casting, dtype, signature):
    kwargs = {"casting": casting}
    if out is not None:
        kwargs["out"] = out
    if where is not True:
        kwargs["where"] = where
    if dtype is not None:
        kwargs["dtype"] = dtype
    if signature is not None:
        kwargs["signature"] = signature
    return _fallback.call(name, peer, args, kwargs)


def deliver(result, out, casting, name):
    """Returns a result that NumPy computed by the universal function `name` in the caller's `out`."""
    if out is None:
        return _core.as_result(result)
    if not isinstance(out, (ndarray, _np.ndarray)):
        raise TypeError("return arrays must be of ArrayType")
    return _deliver(result, out, True, casting, name)


def _deliver(result, out, where, casting, name):
    """Returns a result in the caller's `out`."""
    if out is None and where is True:
        return _core.as_result(result)
    if out is None:
        from ._shape import broadcast_shapes

        out = _core.full(broadcast_shapes(result.shape, _np.shape(where)), 0, result.dtype)
        return _core.as_result(_deliver(result, out, where, casting, name))
    if not _np.can_cast(result.dtype, out.dtype, casting):
        raise _np._core._exceptions._UFuncOutputCastingError(
            getattr(_np._core.umath, name), casting, result.dtype, out.dtype, 0
        )
    if _broadcast(result.shape, out.shape) != out.shape:
        raise ValueError(
            f"non-broadcastable output operand with shape {out.shape} doesn't match the broadcast shape {result.shape}"
        )
    if isinstance(out, _np.ndarray):
        _np.copyto(out, _np.asarray(result), where=where if where is True else _np.asarray(where), casting="unsafe")
        return out
    if where is True:
        _core.assign(out, _typed(result, out.dtype))
    else:
        mask = _core.broadcast_to(make(where), out.shape)
        _core.putmask(out, mask, _core.broadcast_to(_typed(result, out.dtype), out.shape))
    return out


def _broadcast(left, right):
    try:
        return _np.broadcast_shapes(left, right)
    except ValueError:
        return None


@compose("divmod")
def _divmod(x, y):
    return x // y, x % y


@compose("modf")
def _modf(x):
    return _core.apply("fraction", (x,)), _core.apply("trunc", (x,))


@compose("frexp")
def _frexp(x):
    return _core.apply("mantissa", (x,)), _core.apply("exponent", (x,))


@compose("ldexp")
def _ldexp(x, n):
    # Exponents that this dtype does not hold lead to 0 or to infinity, as the largest ones that it holds do.
    return _core.apply("ldexp", (x, _core.cast(n, x.dtype)))


def _lexical(real, imaginary):
    """An order of complex numbers: by real parts, then by imaginary parts."""

    def compare(x, y):
        a, b = _core.apply("real", (x,)), _core.apply("real", (y,))
        c, d = _core.apply("imag", (x,)), _core.apply("imag", (y,))
        known = (c == c) & (d == d)
        return (_core.apply(real, (a, b)) & known) | ((a == b) & _core.apply(imaginary, (c, d)))

    return compare


composed["less"] = _lexical("less", "less")
composed["less_equal"] = _lexical("less", "less_equal")
composed["greater"] = _lexical("greater", "greater")
composed["greater_equal"] = _lexical("greater", "greater_equal")


def _complex_extreme(order):
    def extreme(x, y):
        if x.dtype.kind != "c":
            return _core.apply({"greater_equal": "maximum", "less_equal": "minimum"}[order], (x, y))
        first = composed[order](x, y) | (x != x)
        return _core.select(first & ~((y != y) & (x == x)), x, y, x.dtype)

    return extreme


def _complex_number_extreme(name):
    def extreme(x, y):
        if x.dtype.kind != "c":
            return _core.apply({"maximum": "fmax", "minimum": "fmin"}[name], (x, y))
        made = composed[name](x, y)
        made = _core.select(x != x, y, made, x.dtype)
        return _core.select(y != y, x, made, x.dtype)

    return extreme


composed["fmax"] = _complex_number_extreme("maximum")
composed["fmin"] = _complex_number_extreme("minimum")
composed["maximum"] = _complex_extreme("greater_equal")
composed["minimum"] = _complex_extreme("less_equal")


