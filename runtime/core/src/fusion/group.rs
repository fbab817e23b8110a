//! Elementwise operations, or tiles of them, that run as one kernel.
//!
//! An operation joins the open group on two conditions. Every element that it reads and the group
//! writes is written at the same index of the same view, so that the value can be passed on in a
//! register. And its own output does not otherwise overlap what the group reads or writes. Values
//! that only the group can see are never written to memory.

use std::sync::Arc;
use std::sync::atomic::{Ordering, fence};

use smallvec::{SmallVec, smallvec};
use weft_geometry::{Access, Region};
use weft_trace::id::OperationUid;

use crate::dtype::{DType, Scalar};
use crate::memory::Store;
use crate::operation::{Fusion, Operand, Operation};
use crate::shape::{Layout, Shape};
use weft_elements::Handle;
use weft_elements::chain::{Fold, Step, StepKind, Value};

/// Maximum number of steps of a group: a number that a compiler handles well, with few enough
/// inputs for the registers of a thread.
pub(super) const MAX_STEPS: usize = 40;
/// Maximum number of inputs of a group.
const MAX_INPUTS: usize = 24;

/// A candidate for a group: an operation, or one of its tiles.
pub(crate) trait Joins {
    /// The processor that runs it: the same for all members of a group.
    type Processor: Copy;

    /// Returns the operation.
    fn operation(&self) -> &Arc<Operation>;

    /// Returns the part of an operand that it works on; `None` for scalars.
    fn part(&self, operand: usize) -> Option<Layout>;
}

/// A view of a store: the part that a member accesses.
pub(crate) struct View {
    pub(crate) store: Arc<Store>,
    pub(crate) layout: Layout,
    region: Option<Region>,
}

impl View {
    fn is_of(&self, store: &Arc<Store>) -> bool {
        Arc::ptr_eq(&self.store, store)
    }

    fn overlaps(&self, store: &Arc<Store>, region: Option<&Region>) -> bool {
        self.is_of(store)
            && matches!((&self.region, region), (Some(own), Some(other)) if own.overlaps(other))
    }
}

/// An input of a group.
#[allow(
    clippy::large_enum_variant,
    reason = "most are views, and there are a few at a time"
)]
pub(crate) enum Source {
    View(View),
    Scalar(Scalar),
}

/// An output of a group.
pub(crate) struct Written {
    pub(crate) view: View,
    /// The step that computes it.
    pub(crate) step: u16,
    /// The operand's own layout; the member's view may be a part of it.
    whole: Layout,
}

/// Whether a view is a slice of step 1 with at least half of its store. Then it is worth writing to
/// another instance and copying the rest there.
fn is_most(view: &Layout, store: &Store) -> bool {
    view.strides == Layout::contiguous(store.shape).strides
        && view.rank() == store.shape.rank()
        && view.shape.len() * 2 >= store.shape.len()
}

/// The reduction of a value of a group. Each tile writes a partial result, or one for each line.
pub(crate) struct Folded {
    /// The reduction.
    pub(crate) reduce: Handle<dyn Fold>,
    /// The step whose result is reduced.
    pub(crate) step: u16,
}

/// Elementwise members over one index space, in order.
pub(crate) struct Group<M: Joins> {
    /// The processor of its members.
    pub(crate) place: M::Processor,
    /// The members' shape.
    pub(crate) shape: Shape,
    pub(crate) members: SmallVec<[M; 4]>,
    pub(crate) sources: SmallVec<[Source; 8]>,
    pub(crate) steps: SmallVec<[Step; 8]>,
    pub(crate) written: SmallVec<[Written; 4]>,
    /// Whether the last output goes to another instance of its store, since the group reads the
    /// elements that it would overwrite. Such a group is closed.
    pub(crate) swaps_buffers: bool,
    /// The reduction that is the last member, if any. Such a group is closed.
    pub(crate) folded: Option<Folded>,
}

/// Returns the step of an elementwise operation, whose last operand is the output; `None` for other
/// operations.
pub(crate) fn step_of(operation: &Operation) -> Option<StepKind> {
    match &operation.body.fusion {
        Fusion::Step { kind, .. } => Some(kind.clone()),
        Fusion::Alone | Fusion::Fold(_) | Fusion::FoldLines(_) => None,
    }
}

impl<M: Joins> Group<M> {
    /// Creates an empty group for members of this shape. It is boxed because it is kilobytes in
    /// size and is passed on.
    pub(crate) fn new(place: M::Processor, shape: Shape) -> Box<Group<M>> {
        Box::new(Group {
            place,
            shape,
            members: SmallVec::new(),
            sources: SmallVec::new(),
            steps: SmallVec::new(),
            written: SmallVec::new(),
            swaps_buffers: false,
            folded: None,
        })
    }

    /// Whether no member can be added.
    fn is_closed(&self) -> bool {
        self.is_full() || self.swaps_buffers || self.folded.is_some()
    }

    /// Whether it has the maximum number of steps or inputs of a kernel.
    pub(crate) fn is_full(&self) -> bool {
        self.steps.len() >= MAX_STEPS || self.sources.len() + 4 > MAX_INPUTS
    }

    /// Adds the reduction of a value that the group computes; returns the member if it is not such
    /// a reduction. Its output must not overlap what the group reads or writes: it is a new store.
    pub(crate) fn fold(&mut self, reduce: Handle<dyn Fold>, member: M) -> Result<(), M> {
        let Some(Operand::Array { store, .. }) = member.operation().operands.first() else {
            return Err(member);
        };
        let layout = member.part(0);
        let written = self.written.iter().rev();
        let value = written
            .filter(|w| w.view.is_of(store) && Some(w.view.layout) == layout)
            .map(|w| w.step)
            .next();
        match value {
            Some(step) if !self.is_closed() => {
                self.folded = Some(Folded { reduce, step });
                self.members.push(member);
                Ok(())
            }
            _ => Err(member),
        }
    }

    /// Returns the dtype of the values that the group reduces, if it does.
    pub(crate) fn folded_dtype(&self) -> Option<DType> {
        let folded = self.folded.as_ref()?;
        let mut written = self.written.iter();
        let value = written.find(|written| written.step == folded.step)?;
        Some(value.view.store.dtype)
    }

    /// Adds a member; returns it if it cannot be fused with the others. An empty group takes any
    /// elementwise member of its shape. With `may_swap`, a member may overwrite other views of
    /// stores that the group reads.
    pub(crate) fn add(&mut self, kind: StepKind, member: M, may_swap: bool) -> Result<(), M> {
        if self.is_closed() {
            return Err(member);
        }
        let Some((inputs, out, whole)) = self.values(&member, may_swap) else {
            return Err(member);
        };
        let step = self.steps.len() as u16;
        // A value that is overwritten at the same place is no longer needed.
        self.written.retain(|written| {
            !(written.view.is_of(&out.store) && written.view.layout == out.layout)
        });
        self.steps.push(Step { kind, inputs });
        self.written.push(Written {
            view: out,
            step,
            whole,
        });
        self.members.push(member);
        Ok(())
    }

    /// Returns the sources of a member's values, its output and the output's own layout. Returns
    /// `None` if the member does not fit; the group is then unchanged.
    fn values(
        &mut self,
        member: &M,
        may_swap: bool,
    ) -> Option<(SmallVec<[Value; 3]>, View, Layout)> {
        let operation = member.operation();
        let (inputs, out) = operation.operands.split_at(operation.operands.len() - 1);
        let part = |index: usize| member.part(index);
        let (Operand::Array { store, layout, .. }, at) = (out.first()?, inputs.len()) else {
            return None;
        };
        let out_part = part(at)?;
        let region = Region::of(&out_part, &store.shape);
        let conflicts =
            |view: &View| view.layout != out_part && view.overlaps(store, region.as_ref());
        let conflicts_with_read =
            |source: &Source| matches!(source, Source::View(view) if conflicts(view));
        if self.written.iter().any(|written| conflicts(&written.view)) {
            return None;
        }
        let swaps_buffers = self.sources.iter().any(conflicts_with_read);
        let is_written = || self.written.iter().any(|written| written.view.is_of(store));
        // A step that keeps old values reads the view that it writes, which another instance does
        // not have.
        let keeps = matches!(operation.body.fusion, Fusion::Step { keeps: true, .. });
        let may_swap = may_swap && !keeps;
        if swaps_buffers && (!may_swap || is_written() || !is_most(&out_part, store)) {
            return None;
        }
        let known = self.sources.len();
        let mut values = smallvec![];
        let find = |group: &mut Group<M>, operand: &Operand, index: usize| -> Option<Value> {
            Some(match operand {
                Operand::Array { store, layout, .. } => {
                    let layout = part(index).unwrap_or(*layout);
                    let region = Region::of(&layout, &store.shape);
                    let writer = group
                        .written
                        .iter()
                        .rev()
                        .find(|w| w.view.overlaps(store, region.as_ref()));
                    match writer {
                        Some(w) if w.view.layout == layout => Value::Step(w.step),
                        Some(_) => return None,
                        None => group.source(store, layout, region),
                    }
                }
                Operand::Scalar(scalar) => group.push(Source::Scalar(*scalar)),
                Operand::Host(_) => return None,
            })
        };
        for (index, operand) in inputs.iter().enumerate() {
            match find(self, operand, index) {
                Some(value) => values.push(value),
                None => {
                    self.sources.truncate(known);
                    return None;
                }
            }
        }
        if keeps {
            match find(self, &out[0], at) {
                Some(value) => values.push(value),
                None => {
                    self.sources.truncate(known);
                    return None;
                }
            }
        }
        // The member may read exactly the view that it writes, but no other view that overlaps it,
        // unless it writes to another instance.
        let is_overwritten = self.sources[known..].iter().any(conflicts_with_read);
        if is_overwritten && !swaps_buffers {
            self.sources.truncate(known);
            return None;
        }
        self.swaps_buffers = swaps_buffers;
        let view = View {
            store: store.clone(),
            layout: out_part,
            region,
        };
        Some((values, view, *layout))
    }

    fn source(&mut self, store: &Arc<Store>, layout: Layout, region: Option<Region>) -> Value {
        let known = self.sources.iter().position(|source| {
            matches!(source, Source::View(view) if view.is_of(store) && view.layout == layout)
        });
        match known {
            Some(at) => Value::Input(at as u16),
            None => self.push(Source::View(View {
                store: store.clone(),
                layout,
                region,
            })),
        }
    }

    fn push(&mut self, source: Source) -> Value {
        self.sources.push(source);
        Value::Input(self.sources.len() as u16 - 1)
    }

    /// Iterates over the stores that it reads and writes.
    pub(crate) fn stores(&self) -> impl Iterator<Item = &Arc<Store>> + '_ {
        let read = self.sources.iter().filter_map(|source| match source {
            Source::View(view) => Some(&view.store),
            Source::Scalar(_) => None,
        });
        read.chain(self.written.iter().map(|written| &written.view.store))
    }

    /// Returns the outputs that may still be visible outside the group; at least one, unless the
    /// group ends in a reduction.
    pub(crate) fn visible(&self) -> SmallVec<[usize; 4]> {
        self.visible_at(None)
    }

    /// Returns the outputs that were visible when the program submitted the operation `next`: an
    /// array dropped later counts as visible. With `None`, returns those that are visible now.
    pub(crate) fn visible_at(&self, next: Option<OperationUid>) -> SmallVec<[usize; 4]> {
        let was_let_go = |store: &Store| next.is_none_or(|next| store.let_go_before(next));
        let mut visible: SmallVec<[usize; 4]> = (0..self.written.len())
            .filter(|at| {
                let written = &self.written[*at];
                !self.is_hidden(written) || !was_let_go(&written.view.store)
            })
            .collect();
        if visible.is_empty() && self.folded.is_none() && !self.written.is_empty() {
            visible.push(self.written.len() - 1);
        }
        visible
    }

    /// Returns the outputs except those of the steps whose bits are set.
    pub(crate) fn visible_but(&self, hidden: u64) -> SmallVec<[usize; 4]> {
        let is_visible = |at: &usize| hidden >> self.written[*at].step & 1 == 0;
        (0..self.written.len()).filter(is_visible).collect()
    }

    /// Whether every handle to a written store is an operand of this group's operations. Each must
    /// be exactly the view that is written, and each operation must have its task on the written
    /// part here. Then nothing can read the elements later.
    fn is_hidden(&self, written: &Written) -> bool {
        let store = &written.view.store;
        let mut inside = 0;
        for (at, member) in self.members.iter().enumerate() {
            let operation = member.operation();
            let same = |other: &M| Arc::ptr_eq(other.operation(), operation);
            // Tiles of one operation share its operands.
            if self.members[..at].iter().any(same) {
                continue;
            }
            for array in operation
                .arrays()
                .filter(|array| Arc::ptr_eq(store, array.store))
            {
                let mut tasks = self.members[at..].iter().filter(|other| same(other));
                // A group may end between two tiles of an operation.
                if *array.layout != written.whole
                    || array.declared.access == Access::ReadWrite
                    || !tasks.any(|task| task.part(array.index) == Some(written.view.layout))
                {
                    return false;
                }
                inside += 1;
            }
        }
        let views = self
            .written
            .iter()
            .filter(|other| other.view.is_of(store))
            .count();
        let sources = self
            .sources
            .iter()
            .filter(|source| matches!(source, Source::View(view) if view.is_of(store)))
            .count();
        let is_hidden = sources == 0 && Arc::strong_count(store) == inside + views;
        // Synchronises with threads that dropped their handles: their earlier writes are visible
        // from here on.
        fence(Ordering::Acquire);
        is_hidden
    }
}
