//! Bits packed eight to a byte, and unpacked.

use super::{View, checked, wrong};
use crate::dtype::{DType, Scalar};
use crate::kernel::pack::{BITS, BitOrder};
use crate::library;
use weft_core::error::CallError;

impl View {
    /// Packs eight elements along the last axis into a byte, with a bit set for each that is not 0.
    /// The last byte of a line is filled up with zeros.
    pub(crate) fn pack_bits(&self, order: BitOrder) -> Result<View, CallError> {
        let operation = "packbits";
        let (last, dtype) = (self.last_axis()?, self.dtype());
        if !dtype.is_bool() && !dtype.is_integer() {
            return Err(CallError::DType { operation, dtype });
        }
        let mut dims = self.dims().to_vec();
        dims[last] = dims[last].div_ceil(BITS);
        if self.is_empty() {
            return View::filled(&self.core, DType::U8, &dims, Scalar::U8(0));
        }
        let out = View::unwritten(&self.core, DType::U8, checked(&dims)?)?;
        let body = library::bits::pack(order, dims.len());
        out.write_over(body, out.layout.shape, &[self.into()])?;
        Ok(out)
    }

    /// Unpacks each byte into eight elements along the last axis, which are 0 or 1.
    pub(crate) fn unpack_bits(&self, order: BitOrder) -> Result<View, CallError> {
        let operation = "unpackbits";
        let (last, dtype) = (self.last_axis()?, self.dtype());
        if dtype != DType::U8 {
            return Err(CallError::DType { operation, dtype });
        }
        let mut dims = self.dims().to_vec();
        dims[last] = (dims[last].checked_mul(BITS))
            .ok_or_else(|| wrong(operation, "the result has too many elements"))?;
        if self.is_empty() {
            return View::filled(&self.core, DType::U8, &dims, Scalar::U8(0));
        }
        let out = View::unwritten(&self.core, DType::U8, checked(&dims)?)?;
        let body = library::bits::unpack(order, dims.len());
        out.write_over(body, self.layout.shape, &[self.into()])?;
        Ok(out)
    }
}
