//! The data of a logical array.

#![allow(
    unsafe_code,
    reason = "takes the address of memory that another library owns"
)]

use std::any::Any;
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

use smallvec::SmallVec;
use weft_geometry::Spread;
use weft_trace::id::{OperationUid, StoreUid};
use weft_trace::record::MemoryKind;
use weft_trace::time::Timestamp;

use super::accesses::Accesses;
use super::failed::FailureCell;
use super::instance::{Memory, OutOfMemory};
use super::pool::{Holder, Maker, pages};
use super::residence::Residence;
use super::slot::{Buffer, BufferState, BufferSwap, Versions};
use super::small::SmallSize;
use super::spans::Span;
use super::turn::Turn;
use super::uses::Uses;
use crate::dtype::DType;
use crate::error::Failure;
use crate::identity::{BodyNumber, Order};
use crate::shape::{Layout, Shape};
use crate::site::Site;

/// The data of a logical array: row-major, of one dtype.
///
/// It has no instance until the first task that writes it runs. In main memory it may have two:
/// tasks that overwrite it while reading its old content read from the other one.
pub struct Store {
    /// Its UID in the run's outputs.
    pub uid: StoreUid,
    /// The type of its elements.
    pub dtype: DType,
    /// Number of elements along each axis.
    pub shape: Shape,
    /// The call that made it.
    pub location: Site,
    /// The body that made it; `None` if the program did.
    pub(crate) body: Option<BodyNumber>,
    /// A handle to itself, for the holders of its memory.
    own: Weak<Store>,
    memory: Arc<Memory>,
    /// Whether instances hold only the parts that tasks touch.
    is_in_parts: bool,
    slots: [BufferState; 2],
    versions: Versions,
    /// Number of submitted operations that use it and have not ended or, on a GPU, are not yet in a
    /// stream.
    pending: AtomicU32,
    /// Made only in runs with GPUs: it is large.
    residence: OnceLock<Box<Mutex<Residence>>>,
    accesses: Mutex<Accesses>,
    /// Made only in runs of many ranks.
    spread: OnceLock<Box<Mutex<Spread>>>,
    /// Made when an operation that writes here fails, or may still fail on a GPU.
    failure: OnceLock<Arc<FailureCell>>,
    recorded: AtomicBool,
    /// Its number among the stores that the program has used, the same on every rank; 0 before the
    /// first use.
    number: AtomicU64,
    /// The thread that changes it by several operations, if any.
    pub(crate) turn: Turn,
    /// Number of other libraries that can access its memory directly.
    sharers: AtomicU32,
    /// Number of writes in program order since counting began, plus one; 0 before that.
    writes: AtomicU64,
    /// The UID of the program's last operation when it last dropped a view of this store; 0 before
    /// that. Only in runs with GPUs.
    let_go: AtomicU64,
    /// Whether its instances on GPUs are in unified memory.
    is_unified: AtomicBool,
    /// Owner of memory that belongs to another library.
    owner: OnceLock<Box<dyn Any + Send + Sync>>,
}

impl Store {
    /// Creates a store without data.
    pub(crate) fn new(
        uid: StoreUid,
        dtype: DType,
        shape: Shape,
        location: Site,
        body: Option<BodyNumber>,
        memory: Arc<Memory>,
    ) -> Arc<Store> {
        let is_in_parts = memory.reserves(shape.len() * dtype.size());
        memory.pool.expect(shape.len() * dtype.size());
        Arc::new_cyclic(|own| Store {
            uid,
            dtype,
            shape,
            location,
            body,
            own: own.clone(),
            memory,
            is_in_parts,
            slots: [BufferState::default(), BufferState::default()],
            versions: Versions::default(),
            pending: AtomicU32::new(0),
            residence: OnceLock::new(),
            accesses: Mutex::default(),
            spread: OnceLock::new(),
            failure: OnceLock::new(),
            recorded: AtomicBool::new(false),
            number: AtomicU64::new(0),
            turn: Turn::default(),
            sharers: AtomicU32::new(0),
            writes: AtomicU64::new(0),
            let_go: AtomicU64::new(0),
            is_unified: AtomicBool::new(false),
            owner: OnceLock::new(),
        })
    }

    /// Returns its number among the stores of the program: `next()` at the first use. To be called
    /// in program order.
    pub(crate) fn number(&self, next: impl FnOnce() -> u64) -> u64 {
        match self.number.load(Ordering::Relaxed) {
            0 => {
                let number = next();
                self.number.store(number, Ordering::Relaxed);
                number
            }
            number => number,
        }
    }

    /// Notes that the program drops a view of the store; `last` is its latest operation so far.
    pub(crate) fn let_go_after(&self, last: OperationUid) {
        self.let_go.fetch_max(last.raw(), Ordering::Relaxed);
    }

    /// Whether the program dropped its last view before it submitted the operation `next`, provided
    /// it has dropped all.
    pub(crate) fn let_go_before(&self, next: OperationUid) -> bool {
        self.let_go.load(Ordering::Relaxed) < next.raw()
    }

    /// Whether it belongs to the runtime whose main memory this is.
    pub(crate) fn is_of(&self, memory: &Arc<Memory>) -> bool {
        Arc::ptr_eq(&self.memory, memory)
    }

    /// Whether its memory on the host is managed together with its instances on GPUs.
    pub(crate) fn is_on_devices(&self) -> bool {
        self.residence.get().is_some()
    }

    /// Requires unified memory for its instances on GPUs. To be called before the first operation
    /// that uses it is submitted, which orders this for the other threads.
    pub(crate) fn require_unified(&self) {
        self.is_unified.store(true, Ordering::Relaxed);
    }

    /// Whether its instances on GPUs are in unified memory.
    pub(crate) fn is_unified(&self) -> bool {
        self.is_unified.load(Ordering::Relaxed)
    }

    /// Returns the number of bytes of all elements.
    pub fn bytes(&self) -> usize {
        self.shape.len() * self.dtype.size()
    }

    /// Returns the buffer in main memory that the next analysed operation uses.
    pub(crate) fn slot(&self) -> Buffer {
        self.versions.current()
    }

    /// Returns the address in main memory of the data that the next analysed operation uses; `None`
    /// before the first write.
    pub fn start(&self) -> Option<*mut u8> {
        self.data(self.slot())
    }

    /// Returns the address of the data in one of its buffers; `None` before the first write.
    pub(crate) fn data(&self, slot: Buffer) -> Option<*mut u8> {
        self.slots[slot.index()].data()
    }

    /// Returns the address of a buffer. If it has no instance, makes one for an operation at the
    /// time `at`.
    pub(crate) fn data_for(
        &self,
        slot: Buffer,
        maker: Maker,
        at: Timestamp,
    ) -> Result<*mut u8, OutOfMemory> {
        if self.is_in_parts {
            let whole = Layout::contiguous(self.shape);
            return self.hold(slot, Some(&whole), || None, maker, at);
        }
        self.data_in(slot, &self.memory, maker, at)
    }

    /// Returns the address of a buffer without data, for a small result of a call without an
    /// operation. `None` if it needs an instance. No other thread may use the store.
    #[inline]
    pub(crate) fn small_data(&self, slot: Buffer) -> Option<*mut u8> {
        let is_main = self.memory.kind == MemoryKind::System && self.memory.nearer.is_empty();
        if !is_main || self.is_in_parts {
            return None;
        }
        let size = SmallSize::new(self.bytes())?;
        let block = self.memory.pool.take_small(size)?;
        self.slots[slot.index()].set_small(block, size);
        Some(block.as_ptr())
    }

    /// Whether its instances hold only the parts that tasks touch: if it is large, on a rank of
    /// many.
    pub(crate) fn is_in_parts(&self) -> bool {
        self.is_in_parts
    }

    /// Like [`data_for`](Self::data_for), for a task that touches only the elements of `part`.
    /// `own` is the part that all tasks of its operation on this rank touch.
    pub(crate) fn part_for(
        &self,
        slot: Buffer,
        part: &Layout,
        own: impl FnOnce() -> Option<Layout>,
        maker: Maker,
        at: Timestamp,
    ) -> Result<*mut u8, OutOfMemory> {
        match self.is_in_parts {
            true => self.hold(slot, Some(part), own, maker, at),
            false => self.data_for(slot, maker, at),
        }
    }

    /// Like [`part_for`](Self::part_for), for an operation that does not need the previous content.
    pub(crate) fn place_for(
        &self,
        slot: Buffer,
        maker: Maker,
        at: Timestamp,
    ) -> Result<*mut u8, OutOfMemory> {
        match self.is_in_parts {
            true => self.hold(slot, None, || None, maker, at),
            false => self.data_for(slot, maker, at),
        }
    }

    /// Like [`part_for`](Self::part_for), for an operation that copies the elements of `part` that
    /// the other buffer holds.
    pub(crate) fn copy_for(
        &self,
        slot: Buffer,
        part: &Layout,
        maker: Maker,
        at: Timestamp,
    ) -> Result<*mut u8, OutOfMemory> {
        for held in self.held_within(slot.other(), part) {
            self.hold(slot, held.row().as_ref(), || None, maker, at)?;
        }
        self.hold(slot, None, || None, maker, at)
    }

    /// Returns the elements between the first and the last of `part` that a buffer holds.
    pub(crate) fn held_within(&self, slot: Buffer, part: &Layout) -> SmallVec<[Span; 2]> {
        let held = self.slots[slot.index()].held_spans(self.shape.len());
        let part = Span::from_layout(part);
        let common = |held: Span| part.and_then(|part| part.common(&held));
        held.into_iter().filter_map(common).collect()
    }

    /// Returns the address of a buffer in which the elements of `part` are held. If they are not
    /// held yet, all elements of `own` are made so.
    fn hold(
        &self,
        slot: Buffer,
        part: Option<&Layout>,
        own: impl FnOnce() -> Option<Layout>,
        maker: Maker,
        at: Timestamp,
    ) -> Result<*mut u8, OutOfMemory> {
        let size = self.dtype.size();
        let span = part.and_then(Span::from_layout);
        let touched = span.map(|span| pages(span.first * size, span.end * size));
        let wanted = Cell::new(part.copied());
        let view = || {
            let has_part = |own: &Layout| {
                Span::from_layout(own)
                    .zip(span)
                    .is_some_and(|(own, part)| own.holds(&part))
            };
            if let Some(own) = part.and_then(|_| own()).filter(has_part) {
                wanted.set(Some(own));
            }
            wanted.get()
        };
        let asker = || self.holder(maker, wanted.get().as_ref().and_then(Span::from_layout));
        let make = || {
            let holder = self.holder(maker, None);
            self.memory
                .instance_in_parts(holder, (self.bytes(), size), at)
        };
        self.slots[slot.index()].part_or(touched, view, make, asker)
    }

    /// Like [`data_for`](Self::data_for), in another memory that the process can address.
    pub(crate) fn data_in(
        &self,
        slot: Buffer,
        memory: &Arc<Memory>,
        maker: Maker,
        at: Timestamp,
    ) -> Result<*mut u8, OutOfMemory> {
        self.slots[slot.index()]
            .data_or(|| memory.instance(self.holder(maker, Some(self.span())), self.bytes(), at))
    }

    /// Moves the data of a buffer to another memory that the process can address, unless another
    /// library has the address. The data must not be in use.
    pub(crate) fn move_to(
        &self,
        slot: Buffer,
        memory: &Arc<Memory>,
        maker: Maker,
        at: Timestamp,
    ) -> Result<(), OutOfMemory> {
        if self.is_shared() {
            return Ok(());
        }
        let is_there = |current: &Arc<Memory>| Arc::ptr_eq(current, memory);
        let holder = || self.holder(maker, Some(self.span()));
        self.slots[slot.index()].replace(self.bytes(), &self.memory, is_there, || {
            memory.instance_here(holder(), self.bytes(), at)
        })
    }

    /// Redirects operations that are analysed next to the other buffer, to which an operation is
    /// about to write `view`. Returns whether the rest must be copied there first; `None` if there
    /// is not enough spare memory for both buffers. `own` returns the part of the view that this
    /// rank writes; it is called for stores held in parts.
    pub(crate) fn swap_buffers(
        &self,
        view: &Layout,
        own: impl FnOnce() -> Option<Layout>,
        maker: Maker,
        at: Timestamp,
    ) -> Option<BufferSwap> {
        // Other libraries have the address of the current buffer.
        if self.is_shared() {
            return None;
        }
        let mut spare = self.versions.spare();
        let from = self.versions.current();
        let to = from.other();
        let is_kept = spare.is_of(view);
        if !is_kept {
            let own = self.is_in_parts.then(own).flatten();
            if self.data(to).is_none() && !self.memory.pool.has_room(2 * self.needed(from, &own)) {
                return None;
            }
            match self.is_in_parts {
                true => self.hold(to, own.as_ref(), || None, maker, at),
                false => self.data_for(to, maker, at),
            }
            .ok()?;
            spare.set(Some(view));
        }
        spare.exchange();
        Some(BufferSwap {
            from,
            to,
            copy: !is_kept,
        })
    }

    /// Returns the number of bytes that the buffer other than `from` will take if this rank writes
    /// `own`.
    fn needed(&self, from: Buffer, own: &Option<Layout>) -> usize {
        if !self.is_in_parts {
            return self.bytes();
        }
        let written = own.as_ref().and_then(Span::from_layout);
        let held = self.slots[from.index()].held_spans(self.shape.len());
        let held: usize = held.iter().map(Span::len).sum();
        held.max(written.map_or(0, |span| span.len())) * self.dtype.size()
    }

    /// Notes that `view` is written in place: outside of the swapped view the buffers may then
    /// differ.
    pub fn overwrites(&self, view: &Layout) {
        self.versions.overwrites(view, &self.shape);
    }

    /// Drops the instance that the next swap would write to, unless an operation that may use it is
    /// under way. Returns whether that freed memory.
    pub(crate) fn give_up_spare(&self) -> bool {
        let mut spare = self.versions.spare();
        // A library that shares the memory may have got the address before the last swap.
        if self.is_pending() || self.is_shared() {
            return false;
        }
        spare.set(None);
        self.slots[self.versions.current().other().index()].clear(&self.memory.pool)
    }

    /// Counts a submitted operation that uses the store.
    pub(crate) fn begin_use(&self) {
        self.pending.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts one operation that used the store as ended.
    pub(crate) fn end_use(&self) {
        self.pending.fetch_sub(1, Ordering::Release);
    }

    /// Whether an operation that uses the store is under way. If not, the caller sees the effects
    /// of all that have ended.
    pub fn is_pending(&self) -> bool {
        self.pending.load(Ordering::Acquire) > 0
    }

    /// Fixes the data at its address from now on, since another library has that address.
    pub fn begin_sharing(&self) {
        self.sharers.fetch_add(1, Ordering::SeqCst);
    }

    /// Ends one [`begin_sharing`](Self::begin_sharing); the other library may have written.
    pub fn end_sharing(&self) {
        self.count_write();
        self.sharers.fetch_sub(1, Ordering::SeqCst);
    }

    /// Whether other libraries can access its memory, so that operations that use it are waited
    /// for.
    #[inline]
    pub fn is_shared(&self) -> bool {
        self.sharers.load(Ordering::Relaxed) > 0
    }

    /// Whether its memory belongs to another library, which can read it without a handle to the
    /// store.
    #[inline]
    pub fn is_borrowed(&self) -> bool {
        self.owner.get().is_some()
    }

    /// Counts a write by the program, if writes are counted.
    #[inline]
    pub fn count_write(&self) {
        if self.counts_writes() {
            self.writes.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Whether its writes are counted.
    #[inline]
    pub fn counts_writes(&self) -> bool {
        self.writes.load(Ordering::Relaxed) > 0
    }

    /// Returns the number of writes so far; counting begins with the first call.
    pub fn writes(&self) -> u64 {
        self.writes.fetch_max(1, Ordering::Relaxed).max(1)
    }

    /// Gives a new store memory of another library, permanently.
    ///
    /// # Safety
    /// As long as `owner` lives, `start` is the address of the elements, and no other code writes
    /// them while an operation uses the store.
    pub unsafe fn borrow(&self, start: *mut u8, owner: Box<dyn Any + Send + Sync>) {
        self.begin_sharing();
        self.slots[Buffer::Front.index()].borrow(start);
        if self.owner.set(owner).is_ok() {
            self.memory.pool.expect_no_more(self.bytes());
        }
    }

    /// Returns the range of all elements.
    pub(crate) fn span(&self) -> Span {
        Span {
            first: 0,
            end: self.shape.len(),
        }
    }

    /// Returns this store as a holder of memory that contains some of its elements.
    pub(crate) fn holder(&self, maker: Maker, elements: Option<Span>) -> Holder {
        Holder {
            store: self.uid,
            location: self.location,
            owner: self.own.clone(),
            maker,
            instance: None,
            elements,
        }
    }

    /// Returns the kind of memory of a buffer.
    pub(crate) fn kind(&self, slot: Buffer) -> Option<MemoryKind> {
        self.slots[slot.index()].kind(self.memory.kind)
    }

    /// Adds the work on devices that may be using a buffer to `waits`.
    pub(crate) fn add_uses_to(&self, slot: Buffer, waits: &mut Uses) {
        self.slots[slot.index()].add_uses_to(waits);
    }

    /// Enlarges its instances on GPUs by this number of elements before and after those that they
    /// are made for.
    pub fn widen(&self, before: usize, behind: usize) {
        self.residence().widen(before, behind);
    }

    /// Returns the locations of the data in a run with GPUs.
    pub(crate) fn residence(&self) -> MutexGuard<'_, Residence> {
        self.residence
            .get_or_init(Box::default)
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the ranks on which the elements are up to date.
    pub(crate) fn spread(&self) -> MutexGuard<'_, Spread> {
        self.spread
            .get_or_init(Box::default)
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the accesses to the store; used only by the analysis.
    pub(crate) fn accesses(&self) -> MutexGuard<'_, Accesses> {
        self.accesses.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the failure of an operation that should have written here.
    pub fn failure(&self) -> Option<Arc<Failure>> {
        self.failure.get()?.get()
    }

    /// Returns the failure of an operation before `reader` that should have written here.
    pub(crate) fn failure_before(&self, reader: Order) -> Option<Arc<Failure>> {
        self.failure.get()?.before(reader)
    }

    /// Marks the content as missing from the operation `writer` on.
    pub(crate) fn fail(&self, writer: Order, failure: &Arc<Failure>) {
        self.failure_cell().set(writer, failure);
    }

    /// Whether an operation under way that writes here may still fail.
    pub(crate) fn is_doubtful(&self) -> bool {
        self.failure.get().is_some_and(|cell| cell.is_doubtful())
    }

    /// Returns the failure as a value that outlives the store.
    pub(crate) fn failure_cell(&self) -> &Arc<FailureCell> {
        self.failure.get_or_init(Arc::default)
    }

    /// Whether this is the first call, so that the store must be recorded.
    pub(crate) fn first_seen(&self) -> bool {
        !self.recorded.swap(true, Ordering::Relaxed)
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        if self.owner.get().is_none() {
            self.memory.pool.expect_no_more(self.bytes());
        }
        for slot in &self.slots {
            slot.free_small(&self.memory.pool);
        }
    }
}
