"""User-defined tasks: results for every constraint and number of workers, compared with NumPy."""

import os
import subprocess
import sys
import textwrap

import numpy
import pytest
import weft
import weft.numpy as np
from weft.tasks import ADD, MAX, MIN, MUL, In, InOut, Out, Reduce, TaskContext, align, broadcast, halo, image, project, scale

RNG = numpy.random.default_rng(7)


@weft.task(align("x", "y"))
def saxpy(x: In, y: InOut, a: float):
    y += a * x


@pytest.mark.parametrize("dtype", ["f4", "f8", "c16"])
def test_runs_elementwise_bodies(dtype):
    a = RNG.normal(size=5000).astype(dtype)
    x, y = np.asarray(a), np.ones(5000, dtype)
    expected = numpy.ones(5000, dtype)
    saxpy(x, y, 2.5)
    expected += 2.5 * a
    # Views, backwards and with steps.
    saxpy(x[::-2], y[1::2], 1.0)
    expected[1::2] += a[::-2]
    assert numpy.array_equal(y, expected)


def test_reads_numpy_arrays_and_lists():
    y = np.zeros(4)
    saxpy(numpy.arange(4.0), y, 1)
    saxpy([1.0, 1.0, 1.0, 1.0], y, numpy.float32(2.0))
    saxpy(y=y, a=np.ones(())[()], x=numpy.ones(4))
    assert list(y) == [3.0, 4.0, 5.0, 6.0]


@weft.task(align("y", "x"), halo("x", 1))
def neighbours(ctx: TaskContext, x: In, y: Out):
    rows, columns = ctx.ranges_of("y")
    top, left = ctx.ranges_of("x")[0].start, ctx.ranges_of("x")[1].start
    padded = numpy.pad(x, 1)
    for at, row in enumerate(rows):
        r = row - top + 1
        c = slice(columns.start - left + 1, columns.stop - left + 1)
        up, down = slice(c.start - 1, c.stop - 1), slice(c.start + 1, c.stop + 1)
        y[at] = padded[r, c] + padded[r - 1, c] + padded[r + 1, c] + padded[r, up] + padded[r, down]


def neighbor_sums(a):
    p = numpy.pad(a, 1)
    return p[1:-1, 1:-1] + p[:-2, 1:-1] + p[2:, 1:-1] + p[1:-1, :-2] + p[1:-1, 2:]


def test_halo_provides_neighbors_up_to_the_border():
    a = RNG.integers(0, 100, (400, 300)).astype("f8")
    x, y = np.asarray(a.copy()), np.zeros((400, 300))
    neighbours(x, y)
    # An input that is also written is read with its old values.
    neighbours(y, y)
    assert numpy.array_equal(y, neighbor_sums(neighbor_sums(a)))


@weft.task(align("y"), halo("x", 1, 2))
def differences(x: In, y: Out):
    y[:] = x[3:] - x[:-3]


def test_halo_may_lie_within_the_array():
    a = RNG.normal(size=50_003)
    y = np.zeros(50_000)
    differences(a, y)
    assert numpy.array_equal(y, a[3:] - a[:-3])


@weft.task(align("x"))
def moments(x: In, total: Reduce[ADD], product: Reduce[MUL, "f8"], least: Reduce[MIN], most: Reduce[MAX, ..., 0], counts: Reduce[ADD, "i8", 1]):
    total += x.sum()
    product *= numpy.prod(1 + x / 1e6)
    least[...] = min(least, x.min())
    most[...] = max(most, x.max())
    counts += numpy.histogram(x, 10, (-8, 8))[0]


def test_combines_tile_contributions():
    a = RNG.normal(size=200_000)
    total, product, least, most = np.full((), 100.0), np.ones(()), np.full((), -0.5), np.full((), 0.5)
    counts = np.ones(10, "i8")
    moments(a, total, product, least, most, counts)
    assert numpy.isclose(total, 100 + a.sum()) and numpy.isclose(product, numpy.prod(1 + a / 1e6))
    assert (float(least), float(most)) == (a.min(), a.max())
    assert numpy.array_equal(counts, 1 + numpy.histogram(a, 10, (-8, 8))[0])


@weft.task(broadcast("table"), unordered=True)
def look_up(table: In, x: In["i8"], y: Out["f8"]):
    y[:] = table[x]


def test_tiles_receive_entire_broadcast_arrays():
    table, at = RNG.normal(size=37), RNG.integers(0, 37, 100_000)
    y = np.zeros(100_000)
    look_up(table, at, y)
    assert numpy.array_equal(y, table[at])


@weft.task(align("x", "y"), broadcast("x", 0))
def columns(x: In, y: Out, ctx: TaskContext):
    assert len(ctx.ranges[0]) == ctx.shape[0], "columns stay whole"
    numpy.cumsum(x, axis=0, out=y)


def test_broadcast_axes_are_not_cut():
    a = RNG.normal(size=(300, 500))
    y = np.zeros((300, 500))
    columns(a, y)
    assert numpy.array_equal(y, numpy.cumsum(a, axis=0))


@weft.task(align("small"), scale(3, "small", "large"))
def means(small: Out, large: In):
    small[:] = large.reshape(-1, 3).mean(axis=1)


def test_tiles_receive_blocks_of_their_index():
    a, small = RNG.normal(size=90_000), np.zeros(30_000)
    means(small, a)
    assert numpy.array_equal(small, a.reshape(-1, 3).mean(axis=1))


def sparse(rows):
    counts = numpy.arange(rows) % 7
    offsets = numpy.concatenate([[0], numpy.cumsum(counts)])
    entries = RNG.normal(size=offsets[-1])
    places = RNG.integers(0, rows, offsets[-1])
    return offsets, places, entries


def product(offsets, places, entries, x, first=0):
    """Rows of a matrix times a vector."""
    terms = numpy.concatenate([[0.0], numpy.cumsum(entries * x[places])])
    return terms[offsets[1:] - first] - terms[offsets[:-1] - first]


@weft.task(align("y", "rows"), image("rows", "places"), image("rows", "entries", "ranges"), broadcast("x"))
def by_ranges(ctx: TaskContext, rows: In, places: In, entries: In, x: In, y: Out):
    first = ctx.ranges_of("entries")[0].start
    for at, (begin, end) in enumerate(rows):
        y[at] = (entries[begin - first : end - first] * x[places[begin - first : end - first]]).sum()


@weft.task(align("y"), halo("offsets", 0, 1), image("offsets", "places", "offsets"), image("offsets", "entries", "offsets"), broadcast("x"))
def by_offsets(ctx: TaskContext, offsets: In, places: In, entries: In, x: In, y: Out):
    first = ctx.ranges_of("entries")[0].start
    for at in range(len(y)):
        one = slice(offsets[at] - first, offsets[at + 1] - first)
        y[at] = (entries[one] * x[places[one]]).sum()


@weft.task(align("y", "at"), image("at", "x", "coordinates"))
def gathered(ctx: TaskContext, at: In, x: In, y: Out):
    y[:] = x[at - ctx.ranges_of("x")[0].start]


def test_images_follow_array_values():
    rows = 3000
    offsets, places, entries = sparse(rows)
    x = RNG.normal(size=rows)
    expected = product(offsets, places, entries, x)
    y = np.zeros(rows)
    for task, through in ((by_ranges, numpy.stack([offsets[:-1], offsets[1:]], axis=1)), (by_offsets, offsets)):
        y[:] = 0
        through = np.asarray(through)
        task(through, places, entries, x, y)
        assert numpy.allclose(y, expected), task
        # Computed again if the image's array has changed.
        through[...] = 0
        task(through, places, entries, x, y)
        assert float(y.sum()) == 0.0
    at = numpy.sort(RNG.integers(0, rows, 50_000))
    y = np.zeros(50_000)
    gathered(at, x, y)
    assert numpy.array_equal(y, x[at])


@weft.task(align("a"), project("b", "[i1, i0, ..*]"))
def transposed(a: Out, b: In):
    a[:] = b.T


def test_applies_custom_projections():
    b, a = RNG.normal(size=(450, 600)), np.zeros((600, 450))
    transposed(a, b)
    assert numpy.array_equal(a, b.T)


def test_whole_task_has_one_tile():
    seen = []

    @weft.task(whole=True, work=8)
    def whole(x: InOut, ctx: TaskContext):
        seen.append((ctx.tile, ctx.tiles, ctx.shape, ctx.ranges, ctx.ranges_of("x"), ctx.name))
        x += ctx.tiles

    x = np.zeros((300, 1000))
    whole(x)
    assert float(x.sum()) == 300_000.0
    both = (range(300), range(1000))
    assert seen == [(0, 1, (300, 1000), both, both, "whole")]


def test_tiles_cover_the_array():
    seen = []

    @weft.task
    def seeing(x: InOut, ctx: TaskContext):
        seen.append((ctx.tile, ctx.tiles, ctx.ranges[0]))
        assert len(x) == len(ctx.ranges[0])
        x[:] = ctx.ranges[0]

    x = np.zeros(1_000_000)
    seeing(x)
    assert numpy.array_equal(x, numpy.arange(1e6))
    assert sorted(tile for tile, _, _ in seen) == list(range(seen[0][1]))
    assert sum(len(part) for _, _, part in seen) == 1_000_000


def test_scalars_arrive_as_annotated():
    seen = []

    @weft.task
    def values(x: Out, a: int, b: float, c: complex, d: bool, e: numpy.float32, f: "numpy.uint8" = 7, g: float = 2.5):
        seen.append((a, b, c, d, e, f, g))
        x[:] = 0

    x = np.zeros(1)
    values(x, 1, 2, 3, True, 0.1)
    values(x, numpy.int8(-1), numpy.float16(2), 1j, numpy.bool_(False), 4, f=9, g=1)
    weft.wait()
    assert seen == [(1, 2.0, 3 + 0j, True, numpy.float32(0.1), 7, 2.5), (-1, 2.0, 1j, False, 4.0, 9, 1.0)]
    assert [type(one) for one in seen[0]] == [int, float, complex, bool, numpy.float32, numpy.uint8, float]


def test_writes_boolean_outputs():
    @weft.task(align("x", "y"))
    def positive(x: In, y: Out["?"]):
        # A byte that is neither 0 nor 1.
        y.view("u1")[:] = numpy.where(x > 0, 7, 0)

    a = RNG.normal(size=10_000)
    y = np.zeros(10_000, bool)
    positive(a, y)
    assert int(y.sum()) == (a > 0).sum() and numpy.array_equal(y, a > 0)


def test_accepts_empty_and_zero_dimensional_arrays():
    @weft.task(align("x", "y"))
    def doubled(x: In, y: Out):
        y[...] = 2 * x

    for shape in ((0,), (3, 0), ()):
        y = np.zeros(shape)
        doubled(np.ones(shape), y)
        assert numpy.array_equal(y, 2 * numpy.ones(shape))


def test_tasks_respect_dependences():
    @weft.task
    def times(x: InOut, by: int):
        x *= by

    x = np.ones(10)
    for _ in range(20):
        times(x, 2)
        x += 1
    expected = numpy.ones(10)
    for _ in range(20):
        expected = expected * 2 + 1
    assert numpy.array_equal(x, expected)


def test_tasks_order_with_arrays_of_their_parts():
    z = np.zeros(1000, "c16")
    part = z.real

    @weft.task
    def filled(z: Out, value: complex):
        z[:] = value

    filled(z, 3 + 4j)
    assert float(part.sum()) == 3000.0
    part[:] = 1.0
    assert complex(z[0]) == 1 + 4j


PROGRAM = """
import numpy, sys
sys.path.insert(0, {folder!r})
import test_task
for name, test in vars(test_task).items():
    if name.startswith("test_") and not getattr(test, "pytestmark", None) and test.__code__.co_argcount == 0:
        test()
test_task.test_runs_elementwise_bodies("f8")
print("all is well")
"""


@pytest.mark.parametrize("flags", ["--cpus 1", "--cpus 2", "--cpus 3", "--cpus 4", "--cpus 2 --utility 0", "--cpus 1 --omps 2 --ompthreads 2"])
def test_results_match_for_every_worker_count(flags, tmp_path):
    program = PROGRAM.format(folder=os.path.dirname(os.path.abspath(__file__)))
    environment = {**os.environ, "WEFT_CONFIG": f"{flags} --gpus 0 --min-cpu-chunk 64"}
    command = [sys.executable, "-c", textwrap.dedent(program)]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=200)
    assert (done.returncode, done.stdout.strip()) == (0, "all is well"), done.stdout + done.stderr
