"""Legate's names of types, as NumPy's dtypes."""

import numpy as _np

bool_ = _np.dtype("bool")
int8, int16, int32, int64 = map(_np.dtype, ("int8", "int16", "int32", "int64"))
uint8, uint16, uint32, uint64 = map(_np.dtype, ("uint8", "uint16", "uint32", "uint64"))
float16, float32, float64 = map(_np.dtype, ("float16", "float32", "float64"))
complex64, complex128 = map(_np.dtype, ("complex64", "complex128"))
