//! The GPUs of a rank, shared by all its threads.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use rustc_hash::FxHashSet;
use weft_config::{Bytes, GpuMemory, Plan};
use weft_trace::id::{MemoryId, ProcessorId};
use weft_trace::record::{self, MemoryKind};

use super::api::{Driver, GpuId, GpuInfo};
use super::completion::Events;
use super::foresee::Foresight;
use super::host::HostQueue;
use super::supply::{Device, Pinned, Unified};
use crate::error::{DriverError, LostArrays};
use crate::identity::Uids;
use crate::memory::{Memory, Place, Pool, Store};
use crate::observe::{Log, Recorder};
use crate::operation::{Body, Operand, Operation};
use crate::scope::Scope;

/// The part of a run that this rank is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// The whole run.
    All,
    /// One of several ranks.
    Some {
        /// Whether MPI takes addresses in GPU memory.
        is_mpi_aware: bool,
    },
}

/// State of the GPUs that the threads of a runtime share.
pub(crate) struct Gpus {
    pub(crate) driver: Arc<dyn Driver>,
    /// Tasks without GPU code.
    pub(crate) host: HostQueue,
    /// Events that can be reused.
    pub(super) events: Events,
    /// The memory of each GPU: its own, or unified memory with `--gpu-memory unified`.
    pub(crate) memories: Vec<Arc<Memory>>,
    /// Unified memory of each GPU, in addition to its own, for stores that ask for it. Created for
    /// the first such store.
    pub(crate) unified: Arc<OnceLock<Vec<Arc<Memory>>>>,
    /// Host memory that the GPUs can use.
    pub(crate) pinned: Arc<Memory>,
    /// Whether an instance holds a whole store. With several GPUs, in this rank or in others, each
    /// holds a part.
    pub(crate) hold_all: bool,
    /// Whether MPI sends from and receives into GPU memory.
    pub(super) is_mpi_aware: bool,
    pub(super) foresight: Foresight,
    /// For each GPU, the error that stopped it.
    lost: Vec<OnceLock<DriverError>>,
    /// Number of GPUs that have stopped.
    losses: AtomicU64,
    /// The serial number of the last batch of the dispatcher whose work is known to have run.
    pub(super) completed: AtomicU64,
    /// The processor of the first GPU; the others follow.
    first: ProcessorId,
    /// CUDA's number of the first GPU in this process.
    first_device: u32,
}

impl Gpus {
    /// Creates the state for the GPUs of a driver. `first` is the processor id of the first one.
    /// Memories are numbered from 1.
    pub(crate) fn new(
        driver: Arc<dyn Driver>,
        plan: &Plan,
        first: ProcessorId,
        part: Part,
        (recorder, uids, log): (&Arc<Recorder>, &Arc<Uids>, &Arc<Log>),
    ) -> Gpus {
        let memory = |id: usize, kind: MemoryKind, pool: Pool, machine: u64| {
            Arc::new(Memory {
                id: MemoryId(id as u16),
                kind,
                pool: Arc::new(pool),
                is_nested: false,
                machine,
                nearer: Vec::new(),
                recorder: recorder.clone(),
                log: log.clone(),
                uids: uids.clone(),
            })
        };
        let pinned = Pool::supplied(plan.zcmem.0, Box::new(Pinned::new(driver.clone())));
        let memories = driver.gpus().iter().enumerate().map(|(gpu, info)| {
            let (all, free) = (Bytes(info.memory), Bytes(info.free));
            let (id, driver) = (GpuId(gpu as u8), driver.clone());
            if plan.gpu_memory == GpuMemory::Unified {
                let pool = unified_pool(plan, driver, id, info);
                let machine = info.memory.saturating_add(plan.machine_memory.0);
                return memory(2 + gpu, MemoryKind::Managed, pool, machine);
            }
            let supply = Device::new(driver, id);
            memory(
                2 + gpu,
                MemoryKind::Framebuffer,
                Pool::supplied(plan.fbmem_of(all, free).0, Box::new(supply)),
                info.memory,
            )
        });
        let memories: Vec<_> = memories.collect();
        Gpus {
            lost: memories.iter().map(|_| OnceLock::new()).collect(),
            losses: AtomicU64::new(0),
            completed: AtomicU64::new(0),
            hold_all: part == Part::All && memories.len() == 1,
            is_mpi_aware: part == Part::Some { is_mpi_aware: true },
            memories,
            unified: Arc::default(),
            pinned: memory(1, MemoryKind::ZeroCopy, pinned, plan.machine_memory.0),
            host: HostQueue::default(),
            events: Events::default(),
            foresight: Foresight::default(),
            first,
            first_device: plan.first_gpu as u32,
            driver,
        }
    }

    /// Adds what a user needs to an error of a GPU: a remedy if it lacks memory, and the arrays
    /// that are lost if it has stopped. All errors after it has stopped are the same.
    pub(super) fn explain(&self, gpu: GpuId, error: DriverError) -> DriverError {
        let known = self.lost.get(usize::from(gpu.0));
        let (Some(known), true) = (known, error.stops_gpu()) else {
            return error.on(gpu.0);
        };
        if known.get().is_none()
            && let Some(other) = self.found_stopped(gpu)
        {
            return self.explain(other, error);
        }
        let lost = known.get_or_init(|| match error {
            DriverError::Call { call, code, name } => DriverError::Lost {
                gpu: gpu.0,
                call,
                code,
                name,
                lost: Arc::new(self.lost_with(gpu)),
            },
            other => other,
        });
        let lost = lost.clone();
        let count = self.lost.iter().filter(|lost| lost.get().is_some()).count();
        self.losses.fetch_max(count as u64, Ordering::AcqRel);
        lost
    }

    /// Returns another GPU if that one has stopped rather than `gpu`. A call for one GPU may fail
    /// because it needs the work or the memory of another.
    fn found_stopped(&self, gpu: GpuId) -> Option<GpuId> {
        let works = |gpu: &GpuId| match self.driver.event(*gpu) {
            Ok(event) => {
                self.events.give_back([(*gpu, event)]);
                true
            }
            Err(_) => false,
        };
        if self.count() == 1 || !works(&gpu) {
            return None;
        }
        let others = (0..self.count() as u8).map(GpuId);
        others
            .filter(|other| *other != gpu)
            .find(|other| !works(other))
    }

    /// Returns the number of GPUs that have stopped.
    pub(super) fn losses(&self) -> u64 {
        self.losses.load(Ordering::Acquire)
    }

    /// Returns the error that stopped a GPU; `None` if it has not stopped.
    pub(super) fn lost(&self, gpu: GpuId) -> Option<&DriverError> {
        self.lost.get(usize::from(gpu.0))?.get()
    }

    /// Returns the arrays that have elements only in the memory of a GPU.
    fn lost_with(&self, gpu: GpuId) -> LostArrays {
        let mut lost = LostArrays::default();
        let mut stores = FxHashSet::default();
        let holdings = self
            .memories_of(gpu)
            .flat_map(|memory| memory.pool.holdings());
        for holding in holdings {
            let holder = &holding.holder;
            let is_lost = holder.instance.is_some()
                && holder
                    .owner
                    .upgrade()
                    .is_some_and(|store| store.residence().is_alone(Place(gpu.0)));
            if !is_lost {
                continue;
            }
            lost.bytes += holding.size as u64;
            lost.count += usize::from(stores.insert(holder.store));
            if !lost.sites.contains(&holder.location) {
                lost.sites.push(holder.location);
            }
        }
        lost
    }

    /// Returns the number of GPUs.
    pub(crate) fn count(&self) -> usize {
        self.memories.len()
    }

    /// Returns whether GPUs have code for an operation, and the library that it needs.
    pub(crate) fn has_code(&self, body: &Body, operands: &[Operand]) -> bool {
        self.driver.has_code(body, operands)
    }

    /// Returns whether GPUs run the tasks of an operation that computes.
    pub(crate) fn runs(&self, operation: &Operation) -> bool {
        !operation.scope.is_some_and(Scope::is_on_cpus)
            && self.has_code(&operation.body, &operation.operands)
    }

    /// Returns the first GPU and the end of the range of GPUs that an operation's tasks are spread
    /// over.
    pub(crate) fn spread(&self, operation: &Operation) -> (usize, usize) {
        let all = self.count();
        let gpus = operation.scope.map_or(0..all, |scope| scope.gpus(all));
        (gpus.start, gpus.end)
    }

    /// Returns the processor id of a GPU.
    pub(crate) fn processor(&self, gpu: GpuId) -> ProcessorId {
        ProcessorId(self.first.0 + u16::from(gpu.0))
    }

    /// Records the CUDA device of a processor.
    pub(crate) fn describe(&self, gpu: GpuId, recorder: &Recorder) {
        if let Some(info) = self.driver.gpus().get(usize::from(gpu.0)) {
            recorder.write(&record::Gpu {
                processor: self.processor(gpu),
                device: self.first_device + u32::from(gpu.0),
                memory: info.memory,
                multiprocessors: info.multiprocessors,
                major: info.capability.0,
                minor: info.capability.1,
                bandwidth: info.bandwidth,
                uuid: info.uuid,
                name: &info.name,
            });
        }
    }

    /// Returns the memory of a GPU.
    pub(crate) fn memory(&self, gpu: GpuId) -> &Arc<Memory> {
        &self.memories[usize::from(gpu.0)]
    }

    /// Returns the memory of a GPU for a store.
    pub(super) fn memory_for(&self, gpu: GpuId, store: &Store) -> &Arc<Memory> {
        let unified = store.is_unified().then(|| self.unified.get()).flatten();
        unified.map_or_else(|| self.memory(gpu), |all| &all[usize::from(gpu.0)])
    }

    /// Returns all memories of a GPU.
    pub(super) fn memories_of(&self, gpu: GpuId) -> impl Iterator<Item = &Arc<Memory>> {
        let own = self.memory(gpu);
        let unified = self.unified.get().map(|all| &all[usize::from(gpu.0)]);
        std::iter::once(own).chain(unified)
    }

    /// Makes unified memory for stores that ask for it, unless all stores have it. The memories get
    /// numbers starting at `first`.
    ///
    /// # Errors
    /// Returns an error if a GPU cannot share memory with the host.
    pub(crate) fn provide_unified(&self, plan: &Plan, first: MemoryId) -> Result<(), DriverError> {
        if plan.gpu_memory == GpuMemory::Unified {
            return Ok(());
        }
        check_unified(self.driver.gpus())?;
        let make = || {
            let of_gpu = |(gpu, info): (usize, &GpuInfo)| {
                let like = &self.memories[gpu];
                let driver = self.driver.clone();
                Arc::new(Memory {
                    id: MemoryId(first.0 + gpu as u16),
                    kind: MemoryKind::Managed,
                    pool: Arc::new(unified_pool(plan, driver, GpuId(gpu as u8), info)),
                    is_nested: false,
                    machine: info.memory.saturating_add(plan.machine_memory.0),
                    nearer: Vec::new(),
                    recorder: like.recorder.clone(),
                    log: like.log.clone(),
                    uids: like.uids.clone(),
                })
            };
            let made: Vec<_> = self.driver.gpus().iter().enumerate().map(of_gpu).collect();
            made.iter().for_each(|memory| memory.describe());
            made
        };
        self.unified.get_or_init(make);
        Ok(())
    }
}

/// Returns an error if a GPU cannot share memory with the host.
pub(super) fn check_unified(gpus: &[GpuInfo]) -> Result<(), DriverError> {
    match gpus.iter().position(|info| !info.has_unified) {
        Some(gpu) => Err(DriverError::NoUnified {
            gpu: gpu as u8,
            name: gpus[gpu].name.clone(),
        }),
        None => Ok(()),
    }
}

/// Returns the number of bytes of a GPU's memory that pages of unified memory may fill.
pub(super) fn room_for_pages(plan: &Plan, info: &GpuInfo) -> u64 {
    let room = plan.fbmem_of(Bytes(info.memory), Bytes(info.free));
    room.0.min(info.free)
}

fn unified_pool(plan: &Plan, driver: Arc<dyn Driver>, gpu: GpuId, info: &GpuInfo) -> Pool {
    let (all, free) = (Bytes(info.memory), Bytes(info.free));
    let supply = Unified::new(driver, gpu, room_for_pages(plan, info));
    Pool::supplied(plan.unified_of(all, free).0, Box::new(supply))
}
