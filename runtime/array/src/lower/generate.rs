//! Views of new values.

use std::sync::Arc;

use smallvec::smallvec;

use super::{View, checked};
use crate::dtype::{DType, Element, Scalar};
use crate::library;
pub(crate) use crate::library::generate::{Distribution, Generator};
use crate::shape::Shape;
use weft_core::error::CallError;
use weft_core::memory::HostData;
use weft_core::operation::{self, Operand, Request};
use weft_core::runtime::Core;

/// The size in bytes of the smallest store that is left unset. Writing less takes no longer than an
/// operation.
const LEAST_UNSET: usize = 64 << 10;

impl View {
    /// Returns generated values, on a runtime.
    pub(crate) fn generated(
        core: &Arc<Core>,
        dtype: DType,
        dims: &[usize],
        generator: Generator,
    ) -> Result<View, CallError> {
        let (body, shape) = (library::generate::generated(generator), checked(dims)?);
        let out = View::unwritten(core, dtype, shape)?;
        out.write_over(body, shape, &[])?;
        Ok(out)
    }

    /// Returns `count` numbers from `start` by 1, as `i64`.
    pub(super) fn counting(core: &Arc<Core>, start: i64, count: usize) -> Result<View, CallError> {
        let (start, step) = (Scalar::I64(start), Scalar::I64(1));
        let generator = Generator::Arange { start, step };
        View::generated(core, DType::I64, &[count], generator)
    }

    /// Returns a view filled with one value, cast to the dtype, on a runtime.
    pub(crate) fn filled(
        core: &Arc<Core>,
        dtype: DType,
        dims: &[usize],
        value: Scalar,
    ) -> Result<View, CallError> {
        let (body, value) = (library::elementwise::fill(), value.cast(dtype));
        View::compute(core, (dtype, checked(dims)?), body, &[value.into()])
    }

    /// Returns a view filled with a value, whose store is in unified memory on GPUs.
    pub(crate) fn filled_unified(
        core: &Arc<Core>,
        dims: &[usize],
        value: Scalar,
    ) -> Result<View, CallError> {
        let out = View::unwritten(core, value.dtype(), checked(dims)?)?;
        core.require_unified(&out.store)?;
        out.write(library::elementwise::fill(), &[value.into()])?;
        Ok(out)
    }

    /// Returns a view that must be written before it is read. A large one has the contents of its
    /// memory, which saves a pass over it. Small ones are zeros, and so are those of booleans, with
    /// GPUs and on several ranks.
    pub(crate) fn unset(core: &Arc<Core>, dtype: DType, dims: &[usize]) -> Result<View, CallError> {
        let shape = checked(dims)?;
        let bytes = shape.len().saturating_mul(dtype.size());
        let is_left = bytes >= LEAST_UNSET && !dtype.is_bool() && core.is_on_cpus_alone();
        if !is_left {
            return View::filled(core, dtype, dims, Scalar::zero(dtype));
        }
        let body = library::generate::unset();
        View::compute(core, (dtype, shape), body, &[])
    }

    /// Returns the program's values in row-major order, as many as the shape has elements.
    pub(crate) fn from_vec<T: Element>(
        core: &Arc<Core>,
        shape: Shape,
        values: Vec<T>,
    ) -> Result<View, CallError> {
        let out = View::unwritten(core, T::DTYPE, shape)?;
        match out.load_at_once(&values) {
            true => Ok(out),
            false => out.load(HostData::new(values)),
        }
    }

    /// Returns the elements with these bytes, in row-major order, as many as the shape has. Any
    /// byte except 0 is true.
    pub(crate) fn from_bytes(
        core: &Arc<Core>,
        dtype: DType,
        shape: Shape,
        bytes: &[u8],
    ) -> Result<View, CallError> {
        let out = View::unwritten(core, dtype, shape)?;
        let copy = HostData::from_bytes(dtype, bytes).ok_or(CallError::NoCopy {
            operation: "load",
            bytes: bytes.len(),
        })?;
        out.load(copy)
    }

    /// Loads values into this view, and returns it.
    fn load(self, data: HostData) -> Result<View, CallError> {
        let operands = smallvec![Operand::Host(Arc::new(data)), self.operand()];
        let request = Request::new(operation::load(), self.layout.shape, operands);
        self.core.submit(request)?;
        Ok(self)
    }
}
