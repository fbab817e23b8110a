//! Kernels on the CPU: the meaning of CUDA C, and detected errors.

#![allow(clippy::expect_used, reason = "a failed helper fails its test")]

use cuda_emulator::host::{Memory, Module};

/// Compiles a source; `None`, after a message, without a C++ compiler.
fn module(source: &str) -> Option<Module> {
    if !Module::can_compile() {
        let required = std::env::var("WEFT_TEST_REQUIRE").unwrap_or_default();
        assert!(
            !required.split(',').any(|name| name.trim() == "c++"),
            "no C++ compiler"
        );
        eprintln!("skipped: no C++ compiler");
        return None;
    }
    Some(Module::compile(source).expect("the source compiles"))
}

#[test]
fn each_thread_runs_once() {
    let Some(module) = module(
        r#"extern "C" __global__ void count(unsigned *seen, long long n, double scale, double *out) {
            long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
            if (i < n) { atomicAdd(&seen[i], 1u); out[i] = scale * sqrt((double)i); }
        }"#,
    ) else {
        return;
    };
    let seen = Memory::of(&[0_u32; 1000]);
    let out = Memory::new(8000);
    let mut args = [seen.address(), 1000, 2.0_f64.to_bits(), out.address()];
    module
        .launch("count", [8, 1, 1], [128, 1, 1], &mut args)
        .expect("it runs");
    assert_eq!(seen.read::<u32>(), [1; 1000]);
    let expected: Vec<f64> = (0..1000).map(|i| 2.0 * f64::from(i).sqrt()).collect();
    assert_eq!(out.read::<f64>(), expected);
}

const SUM: &str = r#"
extern "C" __global__ void __launch_bounds__(256) sum(const double *x, long long n, double *out, unsigned *left) {
    __shared__ double warps[8];
    __shared__ bool is_last;
    double s = 0.0;
    for (long long i = blockIdx.x * 256 + threadIdx.x; i < n; i += 256 * gridDim.x) s += x[i];
    for (int d = 16; d > 0; d /= 2) s += __shfl_down_sync(0xffffffffu, s, d);
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = s;
    BARRIER
    if (threadIdx.x == 0) {
        double all = 0.0;
        for (int w = 0; w < 8; ++w) all += warps[w];
        out[1 + blockIdx.x] = all;
        __threadfence();
        is_last = atomicAdd(left, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (is_last && threadIdx.x == 0) {
        double all = 0.0;
        for (unsigned b = 0; b < gridDim.x; ++b) all += out[1 + b];
        out[0] = all;
    }
}"#;

fn sum(barrier: &str) -> Option<f64> {
    let module = module(&SUM.replace("BARRIER", barrier))?;
    let x: Vec<f64> = (0..10_000).map(f64::from).collect();
    let (x, out, left) = (Memory::of(&x), Memory::new(8 * 6), Memory::of(&[0_u32]));
    let mut args = [x.address(), 10_000, out.address(), left.address()];
    module
        .launch("sum", [5, 1, 1], [256, 1, 1], &mut args)
        .expect("it runs");
    Some(out.read::<f64>()[0])
}

#[test]
fn barriers_and_shuffles_synchronize_threads() {
    for _ in 0..10 {
        let Some(sum) = sum("__syncthreads();") else {
            return;
        };
        assert_eq!(sum, 49_995_000.0);
    }
}

#[test]
fn missing_barrier_gives_wrong_sums() {
    let mut wrong = 0;
    for _ in 0..20 {
        let Some(sum) = sum("") else { return };
        wrong += u32::from(sum != 49_995_000.0);
    }
    assert!(wrong > 10, "{wrong} of 20");
}

#[test]
fn undefined_behavior_ends_the_launch() {
    let cases = [
        ("p[1] = ((int *)p)[n] / (n - 1);", "zero"),
        (
            "long long big = 9223372036854775807LL; p[0] = big + n;",
            "overflow",
        ),
        ("p[0] = (long long)(n * 1e300);", "conversion"),
        ("p[0] = n << (n + 63);", "shift"),
        ("((double2 *)(p + n))->x = 1.0;", "misaligned"),
        ("int a[4]; a[0] = 1; p[0] = a[n + 3];", "index"),
        // The first pages are never mapped.
        ("*(volatile long long *)4096 = 1;", "illegal address"),
        (
            "if (threadIdx.x < 7) __syncthreads(); p[0] = 1;",
            "ended while others wait",
        ),
        (
            "if (threadIdx.x < 7) __syncthreads(); else __syncwarp(); p[0] = 1;",
            "can go on",
        ),
        (
            "if (threadIdx.x < 7) __syncthreads();\n else __syncthreads(); p[0] = 1;",
            "different",
        ),
        ("__trap();", "__trap"),
        (
            "volatile char a[300000]; for (int i = 0; i < 300000; i += 64) a[i] = 1; __syncthreads();",
            "illegal address",
        ),
    ];
    for (body, expected) in cases {
        let source =
            format!("extern \"C\" __global__ void k(long long *p, long long n) {{ {body} }}");
        let Some(module) = module(&source) else {
            return;
        };
        let memory = Memory::new(64);
        let fault = module.launch("k", [1, 1, 1], [32, 1, 1], &mut [memory.address(), 1]);
        let fault = fault.expect_err(body).to_string();
        assert!(
            fault.contains(expected) && fault.contains("SEED"),
            "{body}: {fault}"
        );
    }
}

#[test]
fn detects_writes_just_beyond_the_end() {
    let Some(module) = module("extern \"C\" __global__ void k(char *p) { p[threadIdx.x] = 1; }")
    else {
        return;
    };
    let memory = Memory::new(3);
    module
        .launch("k", [1, 1, 1], [3, 1, 1], &mut [memory.address()])
        .expect("it runs");
    assert_eq!(
        (memory.written_beyond(), memory.read::<u8>()),
        (None, vec![1, 1, 1])
    );
    module
        .launch("k", [1, 1, 1], [4, 1, 1], &mut [memory.address()])
        .expect("it runs");
    assert_eq!(memory.written_beyond(), Some(3));
}

#[test]
fn rejects_invalid_launch_shapes() {
    let Some(module) = module("extern \"C\" __global__ void __launch_bounds__(64) k() {}") else {
        return;
    };
    let bad: [([u32; 3], [u32; 3]); 5] = [
        ([0, 1, 1], [1, 1, 1]),
        ([1, 65_536, 1], [1, 1, 1]),
        ([1, 1, 1], [1025, 1, 1]),
        ([1, 1, 1], [65, 1, 1]),
        ([1, 1, 1], [1, 1, 65]),
    ];
    for (grid, block) in bad {
        module
            .launch("k", grid, block, &mut [])
            .expect_err("it is refused");
    }
    module
        .launch("k", [65_535, 1, 1], [64, 1, 1], &mut [])
        .expect("it runs");
    module
        .launch("k", [1, 1, 1], [1, 1, 1], &mut [1])
        .expect_err("too many arguments");
    module
        .launch("absent", [1, 1, 1], [1, 1, 1], &mut [])
        .expect_err("no such kernel");
}

#[test]
fn supports_cuda_builtins() {
    let source = r#"
        template <class T> __device__ __forceinline__ T twice(T x) { return x + x; }
        static __device__ double index(double x) { return rint(x); }
        __constant__ double table[2] = {0.5, 0.25};
        extern "C" __global__ void k(double *d, unsigned long long *u) {
            extern __shared__ double dynamic[];
            double s, c; sincos(1.0, &s, &c);
            d[0] = fma(2.0, 3.0, 4.0); d[1] = rsqrt(4.0); d[2] = (double)exp2f(3.0f); d[3] = s * s + c * c;
            d[4] = __longlong_as_double(__double_as_longlong(1.5)); d[5] = fmin(nan(""), 3.0);
            d[6] = index(twice(1.3)) + table[1]; d[7] = max(1, 2) + min(-1.0f, 2.0f);
            double4 v = make_double4(1, 2, 3, 4); d[8] = v.w; float4 f = *(const float4 *)d; (void)f;
            d[9] = __ldg(&d[0]); d[10] = pow(2.0, 10) + fabs(-1.0f) + floor(2.5);
            d[11] = (double)(isnan(d[5]) + 2 * isinf(1.0 / 0.0) + 4 * signbit(-0.0));
            u[0] = __umul64hi(1ULL << 63, 6); u[1] = __umulhi(1u << 31, 6u); u[2] = __popcll(255) + __clz(1) + __ffs(8);
            u[3] = (unsigned long long)__double2ll_rz(1e300); u[4] = (unsigned long long)__double2int_rz(-2.9);
            u[5] = __brev(1u); atomicMax(&u[6], 7ULL);
        }"#;
    let Some(module) = module(source) else { return };
    let (d, u) = (Memory::new(96), Memory::of(&[0_u64; 7]));
    module
        .launch("k", [1, 1, 1], [1, 1, 1], &mut [d.address(), u.address()])
        .expect("it runs");
    let d = d.read::<f64>();
    let expected = [
        10.0, 0.5, 8.0, 1.0, 1.5, 3.0, 3.25, 1.0, 4.0, 10.0, 1027.0, 6.0,
    ];
    for (at, (got, expected)) in d.iter().zip(expected).enumerate() {
        assert!((got - expected).abs() < 1e-12, "d[{at}] is {got}");
    }
    let expected = [3, 3, 8 + 31 + 4, i64::MAX as u64, -2_i64 as u64, 1 << 31, 7];
    assert_eq!(u.read::<u64>(), expected);
}

#[test]
fn compile_errors_name_the_source_line() {
    if !Module::can_compile() {
        return;
    }
    let source = "extern \"C\" __global__ void k(double *x) {\n  x[0] = undeclared;\n}";
    let error = Module::compile(source)
        .expect_err("it is wrong")
        .to_string();
    assert!(
        error.contains("kernel.cu:2") && error.contains("undeclared"),
        "{error}"
    );
}
