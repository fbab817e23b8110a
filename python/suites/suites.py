"""The suites: their folders, pytest's arguments, and the number of tests that must pass."""

import dataclasses
import pathlib

HERE = pathlib.Path(__file__).resolve().parent


@dataclasses.dataclass(frozen=True)
class Suite:
    """A suite that pytest runs."""

    name: str
    #: The folder within that of all suites; `None` if the suite is part of an installed package.
    folder: str | None
    #: Arguments for pytest.
    arguments: tuple
    #: The fixed part is one in `sample` tests, chosen by name.
    sample: int
    #: The number of tests of the fixed part that must pass without a fallback.
    least: int
    #: Arguments for pytest in the fixed part only.
    fixed: tuple = ()
    environment: tuple = ()
    #: Folders within `folder` that are importable.
    path: tuple = ()
    #: Whether only tests that make an array of Weft count.
    only_with_arrays: bool = False


def _numpy_tests():
    """NumPy's own tests that use its public interface alone, as modules of its wheel."""
    parts = {
        "_core": "umath umath_complex numeric scalarmath function_base ufunc nep50_promotions indexing item_selection shape_base einsum errstate",
        "lib": "function_base nanfunctions shape_base index_tricks arraysetops arraypad packbits twodim_base type_check stride_tricks histograms polynomial",
        "linalg": "linalg",
        "fft": "helper pocketfft",
        "random": "smoke random randomstate generator_mt19937 regression randomstate_regression generator_mt19937_regressions",
    }
    names = [f"numpy.{part}.tests.test_{name}" for part, names in parts.items() for name in names.split()]
    return ("--pyargs", *names)


SUITES = {
    suite.name: suite
    for suite in (
        Suite(
            name="array-api",
            folder="array-api-tests",
            arguments=("array_api_tests", "--max-examples", "5", "--disable-deadline"),
            fixed=("--hypothesis-derandomize",),
            sample=1,
            least=1346,
            environment=(("ARRAY_API_TESTS_MODULE", "{module}"), ("ARRAY_API_TESTS_VERSION", "2025.12")),
        ),
        Suite(
            name="cupynumeric",
            folder="cupynumeric/tests",
            arguments=("--continue-on-collection-errors",),
            sample=36,
            least=254,
            environment=(("MUT", "{module}"),),
            path=("../shim",),
        ),
        Suite(
            name="numpy",
            folder=None,
            arguments=("-p", "swap", "--continue-on-collection-errors", *_numpy_tests()),
            sample=48,
            least=237,
            only_with_arrays=True,
        ),
    )
}

#: The number of npbench's kernels that must give NumPy's values.
NPBENCH_LEAST = 23


def exceptions():
    """Tests of array-api that are known to fail, with the reasons."""
    made = {}
    reason = ""
    for line in (HERE / "array_api_exceptions.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            reason = line[1:].strip()
        elif line.strip():
            made[line.strip()] = reason
    return made
