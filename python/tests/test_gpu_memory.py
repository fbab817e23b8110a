"""The memory of GPUs: what libraries need on a full GPU, and unified memory. On emulated GPUs of 256 MiB, of which a program has 243."""

import json
import sqlite3
import subprocess

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


# A GPU of 32 MiB, and arrays of 16 MiB each.
UNIFIED = """
import weft
import weft.numpy as np

kind = {kind}
arrays = [np.full(1 << 21, float(n), **kind) for n in range(6)]
total = np.zeros(1 << 21, **kind)
for array in arrays + arrays[::-1]:
    total += array
print(float(total[0]), float(total[-1]), float(total.sum()) / (1 << 21))
# The host reads and writes, and the GPU uses it again.
total[:4] = np.asarray([1.0, 2.0, 3.0, 4.0])
print((total[:6] * 2).tolist())
print(np.partition(total[:8], 3)[:4].tolist())
"""


@pytest.mark.parametrize("kind, flags", [({}, "--gpu-memory unified"), ({"memory": "unified"}, ""), ({"memory": "unified"}, "--gpu-memory unified --cuda-graphs")])
def test_unified_arrays_exceed_the_memory_of_a_gpu(tmp_path, kind, flags):
    path = tmp_path / "prog.py"
    path.write_text(UNIFIED.format(kind=kind))
    small = {"WEFT_EMULATED_GPU_MIB": "32"}
    printed = emulated.run(path, tmp_path, emulated.environment(tmp_path, flags=f"{flags} --sysmem 512") | small)
    assert printed.splitlines() == ["30.0 30.0 30.0", "[2.0, 4.0, 6.0, 8.0, 60.0, 60.0]", "[1.0, 2.0, 3.0, 4.0]"]
    # In memory of the GPU they do not fit.
    path.write_text(UNIFIED.format(kind={}))
    done = emulated.start(path, tmp_path, emulated.environment(tmp_path, flags="--sysmem 512") | small)
    assert done.returncode != 0 and "FBMEM" in done.stderr, done.stdout + done.stderr


def test_unified_arrays_on_two_gpus(tmp_path):
    path = tmp_path / "prog.py"
    path.write_text(UNIFIED.format(kind={"memory": "unified"}))
    printed = emulated.run(path, tmp_path, emulated.environment(tmp_path, gpus=2) | {"WEFT_EMULATED_GPU_MIB": "16"})
    assert printed.splitlines()[0] == "30.0 30.0 30.0"


def test_stated_capacity_limits_unified_memory(tmp_path):
    path = tmp_path / "prog.py"
    path.write_text(UNIFIED.format(kind={}))
    flags = "--gpu-memory unified --fbmem 40"
    done = emulated.start(path, tmp_path, emulated.environment(tmp_path, flags=flags) | {"WEFT_EMULATED_GPU_MIB": "32"})
    assert done.returncode != 0 and "MANAGED_MEM" in done.stderr and "--fbmem" in done.stderr, done.stdout + done.stderr


CREATED = """
import numpy
import weft.numpy as np

for made in (np.empty(3, memory="unified"), np.zeros(3, memory="unified"), np.full(3, 0, memory="unified")):
    assert made.tolist() == [0, 0, 0]
assert np.ones((2, 2), np.int32, memory="unified").tolist() == [[1, 1], [1, 1]]
assert np.full((2,), [1, 2], memory="unified").tolist() == [1, 2]
for wrong in (
    lambda: np.empty(3, memory="device"),
    lambda: np.zeros(3, "S3", memory="unified"),
    lambda: np.full(3, "abc", memory="unified"),
    lambda: np.empty(3, "M8[s]", memory="unified"),
):
    try:
        wrong()
    except ValueError as error:
        print(error)
"""


def test_unified_memory_of_created_arrays(tmp_path):
    path = tmp_path / "prog.py"
    path.write_text(CREATED)
    printed = emulated.run(path, tmp_path, emulated.environment(tmp_path))
    assert printed.splitlines() == [
        "memory must be None or \"unified\", not 'device'",
        "arrays of |S3 are NumPy's own and not in unified memory",
        "arrays of <U3 are NumPy's own and not in unified memory",
        "arrays of datetime64[s] are NumPy's own and not in unified memory",
    ]


NOWHERE = "import weft.numpy as np\ntry:\n    np.empty(3, memory='unified')\nexcept ValueError as error:\n    print(error)\n"


def test_unified_memory_needs_a_gpu_that_shares(tmp_path):
    path = tmp_path / "prog.py"
    path.write_text(NOWHERE)
    printed = emulated.run(path, tmp_path, emulated.environment(tmp_path, gpus=0))
    assert printed == 'memory="unified": this run has no GPU; leave it out, or run with --gpus 1 or more\n'
    alone = {"WEFT_EMULATED_UNSHARED": "1"}
    printed = emulated.run(path, tmp_path, emulated.environment(tmp_path) | alone)
    why = "GPU 0 (Emulated GPU) cannot share unified memory with the host (its concurrentManagedAccess is 0); use device memory"
    assert printed == f'memory="unified": {why}\n'
    done = emulated.start(path, tmp_path, emulated.environment(tmp_path, flags="--gpu-memory unified") | alone)
    assert done.returncode != 0 and why in done.stderr, done.stderr


FAULTING = """
import weft.numpy as np

{made}
for _ in range(3):
    a += 1.0
    b += a
print(float(b.sum()))
"""


def test_profile_has_page_faults_by_line(tmp_path):
    """Two arrays that do not fit into the GPU together displace each other's pages."""
    path = tmp_path / "prog.py"
    path.write_text(FAULTING.format(made='a = np.zeros(1 << 20, memory="unified")\nb = np.zeros(1 << 20, memory="unified")'))
    variables = emulated.environment(tmp_path, flags="--fusion=false") | {"WEFT_EMULATED_GPU_MIB": "12"}
    variables["WEFT_CONFIG"] += " --profile"

    def weft(*words):
        return subprocess.run([emulated.COMMAND, *words], cwd=tmp_path, env=variables, capture_output=True, text=True, timeout=200, check=True).stdout

    printed = emulated.run(path, tmp_path, variables)
    assert float(printed) == 6 * (1 << 20)
    weft("export", "sqlite", "weft_0.prof", "-o", "weft.sqlite")
    database = sqlite3.connect(tmp_path / "weft.sqlite")
    kinds = dict(database.execute("SELECT kind, count(*) FROM WEFT_PAGE_EVENT GROUP BY kind"))
    assert {"gpu_fault", "host_to_device", "device_to_host"} <= set(kinds), kinds
    faults, linked = database.execute("SELECT sum(faults), sum(faults) FILTER (WHERE kernelId IS NOT NULL) FROM WEFT_PAGE_EVENT").fetchone()
    assert 0 < linked == faults
    assert database.execute("SELECT sum(numberOfPageFaults) FROM CUDA_UM_GPU_PAGE_FAULT_EVENTS").fetchone() == (faults,)
    # All pages of both arrays have 64 KiB.
    assert faults >= 2 * (8 << 20) // (64 << 10)
    # The launches that loaded their kernels, and CUPTI's own thread.
    overheads = dict(database.execute("SELECT kind, count(*) FROM WEFT_OVERHEAD GROUP BY kind"))
    assert overheads["function_loading"] > 1 and overheads["buffer_flush"] > 0, overheads
    assert database.execute("SELECT count(*) FROM PROFILER_OVERHEAD").fetchone() == (sum(overheads.values()),)
    calls = "CUPTI_ACTIVITY_KIND_RUNTIME r USING (correlationId, globalTid) WHERE o.start BETWEEN r.start AND r.end"
    assert database.execute(f"SELECT count(*) FROM WEFT_OVERHEAD o JOIN {calls}").fetchone() == (overheads["function_loading"],)
    table = json.loads(weft("stats", "--by", "line", "--format", "json", "weft_0.prof"))
    assert sum(row["cuda_overhead_ns"] or 0 for row in table) > 0
    by_line = {row["line"].rsplit(":", 1)[-1]: row["page_faults"] for row in table if row["page_faults"]}
    assert {"7", "8"} <= set(by_line) and sum(by_line.values()) == faults, by_line
    # Written and read again, the costs are the same.
    assert json.loads(weft("stats", "--by", "line", "--format", "json", "weft.sqlite")) == table
    # Without unified memory there is no such column.
    path.write_text(FAULTING.format(made="a = np.zeros(1 << 10)\nb = np.zeros(1 << 10)"))
    variables["WEFT_CONFIG"] += " --force"
    emulated.run(path, tmp_path, variables)
    assert "page_faults" not in json.loads(weft("stats", "--by", "line", "--format", "json", "weft_0.prof"))[0]


SPILLED = """
import weft.numpy as np

kept = [np.full(400_000, float(n), memory="unified") for n in range(12)]
print([float(one.sum()) for one in kept] == [400_000.0 * n for n in range(12)])
"""


def test_full_unified_memory_moves_stores_to_main_memory(tmp_path):
    path = tmp_path / "prog.py"
    path.write_text(SPILLED)
    flags = "--spill --sysmem 256 --fbmem 24"
    variables = emulated.environment(tmp_path, flags=flags) | {"WEFT_EMULATED_GPU_MIB": "64"}
    assert emulated.run(path, tmp_path, variables) == "True\n"


def test_memories_have_distinct_numbers(tmp_path):
    path = tmp_path / "prog.py"
    path.write_text("import weft.numpy as np\nprint(float(np.ones(5000, memory='unified').sum()))\n")
    variables = emulated.environment(tmp_path, flags="--numamem 64 --profile")
    assert emulated.run(path, tmp_path, variables) == "5000.0\n"
    query = [emulated.COMMAND, "query", "--format", "csv", "SELECT count(*) = count(DISTINCT id) AS distinct_ids FROM WEFT_MEMORY", "weft_0.prof"]
    done = subprocess.run(query, cwd=tmp_path, capture_output=True, text=True, timeout=100)
    assert done.stdout.splitlines() == ["distinct_ids", "1"], done


# Eight arrays of 8 MiB on a GPU of 32 MiB: each task uses two of them.
SWEEP = """
import weft.numpy as np

arrays = [np.full(1 << 20, float(n)) for n in range(8)]
for _ in range(3):
    for n in range(8):
        arrays[n] += arrays[(n + 1) % 8]
print([float(array[5]) for array in arrays])
"""


def test_tasks_move_their_pages_before_they_run(tmp_path):
    path = tmp_path / "prog.py"
    path.write_text(SWEEP)
    flags = "--gpu-memory unified --sysmem 512 --fusion=false --profile"
    variables = emulated.environment(tmp_path, flags=flags) | {"WEFT_EMULATED_GPU_MIB": "32"}
    assert emulated.run(path, tmp_path, variables) == "[12.0, 20.0, 28.0, 36.0, 44.0, 45.0, 33.0, 24.0]\n"
    export = [emulated.COMMAND, "export", "sqlite", "weft_0.prof", "-o", "weft.sqlite"]
    subprocess.run(export, cwd=tmp_path, env=variables, timeout=200, check=True)
    database = sqlite3.connect(tmp_path / "weft.sqlite")
    (faults,) = database.execute("SELECT sum(faults) FROM WEFT_PAGE_EVENT").fetchone()
    # The arrays have 1,024 pages, which moved several times.
    assert faults < 200
    prefetches = "SELECT sum(movedBytes) FROM WEFT_PAGE_EVENT WHERE reason = 'prefetch'"
    assert database.execute(prefetches).fetchone()[0] > 64 << 20
