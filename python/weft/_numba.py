"""Bodies of tasks that Numba compiles: they run without the interpreter."""

import numpy as _np

#: `weft_operand` and `weft_task` of `runtime/core/include/weft_task.h`, with addresses as numbers.
_OPERAND = _np.dtype(
    [
        ("data", "u8"), ("dtype", "i4"), ("access", "i4"), ("axes", "i4"), ("reserved", "i4"),
        ("extents", "u8"), ("strides", "u8"), ("first", "u8"), ("name", "u8"),
    ],
    align=True,
)  # fmt: skip
_TASK = _np.dtype(
    [
        ("abi", "u4"), ("count", "i4"), ("operands", "u8"), ("tile", "i8"), ("tiles", "i8"), ("axes", "i8"),
        ("shape", "u8"), ("first", "u8"), ("end", "u8"), ("stream", "u8"), ("user", "u8"), ("message", "u8"), ("message_size", "u8"),
    ],
    align=True,
)  # fmt: skip

_RAISED = tuple(b"it raised an exception, and compiled code cannot report more\0")


def _pointer(numba):
    """A compiled function from an address to a pointer."""

    @numba.extending.intrinsic
    def pointer(typing, address):
        def generate(context, builder, signature, args):
            from numba.core import cgutils

            return builder.inttoptr(args[0], cgutils.voidptr_t)

        return numba.types.voidptr(address), generate

    return pointer


def _tuple(items):
    items = list(items)
    return f"({', '.join(items)}{',' if len(items) == 1 else ''})"


def _text(told):
    """The source of the function that calls a body: with contiguous arrays if all are contiguous, otherwise with strided ones."""
    lines = ["def run(task):", "    t = carray(task, 1)[0]", "    all_plain = True", "    given = carray(pointer(t.operands), t.count, OPERAND)"]
    plain, strided = [], []
    for at, one in enumerate(told):
        lines.append(f"    o{at} = given[{at}]")
        if one.kind == "value":
            lines.append(f"    a{at} = carray(pointer(o{at}.data), 1, D{at})[0]")
            plain.append(f"a{at}")
            strided.append(f"a{at}")
            continue
        axes = range(one.axes)
        for what, of in (("e", "extents"), ("s", "strides")):
            if one.axes:
                lines.append(f"    {what}{at} = carray(pointer(o{at}.{of}), {one.axes}, INT)")
        shape, steps = _tuple(f"e{at}[{axis}]" for axis in axes), _tuple(f"s{at}[{axis}]" for axis in axes)
        lines.append(f"    a{at} = carray(pointer(o{at}.data), {shape}, D{at})")
        lines.append(f"    step = {one.dtype.itemsize}")
        for axis in reversed(axes):
            lines += [f"    all_plain &= s{at}[{axis}] == step or e{at}[{axis}] == 1", f"    step *= e{at}[{axis}]"]
        plain.append(f"a{at}")
        strided.append(f"as_strided(a{at}, {shape}, {steps})" if one.axes else f"a{at}")
    lines += [
        "    try:",
        "        if all_plain:",
        f"            body({', '.join(plain)})",
        "        else:",
        f"            body({', '.join(strided)})",
        "    except Exception:",
        "        text = carray(pointer(t.message), t.message_size, BYTE)",
        "        for place in range(len(RAISED)):",
        "            text[place] = RAISED[place]",
        "        return 1",
        "    return 0",
    ]
    return "\n".join(lines)


def compiled(name, function, told):
    """A cfunc that does what a function does, for parameters of known dtypes and numbers of axes."""
    try:
        import numba
    except ImportError as error:
        raise ImportError(f'task {name}: compiler="numba" needs the package numba') from error
    for one in told:
        if one.is_context:
            raise TypeError(f"task {name}: {one.name}: a compiled body gets no TaskContext")
        if one.kind != "value" and (one.dtype is None or one.axes is None):
            raise TypeError(f'task {name}: {one.name}: Numba needs the dtype and the number of axes, as in In["float64", 1]')
    names = {f"D{at}": one.dtype for at, one in enumerate(told)}
    names |= {
        "carray": numba.carray, "as_strided": _np.lib.stride_tricks.as_strided, "pointer": _pointer(numba), "OPERAND": _OPERAND,
        "INT": _np.int64, "BYTE": _np.uint8, "RAISED": _RAISED, "body": function if hasattr(function, "py_func") else numba.njit(function),
    }  # fmt: skip
    exec(compile(_text(told), f"<body of {name}>", "exec"), names)
    record = numba.from_dtype(_TASK)
    return numba.cfunc(numba.types.int32(numba.types.CPointer(record)))(names["run"])
