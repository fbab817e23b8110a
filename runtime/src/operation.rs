//! One logical step the program asked for: what is done ([`Body`]), to what ([`Operand`]), and from which line.

mod arithmetic;
mod body;
mod latch;

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};

use smallvec::SmallVec;
use weft_geometry::{Access, Cut};
use weft_trace::id::{NameId, OperationUid};
use weft_trace::time::Timestamp;

pub(crate) use body::{Body, Distribution, Generator, Peer};
pub(crate) use latch::Latch;

use crate::dtype::{DType, Scalar};
use crate::error::{Cause, Failure};
use crate::identity::Order;
use crate::memory::{Buffer, HostData, Maker, Store};
use crate::observe::Message;
use crate::recycle::{Recycle, recycled};
use crate::scope::{Scope, Within};
use crate::shape::{Layout, MAX_DIMS, Shape};
use crate::site::Site;

/// Something an operation works on.
#[derive(Clone)]
pub(crate) enum Operand {
    /// A view of a store.
    Array {
        /// The data.
        store: Arc<Store>,
        /// Which elements.
        layout: Layout,
        /// What is done with them.
        access: Access,
    },
    /// One value, used for every element.
    Scalar(Scalar),
    /// Values of the program, row-major in the operation's shape.
    Host(Arc<HostData>),
}

recycled!(Operand);

/// What an operation works on, in the order of its [`Body`].
pub(crate) type Operands = Recycle<Operand>;

/// What the tasks of an operation are called in outputs.
pub(crate) struct Labels {
    /// Name of their kernels.
    pub(crate) kernel: NameId,
    /// What their NVTX ranges say, where a tool listens.
    pub(crate) message: Option<Message>,
}

/// What a call asks for.
pub(crate) struct Request {
    /// The place of the call in the program.
    pub(crate) call: Site,
    /// The innermost scope that the call stands in.
    pub(crate) scope: Option<Scope>,
    /// The operation it is part of.
    pub(crate) parent: Option<OperationUid>,
    /// What is to be done.
    pub(crate) body: Body,
    /// The shape its tasks cover together.
    pub(crate) shape: Shape,
    /// To what.
    pub(crate) operands: Operands,
    /// Set when all tasks have ended.
    pub(crate) latch: Option<Arc<Latch>>,
}

impl Request {
    /// A request that is part of no other, and that nobody waits for.
    pub(crate) fn new(
        call: Site,
        body: Body,
        shape: Shape,
        operands: SmallVec<[Operand; 4]>,
    ) -> Request {
        Request::of(call, body, shape, operands.into())
    }

    /// The same as a part of `parent`, where there is one.
    pub(crate) fn part_of(self, parent: Option<OperationUid>) -> Request {
        Request {
            parent: parent.or(self.parent),
            ..self
        }
    }

    /// Like [`new`](Self::new), of operands in memory that is used again.
    pub(crate) fn of(call: Site, body: Body, shape: Shape, operands: Operands) -> Request {
        Request {
            call,
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
    /// Whether another library can reach the memory of an operand.
    #[inline]
    pub(crate) fn is_shared(&self) -> bool {
        self.operands.iter().any(|operand| match operand {
            Operand::Array { store, .. } => store.is_shared(),
            Operand::Scalar(_) | Operand::Host(_) => false,
        })
    }

    /// About how many elements it touches: the most of any operand, or [what it computes](Body::work).
    pub(crate) fn work(&self) -> usize {
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
    /// The operation whose place in the program it has: itself, unless the analysis added it.
    order: OperationUid,
    /// The hash of the program up to it, where there are ranks to compare it with.
    pub(crate) stream: u64,
    /// The operation it is part of.
    pub(crate) parent: Option<OperationUid>,
    location: Site,
    pub(crate) scope: Option<Scope>,
    pub(crate) created: Timestamp,
    pub(crate) body: Body,
    /// The shape its tasks cover together.
    pub(crate) shape: Shape,
    pub(crate) operands: Operands,
    /// Set when all tasks have ended, for whoever waits.
    pub(crate) latch: Option<Arc<Latch>>,
    labels: OnceLock<Labels>,
    /// Whether the tiles are shared out among the ranks of the run.
    shared: AtomicBool,
    /// A bit for each operand that is in the second place of its store.
    slots: AtomicU8,
    /// Its tasks.
    tasks: AtomicU32,
    /// Tasks that have not ended.
    remaining: AtomicU32,
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
            slots: AtomicU8::new(0),
            tasks: AtomicU32::new(1),
            remaining: AtomicU32::new(1),
        }
    }

    /// The same, as one that the analysis adds at the place of `other` in the program.
    pub(crate) fn at(mut self, other: &Operation) -> Operation {
        self.order = other.order;
        self.stream = other.stream;
        self.scope = other.scope;
        self
    }

    /// Whether the analysis added it to what the program asked for.
    pub(crate) fn is_added(&self) -> bool {
        self.order != self.uid
    }

    /// The failure of an operation before this one in the program that should have written to `store`.
    pub(crate) fn failure_of(&self, store: &Store) -> Option<Arc<Failure>> {
        store.failure_before(Order::of(self.order))
    }

    /// Its name in outputs.
    pub(crate) fn name(&self) -> &'static str {
        self.body.name()
    }

    /// The program's call.
    pub(crate) fn call(&self) -> Site {
        self.location
    }

    /// The operation that outputs name: of a message the one for which it goes.
    pub(crate) fn recorded(&self) -> OperationUid {
        let for_ = self.parent.filter(|_| self.body.is_message());
        for_.unwrap_or(self.uid)
    }

    /// This operation as one that instances are made for.
    pub(crate) fn maker(&self) -> Maker {
        Maker {
            name: self.name(),
            uid: self.recorded(),
            location: self.call(),
        }
    }

    /// The program's call, where provenance is wanted.
    pub(crate) fn location(&self, wanted: bool) -> Option<Site> {
        wanted.then_some(self.location)
    }

    /// The dtype that its kernels work in: the first operand's.
    pub(crate) fn dtype(&self) -> DType {
        match self.operands.first() {
            Some(Operand::Array { store, .. }) => store.dtype,
            Some(Operand::Scalar(scalar)) => scalar.dtype(),
            Some(Operand::Host(data)) => data.dtype(),
            None => DType::Bool,
        }
    }

    /// Its failure for a cause.
    pub(crate) fn failure(&self, cause: Cause) -> Arc<Failure> {
        Arc::new(Failure {
            operation: self.name(),
            // What the analysis added fails as a part of what it was added for.
            uid: self.order,
            location: self.call(),
            cause,
        })
    }

    /// The failure of an earlier operation that should have written what this one reads.
    pub(crate) fn failed_input(&self) -> Option<Arc<Failure>> {
        self.operands.iter().find_map(|operand| match operand {
            Operand::Array { store, access, .. } if *access != Access::Write => {
                self.failure_of(store)
            }
            _ => None,
        })
    }

    /// Whatever the operation would have written is never to be read.
    pub(crate) fn poison(&self, failure: &Arc<Failure>) {
        let order = Order::of(self.order);
        // What was to come from another rank is missing for the very operation that it was to come for.
        let writer = match self.is_added() {
            true => order.just_before(),
            false => order,
        };
        for operand in &self.operands {
            if let Operand::Array { store, access, .. } = operand
                && *access != Access::Read
            {
                store.fail(writer, failure);
            }
        }
    }

    /// Binds every operand to where its store's data is, and tells the stores what is written. To be called once, in program
    /// order.
    pub(crate) fn bind(&self) {
        for (index, operand) in self.operands.iter().enumerate() {
            if let Operand::Array {
                store,
                layout,
                access,
            } = operand
            {
                self.set_slot(index, store.slot());
                if *access != Access::Read {
                    store.overwrites(layout);
                }
            }
        }
    }

    /// Binds one operand to a place of its store. Bodies have at most eight operands.
    pub(crate) fn set_slot(&self, operand: usize, slot: Buffer) {
        if slot == Buffer::Back {
            self.slots.fetch_or(1 << operand, Ordering::Relaxed);
        }
    }

    /// Which place of its store an operand is in.
    pub(crate) fn slot(&self, operand: usize) -> Buffer {
        match self.slots.load(Ordering::Relaxed) >> operand & 1 {
            0 => Buffer::Front,
            _ => Buffer::Back,
        }
    }

    /// Counts the operation for the stores it uses.
    pub(crate) fn begin_uses(&self) {
        self.stores().for_each(|store| store.begin_use());
    }

    /// Counts the operation as ended for the stores it uses.
    pub(crate) fn end_uses(&self) {
        self.stores().for_each(|store| store.end_use());
    }

    /// The stores of its operands, each as often as it is one.
    pub(crate) fn stores(&self) -> impl Iterator<Item = &Arc<Store>> {
        self.operands.iter().filter_map(|operand| match operand {
            Operand::Array { store, .. } => Some(store),
            _ => None,
        })
    }

    /// Index of a tile's first element.
    pub(crate) fn first(&self, cut: &Cut) -> [usize; MAX_DIMS] {
        let mut first = [0; MAX_DIMS];
        if cut.axis() < self.shape.rank() {
            first[cut.axis()] = cut.first();
        }
        first
    }

    /// Says whether its tiles are shared out among the ranks of the run.
    pub(crate) fn share_out(&self, shared: bool) {
        self.shared.store(shared, Ordering::Relaxed);
    }

    /// Whether its tiles are shared out among the ranks of the run.
    pub(crate) fn is_shared(&self) -> bool {
        self.shared.load(Ordering::Relaxed)
    }

    /// Says how many tasks it has.
    pub(crate) fn begin(&self, tasks: usize) {
        self.remaining.store(tasks as u32, Ordering::Relaxed);
        self.tasks.store(tasks as u32, Ordering::Relaxed);
    }

    /// How many tasks it has, for whoever got one of them.
    pub(crate) fn tasks(&self) -> u32 {
        self.tasks.load(Ordering::Relaxed)
    }

    /// Counts a task as ended; true for the last.
    pub(crate) fn task_ended(&self) -> bool {
        self.remaining.fetch_sub(1, Ordering::AcqRel) == 1
    }

    /// Sets the labels, once.
    pub(crate) fn label(&self, labels: Labels) {
        self.labels.get_or_init(|| labels);
    }

    /// The labels; `None` where nobody watches.
    pub(crate) fn labels(&self) -> Option<&Labels> {
        self.labels.get()
    }

    /// The part of an operand that a tile works on; `None` for scalars.
    pub(crate) fn part(&self, operand: usize, cut: &Cut) -> Option<Layout> {
        match self.operands.get(operand)? {
            Operand::Array { layout, .. } => Some(self.body.projection(operand).part(layout, cut)),
            Operand::Scalar(_) => None,
            Operand::Host(_) => Some(cut.of(&Layout::contiguous(self.shape))),
        }
    }

    /// Bytes that its task on a tile writes, or would write to memory if it were done alone.
    pub(crate) fn bytes_written(&self, cut: &Cut) -> u64 {
        if self.body.writes_nothing() {
            return 0;
        }
        let outputs = self.operands.iter().enumerate();
        let bytes = outputs.filter_map(|(at, operand)| match operand {
            Operand::Array { store, access, .. } if *access != Access::Read => {
                let part = self.part(at, cut)?;
                Some((part.shape.len() * store.dtype.size()) as u64)
            }
            _ => None,
        });
        bytes.sum()
    }

    /// The shape of a tile of the operation's own shape.
    pub(crate) fn part_shape(&self, cut: &Cut) -> Shape {
        cut.of(&Layout::contiguous(self.shape)).shape
    }
}
