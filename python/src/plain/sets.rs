//! Sets: the elements of vectors in order, each once.

use pyo3::prelude::*;
use weft::DynArray;
use weft::dtype::Scalar;
use weft::kernel::BinaryOp;

use super::array;
use crate::error::Raise;
use crate::kind::ResultArray;
use crate::{frame, run};

/// The longest vectors of plain calls. Python code finds longer sets of integers by tables.
const MANY: usize = 1 << 14;

/// Whether the sets of a vector are plain.
fn is_plain(vector: &DynArray) -> bool {
    vector.ndim() == 1 && !vector.is_empty() && vector.len() <= MANY && !vector.dtype().is_complex()
}

/// Two vectors of one real dtype, neither of them empty.
fn pair<'a>(
    left: &'a Bound<'_, PyAny>,
    right: &'a Bound<'_, PyAny>,
) -> PyResult<Option<(&'a DynArray, &'a DynArray)>> {
    let (Some(left), Some(right)) = (array(left), array(right)) else {
        return Ok(None);
    };
    let (left, right) = (left.get().inner()?, right.get().inner()?);
    let fits = is_plain(left) && is_plain(right) && left.dtype() == right.dtype();
    Ok(fits.then_some((left, right)))
}

/// `np.unique` of a vector of real numbers, without indices or counts.
pub(crate) fn unique_plain(object: &Bound<'_, PyAny>) -> PyResult<Option<ResultArray>> {
    let Some(of) = array(object) else {
        return Ok(None);
    };
    let inner = of.get().inner()?;
    if !is_plain(inner) {
        return Ok(None);
    }
    let _entered = frame::enter(object.py());
    Ok(Some(ResultArray::own(inner.unique().raise()?)))
}

/// `np.isin` of two arrays of one real dtype.
pub(crate) fn isin_plain(
    elements: &Bound<'_, PyAny>,
    tests: &Bound<'_, PyAny>,
) -> PyResult<Option<ResultArray>> {
    let (Some(of), Some(among)) = (array(elements), array(tests)) else {
        return Ok(None);
    };
    let (of, among) = (of.get().inner()?, among.get().inner()?);
    let is_plain = of.dtype() == among.dtype()
        && !of.dtype().is_complex()
        && of.ndim() > 0
        && among.ndim() > 0
        && (1..=MANY).contains(&of.len())
        && (1..=MANY).contains(&among.len());
    if !is_plain {
        return Ok(None);
    }
    let _entered = frame::enter(elements.py());
    Ok(Some(ResultArray::own(of.isin(among).raise()?)))
}

/// `np.union1d` of two vectors of one real dtype.
pub(crate) fn union1d_plain(
    left: &Bound<'_, PyAny>,
    right: &Bound<'_, PyAny>,
) -> PyResult<Option<ResultArray>> {
    let Some((a, b)) = pair(left, right)? else {
        return Ok(None);
    };
    let _entered = frame::enter(left.py());
    Ok(Some(ResultArray::own(a.union1d(b).raise()?)))
}

/// Two sets in order, as one vector: an element of both occurs twice.
struct Merged {
    elements: DynArray,
}

impl Merged {
    fn new(left: &DynArray, right: &DynArray) -> PyResult<Merged> {
        let both = [left.unique().raise()?, right.unique().raise()?];
        let both = DynArray::concatenate(&both, 0).raise()?;
        Ok(Merged {
            elements: both.sort(0).raise()?,
        })
    }

    /// All elements but one, from this place.
    fn part(&self, start: isize) -> PyResult<DynArray> {
        let mut view = self.elements.viewing();
        view.range(0, start, 1, self.elements.len() - 1).raise()?;
        Ok(view.done())
    }

    /// Compares each element with the next.
    fn compare(&self, op: BinaryOp) -> PyResult<DynArray> {
        DynArray::binary(op, &self.part(1)?, &self.part(0)?).raise()
    }
}

/// `np.intersect1d` of two vectors of one real dtype.
pub(crate) fn intersect1d_plain(
    left: &Bound<'_, PyAny>,
    right: &Bound<'_, PyAny>,
) -> PyResult<Option<ResultArray>> {
    let Some((a, b)) = pair(left, right)? else {
        return Ok(None);
    };
    let _entered = frame::enter(left.py());
    let both = Merged::new(a, b)?;
    let is_twice = both.compare(BinaryOp::Equal)?;
    let made = both.part(0)?.take_where(&is_twice).raise()?;
    Ok(Some(ResultArray::own(made)))
}

/// `np.setxor1d` of two vectors of one real dtype.
pub(crate) fn setxor1d_plain(
    left: &Bound<'_, PyAny>,
    right: &Bound<'_, PyAny>,
) -> PyResult<Option<ResultArray>> {
    let Some((a, b)) = pair(left, right)? else {
        return Ok(None);
    };
    let _entered = frame::enter(left.py());
    let both = Merged::new(a, b)?;
    let count = both.elements.len();
    // Elements differ from the next one, and from the one before.
    let differs = DynArray::full(&run::current()?, &[count + 1], Scalar::Bool(true)).raise()?;
    let side = |start: isize, count: usize| {
        let mut view = differs.viewing();
        view.range(0, start, 1, count).raise()?;
        PyResult::Ok(view.done())
    };
    let between = both.compare(BinaryOp::NotEqual)?;
    side(1, count - 1)?.assign(&between).raise()?;
    let is_once =
        DynArray::binary(BinaryOp::LogicalAnd, &side(1, count)?, &side(0, count)?).raise()?;
    let made = both.elements.take_where(&is_once).raise()?;
    Ok(Some(ResultArray::own(made)))
}
