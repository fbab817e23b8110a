//! Graphs of kernels that run one after the other.

use std::sync::Arc;

use super::super::sys::{self, CUDA_KERNEL_NODE_PARAMS, CUgraph, CUgraphExec, CUgraphNode};

use super::super::call::check;
use super::stream::pointers;
use super::{Context, Function, Stream};
use crate::error::DriverError;

/// A kernel in a graph.
pub(crate) struct Node<'a> {
    pub(crate) function: &'a Function,
    /// Number of blocks along x, y and z.
    pub(crate) grid: [u32; 3],
    /// Number of threads of a block along x, y and z.
    pub(crate) block: [u32; 3],
    /// The arguments, one word each.
    pub(crate) args: &'a [u64],
}

/// A graph from which executable ones are made.
#[derive(Debug)]
pub(crate) struct Template {
    handle: CUgraph,
    nodes: Vec<CUgraphNode>,
    context: Arc<Context>,
}

/// A graph that can be launched.
#[derive(Debug)]
pub(crate) struct Graph {
    executable: CUgraphExec,
    /// The graph whose nodes also identify those of the executable.
    template: Template,
}

// SAFETY: a graph may be used from any thread; functions that change it take `&mut self`.
unsafe impl Send for Graph {}

impl Template {
    /// Creates a graph of kernels, each of which runs after the previous one.
    pub(crate) fn new(context: &Arc<Context>, kernels: &[Node<'_>]) -> Result<Self, DriverError> {
        let _entered = context.enter()?;
        let mut handle = std::ptr::null_mut();
        // SAFETY: writes a graph.
        check("cuGraphCreate", unsafe {
            sys::cuGraphCreate(&mut handle, 0)
        })?;
        let mut template = Template {
            handle,
            nodes: Vec::with_capacity(kernels.len()),
            context: context.clone(),
        };
        for kernel in kernels {
            let mut node = std::ptr::null_mut();
            let before = template.nodes.last();
            let dependency = before.map_or(std::ptr::null(), std::ptr::from_ref);
            with_parameters(kernel, |parameters| {
                // SAFETY: graph, function and previous node are alive; the driver copies the
                // arguments before it returns.
                check("cuGraphAddKernelNode_v2", unsafe {
                    sys::cuGraphAddKernelNode_v2(
                        &mut node,
                        handle,
                        dependency,
                        usize::from(before.is_some()),
                        parameters,
                    )
                })
            })?;
            template.nodes.push(node);
        }
        Ok(template)
    }

    /// Returns the addresses of the nodes, in the order of the kernels.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = usize> {
        self.nodes.iter().map(|node| node.addr())
    }

    /// Makes the graph executable.
    pub(crate) fn instantiate(self) -> Result<Graph, DriverError> {
        let _entered = self.context.enter()?;
        let mut executable = std::ptr::null_mut();
        // SAFETY: the graph is alive.
        check("cuGraphInstantiateWithFlags", unsafe {
            sys::cuGraphInstantiateWithFlags(&mut executable, self.handle, 0)
        })?;
        Ok(Graph {
            executable,
            template: self,
        })
    }
}

impl Graph {
    /// Returns the number of kernels.
    pub(crate) fn len(&self) -> usize {
        self.template.nodes.len()
    }

    /// Replaces grid, block and arguments of the kernel at `at`, for later launches. Returns false
    /// if there is no such kernel.
    pub(crate) fn update(&mut self, at: usize, kernel: &Node<'_>) -> Result<bool, DriverError> {
        let Some(&node) = self.template.nodes.get(at) else {
            return Ok(false);
        };
        let _entered = self.template.context.enter()?;
        with_parameters(kernel, |parameters| {
            // SAFETY: executable, node and function are alive; the driver copies the arguments
            // before it returns.
            check("cuGraphExecKernelNodeSetParams_v2", unsafe {
                sys::cuGraphExecKernelNodeSetParams_v2(self.executable, node, parameters)
            })
        })?;
        Ok(true)
    }

    /// Puts all kernels into a stream.
    ///
    /// # Safety
    /// As for [`Stream::launch`], for each kernel.
    pub(crate) unsafe fn launch(&self, stream: &Stream) -> Result<(), DriverError> {
        let _entered = stream.enter()?;
        // SAFETY: both are alive; the caller guarantees the rest.
        check("cuGraphLaunch", unsafe {
            sys::cuGraphLaunch(self.executable, stream.handle())
        })
    }
}

fn with_parameters<R>(kernel: &Node<'_>, call: impl FnOnce(&CUDA_KERNEL_NODE_PARAMS) -> R) -> R {
    let mut arguments = pointers(kernel.args);
    call(&CUDA_KERNEL_NODE_PARAMS {
        func: kernel.function.handle(),
        gridDimX: kernel.grid[0],
        gridDimY: kernel.grid[1],
        gridDimZ: kernel.grid[2],
        blockDimX: kernel.block[0],
        blockDimY: kernel.block[1],
        blockDimZ: kernel.block[2],
        sharedMemBytes: 0,
        kernelParams: arguments.as_mut_ptr(),
        extra: std::ptr::null_mut(),
        kern: std::ptr::null_mut(),
        ctx: std::ptr::null_mut(),
    })
}

impl Drop for Graph {
    fn drop(&mut self) {
        let _entered = self.template.context.enter();
        // SAFETY: this value owns the executable; the driver keeps it until launches under way have
        // run.
        let _ = unsafe { sys::cuGraphExecDestroy(self.executable) };
    }
}

impl Drop for Template {
    fn drop(&mut self) {
        let _entered = self.context.enter();
        // SAFETY: this value owns the graph; an executable made of it has been destroyed before.
        let _ = unsafe { sys::cuGraphDestroy(self.handle) };
    }
}
