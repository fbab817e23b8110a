"""cuPyNumeric's settings. They are read and kept, but have no effect: Weft makes these choices itself."""

from legate.util.settings import EnvOnlySetting, PrioritizedSetting, Settings, convert_bool, convert_int, convert_str

__all__ = ("settings",)


class CupynumericSettings(Settings):
    """The settings by name."""

    preload_cudalibs = PrioritizedSetting("preload_cudalibs", "CUPYNUMERIC_PRELOAD_CUDALIBS", False, convert_bool)
    warn = PrioritizedSetting("warn", "CUPYNUMERIC_WARN", False, convert_bool)
    report_coverage = PrioritizedSetting("report:coverage", "CUPYNUMERIC_REPORT_COVERAGE", False, convert_bool)
    report_dump_callstack = PrioritizedSetting("report:dump-callstack", "CUPYNUMERIC_REPORT_DUMP_CALLSTACK", False, convert_bool)
    report_dump_csv = PrioritizedSetting("report:dump-csv", "CUPYNUMERIC_REPORT_DUMP_CSV", None, convert_str)
    numpy_compat = PrioritizedSetting("numpy_compat", "CUPYNUMERIC_NUMPY_COMPATIBILITY", False, convert_bool)
    fallback_stacktrace = EnvOnlySetting("fallback_stacktrace", "CUPYNUMERIC_FALLBACK_STACKTRACE", False, False, convert_bool)
    fast_math = EnvOnlySetting("fast_math", "CUPYNUMERIC_FAST_MATH", False, False, convert_bool)
    min_gpu_chunk = EnvOnlySetting("min_gpu_chunk", "CUPYNUMERIC_MIN_GPU_CHUNK", 65536, 2, convert_int)
    min_cpu_chunk = EnvOnlySetting("min_cpu_chunk", "CUPYNUMERIC_MIN_CPU_CHUNK", 1024, 2, convert_int)
    min_omp_chunk = EnvOnlySetting("min_omp_chunk", "CUPYNUMERIC_MIN_OMP_CHUNK", 8192, 2, convert_int)
    force_thunk = EnvOnlySetting("force_thunk", "CUPYNUMERIC_FORCE_THUNK", None, "deferred", convert_str)
    matmul_cache_size = EnvOnlySetting("matmul_cache_size", "CUPYNUMERIC_MATMUL_CACHE_SIZE", 134217728, 4096, convert_int)


settings = CupynumericSettings()
