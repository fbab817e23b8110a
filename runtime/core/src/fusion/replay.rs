//! A cache of the analysis of groups, for groups of the same form that come again.
//!
//! A loop submits the same operations over the same shapes in every round. Their dtypes, cuts and
//! the elements that each tile accesses depend on nothing else. So from the third time on these are
//! looked up. The predecessors of a tile are searched each time.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHasher};
use smallvec::SmallVec;
use weft_geometry::{Cuts, Region};

use super::plans::Plans;
use super::{Bound, Form, Input};
use crate::dtype::DType;
use crate::shape::{Layout, Shape};
use weft_elements::Handle;
use weft_elements::chain::{ChainPlan, Fold, Step};

/// Maximum number of groups in the cache. A program with more forms has no loop worth the memory.
const MAX_KEPT: usize = 1024;
/// Number of groups seen once that are remembered by their hash.
const ONCE: usize = 1024;

/// A view, and the shape of its store.
type StoreView = (Layout, Shape);

fn place(bound: &Bound) -> StoreView {
    (bound.layout, bound.store.shape)
}

fn is_at(bound: &Bound, place: &StoreView) -> bool {
    bound.layout == place.0 && bound.store.shape == place.1
}

/// A group that was analysed before.
pub(crate) struct Replay {
    shape: Shape,
    inputs: SmallVec<[(DType, Option<StoreView>); 8]>,
    steps: SmallVec<[Step; 8]>,
    outputs: SmallVec<[(u16, StoreView); 2]>,
    folded: Option<(Handle<dyn Fold>, u16, StoreView)>,
    /// Its kernel.
    pub(crate) plan: Arc<ChainPlan>,
    /// Its tiles.
    pub(crate) cuts: Cuts,
    /// The regions of the accesses, tile by tile in the order of the accesses.
    pub(crate) regions: Vec<Option<Region>>,
}

impl Form<'_> {
    fn hash(&self) -> u64 {
        let mut hasher = FxHasher::default();
        self.shape.hash(&mut hasher);
        self.steps.hash(&mut hasher);
        let bound = |bound: &Bound, hasher: &mut FxHasher| {
            bound.layout.hash(hasher);
            bound.store.shape.hash(hasher);
            (bound.store.dtype as u8).hash(hasher);
        };
        for input in self.inputs {
            match input {
                Input::View { bound: view, .. } => bound(view, &mut hasher),
                Input::Scalar(scalar) => (scalar.dtype() as u8).hash(&mut hasher),
            }
        }
        for (_, output) in self.outputs {
            bound(output, &mut hasher);
        }
        if let Some((_, output)) = self.folded {
            bound(output, &mut hasher);
        }
        hasher.finish()
    }

    fn is(&self, known: &Replay) -> bool {
        let inputs = self.inputs.iter().zip(&known.inputs);
        let outputs = self.outputs.iter().zip(&known.outputs);
        *self.shape == known.shape
            && self.steps == known.steps.as_slice()
            && self.inputs.len() == known.inputs.len()
            && self.outputs.len() == known.outputs.len()
            && inputs.into_iter().all(|(input, (dtype, known))| {
                input.dtype() == *dtype
                    && match (input, known) {
                        (Input::View { bound, .. }, Some(known)) => is_at(bound, known),
                        (Input::Scalar(_), None) => true,
                        _ => false,
                    }
            })
            && outputs
                .into_iter()
                .all(|((step, bound), (known, at))| step == known && is_at(bound, at))
            && match (self.folded, &known.folded) {
                (None, None) => true,
                (Some((folded, bound)), Some((reduce, step, at))) => {
                    folded.reduce == *reduce && folded.step == *step && is_at(bound, at)
                }
                _ => false,
            }
    }
}

/// Groups that were analysed before, and the chains of their steps.
pub(crate) struct Replays {
    plans: Plans,
    known: FxHashMap<u64, Arc<Replay>>,
    once: Vec<u64>,
    /// Number of groups that were found here.
    replayed: u64,
}

impl Default for Replays {
    fn default() -> Replays {
        Replays {
            plans: Plans::default(),
            known: FxHashMap::default(),
            once: vec![0; ONCE],
            replayed: 0,
        }
    }
}

impl Replays {
    /// Finds the earlier group of this form. Otherwise returns the hash if the form was seen once,
    /// so that the group is worth [keeping](Self::keep).
    pub(crate) fn find(&mut self, form: &Form<'_>) -> Result<Arc<Replay>, Option<u64>> {
        let hash = form.hash();
        match self.known.get(&hash) {
            Some(known) if form.is(known) => {
                self.replayed += 1;
                return Ok(known.clone());
            }
            // If the hashes of two forms collide, the first one stays.
            Some(_) => return Err(None),
            None => {}
        }
        let seen = &mut self.once[hash as usize % ONCE];
        if *seen == hash {
            return Err(Some(hash));
        }
        *seen = hash;
        Err(None)
    }

    /// Keeps the analysis of a group of this form.
    pub(crate) fn keep(
        &mut self,
        hash: u64,
        form: &Form<'_>,
        plan: Arc<ChainPlan>,
        cuts: Cuts,
        regions: Vec<Option<Region>>,
    ) {
        if self.known.len() >= MAX_KEPT {
            self.known.clear();
        }
        let input = |input: &Input| match input {
            Input::View { bound, .. } => (input.dtype(), Some(place(bound))),
            Input::Scalar(_) => (input.dtype(), None),
        };
        let outputs = form.outputs.iter();
        let replay = Replay {
            shape: *form.shape,
            inputs: form.inputs.iter().map(input).collect(),
            steps: form.steps.into(),
            outputs: outputs.map(|(step, bound)| (*step, place(bound))).collect(),
            folded: form
                .folded
                .map(|(folded, bound)| (folded.reduce.clone(), folded.step, place(bound))),
            plan,
            cuts,
            regions,
        };
        self.known.insert(hash, Arc::new(replay));
    }

    /// Returns the chain of a group's steps, resolved for its dtypes; `None` if one of them has no
    /// kernel for its dtype.
    pub(crate) fn plan(&mut self, form: &Form<'_>) -> Option<Arc<ChainPlan>> {
        self.plans.get(form)
    }

    /// Returns the number of groups that were found here.
    pub(crate) fn replayed(&self) -> u64 {
        self.replayed
    }
}
