"""Random keys of arrays, lists, masks, numbers and slices: elements that are read and written are NumPy's."""

import random

import numpy
import pytest

import weft.numpy as wnp

SHAPES = [(7,), (4, 5), (3, 4, 5), (2, 3, 4, 3)]


class Draw:
    """A random key, as a function of the module that makes its arrays."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.shape = self.random.choice(SHAPES)
        # Arrays of one key have shapes that broadcast, or mostly do.
        self.lengths = self.random.choice([(3,), (1,), (2, 3), (3, 1)])
        items, axes = [], len(self.shape)
        while axes and (self.random.random() < 0.85 or not items):
            items.append(self.item(self.shape[len(self.shape) - axes]))
            axes -= 1
            if self.random.random() < 0.15:
                items.append(lambda m: None)
        if self.random.random() < 0.25:
            items.insert(self.random.randrange(len(items) + 1), lambda m: Ellipsis)
        self.items = items

    def item(self, length):
        kind = self.random.choice(["array", "array", "list", "mask", "number", "slice", "slice", "all", "boolean list", "wrong"])
        low, high = -length, length
        if kind == "array":
            lengths = self.lengths if self.random.random() < 0.9 else (2,)
            values = numpy.array([self.random.randrange(low, high) for _ in range(int(numpy.prod(lengths)))]).reshape(lengths)
            dtype = self.random.choice(["i8", "i8", "i4", "u1" if values.min() >= 0 else "i2"])
            return lambda m: m.asarray(values.astype(dtype))
        if kind == "list":
            values = [self.random.randrange(low, high) for _ in range(self.lengths[-1])]
            return lambda m: list(values)
        if kind in ("mask", "boolean list"):
            values = [self.random.random() < 0.5 for _ in range(length)]
            return (lambda m: m.array(values)) if kind == "mask" else (lambda m: list(values))
        if kind == "number":
            at = self.random.randrange(low, high)
            return self.random.choice([lambda m: at, lambda m: m.int64(at), lambda m: m.array(at)])
        if kind == "slice":
            step = self.random.choice([1, 2, -1])
            return lambda m: slice(None, None, step) if step < 0 else slice(1, None, step)
        if kind == "wrong":
            return self.random.choice([lambda m: [0, length], lambda m: m.array([0, 1, 0]), lambda m: [], lambda m: slice(2, 2)])
        return lambda m: slice(None)

    def key(self, m):
        made = tuple(item(m) for item in self.items)
        return made[0] if len(made) == 1 else made


def outcome(action):
    """The result of an action, or the kind of its error."""
    try:
        made = numpy.asarray(action())
    except (IndexError, ValueError, TypeError) as error:
        return type(error).__name__
    return made.shape, made.dtype.str, made.tolist()


def write(x, key, value):
    x[key] = value
    return x


def add(x, key, value):
    x[key] += value
    return x


@pytest.mark.parametrize("part", range(6))
def test_elements_are_those_of_numpy(part):
    for seed in range(part * 250, part * 250 + 250):
        draw = Draw(seed)
        host = numpy.arange(int(numpy.prod(draw.shape)), dtype="f8").reshape(draw.shape)
        arrays = {numpy: host, wnp: wnp.array(host)}
        read = [outcome(lambda m=m, x=x: x[draw.key(m)]) for m, x in arrays.items()]
        assert read[0] == read[1], (seed, draw.shape, draw.key(numpy))
        if isinstance(read[0], str):
            continue
        shape = read[0][0]
        shapes = [shape, shape[1:], (1, *shape[1:]) if shape else ()]
        for act in (write, add):
            for value in (2.5, 3, True, *(numpy.arange(int(numpy.prod(one)), dtype=draw.random.choice(["f8", "f8", "i4"])).reshape(one) for one in shapes)):
                made = []
                for m in arrays:
                    x = m.array(host)
                    given = m.asarray(value) if isinstance(value, numpy.ndarray) else value
                    made.append(outcome(lambda m=m, x=x, given=given: act(x, draw.key(m), given)))
                assert made[0] == made[1], (seed, act.__name__, draw.shape, draw.key(numpy), value)
