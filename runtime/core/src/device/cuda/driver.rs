//! The GPUs of this machine, by the CUDA driver, which is loaded when it is first needed.
//!
//! It has three layers. [`sys`] has the driver's functions under their C names. [`safe`] wraps the
//! driver's objects in values that release them. [`CudaDriver`] keeps those values in tables and
//! implements [`Driver`].

#![allow(
    unsafe_code,
    reason = "the driver's functions are called by their C signatures, with addresses the scheduler vouches for"
)]

mod call;
mod column_major;
mod counts;
mod functions;
mod library;
mod memories;
mod pool;
mod safe;
mod sys;
mod table;

use std::ops::Range;
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use rustc_hash::FxHashMap;
use weft_trace::record::CodeOrigin;

use super::api::{
    Driver, EventId, FunctionId, GpuId, GpuInfo, GraphId, Preparation, Ready, StreamId,
};
use super::call::Call;
use super::code::Kernel;
use super::factor::{Factoring, Need};
use super::image::Image;
use super::work::{Address, Issued, Launch, Transform, TransformKind, Work};
use crate::dtype::DType;
use crate::error::Cause;
use crate::error::DriverError;
use counts::{Counts, add};
use functions::{Functions, Maker};
use memories::Memories;
use pool::CompilePool;
use safe::{Blas, Context, Event, Function, Graph, Node, Plans, Solver, Stream, Template};
use table::Table;

pub(crate) use functions::Code;

/// Functions and settings that the driver needs.
pub(crate) struct Means {
    /// Compiles a kernel for a compute capability.
    pub(crate) compile: Compile,
    /// Returns CUPTI's ids of the nodes of graphs; `None` if the run is not recorded.
    pub(crate) watch: Option<Watch>,
    /// Whether products of float32 matrices may round their operands to TF32.
    pub(crate) tf32: bool,
}

/// Compiles a kernel for a compute capability, major and minor.
pub(crate) type Compile =
    Box<dyn Fn(&Kernel, (u32, u32)) -> Result<Code, DriverError> + Send + Sync>;

/// Calls its argument, which makes a graph executable. Returns the ids of the executable's nodes by
/// the addresses of the nodes that they were made from.
pub(crate) type Watch = Box<dyn Fn(&mut dyn FnMut()) -> FxHashMap<usize, u64> + Send + Sync>;

/// The GPUs of this machine.
pub(crate) struct CudaDriver {
    watch: Option<Watch>,
    tf32: bool,
    maker: Arc<Maker>,
    infos: Vec<GpuInfo>,
    streams: Table<StreamOf>,
    events: Table<Event>,
    graphs: Table<Mutex<Option<GraphOf>>>,
    memories: Memories,
    counts: Counts,
    gpus: Vec<Gpu>,
}

struct Gpu {
    functions: Arc<Functions>,
    /// Plans of Fourier transforms.
    plans: Mutex<Plans>,
    context: Arc<Context>,
}

struct StreamOf {
    /// Created for the stream's first product.
    blas: Mutex<Option<Blas>>,
    /// Created for the stream's first factorisation.
    solver: Mutex<Option<Solver>>,
    /// Event that orders the stream and the default stream. Created for the stream's first call.
    fence: OnceLock<Event>,
    stream: Stream,
}

impl StreamOf {
    /// Calls `body` with the stream's handle of cuBLAS. A new handle uses `workspace`, or allocates
    /// memory without it.
    fn with_blas<R>(
        &self,
        tf32: bool,
        workspace: Option<Address>,
        body: impl FnOnce(&mut Blas) -> Result<R, DriverError>,
    ) -> Result<R, DriverError> {
        let mut blas = self.blas.lock().unwrap_or_else(PoisonError::into_inner);
        body(match &mut *blas {
            Some(blas) => blas,
            none => none.insert(Blas::new(&self.stream, tf32, workspace)?),
        })
    }

    fn with_solver<R>(
        &self,
        body: impl FnOnce(&mut Solver) -> Result<R, DriverError>,
    ) -> Result<R, DriverError> {
        let mut solver = self.solver.lock().unwrap_or_else(PoisonError::into_inner);
        body(match &mut *solver {
            Some(solver) => solver,
            none => none.insert(Solver::new(&self.stream)?),
        })
    }
}

struct GraphOf {
    graph: Graph,
    gpu: GpuId,
    /// The nodes' ids in CUPTI; empty if CUPTI does not report them.
    nodes: Vec<u64>,
}

/// Returns the newest CUDA version that the driver supports, for example (13, 0).
///
/// # Errors
/// Returns an error if the driver is missing or too old, or sees no GPU.
pub(crate) fn version() -> Result<(u32, u32), DriverError> {
    library::start()?;
    library::version()
}

impl CudaDriver {
    /// Opens `gpus` GPUs, starting at number `first`. Retains the primary context of each, and
    /// enables access between all pairs where the machine supports it.
    ///
    /// # Errors
    /// Returns an error if the driver is missing or too old, or there are fewer GPUs.
    pub(crate) fn open(first: usize, gpus: usize, means: Means) -> Result<Self, DriverError> {
        let found = library::start()?;
        if found < first + gpus {
            return Err(DriverError::TooFew {
                asked: first + gpus,
                found,
            });
        }
        let mut all = Vec::with_capacity(gpus);
        let mut infos = Vec::with_capacity(gpus);
        for number in 0..gpus {
            let number = u8::try_from(number).map_err(|_| too_many("GPUs"))?;
            let context = Context::new(GpuId(number), first)?;
            infos.push(context.info()?);
            all.push(Gpu {
                functions: Arc::default(),
                plans: Mutex::default(),
                context,
            });
        }
        for gpu in &all {
            for other in &all {
                if !Arc::ptr_eq(&gpu.context, &other.context) {
                    gpu.context.reach(&other.context)?;
                }
            }
        }
        Ok(CudaDriver {
            watch: means.watch,
            tf32: means.tf32,
            maker: Arc::new(Maker {
                compile: means.compile,
                table: Table::new(),
                pool: CompilePool::default(),
            }),
            infos,
            streams: Table::new(),
            events: Table::new(),
            graphs: Table::new(),
            memories: Memories::default(),
            counts: Counts::default(),
            gpus: all,
        })
    }

    fn gpu(&self, gpu: GpuId) -> Result<&Gpu, DriverError> {
        self.gpus
            .get(usize::from(gpu.0))
            .ok_or_else(|| unknown("GPU"))
    }

    fn plans(&self, gpu: GpuId) -> Result<MutexGuard<'_, Plans>, DriverError> {
        let plans = &self.gpu(gpu)?.plans;
        Ok(plans.lock().unwrap_or_else(PoisonError::into_inner))
    }

    #[inline]
    fn stream_of(&self, stream: StreamId) -> Result<&StreamOf, DriverError> {
        let found = self.streams.get(usize::from(stream.0));
        found.ok_or_else(|| unknown("stream"))
    }

    fn event_of(&self, event: EventId) -> Result<&Event, DriverError> {
        let found = self.events.get(event.0 as usize);
        found.ok_or_else(|| unknown("event"))
    }

    #[inline]
    fn loaded(&self, gpu: GpuId, kernel: &Kernel) -> Result<&Function, DriverError> {
        self.loaded_as(self.prepare(gpu, kernel)?.function)
    }

    #[inline]
    fn loaded_as(&self, function: FunctionId) -> Result<&Function, DriverError> {
        let found = self.maker.table.get(function.0 as usize);
        found.ok_or_else(|| unknown("kernel"))
    }

    fn node<'a>(&'a self, gpu: GpuId, launch: &'a Launch) -> Result<Node<'a>, DriverError> {
        Ok(Node {
            function: self.loaded(gpu, &launch.kernel)?,
            grid: launch.grid,
            block: launch.block,
            args: &launch.args,
        })
    }

    /// Calls `body` with a graph that has not been destroyed.
    fn with_graph<R>(
        &self,
        graph: GraphId,
        body: impl FnOnce(&mut GraphOf) -> Result<R, DriverError>,
    ) -> Result<R, DriverError> {
        let place = self.graphs.get(graph.0 as usize);
        let mut place = place
            .ok_or_else(|| unknown("graph"))?
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        body(place.as_mut().ok_or_else(|| unknown("graph"))?)
    }
}

impl Driver for CudaDriver {
    fn gpus(&self) -> &[GpuInfo] {
        &self.infos
    }

    fn enter_thread(&self) -> Result<(), DriverError> {
        safe::enter_thread();
        match self.gpus.first() {
            Some(gpu) => gpu.context.enter().map(drop),
            None => Ok(()),
        }
    }

    fn settle(&self, gpu: GpuId) -> Result<(), DriverError> {
        self.gpu(gpu)?.context.synchronize()
    }

    fn allocate(&self, gpu: GpuId, bytes: usize) -> Result<Address, DriverError> {
        self.memories.allocate(&self.gpu(gpu)?.context, bytes)
    }

    fn allocate_unified(
        &self,
        gpu: GpuId,
        bytes: usize,
        ahead: usize,
    ) -> Result<Address, DriverError> {
        let context = &self.gpu(gpu)?.context;
        self.memories.allocate_unified(context, bytes, ahead)
    }

    fn move_ahead(&self, stream: StreamId, range: Range<Address>) -> Result<(), DriverError> {
        self.stream_of(stream)?.stream.move_ahead(range)
    }

    unsafe fn free(&self, _gpu: GpuId, address: Address) {
        self.memories.free(address);
    }

    fn allocate_pinned(&self, bytes: usize) -> Result<NonNull<u8>, DriverError> {
        // Any GPU that has not stopped will do.
        let mut made = Err(unknown("GPU"));
        for gpu in &self.gpus {
            made = self.memories.allocate_pinned(&gpu.context, bytes);
            if !made.as_ref().is_err_and(DriverError::stops_gpu) {
                break;
            }
        }
        made
    }

    unsafe fn free_pinned(&self, address: NonNull<u8>) {
        self.memories.free_pinned(address);
    }

    fn stream(&self, gpu: GpuId) -> Result<StreamId, DriverError> {
        let stream = StreamOf {
            stream: Stream::new(&self.gpu(gpu)?.context)?,
            blas: Mutex::new(None),
            solver: Mutex::new(None),
            fence: OnceLock::new(),
        };
        let number = self.streams.push(stream).map_err(|_| too_many("streams"))?;
        u16::try_from(number)
            .map(StreamId)
            .map_err(|_| too_many("streams"))
    }

    fn event(&self, gpu: GpuId) -> Result<EventId, DriverError> {
        let event = Event::new(&self.gpu(gpu)?.context)?;
        let number = self.events.push(event).map_err(|_| too_many("events"))?;
        u32::try_from(number)
            .map(EventId)
            .map_err(|_| too_many("events"))
    }

    fn record(&self, event: EventId, stream: StreamId) -> Result<(), DriverError> {
        self.stream_of(stream)?.stream.record(self.event_of(event)?)
    }

    fn wait(&self, stream: StreamId, event: EventId) -> Result<(), DriverError> {
        self.stream_of(stream)?.stream.wait(self.event_of(event)?)
    }

    fn has_reached(&self, event: EventId) -> Result<bool, DriverError> {
        self.event_of(event)?.has_reached()
    }

    fn synchronize(&self, event: EventId) -> Result<(), DriverError> {
        self.event_of(event)?.synchronize()
    }

    #[inline]
    fn prepare(&self, gpu: GpuId, kernel: &Kernel) -> Result<Ready, DriverError> {
        let Gpu {
            functions, context, ..
        } = self.gpu(gpu)?;
        let capability = self.infos[usize::from(gpu.0)].capability;
        functions.find(&self.maker, (context, capability), kernel)
    }

    fn foresee(&self, gpu: GpuId, kernel: &Kernel) {
        if let Ok(Gpu {
            functions, context, ..
        }) = self.gpu(gpu)
        {
            let capability = self.infos[usize::from(gpu.0)].capability;
            functions.begin(&self.maker, (context, capability), kernel, false);
        }
    }

    fn plan(&self, gpu: GpuId, transform: &Transform) -> Result<usize, DriverError> {
        let context = &self.gpu(gpu)?.context;
        self.plans(gpu)?.area(context, transform)
    }

    fn open_library(
        &self,
        stream: StreamId,
        work: &Work,
        workspace: Option<Address>,
    ) -> Result<(), DriverError> {
        let of = || self.stream_of(stream);
        match work {
            Work::Gemm(_) => of()?.with_blas(self.tf32, workspace, |_| Ok(())),
            Work::Factor(factoring) if factoring.routine.is_of_cublas() => {
                of()?.with_blas(self.tf32, workspace, |_| Ok(()))
            }
            Work::Factor(_) => of()?.with_solver(|_| Ok(())),
            // Plans of cuFFT belong to no stream.
            Work::Kernel(_) | Work::Fft(_) | Work::Fill { .. } | Work::Copy { .. } => Ok(()),
        }
    }

    fn planned(&self, gpu: GpuId, transform: &Transform) -> Option<Box<Preparation>> {
        let (major, minor) = self.infos[usize::from(gpu.0)].capability;
        let made = self.plans(gpu).ok()?.take_times(transform)?;
        Some(Box::new(Preparation {
            image: Arc::new(Image {
                name: plan_name(transform),
                source: 0,
                target: format!("sm_{major}{minor}"),
                bytes: Vec::new(),
            }),
            origin: CodeOrigin::Compiled,
            start: made.start,
            made: made.end,
            end: made.end,
            waited_from: Some(made.start),
        }))
    }

    fn lacks_functions(&self, need: Need) -> Option<DriverError> {
        match need {
            Need::Transforms => Plans::can_be_made().err(),
            Need::Factors => Solver::can_factor().err(),
            Need::Eigenvalues => Solver::can_find_eigenvalues().err(),
        }
    }

    fn stop_compiling(&self) {
        self.maker.pool.stop();
    }

    #[inline]
    unsafe fn issue(
        &self,
        stream: StreamId,
        work: &Work,
        function: Option<FunctionId>,
    ) -> Result<(), DriverError> {
        let of = self.stream_of(stream)?;
        match work {
            Work::Kernel(launch) => {
                let function = match function {
                    Some(function) => self.loaded_as(function)?,
                    None => self.loaded(of.stream.context().gpu(), &launch.kernel)?,
                };
                let Launch {
                    grid, block, args, ..
                } = launch;
                // SAFETY: as the caller guarantees; the arguments were made for this kernel.
                unsafe { of.stream.launch(function, *grid, *block, args) }?;
                add(&self.counts.kernels, 1);
            }
            Work::Gemm(gemm) => {
                let _entered = of.stream.enter()?;
                // SAFETY: as the caller guarantees.
                of.with_blas(self.tf32, None, |blas| unsafe { blas.product(gemm) })?;
                add(&self.counts.products, 1);
            }
            Work::Factor(factoring) => {
                let _entered = of.stream.enter()?;
                if factoring.routine.is_of_cublas() {
                    // SAFETY: as the caller guarantees.
                    of.with_blas(self.tf32, None, |blas| unsafe { blas.factor(factoring) })?;
                } else {
                    // SAFETY: as the caller guarantees.
                    of.with_solver(|solver| unsafe { solver.run(&of.stream, factoring) })?;
                }
                add(&self.counts.products, 1);
            }
            Work::Fft(fft) => {
                let mut plans = self.plans(of.stream.context().gpu())?;
                // SAFETY: as the caller guarantees.
                unsafe { plans.run(&of.stream, fft) }?;
                add(&self.counts.transforms, 1);
            }
            Work::Fill {
                to,
                pattern,
                width,
                count,
            } => {
                // SAFETY: as the caller guarantees.
                unsafe { of.stream.fill(*to, *pattern, *width, *count) }?;
                add(&self.counts.fills, 1);
            }
            Work::Copy { from, to, bytes } => {
                let peers = match self.gpus.as_slice() {
                    [_] => None,
                    _ => self.memories.peers(*from, *to),
                };
                let peers = peers.as_ref().map(|(from, to)| (&**from, &**to));
                // SAFETY: as the caller guarantees.
                unsafe { of.stream.copy(*from, *to, *bytes, peers) }?;
                add(&self.counts.copies, 1);
            }
        }
        Ok(())
    }

    fn lend(&self, stream: StreamId, call: &dyn Call) -> Result<(), Cause> {
        let of = self.stream_of(stream)?;
        let fence = match of.fence.get() {
            Some(fence) => fence,
            None => {
                let made = Event::new(of.stream.context())?;
                of.fence.get_or_init(|| made)
            }
        };
        of.stream.lend(fence, |stream| call.call(stream))
    }

    fn graph(&self, gpu: GpuId, launches: &[Launch]) -> Result<GraphId, DriverError> {
        let nodes = launches.iter().map(|launch| self.node(gpu, launch));
        let nodes = nodes.collect::<Result<Vec<_>, _>>()?;
        let template = Template::new(&self.gpu(gpu)?.context, &nodes)?;
        let originals: Vec<usize> = template.nodes().collect();
        let (graph, ids) = match &self.watch {
            None => (template.instantiate(), FxHashMap::default()),
            Some(watch) => {
                let (mut template, mut made) = (Some(template), None);
                let ids = watch(&mut || made = template.take().map(Template::instantiate));
                (made.unwrap_or_else(|| Err(unknown("graph"))), ids)
            }
        };
        let known = originals.iter().map(|node| ids.get(node).copied());
        let graph = GraphOf {
            graph: graph?,
            gpu,
            nodes: known.collect::<Option<Vec<_>>>().unwrap_or_default(),
        };
        let number = self.graphs.push(Mutex::new(Some(graph)));
        let number = number.map_err(|_| too_many("graphs"))?;
        u32::try_from(number)
            .map(GraphId)
            .map_err(|_| too_many("graphs"))
    }

    fn nodes(&self, graph: GraphId) -> Vec<u64> {
        let nodes = self.with_graph(graph, |graph| Ok(graph.nodes.clone()));
        nodes.unwrap_or_default()
    }

    fn update(&self, graph: GraphId, at: usize, launch: &Launch) -> Result<(), DriverError> {
        self.with_graph(graph, |graph| {
            let node = self.node(graph.gpu, launch)?;
            match graph.graph.update(at, &node)? {
                true => Ok(()),
                false => Err(unknown("launch of a graph")),
            }
        })
    }

    unsafe fn replay(&self, graph: GraphId, stream: StreamId) -> Result<(), DriverError> {
        let stream = &self.stream_of(stream)?.stream;
        self.with_graph(graph, |graph| {
            // SAFETY: as the caller guarantees.
            unsafe { graph.graph.launch(stream) }?;
            add(&self.counts.graphs, 1);
            add(&self.counts.graph_kernels, graph.graph.len());
            Ok(())
        })
    }

    fn workspace(&self, gpu: GpuId, factoring: &Factoring) -> Result<usize, DriverError> {
        if factoring.routine.is_of_cublas() {
            return Ok(0);
        }
        // Any handle of the GPU can compute it.
        let mut streams = (0..).map_while(|number| self.streams.get(number));
        let stream = streams.find(|of| of.stream.context().gpu() == gpu);
        let stream = stream.ok_or_else(|| unknown("GPU"))?;
        // The result depends on the current GPU.
        let _entered = stream.stream.enter()?;
        stream.with_solver(|solver| solver.workspace(factoring))
    }

    fn issued(&self) -> Issued {
        self.counts.read()
    }

    fn forget(&self, graph: GraphId) {
        if let Some(place) = self.graphs.get(graph.0 as usize) {
            let mut place = place.lock().unwrap_or_else(PoisonError::into_inner);
            *place = None;
        }
    }
}

impl Drop for CudaDriver {
    fn drop(&mut self) {
        self.maker.pool.stop();
        // Work in streams uses the objects that are released after this.
        for gpu in &self.gpus {
            let _ = gpu.context.synchronize();
        }
    }
}

/// Returns the name of a plan in records: cuFFT's name of the types, the length and the number of
/// lines, for example `cufft_z2z_1024x16`.
fn plan_name(transform: &Transform) -> String {
    use TransformKind::{Forward, Inverse, RealForward, RealInverse};
    let numbers = match (transform.kind, transform.real) {
        (Forward | Inverse, DType::F32) => "c2c",
        (Forward | Inverse, _) => "z2z",
        (RealForward, DType::F32) => "r2c",
        (RealForward, _) => "d2z",
        (RealInverse, DType::F32) => "c2r",
        (RealInverse, _) => "z2d",
    };
    format!("cufft_{numbers}_{}x{}", transform.length, transform.lines)
}

/// Returns the error for an id that this driver has not returned.
#[cold]
fn unknown(what: &'static str) -> DriverError {
    DriverError::Call {
        call: what,
        code: 400,
        name: "an id that the driver has not returned".into(),
    }
}

#[cold]
fn too_many(what: &'static str) -> DriverError {
    DriverError::Call {
        call: what,
        code: 1,
        name: "more than can be numbered".into(),
    }
}

#[cfg(test)]
mod tests;
