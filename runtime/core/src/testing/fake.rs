//! A driver without GPUs that records its calls, for tests of the scheduler.
//!
//! Issued work does not run until a thread waits. It then runs on the CPU, in a random order that
//! respects only the order inside each stream and the waits for events. So a missing wait becomes
//! visible.

#![allow(
    unsafe_code,
    reason = "runs kernels on addresses that the scheduler vouches for"
)]

use std::collections::{HashMap, HashSet, VecDeque};
use std::ptr::NonNull;
use std::sync::{Mutex, MutexGuard, PoisonError};

use weft_config::machine::library::CudaLibrary;

use crate::device::cuda::api::{
    Driver, EventId, FunctionId, GpuId, GpuInfo, GraphId, Ready, StreamId,
};
use crate::device::cuda::call::{Call, RawStream};
use crate::device::cuda::code::{self, Kernel};
use crate::device::cuda::factor::Need;
use crate::device::cuda::work::{Address, Issued, Launch, Matrix, Work};
use crate::dtype::DType;
use crate::error::Cause;
use crate::error::DriverError;
use crate::operation::{Body, Operand};

/// A call of the scheduler.
#[derive(Clone, Debug, PartialEq)]
pub enum SchedulerCall {
    /// Issue of work with this name to a stream.
    Issue(u16, String),
    /// Record of an event in a stream.
    Record(u32, u16),
    /// Wait of a stream for an event.
    Wait(u16, u32),
    /// Replay of a graph, with its number of launches, in a stream.
    Replay(u16, usize),
}

#[allow(clippy::large_enum_variant, reason = "in tests only")]
enum Item {
    Work(Work),
    Graph(Vec<Launch>),
    /// Waits until this number of items of another stream has run.
    Wait(StreamId, usize),
}

#[derive(Default)]
struct Stream {
    gpu: u8,
    items: VecDeque<Item>,
    issued: usize,
    done: usize,
}

struct State {
    random: u64,
    streams: Vec<Stream>,
    /// Position of each event: a stream, and the number of its items before the event.
    events: Vec<(StreamId, usize)>,
    graphs: Vec<Vec<Launch>>,
    /// Runs a kernel.
    kernel: Box<dyn FnMut(&Launch) + Send>,
    memory: HashMap<Address, (u8, Vec<u64>)>,
    /// Addresses of unified memory.
    unified: HashSet<Address>,
    used: Vec<u64>,
    asked: Vec<SchedulerCall>,
}

/// GPUs whose work runs on the CPU, late and in any permitted order.
pub struct Fake {
    infos: Vec<GpuInfo>,
    /// Names of operations without GPU code.
    without: Vec<&'static str>,
    /// While it is locked, no work can be issued.
    gate: Mutex<()>,
    state: Mutex<State>,
}

impl Fake {
    /// Creates GPUs of `bytes` bytes each. `seed` determines the order in which items run, and
    /// `kernel` runs a kernel on addresses of this process.
    pub fn new(
        gpus: usize,
        bytes: u64,
        seed: u64,
        kernel: impl FnMut(&Launch) + Send + 'static,
    ) -> Fake {
        let info = GpuInfo {
            name: "fake".to_owned(),
            memory: bytes,
            free: bytes,
            capability: (9, 0),
            multiprocessors: 4,
            bandwidth: None,
            uuid: None,
            has_unified: true,
        };
        Fake {
            infos: vec![info; gpus],
            without: Vec::new(),
            gate: Mutex::new(()),
            state: Mutex::new(State {
                random: seed,
                streams: Vec::new(),
                events: Vec::new(),
                graphs: Vec::new(),
                kernel: Box::new(kernel),
                memory: HashMap::new(),
                unified: HashSet::new(),
                used: vec![0; gpus],
                asked: Vec::new(),
            }),
        }
    }

    /// Removes the code for the operations of these names.
    pub fn without(self, without: &[&'static str]) -> Fake {
        Fake {
            without: without.to_vec(),
            ..self
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Blocks the issue of work until the guard is dropped, so that the program gets ahead.
    pub fn hold(&self) -> MutexGuard<'_, ()> {
        self.gate.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns all calls so far.
    pub fn calls(&self) -> Vec<SchedulerCall> {
        self.state().asked.clone()
    }

    /// Returns the number of items issued to streams of a GPU.
    pub fn issued_on(&self, gpu: u8) -> usize {
        let state = self.state();
        let streams = state.streams.iter();
        let own = streams.filter(|stream| stream.gpu == gpu);
        own.map(|stream| stream.issued).sum()
    }

    /// Returns the number of bytes of device memory that were not freed.
    pub fn allocated_bytes(&self) -> u64 {
        self.state().used.iter().sum()
    }
}

impl State {
    /// Returns a random number (splitmix64).
    fn random(&mut self) -> u64 {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.random;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn push(&mut self, stream: StreamId, item: Item) {
        let stream = &mut self.streams[usize::from(stream.0)];
        stream.items.push_back(item);
        stream.issued += 1;
    }

    /// Runs one item that may run, chosen at random. Returns false if there is none.
    fn step(&mut self) -> bool {
        let may_run = |stream: &Stream| match stream.items.front() {
            None => false,
            Some(Item::Wait(other, done)) => self.streams[usize::from(other.0)].done >= *done,
            Some(_) => true,
        };
        let ready: Vec<usize> = (0..self.streams.len())
            .filter(|at| may_run(&self.streams[*at]))
            .collect();
        if ready.is_empty() {
            return false;
        }
        let at = ready[(self.random() % ready.len() as u64) as usize];
        let item = self.streams[at].items.pop_front().unwrap();
        match item {
            Item::Wait(..) => {}
            Item::Work(work) => self.run(&work),
            Item::Graph(launches) => {
                for launch in launches {
                    self.run(&Work::Kernel(launch));
                }
            }
        }
        self.streams[at].done += 1;
        true
    }

    fn run(&mut self, work: &Work) {
        match work {
            Work::Kernel(launch) => (self.kernel)(launch),
            Work::Copy { from, to, bytes } => {
                // SAFETY: as the scheduler guarantees.
                unsafe {
                    let from = std::ptr::with_exposed_provenance::<u8>(*from as usize);
                    std::ptr::copy(from, pointer(*to), *bytes);
                }
            }
            Work::Fill {
                to,
                pattern,
                width,
                count,
            } => {
                let pattern = pattern.to_le_bytes();
                for at in 0..*count {
                    let width = usize::from(*width);
                    // SAFETY: as the scheduler guarantees.
                    unsafe {
                        let to = pointer(*to + (at * width) as u64);
                        std::ptr::copy(pattern.as_ptr(), to, width);
                    }
                }
            }
            Work::Fft(fft) => {
                unreachable!("this driver has no cuFFT: {fft:?}")
            }
            Work::Factor(factoring) => {
                unreachable!("this driver has no cuSOLVER: {factoring:?}")
            }
            Work::Gemm(gemm) => {
                assert_eq!(gemm.dtype, DType::F64);
                let at = |matrix: Matrix, row: usize, column: usize| {
                    let place = match matrix.is_transposed {
                        false => row * matrix.step + column,
                        true => column * matrix.step + row,
                    };
                    pointer(matrix.start + 8 * place as u64).cast::<f64>()
                };
                for row in 0..gemm.rows {
                    for column in 0..gemm.columns {
                        // SAFETY: as the scheduler guarantees.
                        unsafe {
                            let terms = (0..gemm.inner)
                                .map(|k| *at(gemm.a, row, k) * *at(gemm.b, k, column));
                            *at(gemm.c, row, column) = terms.sum();
                        }
                    }
                }
            }
        }
    }
}

fn pointer(address: Address) -> *mut u8 {
    std::ptr::with_exposed_provenance_mut(address as usize)
}

impl Driver for Fake {
    fn gpus(&self) -> &[GpuInfo] {
        &self.infos
    }

    fn enter_thread(&self) -> Result<(), DriverError> {
        Ok(())
    }

    fn settle(&self, gpu: GpuId) -> Result<(), DriverError> {
        let mut state = self.state();
        while state
            .streams
            .iter()
            .any(|stream| stream.gpu == gpu.0 && !stream.items.is_empty())
        {
            assert!(state.step(), "streams wait for each other");
        }
        Ok(())
    }

    fn allocate(&self, gpu: GpuId, bytes: usize) -> Result<Address, DriverError> {
        let state = self.state();
        // Pages of unified memory give way.
        let own = state
            .memory
            .iter()
            .filter(|(address, (owner, _))| *owner == gpu.0 && !state.unified.contains(address));
        let used: usize = own.map(|(_, (_, block))| 8 * block.len()).sum();
        drop(state);
        if (used + bytes) as u64 > self.infos[0].memory {
            return Err(DriverError::OutOfMemory { gpu: gpu.0, bytes });
        }
        let address = self.allocate_unified(gpu, bytes, 0)?;
        self.state().unified.remove(&address);
        Ok(address)
    }

    fn allocate_unified(&self, gpu: GpuId, bytes: usize, _: usize) -> Result<Address, DriverError> {
        let mut state = self.state();
        state.used[usize::from(gpu.0)] += bytes as u64;
        // Filled with a value that a program cannot mistake for its own.
        let block = vec![0x7ff8_dead_beef_dead_u64; bytes.div_ceil(8)];
        let address = block.as_ptr().expose_provenance() as u64;
        state.memory.insert(address, (gpu.0, block));
        state.unified.insert(address);
        Ok(address)
    }

    unsafe fn free(&self, gpu: GpuId, address: Address) {
        let mut state = self.state();
        let idle = |stream: &Stream| stream.gpu != gpu.0 || stream.items.is_empty();
        assert!(
            state.streams.iter().all(idle),
            "memory is freed under running work"
        );
        let (_, block) = state.memory.remove(&address).unwrap();
        state.unified.remove(&address);
        state.used[usize::from(gpu.0)] -= 8 * block.len() as u64;
    }

    fn allocate_pinned(&self, bytes: usize) -> Result<NonNull<u8>, DriverError> {
        let block = vec![0xaaaa_u64; bytes.div_ceil(8)];
        let start = block.as_ptr().cast_mut().cast::<u8>();
        let address = start.expose_provenance() as u64;
        self.state().memory.insert(address, (u8::MAX, block));
        Ok(NonNull::new(start).unwrap())
    }

    unsafe fn free_pinned(&self, address: NonNull<u8>) {
        let address = address.as_ptr().expose_provenance() as u64;
        assert!(self.state().memory.remove(&address).is_some());
    }

    fn stream(&self, gpu: GpuId) -> Result<StreamId, DriverError> {
        let mut state = self.state();
        state.streams.push(Stream {
            gpu: gpu.0,
            ..Stream::default()
        });
        Ok(StreamId(state.streams.len() as u16 - 1))
    }

    fn event(&self, _gpu: GpuId) -> Result<EventId, DriverError> {
        let mut state = self.state();
        state.events.push((StreamId(0), 0));
        Ok(EventId(state.events.len() as u32 - 1))
    }

    fn record(&self, event: EventId, stream: StreamId) -> Result<(), DriverError> {
        let mut state = self.state();
        let issued = state.streams[usize::from(stream.0)].issued;
        state.events[event.0 as usize] = (stream, issued);
        state.asked.push(SchedulerCall::Record(event.0, stream.0));
        Ok(())
    }

    fn wait(&self, stream: StreamId, event: EventId) -> Result<(), DriverError> {
        let mut state = self.state();
        let (of, done) = state.events[event.0 as usize];
        state.push(stream, Item::Wait(of, done));
        state.asked.push(SchedulerCall::Wait(stream.0, event.0));
        Ok(())
    }

    fn has_reached(&self, event: EventId) -> Result<bool, DriverError> {
        let mut state = self.state();
        for _ in 0..state.random() % 4 {
            state.step();
        }
        let (of, done) = state.events[event.0 as usize];
        Ok(state.streams[usize::from(of.0)].done >= done)
    }

    fn synchronize(&self, event: EventId) -> Result<(), DriverError> {
        loop {
            // Other threads may issue work meanwhile, as with a GPU.
            let mut state = self.state();
            let (of, done) = state.events[event.0 as usize];
            if state.streams[usize::from(of.0)].done >= done {
                return Ok(());
            }
            assert!(state.step(), "streams wait for each other");
        }
    }

    fn prepare(&self, _gpu: GpuId, _kernel: &Kernel) -> Result<Ready, DriverError> {
        Ok(Ready {
            function: FunctionId(0),
            preparation: None,
        })
    }

    unsafe fn issue(
        &self,
        stream: StreamId,
        work: &Work,
        _function: Option<FunctionId>,
    ) -> Result<(), DriverError> {
        drop(self.hold());
        let mut state = self.state();
        let name = match work {
            Work::Kernel(launch) => launch.kernel.name(),
            Work::Gemm(_) => "gemm".to_owned(),
            Work::Fft(_) => "fft".to_owned(),
            Work::Factor(_) => "factor".to_owned(),
            Work::Fill { .. } => "fill".to_owned(),
            Work::Copy { .. } => "copy".to_owned(),
        };
        state.asked.push(SchedulerCall::Issue(stream.0, name));
        state.push(stream, Item::Work(work.clone()));
        Ok(())
    }

    fn lend(&self, stream: StreamId, call: &dyn Call) -> Result<(), Cause> {
        drop(self.hold());
        let mut state = self.state();
        state
            .asked
            .push(SchedulerCall::Issue(stream.0, "call".to_owned()));
        // The function has no stream for its work, so all earlier work must be done.
        let own = usize::from(stream.0);
        while !state.streams[own].items.is_empty() {
            assert!(state.step(), "streams wait for each other");
        }
        let device = i32::from(state.streams[own].gpu);
        drop(state);
        call.call(RawStream { handle: 0, device })
    }

    fn graph(&self, _gpu: GpuId, launches: &[Launch]) -> Result<GraphId, DriverError> {
        let mut state = self.state();
        state.graphs.push(launches.to_vec());
        Ok(GraphId(state.graphs.len() as u32 - 1))
    }

    fn nodes(&self, graph: GraphId) -> Vec<u64> {
        let launches = self.state().graphs[graph.0 as usize].len() as u64;
        (0..launches)
            .map(|node| (u64::from(graph.0) << 32) + node + 1)
            .collect()
    }

    fn update(&self, graph: GraphId, at: usize, launch: &Launch) -> Result<(), DriverError> {
        let mut state = self.state();
        let known = &mut state.graphs[graph.0 as usize][at];
        assert_eq!(known.kernel, launch.kernel);
        *known = launch.clone();
        Ok(())
    }

    unsafe fn replay(&self, graph: GraphId, stream: StreamId) -> Result<(), DriverError> {
        let mut state = self.state();
        let launches = state.graphs[graph.0 as usize].clone();
        state
            .asked
            .push(SchedulerCall::Replay(stream.0, launches.len()));
        state.push(stream, Item::Graph(launches));
        Ok(())
    }

    fn forget(&self, _graph: GraphId) {}

    fn has_code(&self, body: &Body, operands: &[Operand]) -> bool {
        code::covers(body, operands)
            && self.lacks(body).is_none()
            && !self.without.contains(&body.name)
    }

    fn lacks_functions(&self, need: Need) -> Option<DriverError> {
        let library = match need {
            Need::Transforms => CudaLibrary::Cufft,
            Need::Factors | Need::Eigenvalues => CudaLibrary::Cusolver,
        };
        Some(DriverError::Missing {
            library: library.name(),
            remedy: library.remedy(),
        })
    }

    fn issued(&self) -> Issued {
        let mut issued = Issued::default();
        for asked in self.calls() {
            match asked {
                SchedulerCall::Issue(_, name) => match name.as_str() {
                    "gemm" | "factor" => issued.products += 1,
                    "fft" => issued.transforms += 1,
                    "fill" => issued.fills += 1,
                    "copy" => issued.copies += 1,
                    // Work that the function puts into streams is not counted.
                    "call" => {}
                    _ => issued.kernels += 1,
                },
                SchedulerCall::Replay(_, launches) => {
                    issued.graphs += 1;
                    issued.graph_kernels += launches as u64;
                }
                SchedulerCall::Record(..) | SchedulerCall::Wait(..) => {}
            }
        }
        issued
    }
}
