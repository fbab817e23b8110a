//! Universal functions with two results, each of which one kernel computes. On large arrays the
//! kernels share a pass over the inputs.

use std::cell::RefCell;

use pyo3::prelude::*;
use pyo3::types::PyTuple;
use rustc_hash::FxHashMap;
use weft::dtype::DType;
use weft::kernel::{BinaryOp, UnaryOp};

use super::{Op, Plan, compute, is_checked, resolved};
use crate::operand::{Code, Operand};

/// A function with two results.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Twin {
    Divmod,
    Modf,
    Frexp,
}

/// The plans of both results by function and inputs; `None` where Weft does not compute them.
type Plans = FxHashMap<(Twin, [Code; 2]), Option<[Plan; 2]>>;

thread_local! {
    static PLANS: RefCell<Plans> = RefCell::default();
}

impl Twin {
    /// The function of this name.
    pub(super) fn named(name: &str) -> Option<Twin> {
        let all = [Twin::Divmod, Twin::Modf, Twin::Frexp];
        all.into_iter().find(|twin| twin.name() == name)
    }

    fn name(self) -> &'static str {
        match self {
            Twin::Divmod => "divmod",
            Twin::Modf => "modf",
            Twin::Frexp => "frexp",
        }
    }

    /// The operations that compute the results.
    fn ops(self) -> [Op; 2] {
        match self {
            Twin::Divmod => [BinaryOp::FloorDiv.into(), BinaryOp::Rem.into()],
            Twin::Modf => [UnaryOp::Fraction.into(), UnaryOp::Trunc.into()],
            Twin::Frexp => [UnaryOp::Mantissa.into(), UnaryOp::Exponent.into()],
        }
    }

    /// The two results; `None` if the Python part has to compute them.
    ///
    /// # Errors
    /// Returns an error if NumPy has no such function for these inputs.
    pub(super) fn call<'py>(
        self,
        py: Python<'py>,
        codes: [Code; 2],
        left: &Operand<'_>,
        right: Option<&Operand<'_>>,
    ) -> PyResult<Option<Bound<'py, PyTuple>>> {
        if is_checked() {
            return Ok(None);
        }
        let Some(plans) = self.plans(py, codes)? else {
            return Ok(None);
        };
        let [first, second] = self.ops();
        let result = |op, plan| {
            let right = right.map(|right| right.again(py));
            compute(py, op, plan, left.again(py), right)
        };
        let results = [result(first, plans[0])?, result(second, plans[1])?];
        PyTuple::new(py, results).map(Some)
    }

    fn plans(self, py: Python<'_>, codes: [Code; 2]) -> PyResult<Option<[Plan; 2]>> {
        if let Some(known) = PLANS.with_borrow(|plans| plans.get(&(self, codes)).copied()) {
            return Ok(known);
        }
        let ops = self.ops();
        let found = resolved(py, self.name(), &codes[..ops[0].inputs()], 2)?;
        let found: Option<Vec<DType>> = found.into_iter().collect();
        let plans = found.and_then(|dtypes| {
            let (&left, rest) = dtypes.split_first()?;
            let (inputs, outputs) = match *rest {
                [first, second] => ([left, left], [first, second]),
                [right, first, second] => ([left, right], [first, second]),
                _ => return None,
            };
            let plan = |at: usize| Plan {
                inputs,
                output: outputs[at],
                is_native: ops[at].is_native(inputs, outputs[at]),
            };
            let plans = [plan(0), plan(1)];
            plans.iter().all(|plan| plan.is_native).then_some(plans)
        });
        PLANS.with_borrow_mut(|known| known.insert((self, codes), plans));
        Ok(plans)
    }
}
