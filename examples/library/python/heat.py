"""Heat along a rod after some time, as the solution of a system with three diagonals."""

import weft.numpy as np
from banded import Banded

rows = 1_000_000
bands = np.full((3, rows), -0.25)
bands[1] = 1.5
matrix = Banded([-1, 0, 1], bands)
after, left = matrix.jacobi(np.ones(rows), 30)
print(f"at the end {float(after[0]):.3f}, in the middle {float(after[rows // 2]):.3f}, and {float(left):.1e} left")
