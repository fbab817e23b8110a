"""Calls compared with NumPy: outputs and masks of objects, results that depend on an order, deferred numbers, and operands of other libraries."""

import random
import threading

import numpy
import pytest

import weft.numpy as np


class Foreign:
    """An object that has universal functions of its own, and no elements."""

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        return 7


#: Expressions of `np`; `later(value, dtype)` is a number that is computed later.
SAME = [
    "written(0.0, lambda o: np.add.reduce([2**70, 1], out=o))",
    "written([0.0, 0.0], lambda o: np.add.accumulate([2**70, 1], out=o))",
    "written([0.0], lambda o: np.add.reduceat([2**70, 1], [0], out=o))",
    "written([0, 0], lambda o: np.argmax([[1, 2**70], [2, 1]], axis=1, out=o))",
    "written(0.0, lambda o: np.median([2**70, 1, 5], out=o))",
    "written(0.0, lambda o: np.percentile([2**70, 0, 5], 50, out=o))",
    "np.add.reduce([2**70, 1, 5], where=[True, False, True], initial=0)",
    "np.multiply.reduce([2**70, 1, 5], where=[False, True, True], initial=1)",
    "np.add.reduce([2**70, 1], where=[True, False])",
    "np.lcm.accumulate(np.array([100, 99, 98, 97], 'i1'))",
    "np.lcm.reduce(np.array([100, 99, 98, 97], 'i1'))",
    "np.lcm.reduce(np.array([2**63 - 1, 2, 7, 9, 11]))",
    "np.lcm.accumulate(np.array([2**64 - 1, 2, 7], 'u8'))",
    "np.lcm.reduce(np.arange(1, 400, dtype='i2'))",
    "np.lcm.reduce(np.arange(1, 21))",
    "np.gradient(np.array(['2020-01-03', '2020-01-01', '2020-01-02'], dtype='M8[D]'))",
    "np.ones(3) @ Foreign()",
    "np.add.outer(np.ones(2), Foreign())",
    "np.add(np.ones(2), 1, out=Foreign())",
    "np.add(np.ones(2), 1, where=Foreign())",
    "np.add.reduce(np.ones(2), out=Foreign())",
    "in_place(np.ones(3), Foreign(), '+=')",
    "in_place(np.ones(3), Foreign(), '*=')",
    "in_place(np.ones(3), Foreign(), '-=')",
    "in_place(np.ones(3), Foreign(), '**=')",
    "index(np.zeros(5), later(2**64 - 1, 'u8'))",
    "np.r_[np.zeros(2, 'u1'), 256]",
    "np.r_[np.arange(2, dtype='i1'), 300]",
    "np.r_[np.zeros(2, 'u1'), -1]",
    "np.r_[np.arange(2.0), 2**70]",
    "np.r_[np.zeros(2, 'f4'), 1.5]",
    "np.r_[1, 2**70]",
    "np.array([later(300, 'i2'), 1], dtype='i1')",
    "np.array([later(100, 'i2'), 1], dtype='i1')",
    "np.array([later(2**40, 'i8')], 'i4')",
    "np.array([later(3.5, 'f8'), 1], dtype='f4')",
    "changed(np.zeros(3, 'f4'), lambda x: np.putmask(x, x == 0, later(0.5, 'f8')))",
    "changed(np.zeros(3, 'f4'), lambda x: np.place(x, x == 0, later(0.5, 'f8')))",
    "changed(np.zeros(3, 'i1'), lambda x: np.put(x, [0], [later(100, 'i2')]))",
    "np.repeat(np.arange(3), later(3.0, 'f8'))",
    "np.repeat(np.arange(3), later(2, 'i8'))",
    "np.c_[np.arange(2), ['a', 'b']]",
    "np.c_[np.arange(2), [None, 1]]",
    "np.c_[np.zeros(2), [2**70, 1]]",
    "np.add.reduce(np.array([1, 2]), dtype=object)",
    "np.array([1, 2]).sum(dtype=object)",
    "np.add.accumulate(np.array([1, 2]), dtype=object)",
    "np.apply_along_axis(lambda v: None, 0, np.ones((2, 2)))",
    "np.apply_along_axis(lambda v: 'ab', 1, np.ones((2, 3)))",
    "np.apply_along_axis(lambda v: 2**70, 0, np.arange(3))",
    "np.fmax.reduce(np.ones(3), where=None, initial=0)",
    "np.gcd.reduce(np.array([4, 6]), where=None)",
    "np.bitwise_and.reduce(np.array([4, 6]), where=None)",
    "np.fmin.reduce(np.ones(3), where=None)",
    "np.insert(np.arange(3), [0, 1], np.array([[5, 6]]))",
    "np.insert(np.arange(3), 1, np.array([[[5]]]))",
    "np.insert(np.arange(6).reshape(2, 3), 0, np.ones((1, 1, 3)), axis=0)",
    "np.insert(np.arange(3), 9, [])",
    "np.insert(np.arange(3), [9], [])",
    "np.insert(np.arange(4).reshape(2, 2), -9, np.zeros(0), axis=0)",
    "np.putmask(np.arange(4), [True, False], [])",
    "np.putmask(np.arange(4), np.ones(9, bool), np.zeros(0))",
    "hash(np.linalg.det(np.zeros((0, 0))))",
    "np.linalg.slogdet(np.zeros((0, 0)))[1]",
    "np.fmin.reduce(np.zeros(0, 'u2'), initial=np.inf)",
    "np.bitwise_or.reduce(np.zeros(0, 'u2'), initial=np.inf)",
    "np.fmax.reduce(np.ones(2, 'u1'), initial=np.nan)",
    "np.logical_or.reduce([], initial=10**30)",
    "np.concatenate([np.arange(3, dtype='f4'), 1.5], axis=None)",
    "np.concatenate([np.arange(3, dtype='i1'), 1], axis=None)",
    "np.concatenate([np.arange(3, dtype='f4'), 1j], axis=None)",
    "np.var(np.ones(3, 'f4'), mean=np.float64(1))",
    "np.var(np.ones(3, 'f4'), mean=np.ones((), 'f4'))",
    "np.tile(np.arange(2), 1)",
    "np.tile(np.arange(2), 2.0)",
    "np.linalg.vector_norm(np.array(5.0), axis=0)",
    "np.quantile(np.array([True, False]), [0, 1])",
    "np.quantile(np.array([True, False]), 0.5)",
    "np.less(2, np.arange(3, dtype='i1'), casting='equiv')",
    "np.equal(300, np.arange(3, dtype='i1'), casting='equiv')",
    "np.less(2.0, np.arange(3, dtype='f4'), casting='equiv')",
    "np.linalg.cond(np.zeros((0, 3, 3)))",
    "np.linalg.cond(np.zeros((0, 0)))",
    "np.dot(np.zeros(0, 'i4'), [])",
    "np.dot([], np.zeros(0, 'f4'))",
    "np.inner(np.zeros((2, 0), 'i2'), [])",
    "np.vdot(np.zeros(0, 'i4'), [])",
    "hash(np.linalg.norm(np.array(5.0), keepdims=True))",
    "type(np.median(2, keepdims=True)) is np.ndarray",
    "type(np.nanmedian(2.0, keepdims=True)) is np.ndarray",
    "np.nanmedian(np.array([1 + 2j, -1 - 1j, complex(np.nan, 1), -2 + 1j]))",
    "type(np.quantile(np.array(2.0), 1, keepdims=True)) is np.ndarray",
    "index(np.frombuffer(b'abcd', 'u1'), 0)",
    "index(np.frombuffer(bytearray(b'abcd'), 'u1'), 0)",
    "np.percentile(np.zeros(0, 'i4'), [])",
    "np.clip(2, [1, 2, 3], np.int64(3), dtype='u2')",
    "np.clip([1, 2], 0, 1, dtype='f4')",
    "np.std([1.0, 2], dtype=int, out=np.zeros((), 'i8'))",
    "np.std(np.ones((2, 2)), axis=0, dtype=int, out=np.zeros(2))",
]  # fmt: skip


def outcome(module, text):
    def written(start, call):
        out = module.array(start)
        call(out)
        return out

    def changed(array, call):
        call(array)
        return array

    def index(array, at):
        array[at] = 1
        return array

    def in_place(array, other, operator):
        names = {"x": array, "other": other}
        exec(f"x {operator} other", names)  # noqa: S102 - a statement of this file
        return names["x"]

    def later(value, dtype):
        return module.full(9000, value, dtype).max()

    names = {"np": module, "Foreign": Foreign, "written": written, "changed": changed, "index": index, "in_place": in_place, "later": later}
    try:
        made = eval(text, names)  # noqa: S307 - an expression of this file
    except Exception as error:  # noqa: BLE001 - its class is compared
        # An error class, and classes that NumPy derives from it, count as one.
        return next(base for base in type(error).__mro__ if base.__module__ == "builtins").__name__
    host = numpy.asarray(made)
    return (host.tolist(), host.dtype, host.shape)


@pytest.mark.parametrize("text", SAME)
def test_calls_match_numpy(text):
    with numpy.errstate(all="ignore"):
        assert outcome(np, text) == outcome(numpy, text)


@pytest.mark.parametrize("name", ["randint(5)", "poisson()", "binomial(5, 0.5)", "choice(5)", "rand()", "normal()"])
def test_single_draws_are_python_numbers(name):
    drawn, theirs = (eval(f"module.random.{name}", {"module": module}) for module in (np, numpy))  # noqa: S307
    assert type(drawn) is type(theirs)
    random.seed(drawn)


def test_single_generator_draws_are_python_numbers():
    ours, theirs = np.random.default_rng(1), numpy.random.default_rng(1)
    for name in ("random()", "uniform()", "choice(5)", "poisson(3)", "standard_gamma(2.0)"):
        drawn = [type(eval(f"of.{name}", {"of": of})) for of in (ours, theirs)]  # noqa: S307
        assert drawn[0] is drawn[1], name
    assert ours.random(size=()).shape == () and type(ours.random(size=())) is np.ndarray


@pytest.mark.parametrize(("shape", "call"), [((10, 10), "matmul"), ((10,), "matvec")])
def test_in_place_products_are_single_operations(shape, call):
    x, eye = np.zeros(shape), np.eye(10)

    def work():
        for _ in range(50):
            np.add(x, 1, out=x)
            getattr(np, call)(eye, x, out=x)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert float(x.max()) == 400.0
