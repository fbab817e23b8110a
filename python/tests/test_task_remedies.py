"""Messages of tasks give the correct Python code."""

import os
import subprocess
import sys
import textwrap

import numpy
import pytest
import weft
import weft.numpy as np
from profiled import COMMAND
from weft.tasks import ADD, In, InOut, Out, Reduce, align, broadcast, image, project


def mv(m: In, x: In, y: Out):
    y[:] = m @ x


def misfit(*constraints, arrays=((5, 3), (3,), (5,))):
    with pytest.raises(ValueError) as raised:
        weft.task(*constraints)(mv)(*map(np.zeros, arrays))
    return str(raised.value)


def test_misaligned_matrix_gets_a_projection_hint():
    does_not = 'mv: m of shape [5, 3] does not follow y of shape [5] index by index: write project("m", "[i0, *, ..*]")'
    assert misfit(broadcast("x")) == does_not
    assert misfit(broadcast("x"), broadcast("m", 1)) == does_not + " in place of broadcast"
    assert misfit(align("y", "m"), broadcast("x")) == does_not + ", and leave m out of align"
    assert misfit(align("y", "m"), broadcast("m", 1), broadcast("x")) == does_not + " in place of broadcast, and leave m out of align"
    text = misfit(align("m", "y"), broadcast("x"))
    assert text.startswith("mv: y of shape [5] does not follow m of shape [5, 3] index by index")
    assert text.endswith('write project("m", "[i0, *, ..*]"), and leave m out of align')
    assert misfit(project("m", "[i0, *, ..*]")).endswith('; if a tile needs all of it, write broadcast("x")')


def test_suggested_projection_works():
    task = weft.task(project("m", "[i0, *, ..*]"), broadcast("x"))(mv)
    m, x = numpy.arange(15.0).reshape(5, 3), numpy.arange(3.0)
    y = np.zeros(5)
    task(np.asarray(m), np.asarray(x), y)
    assert y.tolist() == (m @ x).tolist()


def test_float_images_get_a_cast_hint():
    @weft.task(image("at", "x", "coordinates"))
    def taken(x: In, at: In, y: Out): ...

    with pytest.raises(ValueError, match=r"at is of float64: an image needs integers; cast it, as at\.astype\(numpy\.int64\)"):
        taken(np.zeros(9), np.zeros(5), np.zeros(5))


def test_messages_use_numpy_dtype_names():
    @weft.task
    def least(x: In["f4"], y: Reduce[ADD, "f8"]): ...

    with pytest.raises(ValueError, match="x is of float64, not float32; cast it"):
        least(np.zeros(3), np.zeros(()))
    with pytest.raises(ValueError, match="y is of float32, not float64; cast it"):
        least(np.zeros(3, "f4"), np.zeros((), "f4"))


def rebinds(x: In, y: Out):
    y = x * 2  # noqa: F841


def sums(x: In, total: Reduce[ADD]):
    total = total + x.sum()  # noqa: F841


def by_keyword(x: In, y: Out):
    size = len(y)
    (y, size) = (numpy.zeros_like(y), size + 1)


def in_a_branch(x: In, y: InOut):
    if x.any():
        y = x  # noqa: F841
    else:
        y[:] = x


@pytest.mark.parametrize("body, name, below", [(rebinds, "y", 1), (sums, "total", 1), (by_keyword, "y", 2)])
def test_warns_about_rebound_outputs(body, name, below):
    with pytest.warns(RuntimeWarning, match=rf"`{name}\[\.\.\.\] = values` writes to it") as told:
        weft.task(body)
    [one] = told
    assert (one.filename, one.lineno) == (__file__, body.__code__.co_firstlineno + below)


def adds(x: In, y: InOut):
    y += x


def converts(x: In, y: Out):
    y = numpy.asarray(y)
    y[...] = x


def views(x: In, y: Out):
    y = y.reshape(-1)
    y[...] = x


def parts(x: In, y: Out):
    y = y[1:]
    y[...] = x[1:]


def writes_before(x: In, y: Out):
    y[:] = x
    y = None  # noqa: F841


def fills(x: In, y: Out):
    numpy.add(x, 1, out=y)
    y = y.sum()


def in_later_passes(x: In, y: Out):
    for step in range(2):
        if step:
            y = None  # noqa: F841
        else:
            y[:] = x


def by_frame(x: In, y: Out):
    out = locals()["y"]
    y = 2 * x
    out[:] = y


def keeps(x: In, y: Out):
    whole = y
    y = x
    whole[:] = y


def inside(x: In, y: Out):
    def write():
        y[:] = x

    write()
    [y for y in x]  # noqa: B018


@pytest.mark.parametrize("body", [adds, converts, views, parts, writes_before, fills, keeps, in_a_branch, in_later_passes, by_frame, inside])
def test_does_not_warn_about_written_outputs(body, recwarn):
    weft.task(body)
    assert not [one for one in recwarn if one.category is RuntimeWarning]


def verified(text, folder):
    program = folder / "prog.py"
    program.write_text(textwrap.dedent(text))
    command = [COMMAND, "run", "--cpus", "2", "--gpus", "0", "--verify", "--", sys.executable, str(program)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, env={**os.environ})


def test_verify_reports_unwritten_outputs(tmp_path):
    text = """
        import weft, weft.numpy as np
        from weft.tasks import *

        @weft.task(align("x", "y"))
        def doubled(x: In, y: Out):
            y = x * 2

        y = np.zeros(10)
        doubled(np.ones(10), y)
        print(y)
    """
    done = verified(text, tmp_path)
    assert done.returncode == 1
    assert "it does not write y at [0], nor at any other index: `y[...] = values` writes to it" in done.stderr, done.stderr


def test_verify_reports_reductions_without_contributions(tmp_path):
    text = """
        import weft, weft.numpy as np
        from weft.tasks import *

        @weft.task
        def summed(x: In, total: Reduce[ADD]):
            {body}

        total = np.zeros(())
        summed(np.ones(10), total)
        print(total)
    """
    done = verified(text.format(body="total + x.sum()"), tmp_path)
    assert done.returncode == 0, done.stderr
    assert f"summed at {tmp_path / 'prog.py'}:10 (operation " in done.stderr, done.stderr
    assert "no tile has changed total; `total[...] = values` writes to it" in done.stderr, done.stderr
    done = verified(text.format(body="total += x.sum()"), tmp_path)
    assert (done.returncode, done.stdout.strip()) == (0, "10.0"), done.stderr
    assert "has changed" not in done.stderr
