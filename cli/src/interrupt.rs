//! A command that is told to end leaves no temporary files.

use std::fs;
use std::sync::Once;
use std::thread;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

/// From here on, a signal that asks to end has the temporary files removed first. The process then ends by that signal,
/// so that a shell sees what happened.
pub(crate) fn clean_up() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let heeded = [SIGINT, SIGTERM, SIGHUP].into_iter();
        // Without a thread the files stay where they are: the command itself does not depend on it.
        let Ok(mut signals) = Signals::new(heeded.filter(|signal| !is_ignored(*signal))) else {
            return;
        };
        let _ = thread::Builder::new()
            .name("signals".to_owned())
            .spawn(move || {
                for signal in signals.forever() {
                    weft_nvtx_export::remove_temporary();
                    let _ = emulate_default_handler(signal);
                }
            });
    });
}

/// Whether whoever started this process had it ignore the signal, as `nohup` does: it then stays ignored.
fn is_ignored(signal: i32) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status
        .lines()
        .find_map(|line| line.strip_prefix("SigIgn:"))
        .and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}
