//! Kernels that sort.

use super::super::c::{index_type, type_name, types};
use super::super::loops::{Form, LOOPS, entry};
use super::super::search::order;
use crate::dtype::DType;

const SORT: &str = include_str!("../cuda/sort.cuh");

/// The order of elements, and the outputs of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Elements {
    pub(super) dtype: DType,
    /// Whether -0.0 and 0.0 are equal and elements keep all their bits, as in sorts that return
    /// numbers, and for complex numbers.
    pub(super) by_rank: bool,
}

impl Elements {
    /// Returns the order for a dtype, in a sort that returns numbers or not.
    pub(super) fn for_dtype(dtype: DType, has_numbers: bool) -> Elements {
        Elements {
            dtype,
            by_rank: has_numbers || dtype.is_complex(),
        }
    }

    /// Returns the end of a kernel's name.
    fn suffix(&self) -> String {
        let rank = if self.by_rank { "_ranked" } else { "" };
        format!("{}{rank}", self.dtype)
    }
}

/// A kernel that sorts, or does a part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum SortKernelKey {
    /// Sorts short lines.
    Short(Elements, Form),
    /// Copies lines to memory in which they are consecutive.
    Gather(DType, Form),
    /// Copies lines back from there.
    Scatter(DType, Form),
    /// Counts the digits of elements.
    Digits {
        elements: Elements,
        /// Whether there are more elements than 31 bits can count.
        is_wide: bool,
    },
    /// Computes starts from counts.
    Starts,
    /// Does one pass over a digit.
    Pass {
        elements: Elements,
        /// Whether the elements' numbers are moved with them.
        has_numbers: bool,
        is_wide: bool,
    },
    /// Merges each two runs.
    Merge(Elements),
}

impl SortKernelKey {
    /// Returns the same kernel with 64-bit indices.
    #[cfg(test)]
    pub(crate) fn widened(self) -> SortKernelKey {
        match self {
            SortKernelKey::Short(elements, form) => SortKernelKey::Short(elements, form.widened()),
            SortKernelKey::Gather(dtype, form) => SortKernelKey::Gather(dtype, form.widened()),
            SortKernelKey::Scatter(dtype, form) => SortKernelKey::Scatter(dtype, form.widened()),
            // The others keep numbers in memory, whose size the plan has chosen.
            other => other,
        }
    }

    pub(crate) fn name(&self) -> String {
        let wide = |is_wide: bool| if is_wide { "_wide" } else { "" };
        match self {
            SortKernelKey::Short(elements, form) => {
                format!("weft_sort_short_{}{}", elements.suffix(), form.suffix())
            }
            SortKernelKey::Gather(dtype, form) => {
                format!("weft_sort_gather_{dtype}{}", form.suffix())
            }
            SortKernelKey::Scatter(dtype, form) => {
                format!("weft_sort_scatter_{dtype}{}", form.suffix())
            }
            SortKernelKey::Digits { elements, is_wide } => {
                format!("weft_sort_digits_{}{}", elements.suffix(), wide(*is_wide))
            }
            SortKernelKey::Starts => "weft_sort_starts".to_owned(),
            SortKernelKey::Pass {
                elements,
                has_numbers,
                is_wide,
            } => {
                let numbers = if *has_numbers { "_numbered" } else { "" };
                let wide = wide(*is_wide);
                format!("weft_sort_{}{numbers}{wide}", elements.suffix())
            }
            SortKernelKey::Merge(elements) => format!("weft_merge_{}", elements.suffix()),
        }
    }

    pub(crate) fn source(&self) -> String {
        let numbers = |names: &[&str]| -> Vec<String> {
            let all = names.iter().map(|name| format!("long long {name}"));
            all.collect()
        };
        let (parameters, body) = match self {
            SortKernelKey::Short(elements, form) => {
                let (element, index) = (type_name(elements.dtype), form.index());
                let mut parameters =
                    vec![format!("const {element} *in"), format!("{element} *values")];
                parameters.extend(numbers(&[
                    "*numbers",
                    "lines",
                    "count",
                    "room",
                    "in_step",
                    "values_step",
                    "numbers_step",
                    "first",
                ]));
                parameters.extend(form.parameters());
                let body = format!(
                    "{}    weft::sort_short<{}>(in, values, numbers, loops, ({index})lines, (int)count, (int)room, \
                     ({index})in_step, ({index})values_step, ({index})numbers_step, first);\n",
                    form.declare(),
                    elements.by_rank
                );
                (parameters, body)
            }
            SortKernelKey::Gather(dtype, form) | SortKernelKey::Scatter(dtype, form) => {
                let (element, index) = (type_name(*dtype), form.index());
                let mut parameters = vec![format!("{element} *tile"), format!("{element} *dense")];
                parameters.extend(numbers(&["total", "count", "step"]));
                parameters.extend(form.parameters());
                let is_back = matches!(self, SortKernelKey::Scatter(..));
                let body = format!(
                    "{}    weft::copy_lines<{is_back}>(tile, dense, loops, ({index})total, ({index})count, ({index})step);\n",
                    form.declare()
                );
                (parameters, body)
            }
            SortKernelKey::Digits { elements, is_wide } => {
                let (element, index) = (type_name(elements.dtype), index_type(*is_wide));
                let mut parameters = vec![format!("const {element} *in")];
                parameters.extend(numbers(&["total", "count", "places"]));
                parameters.push("unsigned long long *counts".to_owned());
                let body = format!(
                    "    weft::count_digits<{}>(in, ({index})total, ({index})count, (int)places, counts);\n",
                    elements.by_rank
                );
                (parameters, body)
            }
            SortKernelKey::Starts => {
                let parameters = vec!["unsigned long long *counts".to_owned()];
                (parameters, "    weft::find_starts(counts);\n".to_owned())
            }
            SortKernelKey::Pass {
                elements,
                has_numbers,
                is_wide,
            } => {
                let (element, index) = (type_name(elements.dtype), index_type(*is_wide));
                let mut parameters = vec![
                    format!("const {element} *in"),
                    format!("const {index} *numbers_in"),
                    format!("{element} *out"),
                    format!("{index} *numbers_out"),
                ];
                parameters.extend(numbers(&[
                    "*results", "total", "count", "place", "round", "first",
                ]));
                parameters.push("const unsigned long long *starts".to_owned());
                parameters.push("unsigned long long *states".to_owned());
                parameters.push("unsigned *ticket".to_owned());
                let body = format!(
                    "    weft::sort_digit<{}, {has_numbers}>(in, numbers_in, out, numbers_out, results, ({index})total, \
                     ({index})count, (int)place, (int)round, first, starts, states, ticket);\n",
                    elements.by_rank
                );
                (parameters, body)
            }
            SortKernelKey::Merge(elements) => {
                let element = type_name(elements.dtype);
                let mut parameters = vec![
                    format!("const {element} *in"),
                    "const long long *numbers_in".to_owned(),
                    format!("{element} *out"),
                ];
                parameters.extend(numbers(&[
                    "*numbers_out",
                    "length",
                    "runs",
                    "width",
                    "first",
                    "count",
                ]));
                let body = format!(
                    "    weft::merge_runs<{}>(in, numbers_in, out, numbers_out, length, runs, width, first, count);\n",
                    elements.by_rank
                );
                (parameters, body)
            }
        };
        let entry = entry(&self.name(), parameters, &body);
        let dtype = match self {
            SortKernelKey::Gather(dtype, _) | SortKernelKey::Scatter(dtype, _) => *dtype,
            SortKernelKey::Short(elements, _)
            | SortKernelKey::Digits { elements, .. }
            | SortKernelKey::Pass { elements, .. }
            | SortKernelKey::Merge(elements) => elements.dtype,
            SortKernelKey::Starts => DType::U64,
        };
        let (types, order) = (types(&[dtype]), order(dtype));
        format!("{types}{LOOPS}\n{order}\n{SORT}\n{entry}")
    }
}
