//! Chains of steps resolved for their dtypes: independent of shapes and views.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHasher};
use smallvec::SmallVec;

use super::{Form, Input};
use crate::dtype::DType;
use weft_elements::Handle;
use weft_elements::chain::{ChainPlan, Fold, Step};

/// Maximum number of chains in the cache.
const MAX_KEPT: usize = 1024;

/// A chain, and the key from which it was made.
struct CachedPlan {
    inputs: SmallVec<[DType; 8]>,
    steps: SmallVec<[Step; 8]>,
    outputs: SmallVec<[u16; 4]>,
    fold: Option<(Handle<dyn Fold>, u16)>,
    plan: Arc<ChainPlan>,
}

/// The chains made so far, by the hash of their keys.
#[derive(Default)]
pub(super) struct Plans(FxHashMap<u64, CachedPlan>);

fn inputs<'a>(form: &Form<'a>) -> impl Iterator<Item = DType> + use<'a> {
    form.inputs.iter().map(Input::dtype)
}

fn outputs<'a>(form: &Form<'a>) -> impl Iterator<Item = u16> + use<'a> {
    form.outputs.iter().map(|(step, _)| *step)
}

fn fold<'a>(form: &Form<'a>) -> Option<(&'a Handle<dyn Fold>, u16)> {
    form.folded.map(|(folded, _)| (&folded.reduce, folded.step))
}

fn hash(form: &Form<'_>) -> u64 {
    let mut hasher = FxHasher::default();
    inputs(form).for_each(|dtype| (dtype as u8).hash(&mut hasher));
    form.steps.hash(&mut hasher);
    outputs(form).for_each(|step| step.hash(&mut hasher));
    fold(form).hash(&mut hasher);
    hasher.finish()
}

impl CachedPlan {
    fn is(&self, form: &Form<'_>) -> bool {
        self.steps.as_slice() == form.steps
            && self.inputs.iter().copied().eq(inputs(form))
            && self.outputs.iter().copied().eq(outputs(form))
            && self.fold.as_ref().map(|(fold, step)| (fold, *step)) == fold(form)
    }
}

impl Plans {
    /// Returns the chain of a group; `None` if one of its steps has no kernel for its dtype.
    pub(super) fn get(&mut self, form: &Form<'_>) -> Option<Arc<ChainPlan>> {
        let hash = hash(form);
        // If the hashes of two forms collide, the last one is kept.
        if let Some(known) = self.0.get(&hash).filter(|known| known.is(form)) {
            return Some(known.plan.clone());
        }
        let (inputs, outputs): (SmallVec<[_; 8]>, SmallVec<[_; 4]>) =
            (inputs(form).collect(), outputs(form).collect());
        let fold = fold(form).map(|(fold, step)| (fold.clone(), step));
        let plan = ChainPlan::new(&inputs, form.steps, &outputs, fold.clone())?;
        let plan = Arc::new(plan);
        if self.0.len() >= MAX_KEPT {
            self.0.clear();
        }
        let known = CachedPlan {
            inputs,
            steps: form.steps.into(),
            outputs,
            fold,
            plan: plan.clone(),
        };
        self.0.insert(hash, known);
        Some(plan)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::Scalar;
    use crate::shape::Shape;
    use crate::testing::functions::{PRODUCT, SUM};
    use weft_elements::chain::Value;

    #[test]
    fn plans_each_chain_once_per_dtypes_and_steps() {
        let step = |kind| Step {
            kind,
            inputs: [Value::Input(0), Value::Input(1)].into_iter().collect(),
        };
        let mut plans = Plans::default();
        let mut of = |value: Scalar, kind, shape: &Shape| {
            let inputs = [Input::Scalar(value), Input::Scalar(value)];
            let form = Form {
                shape,
                inputs: &inputs,
                steps: &[step(kind)],
                outputs: &[],
                folded: None,
            };
            plans.get(&form).unwrap()
        };
        let (small, large) = (Shape::new(&[3]).unwrap(), Shape::new(&[5, 2]).unwrap());
        let first = of(Scalar::F64(1.0), SUM, &small);
        for other in [
            of(Scalar::F32(1.0), SUM, &small),
            of(Scalar::F64(1.0), PRODUCT, &small),
        ] {
            assert!(!Arc::ptr_eq(&first, &other));
        }
        let again = of(Scalar::F64(2.0), SUM, &large);
        assert!(Arc::ptr_eq(&first, &again));
    }
}
