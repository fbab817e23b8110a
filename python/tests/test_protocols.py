"""Python's and its library's protocols for numbers, whose values are known or computed later: as with NumPy's scalars."""

import array
import ast
import base64
import bisect
import cmath
import copy
import decimal
import fractions
import hashlib
import heapq
import io
import itertools
import json
import math
import numbers
import operator
import pickle
import random
import statistics
import struct
import zlib

import compared
import numpy
import pytest
import weft.numpy as np

MODULES = (
    array, ast, base64, bisect, cmath, copy, decimal, fractions, hashlib, heapq, io, itertools, json, math, numbers, operator, pickle, random, statistics,
    struct, zlib,
)  # fmt: skip

#: Code that uses a float `f` (2.5), an integer `i` (3), a boolean `b` (true), a `float32` `g` (2.5) and a complex number `c` (1+2j).
CODES = """
bytes(memoryview(f)) | memoryview(i).format | memoryview(b).shape | bytes(i) | bytes(f) | bytes([i, i]) | bytearray(i) | io.BytesIO(f).read() | io.BytesIO().write(f)
int.from_bytes(i, 'little') | int.from_bytes(memoryview(i), 'little') | hashlib.md5(f).hexdigest() | base64.b64encode(f.tobytes()) | zlib.crc32(b'a', i)
f == None | f != None | i == None | None == i | b != None | c == None | i in [None] | i == 'a' | i != 'a' | i == object | f == (1, 2) | i < None | f.__eq__(None)
np.dtype(type(f)) | np.dtype(type(i)) | np.dtype(type(b)) | np.dtype(type(g)) | np.dtype(type(c)) | np.dtype(f.dtype) | np.dtype(i.dtype.type)
type(i)(5) | type(f)(5) | type(f)('2.5') | type(g)() | type(i).__name__ | type(b)(0) | f.__class__(3) | np.issubdtype(type(f), np.floating) | type(f)(f)
statistics.mean([f, f]) | statistics.mean([i, i]) | statistics.mean([i, 1]) | statistics.mean([g, g]) | statistics.mean([f, i]) | statistics.fmean([f, i])
statistics.stdev([f, f, f]) | statistics.stdev([i, 1, 2]) | statistics.median([i, 1, 2]) | statistics.median([f, 1, 2, 3.5]) | statistics.pvariance([i, 1, 2])
statistics.mode([i, i, 1]) | statistics.harmonic_mean([f, i]) | statistics.geometric_mean([f, i]) | statistics.quantiles([f, i, 2, 9])
fractions.Fraction(f) | fractions.Fraction(i) | fractions.Fraction(g) | fractions.Fraction(i, 2) | fractions.Fraction(1, 2) + i | i * fractions.Fraction(1, 2)
math.sqrt(f) | math.gcd(i, 6) | math.factorial(i) | math.factorial(f) | math.comb(i, 2) | math.isclose(f, 2.5) | math.floor(f) | math.ceil(g) | math.trunc(f)
math.fmod(f, 2) | math.modf(f) | math.ldexp(f, i) | math.hypot(f, i) | math.prod([f, i]) | math.fsum([f, i]) | math.log(i) | math.pow(i, 2) | math.dist([f], [i])
cmath.sqrt(c) | cmath.phase(c) | (random.seed(f), random.random())[1] | (random.seed(i), random.random())[1] | (random.seed(g), random.random())[1]
(random.seed(b), random.random())[1] | (random.seed(8), random.randint(0, i))[1] | (random.seed(8), random.sample(range(10), i))[1]
hash(f) | hash(i) | hash(b) | hash(g) | hash(c) | copy.copy(f) | copy.deepcopy([f, i]) | copy.deepcopy(c) | pickle.loads(pickle.dumps((i, b, c, g)))
format(f, '.3f') | format(f, '10.2e') | format(i, '05d') | format(i, 'x') | format(b) | format(b, '5') | format(b, 'd') | format(g, '.2f') | format(c, '.2f')
format(f, 'd') | format(i, '.2f') | f"{f!r}{i!s:>5}" | '%s %r %d %f %c' % (f, f, i, f, i) | '%.2f' % g | ascii(f) | repr(c) | str(b) | chr(i + 60) | hex(i)
struct.pack('d', f) | struct.pack('i', i) | struct.pack('f', g) | struct.pack('?', b) | array.array('d', [f, i]) | array.array('i', [i]) | array.array('i', [f])
list(range(i)) | range(f) | range(1, i, i) | 'abcdef'[:i] | 'abcdef'[i] | 'abcdef'[f:] | [1, 2, 3, 4][b] | slice(i).indices(10) | np.arange(5)[i:].tolist() | int('7', i + 7)
divmod(i, 2) | divmod(7.5, f) | divmod(f, i) | divmod(b, 2) | round(f) | round(f, 1) | round(i, -1) | round(g, 1) | round(b) | round(c) | round(f, i) | round(f, None)
complex(f) | complex(c) | complex(i, f) | complex(g) | int(f) | int(b) | float(i) | bool(c) | operator.index(i) | operator.index(b) | operator.index(f)
~i | ~f | ~b | pow(i, 2, 5) | pow(i, -1) | i & f | i + None | i + 'a' | 'a' * i | i * [1] | f * [1, 2] | [1] * f | i @ i | b @ b | f @ 2 | i + [1, 2] | [1, 2] + i
len(f) | iter(f) | f[0] | f[()] | f[None] | f[0:1] | i.bit_count() | i.numerator | f.is_integer() | g.as_integer_ratio() | f.hex() | c.imag | i.imag | i.to_bytes(2, 'big')
f.item(0) | f.item(1) | f.view('i8') | f.astype(int) | f.byteswap() | f.ravel() | f.reshape(1, 1) | f.fill(3) | f.sort() | f.put(0, 1) | f.resize(1) | i.choose([1, 2, 3, 4])
f.__getnewargs__() | f.__array_priority__ | f.foo | f.__foo__ | setattr(f, 'x', 1) | f.__len__() | isinstance(f, numbers.Real) | isinstance(i, numbers.Integral)
np.array([f, None]) | np.array(f, dtype=object) | np.array([f, i], dtype=object) | np.array([i], dtype='i1') | np.float32(f) | np.full(i, f) | np.eye(i) | np.asarray(f).flags.writeable
list(itertools.islice([1, 2, 3, 4], i)) | heapq.nsmallest(i, [3, 1, 2, 5]) | bisect.bisect([1, 2, 3, 4], f) | 'abc'.center(i + 4) | json.dumps(f) | ast.literal_eval(str(f))
{f: 1}[2.5] | {2.5: 1}[f] | f in {2.5} | i in range(5) | [1, 2, 3].index(i) | b and 1 | not b | b == True | b + b | b - b | ~b | c < c | divmod(c, 1) | min(c, c)
numpy.asarray(f).flags.writeable | numpy.asarray(f) + 1 | numpy.array([f, i]) | numpy.ones(4)[i] | numpy.float32(f) | numpy.result_type(f, g)
"""


def normalized(made):
    if isinstance(made, (list, tuple)):
        return [normalized(one) for one in made]
    if isinstance(made, (numpy.generic, numpy.ndarray, np.ndarray)):
        return isinstance(made, numpy.generic), str(made.dtype), repr(numpy.asarray(made).tolist())
    return type(made).__name__, repr(made)


def outcome(module, count, code):
    """The results of code for numbers that are results of `count` elements."""
    scope = {one.__name__: one for one in MODULES} | {"np": module, "numpy": numpy}
    for name, value, dtype in (("f", 2.5, "f8"), ("i", 3, "i8"), ("b", True, "?"), ("g", 2.5, "f4")):
        scope[name] = getattr(module.full(count, value, dtype), "all" if dtype == "?" else "max")()
    scope["c"] = module.full(count, 1.0).max() + module.full(count, 2.0).max() * 1j
    try:
        return normalized(eval(code, scope))
    except Exception as error:  # noqa: BLE001 - any error is compared
        return error


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("count", [3, 20_000], ids=["known", "deferred"])
@pytest.mark.parametrize("line", CODES.strip().splitlines())
def test_protocols_match_numpy(line, count):
    wrong = []
    for code in line.split(" | "):
        theirs, ours = outcome(numpy, count, code), outcome(np, count, code)
        are_errors = isinstance(theirs, Exception) and isinstance(ours, Exception)
        if not (compared.is_same_error(theirs, ours) if are_errors else theirs == ours):
            wrong.append(f"{code}\n  NumPy: {theirs!r}\n  Weft:  {ours!r}")
    assert not wrong, "\n".join(wrong)
