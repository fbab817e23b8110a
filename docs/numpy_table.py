#!/usr/bin/env python3
"""Writes docs/numpy.md: NumPy's functions and their names in Weft.

The names of NumPy are those of the installed one. Weft's are read from runtime/src/program/: what is documented there and
begins with a name counts as a public function. Functions of the same name are assumed to be the same; docs/numpy.tsv says where
names differ.
"""

import pathlib
import re
import types

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
# A public function, or a row of a macro that makes one, right behind its documentation.
ITEM = re.compile(r"^\s*(?:pub fn )?([a-z]\w*)\s*[(,<=]")

# Helpers of NumPy's own: printing, settings, types, dates, other libraries.
NO_FUNCTIONS = re.compile(
    r"print|str$|repr$|^(get|set)(buf|err|_print)|geterr|seterr|show_|busday|datetime|^is_busday|from_dlpack|typename|"
    r"mintype|min_scalar|result_type|can_cast|promote_types|common_type|isdtype|issubdtype|nested_iters|get_include|^info$|"
    r"^test$|frompyfunc|bmat|asmatrix|may_share|shares_mem|format_float|einsum_path|iterable"
)


# What the tests against tables of NumPy's results leave out on purpose (runtime/tests/numpy/tables.rs).
DIFFERENCES = """
## Where results differ

Results equal NumPy's for every function and dtype, also for edge values: the tests compare with tables in `runtime/tests/numpy/tables/`, which
`runtime/tests/numpy/tables.py` writes with NumPy. Elementary functions are within 2 units in the last place. These differ on purpose:

| functions | NumPy | Weft |
|---|---|---|
| comparisons, `minimum`, `min`, `argmin`, `median`, `ptp`, `clip`, `histogram` and similar functions of complex numbers | order by the real, then the imaginary part | not defined, except for `sort` and `unique`, which use NumPy's order |
| `dot`, `matmul`, `inner`, `vdot`, `tensordot`, `convolve`, `correlate` of `bool` | "and" and "or" | not defined |
| `quantile`, `gradient` of `bool` | not defined | computed with 0 and 1, as in `trapezoid` |
| `rint`, `round` of integers and `bool` | `rint` returns a float; `round` to tens wraps around | `rint` returns the integer; `round` saturates and is not defined for `bool` |
| `angle` of `bool` | an `f64` | an `f16` |
| `cov` of `f16`, `f32`, `complex64` | in double precision | in the array's precision |
| `var`, `std`, `nanmean`, `nanvar`, `nanstd`, `cumsum`, `fft` of `f16` | rounded to `f16` in between, with overflow to infinity | in `f32`, rounded once; `irfft` returns `f32` |
| `prod`, `cumprod` of complex infinities | one part infinite, the other NaN | both parts may be NaN |
| `exp2` of `complex64` with large imaginary parts | the angle is rounded to `f32` | the angle is exact |
| an integer to a negative power | an error | truncated: 0, except for 1 and -1 |
| casting a float out of range to an integer dtype | depends on the machine | saturates; NaN becomes 0 |
| an integer scalar out of range for the array's dtype | an error; comparisons are exact; `where` and `pad` wrap it | an error; comparisons are exact |
| a Rust scalar with an array | a NumPy scalar keeps its dtype | takes the array's dtype if its kind (`bool`, integer, float, complex) is not above the array's, like a Python number in NumPy |
"""


def public():
    """Names of functions in runtime/src/program/."""
    names = set()
    for path in sorted((ROOT / "runtime/src/program").rglob("*.rs")):
        documented = False
        for line in path.read_text().splitlines():
            text = line.strip()
            if text.startswith("///"):
                documented = True
            elif text.startswith("#["):
                continue
            elif documented:
                documented = False
                if found := ITEM.match(line):
                    names.add(found[1])
    return names


def functions(module):
    """Names of a module's functions."""
    names = []
    for name in dir(module):
        thing = getattr(module, name)
        if name.startswith("_") or isinstance(thing, (type, types.ModuleType)) or not callable(thing):
            continue
        if not NO_FUNCTIONS.search(name):
            names.append(name)
    return names


def methods(kind):
    """Names of a type's methods and fields."""
    return [name for name in dir(kind) if not name.startswith("_") and not NO_FUNCTIONS.search(name)]


def mapping():
    """Rows of docs/numpy.tsv by NumPy's name."""
    rows = {}
    for line in (ROOT / "docs/numpy.tsv").read_text().splitlines():
        if line.startswith("#"):
            continue
        name, weft, *remark = line.split("\t")
        assert name not in rows, f"{name} has two rows"
        rows[name] = (weft.split(", "), remark[0].replace("|", "\\|") if remark else "")
    return rows


def main():
    own, rows = public(), mapping()
    exported = re.search(r"pub use program::\{([^}]*)\}", (ROOT / "runtime/src/lib.rs").read_text())[1]
    free = {name.strip() for name in exported.split(",")}
    unused = set(rows)

    def row(prefix, name):
        full = f"{prefix}.{name}"
        unused.discard(full)
        weft, remark = rows.get(full) or ([name], "")
        if full not in rows and prefix in ("ndarray", "linalg") and f"numpy.{name}" in rows:
            weft, remark = rows[f"numpy.{name}"]
        known = [one for one in weft if one in own]
        if full in rows and weft != ["-"]:
            # A row may be ahead of what there is, as long as nothing of it is shown.
            weft = known
        cells = [f"`weft::{one}`" if one in free else f"`{one}`" for one in known]
        return f"| `{name}` | {', '.join(cells) or '-'} | {remark} |".replace(" |  |", " | |"), bool(known) or bool(remark)

    sections = [
        ("Functions", "numpy", functions(np)),
        ("Methods and fields of arrays", "ndarray", ["__getitem__", "__setitem__"] + methods(np.ndarray)),
        ("Linear algebra (`numpy.linalg`)", "linalg", functions(np.linalg)),
        ("Fourier transforms (`numpy.fft`)", "fft", functions(np.fft)),
        ("Random numbers (`numpy.random.Generator`)", "random", methods(np.random.Generator)),
    ]
    out = [
        "# NumPy functions in Weft",
        "",
        f"Generated by `docs/numpy_table.py` from NumPy {np.__version__}. Methods are those of `Array`; `DynArray` has the same, with optional arguments",
        "(`axis: Option<usize>`) and with mistakes returned as errors. Names with `weft::` are functions; `-` means not implemented.",
    ]
    for title, prefix, names in sections:
        lines = [row(prefix, name) for name in names]
        done = sum(known for _, known in lines)
        out += ["", f"## {title}", "", f"{done} of {len(lines)}.", "", "| NumPy | Weft | |", "|---|---|---|"]
        out += [line for line, _ in lines]
    out += DIFFERENCES.rstrip().splitlines()
    assert not unused, f"NumPy has no {sorted(unused)}"
    (ROOT / "docs/numpy.md").write_text("\n".join(out) + "\n")


if __name__ == "__main__":
    main()
