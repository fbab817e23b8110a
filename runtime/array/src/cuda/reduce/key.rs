//! The keys of kernels that reduce.

use super::super::c::types;
use super::super::fold::{FOLD, Fold, HALF, What};
use super::super::loops::{Form, LAST, LOOPS, TICKETS, entry};
use crate::dtype::DType;

pub(super) const REDUCE: &str = include_str!("../cuda/reduce.cuh");
pub(super) const LINES: &str = include_str!("../cuda/lines.cuh");

/// A kernel that reduces.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ReduceKernelKey {
    pub(super) fold: Fold,
    pub(super) stage: Stage,
}

/// A stage of a reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Stage {
    /// Reduces an array to one result.
    Whole(Form),
    /// Combines results to one.
    Combine,
    /// Reduces each line of an array to a result.
    Lines {
        /// The loops over the lines.
        form: Form,
        /// Whether neighbouring threads have neighbouring lines instead of terms.
        is_across: bool,
    },
}

/// Returns the number of terms that a thread has in flight.
pub(super) fn each(fold: Fold) -> usize {
    match fold.dtype.size() {
        _ if fold.is_arg() => 4,
        1 => 16,
        _ => 8,
    }
}

impl ReduceKernelKey {
    /// Returns the same kernel with 64-bit indices.
    #[cfg(test)]
    pub(crate) fn widened(self) -> ReduceKernelKey {
        let stage = match self.stage {
            Stage::Whole(form) => Stage::Whole(form.widened()),
            Stage::Combine => Stage::Combine,
            Stage::Lines { form, is_across } => Stage::Lines {
                form: form.widened(),
                is_across,
            },
        };
        ReduceKernelKey { stage, ..self }
    }

    pub(crate) fn name(&self) -> String {
        let (fold, dtype) = (self.fold.name(), self.fold.dtype);
        let along = match self.fold.what {
            What::Products => format!("matvec_{dtype}"),
            What::Reduce(_) => format!("{fold}_axis_{dtype}"),
        };
        match self.stage {
            Stage::Whole(form) => format!("weft_{fold}_{dtype}{}", form.suffix()),
            Stage::Combine => format!("weft_{fold}_{dtype}_combine"),
            Stage::Lines { form, is_across } => {
                let way = if is_across { "across" } else { "along" };
                format!("weft_{along}_{way}{}", form.suffix())
            }
        }
    }

    pub(crate) fn source(&self) -> String {
        let name = self.name();
        let (parameters, body) = match self.stage {
            Stage::Whole(form) => self.whole(&form),
            Stage::Combine => self.combine(),
            Stage::Lines { form, is_across } => self.lines(&form, is_across),
        };
        let more = match self.stage {
            Stage::Whole(_) | Stage::Combine => REDUCE,
            Stage::Lines { .. } => LINES,
        };
        let entry = entry(&name, parameters, &body);
        let types = types(&[self.fold.dtype]);
        let half = if self.fold.dtype == DType::F16 {
            HALF
        } else {
            ""
        };
        format!("{types}{LOOPS}\n{LAST}\n{FOLD}{half}\n{more}\n{entry}")
    }

    /// Returns whether the kernel takes tickets, see [`Source::takes_tickets`].
    ///
    /// [`Source::takes_tickets`]: weft_core::cuda::Source::takes_tickets
    pub(crate) fn takes_tickets(&self) -> bool {
        self.stage != Stage::Combine
    }

    fn whole(&self, form: &Form) -> (Vec<String>, String) {
        let fold = self.fold;
        let (term, each) = (fold.term(), each(fold));
        let mut parameters = vec![format!("const {term} *array")];
        let source = match fold.what {
            What::Products => {
                parameters.push(format!("const {term} *other"));
                format!("weft::Products<{term}>{{array, other}}")
            }
            What::Reduce(op) if op.is_index() => {
                parameters.push("long long first".to_owned());
                format!("weft::Numbered<{term}>{{array, first}}")
            }
            What::Reduce(_) => format!("weft::Elements<{term}>{{array}}"),
        };
        parameters.extend(fold.result_parameters("results"));
        parameters.extend(fold.result_parameters("out"));
        parameters.extend(form.walk_parameters());
        parameters.push(TICKETS.to_owned());
        let body = format!(
            "{}    weft::fold_all<{}, {each}>({source}, walk, {}, {}, tickets);\n",
            form.declare_walk(each),
            fold.c(),
            fold.results("results"),
            fold.results("out"),
        );
        (parameters, body)
    }

    fn combine(&self) -> (Vec<String>, String) {
        let fold = self.fold;
        let mut parameters: Vec<String> = ["long long count", "long long step"]
            .map(str::to_owned)
            .into();
        parameters.extend(fold.result_parameters("partial"));
        parameters.extend(fold.result_parameters("out"));
        let (fold_type, partials) = (fold.c(), fold.results("partial"));
        let (get, put) = if fold.is_arg() {
            parameters.push("long long numbers_step".to_owned());
            let get =
                format!("{fold_type}::Acc{{partial[i * step], partial_numbers[i * numbers_step]}}");
            let put = "if (out) *out = result.value;\n        *out_numbers = result.at;";
            (get, put)
        } else {
            (format!("{partials}.get(i * step)"), "*out = result;")
        };
        let body = format!(
            "    const {fold_type}::Acc result =
        weft::combine<{fold_type}>(count, [&](long long i) {{ return {get}; }});
    if (threadIdx.x == 0) {{
        {put}
    }}
"
        );
        (parameters, body)
    }

    fn lines(&self, form: &Form, is_across: bool) -> (Vec<String>, String) {
        let fold = self.fold;
        let (term, index, each) = (fold.term(), form.index(), each(fold));
        let mut parameters = vec![format!("const {term} *array"), "long long step".to_owned()];
        let source = match fold.what {
            What::Products => {
                parameters.push(format!("const {term} *weights"));
                parameters.push("long long weights_step".to_owned());
                format!(
                    "weft::Weighted<{term}, {index}>{{array, ({index})step, weights, ({index})weights_step}}"
                )
            }
            What::Reduce(_) => format!("weft::Line<{term}, {index}>{{array, ({index})step}}"),
        };
        parameters.extend(line_parameters(fold));
        parameters.extend(form.parameters());
        parameters.push(TICKETS.to_owned());
        let body = format!(
            "{}    weft::fold_lines<{}, {each}, {is_across}>({source}, loops, ({index})lines, ({index})count, \
             ({index})length, {}, out, tickets);\n",
            form.declare(),
            fold.c(),
            fold.results("results"),
        );
        (parameters, body)
    }
}

/// Returns the parameters of the results of lines and of their sizes.
pub(super) fn line_parameters(fold: Fold) -> Vec<String> {
    let out = if fold.is_arg() {
        "long long"
    } else {
        fold.value()
    };
    let mut parameters = vec![format!("{out} *out")];
    parameters.extend(fold.result_parameters("results"));
    parameters.extend(["lines", "count", "length"].map(|name| format!("long long {name}")));
    parameters
}
