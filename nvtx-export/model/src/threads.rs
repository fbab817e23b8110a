//! The threads for parallel joining and sorting.

use rayon::ThreadPoolBuilder;
use std::thread::available_parallelism;

/// Starts the threads for parallel work, one per core. If the system refuses them (`ulimit -u`,
/// `ulimit -v`), the caller's thread does all work. Without this call, the first parallel use would
/// panic in that case.
pub fn start_threads() {
    // A global pool that fails cannot be built again, so a trial pool shows first whether threads
    // are available.
    let builder = match ThreadPoolBuilder::new().build() {
        Ok(_) => ThreadPoolBuilder::new(),
        Err(_) => ThreadPoolBuilder::new().num_threads(1).use_current_thread(),
    };
    // This fails if the threads were started before.
    let _ = builder.build_global();
}

/// Returns the number of cores that this process may use.
pub fn cores() -> usize {
    available_parallelism().map_or(1, |cores| cores.get())
}
