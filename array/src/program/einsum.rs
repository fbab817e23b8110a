//! Einstein's summation convention: products of any number of arrays, summed over what the result does not name.
//!
//! Operands are contracted in pairs: by a matrix product if both have axes of their own, otherwise by elementwise
//! products and a sum. The next pair is chosen greedily, to keep operands small.

mod parse;

use parse::{Label, Subscripts};

use super::forward::wrong;
use super::{Array, DynArray};
use crate::dtype::{DType, Number, Promotion};
use crate::kernel::{BinaryOp, ReduceOp};
use weft_core::error::{CallError, at_call};
use weft_core::site::Site;

const OPERATION: &str = "einsum";

impl DynArray {
    /// Products of arrays, summed over the axes that the result does not name: NumPy's `einsum`, with letters for
    /// axes, `...` for unnamed axes, and the axes of the result after `->` (default: each letter that occurs once, in
    /// alphabetical order).
    ///
    /// # Errors
    /// The subscripts are invalid or do not match the arrays, or too many axes are needed at once.
    #[track_caller]
    pub fn einsum(subscripts: &str, arrays: &[&DynArray]) -> Result<DynArray, CallError> {
        let call = Site::caller();
        let ranks: Vec<usize> = arrays.iter().map(|array| array.ndim()).collect();
        let subscripts =
            Subscripts::parse(subscripts, &ranks).map_err(|why| wrong(OPERATION, &why))?;
        let dtypes = arrays.iter().map(|array| array.dtype());
        let Some(dtype) = dtypes.reduce(DType::promote) else {
            return Err(wrong(OPERATION, "no arrays"));
        };
        let mut terms = Vec::with_capacity(arrays.len());
        for (array, labels) in arrays.iter().zip(&subscripts.inputs) {
            let array = array.cast_by(dtype, call)?;
            terms.push(Term::new(array, labels)?);
        }
        stretch(&mut terms)?;
        let mut terms = terms.into_iter().map(Some).collect::<Vec<_>>();
        let output = &subscripts.output;
        while let Some((left, right)) = next_pair(&terms, output) {
            let (Some(a), Some(b)) = (terms[left].take(), terms[right].take()) else {
                unreachable!("a pair of terms that are there");
            };
            let needed = needed(&terms, output);
            terms[left] = Some(a.reduced(&needed, Some(&b), call)?.times(
                b.reduced(&needed, Some(&a), call)?,
                &needed,
                call,
            )?);
        }
        let Some(last) = terms.into_iter().flatten().next() else {
            return Err(wrong(OPERATION, "no arrays"));
        };
        let summed = last.reduced(output, None, call)?;
        let result = summed.aligned(output)?;
        // A view of an operand would alias it.
        match arrays
            .iter()
            .any(|array| std::sync::Arc::ptr_eq(&array.store, &result.store))
        {
            true => result.copied(call),
            false => Ok(result),
        }
    }
}

/// An array with a label for each axis, none of which occurs twice.
struct Term {
    array: DynArray,
    labels: Vec<Label>,
}

impl Term {
    /// Takes the diagonals of axes with one label.
    fn new(array: DynArray, labels: &[Label]) -> Result<Term, CallError> {
        let (mut array, mut labels) = (array, labels.to_vec());
        while let Some((first, second)) = repeated(&labels) {
            let lengths = [array.shape()[first], array.shape()[second]];
            if lengths[0] != lengths[1] {
                let why = format!(
                    "axes {first} and {second} with one letter have {} and {} elements",
                    lengths[0], lengths[1]
                );
                return Err(wrong(OPERATION, &why));
            }
            let in_front = array.moveaxis(second, 0)?.moveaxis(first + 1, 1)?;
            array = in_front.diagonal(0)?;
            let label = labels.remove(second);
            labels.remove(first);
            labels.push(label);
        }
        Ok(Term { array, labels })
    }

    fn length(&self, label: Label) -> Option<usize> {
        let axis = self.labels.iter().position(|own| *own == label)?;
        Some(self.array.shape()[axis])
    }

    /// Summed over the labels that neither are needed nor the other term has.
    fn reduced(
        &self,
        needed: &[Label],
        other: Option<&Term>,
        call: Site,
    ) -> Result<Term, CallError> {
        let (mut array, mut labels) = (self.array.clone(), self.labels.clone());
        for axis in (0..labels.len()).rev() {
            let label = labels[axis];
            let is_kept =
                needed.contains(&label) || other.is_some_and(|other| other.labels.contains(&label));
            if !is_kept {
                let dtype = array.dtype();
                let summed = array.reduce_by(ReduceOp::Sum, Some(axis), call)?;
                // Sums of small integers are wider than products of them.
                array = summed.cast_by(dtype, call)?;
                labels.remove(axis);
            }
        }
        Ok(Term { array, labels })
    }

    /// The view with the axes in the order of these labels, and axes of length 1 where it has none.
    fn aligned(&self, labels: &[Label]) -> Result<DynArray, CallError> {
        let own = labels
            .iter()
            .filter_map(|label| self.labels.iter().position(|own| own == label));
        let order: Vec<usize> = own.collect();
        let mut view = self.array.permute(&order)?;
        for (axis, label) in labels.iter().enumerate() {
            if !self.labels.contains(label) {
                view = view.with_axis(axis)?;
            }
        }
        Ok(view)
    }

    /// The product with another term, summed over the labels that are not needed. Those stand in both.
    fn times(self, other: Term, needed: &[Label], call: Site) -> Result<Term, CallError> {
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
        let is_matrix =
            !inner.is_empty() && (batch.is_empty() || (!rows.is_empty() && !columns.is_empty()));
        if !is_matrix || self.array.dtype().is_bool() {
            let all = [labels.as_slice(), &inner].concat();
            let product = self
                .aligned(&all)?
                .with(BinaryOp::Mul, &other.aligned(&all)?, call)?;
            let product = Term {
                array: product,
                labels: all,
            };
            return product.reduced(&labels, None, call);
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
        let left = left
            .viewed(&matrices(count(&of_rows), count(&terms)), call)?
            .0;
        let right = right
            .viewed(&matrices(count(&terms), count(&of_columns)), call)?
            .0;
        let product = left.product("matmul", &right, call)?;
        let dims = [batches, of_rows, of_columns].concat();
        Ok(Term {
            array: product.viewed(&dims, call)?.0,
            labels,
        })
    }
}

/// Two places with one label.
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
        for (label, length) in term.labels.iter().zip(term.array.shape()) {
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
        term.array = term.array.broadcast_to(&dims)?;
    }
    Ok(())
}

/// The labels of the output and of all terms.
fn needed(terms: &[Option<Term>], output: &[Label]) -> Vec<Label> {
    let of_terms = terms.iter().flatten().flat_map(|term| term.labels.iter());
    of_terms.chain(output).copied().collect()
}

/// The pair whose product is smallest beside what it replaces.
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
            let gain = size - a.array.len() as i128 - b.array.len() as i128;
            if best.is_none_or(|(least, _)| gain < least) {
                best = Some((gain, (left, right)));
            }
        }
    }
    best.map(|(_, pair)| pair)
}

/// Products of arrays, summed over the axes that the result does not name: `einsum("ij,jk->ik", &[&a, &b])`. Letters
/// name axes, and `...` stands for unnamed axes; without `->` the result has each letter that occurs once, in
/// alphabetical order.
///
/// # Panics
/// At the caller's line if the subscripts are wrong, do not fit the arrays, or more axes are needed at a time than
/// Weft handles.
#[track_caller]
pub fn einsum<T: Number>(subscripts: &str, arrays: &[&Array<T>]) -> Array<T> {
    let arrays: Vec<&DynArray> = arrays.iter().map(|array| array.as_dyn()).collect();
    Array::wrap(at_call(DynArray::einsum(subscripts, &arrays)))
}
