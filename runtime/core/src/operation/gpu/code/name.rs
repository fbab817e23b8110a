//! Names of kernels: `weft_`, the operation and the dtype, for example `weft_add_mul_f64`.
//!
//! If several kernels run the same operation in different ways, for example for other layouts, all
//! but the plainest one have a suffix of eight hexadecimal digits.

use std::hash::{Hash, Hasher};

/// Returns eight digits for the properties that the name does not contain; they are the same in
/// every run.
pub fn digits(of: &impl Hash) -> String {
    let mut hasher = Fnv(0xcbf2_9ce4_8422_2325);
    of.hash(&mut hasher);
    let hash = hasher.finish();
    format!("{:08x}", (hash >> 32) as u32 ^ hash as u32)
}

/// The hash FNV-1a, which is the same in every run, unlike the standard library's.
struct Fnv(u64);

impl Hasher for Fnv {
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
