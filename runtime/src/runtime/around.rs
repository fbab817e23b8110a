//! What a front end does around the waits of its calls: it lets other threads of its interpreter run.

use std::sync::OnceLock;

/// Calls once what it is given, on the same thread.
pub type AroundWaits = fn(&mut (dyn FnMut() + Send));

static AROUND: OnceLock<AroundWaits> = OnceLock::new();

/// Has calls that wait for processors do so inside of `around` from now on, in the whole process. The first one that is given stays.
pub fn around_waits(around: AroundWaits) {
    let _ = AROUND.set(around);
}

/// Waits as the front end wants.
pub(super) fn inside(mut wait: impl FnMut() + Send) {
    match AROUND.get() {
        Some(around) => around(&mut wait),
        None => wait(),
    }
}
