"""The documents: `docs/numpy.md`, and a page of rustdoc whose links are the Rust names, so that one that does not exist is an error there."""

import textwrap

#: Results left out on purpose in the tests against tables of NumPy's results
#: (runtime/array/tests/numpy/tables.rs).
DIFFERENCES = """
## Where results differ

Results equal NumPy's for every function and dtype, also for edge values: the tests compare with tables in `runtime/array/tests/numpy/tables/`, which
`runtime/array/tests/numpy/tables.py` writes with NumPy. Elementary functions are within 2 units in the last place (`logaddexp` and `logaddexp2` of the larger operand, as in NumPy). These differ on purpose:

| functions | NumPy | Weft |
|---|---|---|
| comparisons, `minimum`, `min`, `argmin`, `median`, `ptp`, `clip`, `histogram` and similar functions of complex numbers | order by the real, then the imaginary part | not defined, except for `sort` and `unique`, which use NumPy's order |
| `dot`, `matmul`, `inner`, `vdot`, `tensordot`, `convolve`, `correlate` of `bool` | "and" and "or" | not defined |
| `rint`, `round` of integers and `bool` | `rint` returns a float; `round` to tens wraps around | `rint` returns the integer; `round` saturates and is not defined for `bool` |
| `angle` of `bool` | an `f64` | an `f16` |
| `cov` of `f16`, `f32`, `complex64` | in double precision | in the array's precision |
| `var`, `std`, `nanmean`, `nanvar`, `nanstd`, `fft` of `f16` | rounded to `f16` in between, with overflow to infinity | in `f32`, rounded once; `irfft` returns `f32` |
| `prod`, `cumprod` of complex infinities | one part infinite, the other NaN | both parts may be NaN |
| `exp2` of `complex64` with large imaginary parts | the angle is rounded to `f32` | the angle is exact |
| integers to the powers of an array with one below 0 | an error at the call | an error at the call where the array can be read at once, otherwise when the result is read |
| casting a float out of range to an integer dtype | depends on the machine | saturates; NaN becomes 0 |
| an integer scalar out of range for the array's dtype | an error; comparisons are exact; `where` and `pad` wrap it | an error; comparisons are exact; `where` of Python wraps it |
| a Rust scalar with an array | a NumPy scalar keeps its dtype | takes the array's dtype if its kind (`bool`, integer, float, complex) is not above the array's, like a Python number in NumPy |
"""

INTRODUCTION = """\
# NumPy functions in Weft

Made by `python/declare.py` from the tables in `python/declared/`. **Python** is `weft.numpy`: `yes`, or `by NumPy` where NumPy computes on copies, with a warning.
**dtypes** are the kinds of elements that the Python function takes: `b` booleans, `i` and `u` integers with and without sign, `f` floating and `c` complex numbers;
`-f2` leaves out a dtype of these. **GPU**: `yes`, or what of it runs on the host in runs with GPUs, after a copy and with a warning (`WEFT_HOST`). **Rust** is the crate `weft`: methods are those of `Array`; `DynArray` has the same, with optional arguments (`axis: Option<usize>`)
and with mistakes returned as errors. `-` means not implemented.
"""

RUST_INTRODUCTION = """\
NumPy's names, and what does the same here.

Made by `python/declare.py` from the tables in `python/declared/`. `docs/numpy.md` lists all names of NumPy, those of `weft.numpy` in Python too.
"""


def _is_function(row):
    return row.is_function or row.source.startswith("_grids.")


REST = "Types, constants, settings and modules"

#: The sections: their titles, and the rows of each.
SECTIONS = [
    ("Functions", lambda row: row.module == "weft.numpy" and not row.owner and _is_function(row)),
    ("Methods and attributes of arrays", lambda row: row.owner == "ndarray" and (not row.short.startswith("__") or row.short in ("__getitem__", "__setitem__"))),
    ("Operators and protocols of arrays", lambda row: row.owner == "ndarray" and row.short.startswith("__") and row.short not in ("__getitem__", "__setitem__")),
    ("Linear algebra (`numpy.linalg`)", lambda row: row.module == "weft.numpy.linalg"),
    ("Fourier transforms (`numpy.fft`)", lambda row: row.module == "weft.numpy.fft"),
    ("Random numbers (`numpy.random`)", lambda row: row.module == "weft.numpy.random" and not row.owner),
    ("Random numbers (`numpy.random.Generator`)", lambda row: row.owner == "Generator" and not row.short.startswith("__")),
    ("Random numbers (`numpy.random.RandomState`)", lambda row: row.owner == "RandomState" and not row.short.startswith("__")),
    (REST, lambda row: row.module == "weft.numpy" and not row.owner and not _is_function(row) and row.keys.get("class") != "plain"),
]

_PYTHON = {"weft": "yes", "same": "yes", "numpy": "by NumPy", "missing": "-"}


def _gpu(row):
    """The parts of a function that run on GPUs, or on the host."""
    if row.status != "weft" or not row.dtypes:
        return ""
    host = row.keys.get("host")
    return {None: "yes", "all": "host"}.get(host, f"{host}: host")


def _in(rows, belongs):
    return sorted((row for row in rows.values() if belongs(row)), key=lambda row: row.short)


def _rest(found):
    names = {status: ", ".join(f"`{row.short}`" for row in found if row.status == status) for status in ("weft", "same")}
    computing = "Of these, `char`, `ma`, `matrix`, `nditer`, `poly1d`, `rec`, `strings` and the functions of business days compute on NumPy's arrays."
    text = f"NumPy's own objects: {names['same']}. {computing}\n\nWeft's: {names['weft']}."
    lines = "\n".join(textwrap.fill(part, 150, break_long_words=False) for part in text.split("\n"))
    return f"\n## {REST}\n\nPython: {len(found)} of {len(found)}.\n\n{lines}\n"


def numpy_page(rows):
    """docs/numpy.md."""
    out = INTRODUCTION
    for title, belongs in SECTIONS:
        found = _in(rows, belongs)
        in_python = sum(row.status in ("weft", "same") for row in found)
        in_rust = sum(bool(row.rust or row.remark) for row in found)
        if title == REST:
            out += _rest(found)
            continue
        out += f"\n## {title}\n\nPython: {in_python} of {len(found)}. Rust: {in_rust}.\n\n| NumPy | Python | dtypes | GPU | Rust | |\n|---|---|---|---|---|---|\n"
        for row in found:
            rust = ", ".join(f"`{path}`" for path in row.rust or []) or "-"
            remark = (row.remark or "").replace("|", "\\|")
            out += f"| `{row.short}` | {_PYTHON[row.status]} | {row.dtypes or ''} | {_gpu(row)} | {rust} | {remark} |\n".replace("|  |", "| |").replace("|  |", "| |")
    return out + DIFFERENCES


def rust_page(rows):
    """runtime/array/src/numpy.md."""
    out = RUST_INTRODUCTION
    for title, belongs in SECTIONS:
        found = [row for row in _in(rows, belongs) if row.rust]
        if not found:
            continue
        out += f"\n# {title}\n\n| NumPy | Weft | |\n|---|---|---|\n"
        for row in found:
            rust = ", ".join(f"[`{path}`](crate::{path})" for path in row.rust)
            remark = (row.remark or "").replace("|", "\\|")
            out += f"| `{row.short}` | {rust} | {remark} |\n".replace("|  |", "| |")
    return out
