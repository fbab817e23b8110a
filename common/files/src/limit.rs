//! The limit on the size of files (`ulimit -f`).

/// From here on a write beyond the limit is an error (EFBIG) instead of a signal (SIGXFSZ) that ends the process and leaves
/// temporary files behind. Programs that this process starts have the default action.
#[cfg(unix)]
pub(crate) fn make_an_error() {
    use std::sync::atomic::AtomicBool;
    use std::sync::{Arc, Once};

    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let seen = Arc::new(AtomicBool::new(false));
        // Where it cannot be caught the signal does what it did before.
        let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, seen);
    });
}

#[cfg(not(unix))]
pub(crate) fn make_an_error() {}
