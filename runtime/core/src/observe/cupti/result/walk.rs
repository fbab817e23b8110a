//! Stepping through a buffer with the library's own function.

use std::ptr::null_mut;

use super::super::sys::{CUPTI_ERROR_MAX_LIMIT_REACHED, CUPTI_SUCCESS};
use super::Api;

/// The result of a walk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in super::super) struct Walked {
    /// Number of records.
    pub(in super::super) records: u64,
    /// Whether the library stopped before the end, at a record that it does not know itself.
    pub(in super::super) is_cut: bool,
}

impl Api {
    /// Calls `each` with each record of a CUPTI buffer, and with whether its end is known. If it is
    /// not, the slice extends beyond the record.
    ///
    /// # Safety
    /// CUPTI filled these bytes, and nothing writes to them meanwhile.
    pub(in super::super) unsafe fn walk(
        &self,
        bytes: &[u8],
        mut each: impl FnMut(&[u8], bool),
    ) -> Walked {
        let mut walked = Walked::default();
        let mut record = null_mut();
        let mut last: Option<usize> = None;
        loop {
            // SAFETY: the bytes are CUPTI's; it only reads them, though its headers do not say
            // const. `record` is null or the pointer that it returned last.
            let code = unsafe {
                (self.cuptiActivityGetNextRecord)(
                    bytes.as_ptr().cast_mut(),
                    bytes.len(),
                    &mut record,
                )
            };
            let at = record.addr().wrapping_sub(bytes.as_ptr().addr());
            let goes_on = last.is_none_or(|last| at > last) && at < bytes.len();
            let (end, is_end_known) = match code {
                CUPTI_SUCCESS if goes_on => (at, true),
                CUPTI_ERROR_MAX_LIMIT_REACHED => (bytes.len(), true),
                _ => (bytes.len(), false),
            };
            if let Some(one) = last.and_then(|last| bytes.get(last..end)) {
                walked.records += 1;
                each(one, is_end_known);
            }
            if end == bytes.len() {
                walked.is_cut = !is_end_known;
                return walked;
            }
            last = Some(at);
        }
    }
}
