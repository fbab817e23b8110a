//! Messages for the developer of a program.

use std::io::Write;

use crate::host::seed;

/// Prints a mistake of the program.
pub(crate) fn report(mistake: &str) {
    // If standard error is closed, the message cannot be shown.
    let _ = writeln!(
        std::io::stderr(),
        "cuda-emulator: {mistake} (WEFT_EMULATED_SEED={})",
        seed()
    );
}
