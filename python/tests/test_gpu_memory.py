"""Memory that libraries need for themselves on a full GPU. On emulated GPUs of 256 MiB, of which a program has 243."""

import emulated
import pytest

PRODUCTS = """
import weft
import weft.numpy as np

held = [np.full(1 << 20, float(n)) for n in range({held})]
a = np.full((64, 64), 2.0)
weft.wait()
try:
    print(float((a @ a)[0, 0]))
except MemoryError as error:
    print("MemoryError", "--spill" in str(error))
b = np.full((64, 64), 3.0)
print([float((b @ b)[n, n]) for n in range(4)])
print(sum(float(array[-1]) for array in held))
"""


# The workspace of cuBLAS has 32 MiB, and 13 MiB are left for libraries.
@pytest.mark.parametrize("held, flags", [(0, ""), (28, "--spill"), (28, "--spill --cuda-graphs")])
def test_product_finds_room_for_its_workspace(tmp_path, held, flags):
    path = tmp_path / "prog.py"
    path.write_text(PRODUCTS.replace("{held}", str(held)))
    printed = emulated.run(path, tmp_path, emulated.environment(tmp_path, flags=flags))
    *products, total = printed.splitlines()
    assert products == ["256.0", "[576.0, 576.0, 576.0, 576.0]"]
    assert float(total) == sum(range(held))


SHORT = """
import weft
import weft.numpy as np

a = np.asarray([[2.0, 1.0], [1.0, 3.0]])
held = np.full(1000, 1.0)
weft.wait()
try:
    {call}
    weft.wait()
    print("no error")
except MemoryError as error:
    print("MemoryError", "{name}" in str(error), "--fbmem" in str(error))
print(float(held.sum()))
"""

# Status 3 of cuBLAS, and 2 of the others, means that memory is lacking.
LIBRARIES = [
    ("cublasCreate_v2:1+=3", "(a @ a).sum().item()"),
    ("cublasDgemm_v2_64:1+=3", "(a @ a).sum().item()"),
    ("cusolverDnCreate:1+=2", "float(np.linalg.det(a))"),
    ("cusolverDnXgetrf:1+=2", "float(np.linalg.det(a))"),
    ("cufftMakePlanMany64:1+=2", "np.fft.fft(np.ones(64) + 0j)[0].item()"),
    ("cuModuleLoadData:1+=2", "(a * 2).sum().item()"),
]


@pytest.mark.parametrize("order, call", LIBRARIES)
def test_library_without_memory_raises_memory_error(tmp_path, order, call):
    path = tmp_path / "prog.py"
    name = order.split(":")[0]
    path.write_text(SHORT.replace("{call}", call).replace("{name}", name))
    done = emulated.start(path, tmp_path, emulated.environment(tmp_path) | {"WEFT_EMULATED_FAIL": order})
    printed = done.stdout.splitlines()
    assert printed[:1] == ["MemoryError True True"], done.stdout + done.stderr
    if name != "cuModuleLoadData":
        assert printed[1:] == ["1000.0"], done.stdout + done.stderr
