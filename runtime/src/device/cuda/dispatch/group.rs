//! Elementwise tasks that one kernel does together.
//!
//! A task joins the open group where every element it reads that the group writes is written at the same index of the same
//! view, so that the value can be passed on in a register, and where it writes nothing that the group reads or writes
//! otherwise. What nobody but the group can see any more is never written to memory.

use std::sync::Arc;

use smallvec::{SmallVec, smallvec};

use super::super::api::GpuId;
use super::super::code::{Step, StepKind, Value};
use crate::dtype::Scalar;
use crate::memory::{Region, Store};
use crate::operation::{Body, Generator, Operand, Operation};
use crate::shape::{Layout, Shape};
use crate::task::{Access, Task};

/// Most steps of a group: what a compiler does well, and few enough inputs for the registers of a thread.
const MOST_STEPS: usize = 40;
/// Most inputs of a group.
const MOST_INPUTS: usize = 24;

/// A task and its operation.
pub(super) struct Member {
    pub(super) task: Arc<Task>,
    pub(super) operation: Arc<Operation>,
}

/// A view of a store: the part that a tile touches.
pub(super) struct View {
    pub(super) store: Arc<Store>,
    pub(super) layout: Layout,
    region: Option<Region>,
}

impl View {
    fn is_of(&self, store: &Arc<Store>) -> bool {
        Arc::ptr_eq(&self.store, store)
    }

    fn meets(&self, store: &Arc<Store>, region: Option<&Region>) -> bool {
        self.is_of(store)
            && matches!((&self.region, region), (Some(own), Some(other)) if own.overlaps(other))
    }
}

/// What a group reads.
#[allow(
    clippy::large_enum_variant,
    reason = "most are views, and there are a few at a time"
)]
pub(super) enum Source {
    View(View),
    Scalar(Scalar),
}

/// What a group writes.
pub(super) struct Written {
    pub(super) view: View,
    /// The step whose result it is.
    pub(super) step: u16,
    /// The operand's own layout, of which the tile's is a part.
    whole: Layout,
}

/// Whether a view is a slice without steps of at least half of its store: then it is worth writing it to another
/// instance and copying the rest there.
fn is_most(view: &Layout, store: &Store) -> bool {
    view.strides == Layout::contiguous(store.shape).strides
        && view.rank() == store.shape.rank()
        && view.shape.len() * 2 >= store.shape.len()
}

/// Elementwise tasks over one index space on one GPU, in order.
pub(super) struct Group {
    pub(super) gpu: GpuId,
    /// The tile's shape.
    pub(super) shape: Shape,
    pub(super) members: SmallVec<[Member; 4]>,
    pub(super) sources: SmallVec<[Source; 8]>,
    pub(super) steps: SmallVec<[Step; 8]>,
    pub(super) written: SmallVec<[Written; 4]>,
    /// Whether the last of what is written goes to another instance of its store, since the group reads what it would
    /// overwrite. Nothing more is added then.
    pub(super) renews: bool,
}

/// The step that an operation is, and how its operands but the last, which is the output, stand in it; `None` where it is
/// not elementwise.
pub(super) fn step_of(operation: &Operation) -> Option<StepKind> {
    Some(match operation.body {
        Body::Unary(op) => StepKind::Unary(op),
        Body::Binary(op) => StepKind::Binary(op),
        Body::Select | Body::PutMask => StepKind::Select,
        Body::Cast => match operation.operands.last()? {
            Operand::Array { store, .. } => StepKind::Cast(store.dtype),
            _ => return None,
        },
        Body::Copy | Body::Generate(Generator::Fill(_)) => StepKind::Copy,
        _ => return None,
    })
}

impl Group {
    /// A group of no tasks yet, for tiles of this shape.
    /// In a box: what it holds is kilobytes, and it is passed on.
    pub(super) fn new(gpu: GpuId, shape: Shape) -> Box<Group> {
        Box::new(Group {
            gpu,
            shape,
            members: SmallVec::new(),
            sources: SmallVec::new(),
            steps: SmallVec::new(),
            written: SmallVec::new(),
            renews: false,
        })
    }

    /// Adds a task, or gives it back where it cannot be done together with the others. A group without tasks takes any
    /// elementwise one of its shape. With `may_renew` a task may write over other views of what the group reads.
    pub(super) fn add(
        &mut self,
        kind: StepKind,
        member: Member,
        may_renew: bool,
    ) -> Result<(), Member> {
        let is_full = self.steps.len() >= MOST_STEPS || self.sources.len() + 4 > MOST_INPUTS;
        if is_full || self.renews {
            return Err(member);
        }
        let Some((inputs, out, whole)) = self.values(&member, may_renew) else {
            return Err(member);
        };
        let step = self.steps.len() as u16;
        // A value that is written over at the same place is needed no more.
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

    /// Where the values of a task come from, and what it writes; `None` where it does not fit, and then nothing is
    /// changed.
    fn values(
        &mut self,
        member: &Member,
        may_renew: bool,
    ) -> Option<(SmallVec<[Value; 3]>, View, Layout)> {
        let operation = &member.operation;
        let (inputs, out) = operation.operands.split_at(operation.operands.len() - 1);
        let part = |index: usize| operation.part(index, &member.task.cut, member.task.point);
        let (Operand::Array { store, layout, .. }, at) = (out.first()?, inputs.len()) else {
            return None;
        };
        let out_part = part(at)?;
        let region = Region::of(&out_part, &store.shape);
        let hurts = |view: &View| view.layout != out_part && view.meets(store, region.as_ref());
        let hurts_read = |source: &Source| matches!(source, Source::View(view) if hurts(view));
        if self.written.iter().any(|written| hurts(&written.view)) {
            return None;
        }
        let renews = self.sources.iter().any(hurts_read);
        let is_written = || self.written.iter().any(|written| written.view.is_of(store));
        // A mask keeps elements of the very view, which another instance does not have.
        let may_renew = may_renew && operation.body != Body::PutMask;
        if renews && (!may_renew || is_written() || !is_most(&out_part, store)) {
            return None;
        }
        let known = self.sources.len();
        let mut values = smallvec![];
        let find = |group: &mut Group, operand: &Operand, index: usize| -> Option<Value> {
            Some(match operand {
                Operand::Array { store, layout, .. } => {
                    let layout = part(index).unwrap_or(*layout);
                    let region = Region::of(&layout, &store.shape);
                    let writer = group
                        .written
                        .iter()
                        .rev()
                        .find(|w| w.view.meets(store, region.as_ref()));
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
        match operation.body {
            // Keeps what is there where the mask is not set.
            Body::PutMask => match find(self, &out[0], at) {
                Some(value) => values.push(value),
                None => {
                    self.sources.truncate(known);
                    return None;
                }
            },
            Body::Generate(Generator::Fill(scalar)) => {
                values.push(self.push(Source::Scalar(scalar)));
            }
            _ => {}
        }
        // What the task itself reads may be the very view that it writes, but no other that meets it, unless it is written to
        // another instance.
        let is_hurt = self.sources[known..].iter().any(hurts_read);
        if is_hurt && !renews {
            self.sources.truncate(known);
            return None;
        }
        self.renews = renews;
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

    /// The outputs that somebody outside the group may still see; at least one.
    pub(super) fn visible(&self) -> SmallVec<[usize; 4]> {
        let mut visible: SmallVec<[usize; 4]> = (0..self.written.len())
            .filter(|at| !self.is_hidden(&self.written[*at]))
            .collect();
        if visible.is_empty() && !self.written.is_empty() {
            visible.push(self.written.len() - 1);
        }
        visible
    }

    /// Whether every handle to a written store is an operand of this group's operations, each of the very view that is
    /// written: then its elements have been used up, and nobody can ask for them.
    fn is_hidden(&self, written: &Written) -> bool {
        let store = &written.view.store;
        let mut inside = 0;
        let operands = self.members.iter().enumerate().flat_map(|(at, member)| {
            // Tiles of one operation share its operands.
            let first = self.members[..at]
                .iter()
                .all(|earlier| !Arc::ptr_eq(&earlier.operation, &member.operation));
            member.operation.operands.iter().filter(move |_| first)
        });
        for operand in operands {
            if let Operand::Array {
                store: other,
                layout,
                access,
            } = operand
                && Arc::ptr_eq(store, other)
            {
                if *layout != written.whole || *access == Access::ReadWrite {
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
        sources == 0 && Arc::strong_count(store) == inside + views
    }
}
