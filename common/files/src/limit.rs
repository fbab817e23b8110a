//! The limit on the size of files (`ulimit -f`).

/// Turns the signal of a write beyond the limit (SIGXFSZ), which would end the process and leave
/// temporary files behind, into an error (EFBIG). Child processes keep the default action.
#[cfg(unix)]
pub(crate) fn make_an_error() {
    use std::sync::atomic::AtomicBool;
    use std::sync::{Arc, Once};

    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let seen = Arc::new(AtomicBool::new(false));
        // If the signal cannot be caught, its action is unchanged.
        let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, seen);
    });
}

#[cfg(not(unix))]
pub(crate) fn make_an_error() {}
