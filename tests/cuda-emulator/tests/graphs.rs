//! Graphs, and products by cuBLAS, on the emulated driver.
#![allow(
    unsafe_code,
    clippy::expect_used,
    clippy::panic,
    reason = "calls C functions; a failed helper fails its test"
)]

#[path = "support/client.rs"]
mod client;

use std::ffi::c_void;
use std::ptr;

use client::{Gpu, check, emulated};
use cudarc::cublas::sys as blas;
use cudarc::driver::sys;

const SOURCE: &str = r#"
extern "C" __global__ void scale(double *x, double by) { x[threadIdx.x] *= by; }
extern "C" __global__ void add(double *x, double by) { x[threadIdx.x] += by; }
"#;

/// A node that runs a kernel on one block of 4 threads after others.
fn node(
    graph: sys::CUgraph,
    after: &[sys::CUgraphNode],
    function: sys::CUfunction,
    args: &[u64],
) -> sys::CUgraphNode {
    let mut params: Vec<*mut c_void> = args
        .iter()
        .map(|arg| (&raw const *arg).cast_mut().cast())
        .collect();
    let kernel = params_of(function, &mut params);
    let mut node = ptr::null_mut();
    // SAFETY: the graph and the nodes exist; the driver copies the arguments.
    unsafe {
        check(sys::cuGraphAddKernelNode_v2(
            &raw mut node,
            graph,
            after.as_ptr(),
            after.len(),
            &raw const kernel,
        ));
    }
    node
}

fn params_of(func: sys::CUfunction, params: &mut [*mut c_void]) -> sys::CUDA_KERNEL_NODE_PARAMS {
    sys::CUDA_KERNEL_NODE_PARAMS {
        func,
        gridDimX: 1,
        gridDimY: 1,
        gridDimZ: 1,
        blockDimX: 4,
        blockDimY: 1,
        blockDimZ: 1,
        sharedMemBytes: 0,
        kernelParams: params.as_mut_ptr(),
        extra: ptr::null_mut(),
        kern: ptr::null_mut(),
        ctx: ptr::null_mut(),
    }
}

fn graph() -> sys::CUgraph {
    let mut graph = ptr::null_mut();
    // SAFETY: the place is our own.
    unsafe { check(sys::cuGraphCreate(&raw mut graph, 0)) };
    graph
}

fn exec(graph: sys::CUgraph) -> sys::CUgraphExec {
    let mut exec = ptr::null_mut();
    // SAFETY: the graph exists.
    unsafe { check(sys::cuGraphInstantiateWithFlags(&raw mut exec, graph, 0)) };
    exec
}

#[test]
fn graph_nodes_run_in_edge_order() {
    emulated(|| {
        let gpu = Gpu::new(0);
        let module = gpu.module(SOURCE);
        let function = |name: &std::ffi::CStr| {
            let mut function = ptr::null_mut();
            // SAFETY: the module is loaded.
            unsafe {
                check(sys::cuModuleGetFunction(
                    &raw mut function,
                    module,
                    name.as_ptr(),
                ))
            };
            function
        };
        let (scale, add) = (function(c"scale"), function(c"add"));
        let (x, stream) = (gpu.allocate(32), gpu.stream());
        let chain = graph();
        let first = node(chain, &[], add, &[x, f64::to_bits(1.0)]);
        let second = node(chain, &[first], scale, &[x, f64::to_bits(10.0)]);
        node(chain, &[second], add, &[x, f64::to_bits(2.0)]);
        let chain = exec(chain);
        // SAFETY: the memory stays until the stream has run.
        unsafe {
            for _ in 0..20 {
                check(sys::cuMemsetD8Async(x, 0, 32, stream));
                check(sys::cuGraphLaunch(chain, stream));
                check(sys::cuGraphLaunch(chain, stream));
                check(sys::cuStreamSynchronize(stream));
                assert_eq!(gpu.read::<f64>(x, 4), [132.0; 4]);
            }
            let loose = graph();
            node(loose, &[], add, &[x, f64::to_bits(1.0)]);
            node(loose, &[], scale, &[x, f64::to_bits(10.0)]);
            let loose = exec(loose);
            let mut seen = [0; 2];
            for _ in 0..40 {
                check(sys::cuMemsetD8Async(x, 0, 32, stream));
                check(sys::cuGraphLaunch(loose, stream));
                seen[usize::from(gpu.read::<f64>(x, 1) == [10.0])] += 1;
            }
            assert!(
                seen[0] > 5 && seen[1] > 5,
                "nodes without an edge run in either order: {seen:?}"
            );
        }
    });
}

#[test]
fn updated_arguments_apply_to_later_launches() {
    emulated(|| {
        let gpu = Gpu::new(0);
        let add = gpu.kernel(SOURCE, "add");
        let (x, stream) = (gpu.allocate(32), gpu.stream());
        let made = graph();
        let only = node(made, &[], add, &[x, f64::to_bits(1.0)]);
        let launched = exec(made);
        let mut nodes = [ptr::null_mut(); 3];
        let mut count = 3;
        // SAFETY: the memory stays until the stream has run.
        unsafe {
            check(sys::cuGraphGetNodes(
                made,
                nodes.as_mut_ptr(),
                &raw mut count,
            ));
            assert_eq!((count, nodes[0]), (1, only));
            check(sys::cuGraphDestroy(made));
            check(sys::cuMemsetD8Async(x, 0, 32, stream));
            check(sys::cuGraphLaunch(launched, stream));
            let by = f64::to_bits(100.0);
            let mut params = [
                (&raw const x).cast_mut().cast(),
                (&raw const by).cast_mut().cast(),
            ];
            let kernel = params_of(add, &mut params);
            check(sys::cuGraphExecKernelNodeSetParams_v2(
                launched,
                only,
                &raw const kernel,
            ));
            check(sys::cuGraphLaunch(launched, stream));
            check(sys::cuGraphExecDestroy(launched));
            assert_eq!(gpu.read::<f64>(x, 4), [101.0; 4]);
            let gone = sys::cuGraphLaunch(launched, stream);
            assert_eq!(gone, sys::CUresult::CUDA_ERROR_INVALID_HANDLE);
        }
    });
}

/// `a` is 2 by 3, `b` 3 by 2, columns one after the other.
fn product(math: blas::cublasMath_t) -> Vec<f32> {
    let gpu = Gpu::new(0);
    let stream = gpu.stream();
    let (a, b, c) = (gpu.allocate(24), gpu.allocate(24), gpu.allocate(16));
    let host = gpu.pinned::<f32>(12);
    let third = 1.0 / 3.0;
    let values = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, third, 0.0, 0.0, 0.0, 1.0, 2.0];
    let mut handle = ptr::null_mut();
    let (one, zero) = (1.0_f32, 0.0_f32);
    // SAFETY: the matrices are as large as the call says, and stay until the stream has run.
    unsafe {
        host.copy_from(values.as_ptr(), 12);
        check(sys::cuMemcpyHtoDAsync_v2(a, host.cast(), 24, stream));
        check(sys::cuMemcpyHtoDAsync_v2(b, host.add(6).cast(), 24, stream));
        let done = [
            blas::cublasCreate_v2(&raw mut handle),
            blas::cublasSetStream_v2(handle, stream.cast()),
            blas::cublasSetMathMode(handle, math),
            blas::cublasSgemm_v2(
                handle,
                blas::cublasOperation_t::CUBLAS_OP_N,
                blas::cublasOperation_t::CUBLAS_OP_N,
                2,
                2,
                3,
                &raw const one,
                (a as *const f32).cast(),
                2,
                (b as *const f32).cast(),
                3,
                &raw const zero,
                c as *mut f32,
                2,
            ),
        ];
        assert_eq!(done, [blas::cublasStatus_t::CUBLAS_STATUS_SUCCESS; 4]);
    }
    gpu.read(c, 4)
}

#[test]
fn products_match_cublas_math_modes() {
    emulated(|| {
        let third = 1.0_f32 / 3.0;
        let exact = product(blas::cublasMath_t::CUBLAS_DEFAULT_MATH);
        assert_eq!(exact, [third, 2.0 * third, 3.0 + 10.0, 4.0 + 12.0]);
        let rounded = product(blas::cublasMath_t::CUBLAS_TF32_TENSOR_OP_MATH);
        assert!(
            rounded[0] != third && (rounded[0] - third).abs() < 2e-4,
            "{rounded:?}"
        );
    });
}
