//! Bits packed eight to a byte, and unpacked.

use super::DynArray;
use crate::kernel::pack::BitOrder;
use weft_core::error::CallError;
use weft_core::site::Site;

impl DynArray {
    /// Packs eight elements along the last axis into a byte, with a bit set for each that is not 0:
    /// NumPy's `packbits`. The last byte of a line is filled up with zeros.
    ///
    /// # Errors
    /// Returns an error if there are no axes, or the elements are neither `bool` nor integers.
    #[track_caller]
    pub fn packbits(&self, order: BitOrder) -> Result<DynArray, CallError> {
        let _call = Site::enter_caller();
        Ok(self.view.pack_bits(order)?.into())
    }

    /// Unpacks each byte into eight elements along the last axis, which are 0 or 1: NumPy's
    /// `unpackbits`.
    ///
    /// # Errors
    /// Returns an error if there are no axes, the elements are not `u8`, or the result has too many
    /// elements.
    #[track_caller]
    pub fn unpackbits(&self, order: BitOrder) -> Result<DynArray, CallError> {
        let _call = Site::enter_caller();
        Ok(self.view.unpack_bits(order)?.into())
    }
}
