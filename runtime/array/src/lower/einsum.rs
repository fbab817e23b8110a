//! Einstein's summation convention: products of any number of views, summed over the axes that the
//! result does not name.
//!
//! Views are contracted in pairs: by a matrix product if both have their own axes, otherwise by
//! elementwise products and a sum. The next pair is chosen greedily, to keep intermediate results
//! small.

use std::fmt;
use std::sync::Arc;

use super::{View, wrong};
use crate::dtype::{DType, Promotion};
use crate::kernel::{BinaryOp, ReduceOp};
use weft_core::error::CallError;

const OPERATION: &str = "einsum";

/// The label of an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Label {
    /// An axis that `...` stands for, counted from the last one.
    Unnamed(usize),
    /// A letter.
    Letter(char),
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Label::Unnamed(_) => f.write_str("an axis of `...`"),
            Label::Letter(letter) => write!(f, "axis `{letter}`"),
        }
    }
}

impl View {
    /// Returns the product of views, each with a label for every axis, summed over the axes whose
    /// labels are not in the output.
    pub(crate) fn einsum(
        inputs: &[(&View, Vec<Label>)],
        output: &[Label],
    ) -> Result<View, CallError> {
        let dtypes = inputs.iter().map(|(view, _)| view.dtype());
        let Some(dtype) = dtypes.reduce(DType::promote) else {
            return Err(wrong(OPERATION, "no arrays"));
        };
        let mut terms = Vec::with_capacity(inputs.len());
        for (view, labels) in inputs {
            terms.push(Term::new(view.cast(dtype)?, labels)?);
        }
        stretch(&mut terms)?;
        let mut terms = terms.into_iter().map(Some).collect::<Vec<_>>();
        while let Some((left, right)) = next_pair(&terms, output) {
            let (Some(a), Some(b)) = (terms[left].take(), terms[right].take()) else {
                unreachable!("a pair of terms that are there");
            };
            let needed = needed(&terms, output);
            terms[left] = Some(
                a.reduced(&needed, Some(&b))?
                    .times(b.reduced(&needed, Some(&a))?, &needed)?,
            );
        }
        let Some(last) = terms.into_iter().flatten().next() else {
            return Err(wrong(OPERATION, "no arrays"));
        };
        let summed = last.reduced(output, None)?;
        let result = summed.aligned(output)?;
        // A view of an operand would alias it.
        let aliases = |(view, _): &(&View, _)| Arc::ptr_eq(&view.store, &result.store);
        match inputs.iter().any(aliases) {
            true => result.copied(),
            false => Ok(result),
        }
    }
}

/// A view with a label for each axis, all of them different.
struct Term {
    view: View,
    labels: Vec<Label>,
}

impl Term {
    /// Creates a term, with the diagonals of axes that have the same label.
    fn new(view: View, labels: &[Label]) -> Result<Term, CallError> {
        let (mut view, mut labels) = (view, labels.to_vec());
        while let Some((first, second)) = repeated(&labels) {
            let lengths = [view.dims()[first], view.dims()[second]];
            if lengths[0] != lengths[1] {
                let why = format!(
                    "axes {first} and {second} with one letter have {} and {} elements",
                    lengths[0], lengths[1]
                );
                return Err(wrong(OPERATION, &why));
            }
            let in_front = view.moveaxis(second, 0)?.moveaxis(first + 1, 1)?;
            view = in_front.diagonal(0)?;
            let label = labels.remove(second);
            labels.remove(first);
            labels.push(label);
        }
        Ok(Term { view, labels })
    }

    fn length(&self, label: Label) -> Option<usize> {
        let axis = self.labels.iter().position(|own| *own == label)?;
        Some(self.view.dims()[axis])
    }

    /// Whether elements along the axes with these labels are closer to each other than those along
    /// other axes.
    fn reads_along(&self, labels: &[Label]) -> bool {
        let strides = self.view.layout.strides;
        let along = |is_inner: bool| {
            let axes = self.labels.iter().zip(strides);
            let own = axes.filter(move |(label, _)| labels.contains(label) == is_inner);
            own.map(|(_, stride)| stride.unsigned_abs())
        };
        along(true).max() <= along(false).min()
    }

    /// Sums over the labels that are not needed and that the other term does not have.
    fn reduced(&self, needed: &[Label], other: Option<&Term>) -> Result<Term, CallError> {
        let (mut view, mut labels) = (self.view.clone(), self.labels.clone());
        for axis in (0..labels.len()).rev() {
            let label = labels[axis];
            let is_kept =
                needed.contains(&label) || other.is_some_and(|other| other.labels.contains(&label));
            if !is_kept {
                let summed = view.reduce(ReduceOp::Sum, Some(axis))?;
                // Sums of small integers are wider than their products.
                view = summed.cast(view.dtype())?;
                labels.remove(axis);
            }
        }
        Ok(Term { view, labels })
    }

    /// Returns the view with its axes in the order of these labels, and axes of length 1 for
    /// missing ones.
    fn aligned(&self, labels: &[Label]) -> Result<View, CallError> {
        let own = labels
            .iter()
            .filter_map(|label| self.labels.iter().position(|own| own == label));
        let order: Vec<usize> = own.collect();
        let mut view = self.view.permute(&order)?;
        for (axis, label) in labels.iter().enumerate() {
            if !self.labels.contains(label) {
                view = view.with_axis(axis)?;
            }
        }
        Ok(view)
    }

    /// Returns the product with another term, summed over the labels that are not needed, which are
    /// in both terms.
    fn times(self, other: Term, needed: &[Label]) -> Result<Term, CallError> {
        let of = |term: &Term, is: &dyn Fn(&Label) -> bool| -> Vec<Label> {
            term.labels
                .iter()
                .copied()
                .filter(|label| is(label))
                .collect()
        };
        let in_other = |label: &Label| other.labels.contains(label);
        let batch = of(&self, &|label| in_other(label) && needed.contains(label));
        let inner = of(&self, &|label| in_other(label) && !needed.contains(label));
        let rows = of(&self, &|label| !in_other(label));
        let columns = of(&other, &|label| !self.labels.contains(label));
        let labels = [batch.as_slice(), &rows, &columns].concat();
        let are_lines = rows.is_empty()
            && columns.is_empty()
            && self.reads_along(&inner)
            && other.reads_along(&inner);
        let is_matrix = !inner.is_empty()
            && (batch.is_empty() || are_lines || (!rows.is_empty() && !columns.is_empty()));
        if !is_matrix || self.view.dtype().is_bool() {
            let all = [labels.as_slice(), &inner].concat();
            let product = self
                .aligned(&all)?
                .with(BinaryOp::Mul, &other.aligned(&all)?)?;
            let product = Term {
                view: product,
                labels: all,
            };
            return product.reduced(&labels, None);
        }
        let lengths = |term: &Term, labels: &[Label]| -> Vec<usize> {
            labels
                .iter()
                .filter_map(|label| term.length(*label))
                .collect()
        };
        let count = |lengths: &[usize]| lengths.iter().product::<usize>();
        let (batches, terms) = (lengths(&self, &batch), lengths(&self, &inner));
        let (of_rows, of_columns) = (lengths(&self, &rows), lengths(&other, &columns));
        let left = self.aligned(&[batch.as_slice(), &rows, &inner].concat())?;
        let right = other.aligned(&[batch.as_slice(), &inner, &columns].concat())?;
        let one_batch = match batch.is_empty() {
            true => vec![],
            false => vec![count(&batches)],
        };
        let matrices = |m: usize, n: usize| [one_batch.as_slice(), &[m, n]].concat();
        let left = left.reshaped(&matrices(count(&of_rows), count(&terms)))?;
        let right = right.reshaped(&matrices(count(&terms), count(&of_columns)))?;
        let product = left.matmul(&right)?;
        let dims = [batches, of_rows, of_columns].concat();
        Ok(Term {
            view: product.reshaped(&dims)?,
            labels,
        })
    }
}

/// Returns two axes with the same label, if any.
fn repeated(labels: &[Label]) -> Option<(usize, usize)> {
    labels.iter().enumerate().find_map(|(second, label)| {
        let first = labels[..second]
            .iter()
            .position(|earlier| earlier == label)?;
        Some((first, second))
    })
}

/// Stretches axes of length 1 whose label has another length elsewhere.
fn stretch(terms: &mut [Term]) -> Result<(), CallError> {
    let mut lengths: std::collections::BTreeMap<Label, usize> = Default::default();
    for term in terms.iter() {
        for (label, length) in term.labels.iter().zip(term.view.dims()) {
            let known = lengths.entry(*label).or_insert(*length);
            if *known == 1 {
                *known = *length;
            } else if *length != 1 && *known != *length {
                let why =
                    format!("{label} has {known} elements in one array and {length} in another");
                return Err(wrong(OPERATION, &why));
            }
        }
    }
    for term in terms {
        let dims: Vec<usize> = term.labels.iter().map(|label| lengths[label]).collect();
        term.view = term.view.broadcast_to(&dims)?;
    }
    Ok(())
}

/// Returns the labels of the output and of all terms.
fn needed(terms: &[Option<Term>], output: &[Label]) -> Vec<Label> {
    let of_terms = terms.iter().flatten().flat_map(|term| term.labels.iter());
    of_terms.chain(output).copied().collect()
}

/// Returns the pair whose product is smallest, relative to the terms that it replaces.
fn next_pair(terms: &[Option<Term>], output: &[Label]) -> Option<(usize, usize)> {
    let mut best: Option<(i128, (usize, usize))> = None;
    for left in 0..terms.len() {
        for right in left + 1..terms.len() {
            let (Some(a), Some(b)) = (&terms[left], &terms[right]) else {
                continue;
            };
            let is_needed = |label: &Label| {
                let others = terms.iter().enumerate();
                output.contains(label)
                    || others
                        .filter(|(at, _)| *at != left && *at != right)
                        .any(|(_, term)| {
                            term.as_ref()
                                .is_some_and(|term| term.labels.contains(label))
                        })
            };
            let of_a = a.labels.iter();
            let of_b = b.labels.iter().filter(|label| !a.labels.contains(label));
            let kept = of_a.chain(of_b).filter(|label| is_needed(label));
            let size = kept.fold(1i128, |size, label| {
                let length = a.length(*label).or(b.length(*label)).unwrap_or(1);
                size.saturating_mul(length as i128)
            });
            let gain = size - a.view.len() as i128 - b.view.len() as i128;
            if best.is_none_or(|(least, _)| gain < least) {
                best = Some((gain, (left, right)));
            }
        }
    }
    best.map(|(_, pair)| pair)
}
