//! An operation: one logical step that the program asked for. It consists of a [`Descriptor`], its
//! [`Operand`]s and the source line of the call.

mod arithmetic;
mod cutting;
mod descriptor;
pub(crate) mod gpu;
mod inheritance;
mod kernels;
mod latch;
mod movement;
mod names;
mod operand;
mod packing;
mod role;
mod room;

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use smallvec::SmallVec;
use weft_geometry::{Access, Cut, Projection, Region};
use weft_trace::id::{NameId, OperationUid};
use weft_trace::time::Timestamp;

pub use arithmetic::Computed;
pub(crate) use cutting::Cutting;
pub use descriptor::{Body, Declared, Descriptor, Effort, Fusion};
pub(crate) use inheritance::Inheritance;
pub(crate) use kernels::Guard;
pub use kernels::{CpuTask, FoldKernels, GpuKernels, Kernels};
pub use latch::Latch;
pub use movement::{copy, gather, load, move_to, read, receive, send};
pub use operand::{Operand, Operands};
pub(crate) use packing::{pack, unpack};
pub use role::{Peer, Role};

use crate::dtype::DType;
use crate::error::{Cause, Failure};
use crate::identity::Order;
use crate::memory::{Buffer, Maker, Store};
use crate::observe::Message;
use crate::scope::{Scope, Within};
use crate::shape::{Layout, MAX_DIMS, Shape};
use crate::site::Site;

/// An operand that is a view of a store.
#[derive(Clone, Copy)]
pub(crate) struct ArrayOperand<'a> {
    /// Its index among the operands.
    pub(crate) index: usize,
    /// The data.
    pub(crate) store: &'a Arc<Store>,
    /// The view of the store.
    pub(crate) layout: &'a Layout,
    /// Its access and projection as declared.
    pub(crate) declared: &'a Declared,
}

/// The labels of an operation's tasks in outputs.
pub(crate) struct Labels {
    /// Name of their kernels.
    pub(crate) kernel: NameId,
    /// The message of their NVTX ranges, if a tool listens.
    pub(crate) message: Option<Message>,
}

/// A request of a call for an operation.
pub struct Request {
    /// The place of the call in the program.
    pub call: Site,
    /// The innermost scope around the call.
    pub(crate) scope: Option<Scope>,
    /// The operation it is part of.
    pub parent: Option<OperationUid>,
    /// The descriptor of the operation.
    pub body: Body,
    /// The shape that its tasks cover together.
    pub shape: Shape,
    /// Its operands.
    pub operands: Operands,
    /// Set when all tasks have ended.
    pub latch: Option<Arc<Latch>>,
}

impl Request {
    /// Creates a request of the current call, without waiters.
    #[track_caller]
    pub fn new(body: Body, shape: Shape, operands: SmallVec<[Operand; 4]>) -> Request {
        Request::with_operands(body, shape, operands.into())
    }

    /// Makes it the request of the call at `call`, rather than of the current one.
    pub(crate) fn called_at(self, call: Site) -> Request {
        Request { call, ..self }
    }

    /// Makes the request a part of `parent`, if given.
    pub fn part_of(self, parent: Option<OperationUid>) -> Request {
        Request {
            parent: parent.or(self.parent),
            ..self
        }
    }

    /// Makes the end of the operation open a latch.
    pub fn awaited(self, latch: Arc<Latch>) -> Request {
        Request {
            latch: Some(latch),
            ..self
        }
    }

    /// Like [`new`](Self::new), with operands in recycled memory.
    #[track_caller]
    pub fn with_operands(body: Body, shape: Shape, operands: Operands) -> Request {
        debug_assert_eq!(operands.len(), body.operands.len(), "{body:?}");
        Request {
            call: Site::caller(),
            scope: Scope::current(),
            parent: Within::current(),
            body,
            shape,
            operands,
            latch: None,
        }
    }
}

impl Request {
    /// Whether another library can access the memory of an operand.
    #[inline]
    pub fn is_shared(&self) -> bool {
        self.operands.iter().any(|operand| match operand {
            Operand::Array { store, .. } => store.is_shared(),
            Operand::Scalar(_) | Operand::Host(_) => false,
        })
    }

    /// Estimates the number of elements that it touches: the largest operand, or its
    /// [work](Descriptor::work) if that is more.
    pub fn work(&self) -> usize {
        let elements = self.operands.iter().map(|operand| match operand {
            Operand::Array { layout, .. } => layout.shape.len(),
            Operand::Scalar(_) | Operand::Host(_) => 0,
        });
        elements.fold(self.body.work(&self.shape), usize::max)
    }
}

/// One logical step.
pub(crate) struct Operation {
    pub(crate) uid: OperationUid,
    /// The operation that determines its position in the program: itself, unless the analysis added
    /// it.
    order: OperationUid,
    /// The hash of the program up to it, for comparison between ranks; 0 with one rank.
    pub(crate) stream: u64,
    /// The operation it is part of.
    pub(crate) parent: Option<OperationUid>,
    location: Site,
    pub(crate) scope: Option<Scope>,
    pub(crate) created: Timestamp,
    pub(crate) body: Body,
    /// The shape that its tasks cover together.
    pub(crate) shape: Shape,
    pub(crate) operands: Operands,
    /// Opened when all tasks have ended, to release waiters.
    pub(crate) latch: Option<Arc<Latch>>,
    labels: OnceLock<Labels>,
    /// Whether its tiles are shared between the ranks of the run.
    shared: AtomicBool,
    /// Its turn among operations whose tiles run together; 0 if it may begin in any order.
    turn: AtomicU64,
    /// Number of its tasks.
    tasks: AtomicU32,
    /// Number of its tasks that have not ended.
    remaining: AtomicU32,
    /// Whether one of its tasks never runs.
    is_dropped: AtomicBool,
}

impl Operation {
    pub(crate) fn new(uid: OperationUid, created: Timestamp, request: Request) -> Operation {
        let Request {
            call,
            scope,
            parent,
            body,
            shape,
            operands,
            latch,
        } = request;
        Operation {
            uid,
            order: uid,
            stream: 0,
            parent,
            location: call,
            scope,
            created,
            body,
            shape,
            operands,
            latch,
            labels: OnceLock::new(),
            shared: AtomicBool::new(false),
            turn: AtomicU64::new(0),
            tasks: AtomicU32::new(1),
            remaining: AtomicU32::new(1),
            is_dropped: AtomicBool::new(false),
        }
    }

    /// Moves it to the position of `other` in the program, on behalf of which the analysis adds it.
    pub(crate) fn at(mut self, other: &Operation) -> Operation {
        self.order = other.order;
        self.stream = other.stream;
        self.scope = other.scope;
        self
    }

    /// Whether the analysis added it to the program's operations.
    pub(crate) fn is_added(&self) -> bool {
        self.order != self.uid
    }

    /// Returns the failure of an operation before this one in the program that should have written
    /// to `store`.
    pub(crate) fn failure_of(&self, store: &Store) -> Option<Arc<Failure>> {
        store.failure_before(Order::from_uid(self.order))
    }

    /// Returns its turn among operations whose tiles run together.
    pub(crate) fn turn(&self) -> u64 {
        self.turn.load(Ordering::Relaxed)
    }

    /// Sets its turn, before its tasks are made.
    pub(crate) fn set_turn(&self, turn: u64) {
        self.turn.store(turn, Ordering::Relaxed);
    }

    /// Returns its name in outputs.
    pub(crate) fn name(&self) -> &'static str {
        self.body.name
    }

    /// Returns the access to an operand.
    #[inline]
    pub(crate) fn access(&self, operand: usize) -> Access {
        self.body.operand(operand).access
    }

    /// Iterates over the operands that are views of stores, with their indices and declarations.
    pub(crate) fn arrays(&self) -> impl Iterator<Item = ArrayOperand<'_>> {
        let operands = self.operands.iter().zip(self.body.operands.iter());
        operands
            .enumerate()
            .filter_map(|(index, (operand, declared))| match operand {
                Operand::Array { store, layout, .. } => Some(ArrayOperand {
                    index,
                    store,
                    layout,
                    declared,
                }),
                Operand::Scalar(_) | Operand::Host(_) => None,
            })
    }

    /// Returns its priority: ready tasks of the highest priority run first.
    pub(crate) fn priority(&self) -> i8 {
        self.scope.map_or(0, Scope::priority)
    }

    /// Returns the program's call.
    pub(crate) fn call(&self) -> Site {
        self.location
    }

    /// Returns the operation that outputs name: for a message, the one that needs it.
    pub(crate) fn recorded(&self) -> OperationUid {
        let for_ = self.parent.filter(|_| self.body.role.is_message());
        for_.unwrap_or(self.uid)
    }

    /// Returns this operation as the maker of instances.
    pub(crate) fn maker(&self) -> Maker {
        Maker {
            name: self.name(),
            uid: self.recorded(),
            location: self.call(),
        }
    }

    /// Returns the program's call, if provenance is wanted.
    pub(crate) fn location(&self, wanted: bool) -> Option<Site> {
        wanted.then_some(self.location)
    }

    /// Returns the dtype that its kernels work in: the first operand's.
    pub(crate) fn dtype(&self) -> DType {
        match self.operands.first() {
            Some(Operand::Array { store, .. }) => store.dtype,
            Some(Operand::Scalar(scalar)) => scalar.dtype(),
            Some(Operand::Host(data)) => data.dtype(),
            None => DType::Bool,
        }
    }

    /// Makes its failure for a cause.
    pub(crate) fn failure(&self, cause: Cause) -> Arc<Failure> {
        Arc::new(Failure {
            operation: self.name(),
            // An operation added by the analysis fails as part of the program's operation.
            uid: self.order,
            location: self.call(),
            cause,
        })
    }

    /// Returns the failure of an earlier operation that should have written an input of this one.
    pub(crate) fn failed_input(&self) -> Option<Arc<Failure>> {
        self.failed_inputs().next()
    }

    /// Iterates over the failures of all earlier operations that should have written inputs of this
    /// one.
    pub(crate) fn failed_inputs(&self) -> impl Iterator<Item = Arc<Failure>> + '_ {
        let reads = |array: &ArrayOperand<'_>| array.declared.access != Access::Write;
        let arrays = self.arrays().filter(reads);
        arrays.filter_map(|array| self.failure_of(array.store))
    }

    /// Returns the position in the program after which nothing can read this operation's missing
    /// results.
    fn writer(&self) -> Order {
        let order = Order::from_uid(self.order);
        // Values missing from another rank are missing already for the operation that needs them.
        match self.is_added() {
            true => order.just_before(),
            false => order,
        }
    }

    /// Sets the failure in the stores that the operation writes, so that later reads of them fail.
    pub(crate) fn poison(&self, failure: &Arc<Failure>) {
        self.inheritance().poison(failure);
    }

    /// Binds every operand to the current buffer of its store, and notes the writes in the stores.
    /// Must be called once, in program order.
    pub(crate) fn bind(&self) {
        for array in self.arrays() {
            self.set_slot(array.index, array.store.slot());
            if array.declared.access != Access::Read {
                array.store.overwrites(array.layout);
            }
        }
    }

    /// Binds one operand to a buffer of its store.
    pub(crate) fn set_slot(&self, operand: usize, to: Buffer) {
        if let Some(Operand::Array { slot, .. }) = self.operands.get(operand) {
            slot.set(to);
        }
    }

    /// Returns the buffer of its store to which an operand is bound.
    pub(crate) fn slot(&self, operand: usize) -> Buffer {
        match self.operands.get(operand) {
            Some(Operand::Array { slot, .. }) => slot.get(),
            _ => Buffer::Front,
        }
    }

    /// Counts the operation as a user of its stores.
    pub(crate) fn begin_uses(&self) {
        self.stores().for_each(|store| store.begin_use());
    }

    /// Counts the operation as ended in its stores.
    pub(crate) fn end_uses(&self) {
        self.stores().for_each(|store| store.end_use());
    }

    /// Iterates over the stores of its operands, once for each operand.
    pub(crate) fn stores(&self) -> impl Iterator<Item = &Arc<Store>> {
        self.operands.iter().filter_map(|operand| match operand {
            Operand::Array { store, .. } => Some(store),
            _ => None,
        })
    }

    /// Returns the index of a tile's first element.
    pub(crate) fn first(&self, cut: &Cut) -> [usize; MAX_DIMS] {
        let mut first = [0; MAX_DIMS];
        for (axis, extent) in self.shape.dims().iter().enumerate() {
            first[axis] = cut.bounds(axis, *extent).0;
        }
        first
    }

    /// Sets whether its tiles are shared between the ranks of the run.
    pub(crate) fn share_out(&self, shared: bool) {
        self.shared.store(shared, Ordering::Relaxed);
    }

    /// Whether its tiles are shared between the ranks of the run.
    pub(crate) fn is_shared(&self) -> bool {
        self.shared.load(Ordering::Relaxed)
    }

    /// Notes that one of its tasks never runs; returns true for the first.
    pub(crate) fn set_dropped(&self) -> bool {
        !self.is_dropped.swap(true, Ordering::Relaxed)
    }

    /// Sets the number of its tasks.
    pub(crate) fn begin(&self, tasks: usize) {
        self.remaining.store(tasks as u32, Ordering::Relaxed);
        self.tasks.store(tasks as u32, Ordering::Relaxed);
    }

    /// Returns the number of its tasks, which was set before they were queued.
    pub(crate) fn tasks(&self) -> u32 {
        self.tasks.load(Ordering::Relaxed)
    }

    /// Counts a task as ended; returns true for the last.
    pub(crate) fn task_ended(&self) -> bool {
        self.remaining.fetch_sub(1, Ordering::AcqRel) == 1
    }

    /// Sets the labels, once.
    pub(crate) fn label(&self, labels: Labels) {
        self.labels.get_or_init(|| labels);
    }

    /// Returns the labels; `None` if nothing observes the run.
    pub(crate) fn labels(&self) -> Option<&Labels> {
        self.labels.get()
    }

    /// Returns the view, store and projection of an operand; `None` if it is not a view.
    #[inline]
    fn followed(&self, operand: usize) -> Option<(&Layout, &Arc<Store>, &Projection)> {
        let Operand::Array { store, layout, .. } = self.operands.get(operand)? else {
            return None;
        };
        Some((layout, store, &self.body.operand(operand).projection))
    }

    /// Returns the part of an operand that a tile works on; `None` for scalars.
    pub(crate) fn part(&self, operand: usize, cut: &Cut) -> Option<Layout> {
        match self.followed(operand) {
            Some((layout, _, projection)) => Some(projection.part(layout, &self.shape, cut)),
            None => match self.operands.get(operand)? {
                Operand::Host(_) => Some(cut.of(&Layout::contiguous(self.shape))),
                Operand::Array { .. } | Operand::Scalar(_) => None,
            },
        }
    }

    /// Returns the elements of its store that a tile accesses through an operand. Gaps between the
    /// runs of an image count as accessed, since bodies get a view that includes them. In messages
    /// they do not count.
    pub(crate) fn region(&self, operand: usize, cut: &Cut) -> Option<Region> {
        let (layout, store, projection) = self.followed(operand)?;
        match self.body.role.is_message() {
            true => projection.region(layout, &store.shape, &self.shape, cut),
            false => Region::of(&projection.part(layout, &self.shape, cut), &store.shape),
        }
    }

    /// Returns the part of an operand that a tile accesses, in pieces without gaps; empty for
    /// scalars.
    pub(crate) fn pieces(&self, operand: usize, cut: &Cut) -> SmallVec<[Layout; 1]> {
        let followed = self.followed(operand);
        followed.map_or_else(SmallVec::new, |(layout, _, projection)| {
            projection.pieces(layout, &self.shape, cut)
        })
    }

    /// Returns the number of bytes that its task on a tile writes to memory, or would write if it
    /// were not fused.
    pub(crate) fn bytes_written(&self, cut: &Cut) -> u64 {
        if self.body.writes_nothing {
            return 0;
        }
        let written = self
            .arrays()
            .filter(|array| array.declared.access != Access::Read);
        let bytes = written.filter_map(|array| {
            let part = self.part(array.index, cut)?;
            Some((part.shape.len() * array.store.dtype.size()) as u64)
        });
        bytes.sum()
    }

    /// Returns the shape of a tile of the operation's own shape.
    pub(crate) fn part_shape(&self, cut: &Cut) -> Shape {
        match cut.is_all() {
            true => self.shape,
            false => cut.of(&Layout::contiguous(self.shape)).shape,
        }
    }
}
