"""Batched Fourier transforms as a task, as the talk on Legate of December 2024 has them: each column of a matrix is transformed, and columns are shared
out among the processors.

weft run --compat cupynumeric -- examples/tasks/batched_fft.py
"""

import cupynumeric
import legate.core as lg
import numpy as np

try:
    import cupy
except ImportError:
    import numpy as cupy

M, N = 512, 300


@lg.task(
    variants=("gpu",),
    constraints=(
        lg.align("input", "output"),
        lg.broadcast("input", (0,)),
    ),
)
def batched_fft(
    output: lg.OutputArray, input: lg.InputArray,
):
    cu_input      = cupy.asarray(input)
    cu_output     = cupy.asarray(output)
    cu_output[:] = cupy.fft.fftn(cu_input, axes=(0,))


output = lg.create_array(shape=(M, N), dtype=lg.complex64)
input = cupynumeric.random.rand(M, N).astype(np.complex64)
batched_fft(output, input)

# NumPy's transform of the whole matrix.
expected = np.fft.fftn(np.asarray(input), axes=(0,))
error = np.abs(np.asarray(output) - expected).max() / np.abs(expected).max()
print(f"{M}x{N}: largest difference to NumPy {error:.1e}")
assert error < 1e-5
