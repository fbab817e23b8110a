//! The threads that join and sort.

use rayon::ThreadPoolBuilder;
use std::thread::available_parallelism;

/// Starts the threads that work in parallel: one for each core, or none beside the caller's if the system refuses them (`ulimit -u`,
/// `ulimit -v`). Without this the first use would panic then.
pub fn start_threads() {
    // A global pool that fails cannot be built again, so that a trial shows first whether there are threads.
    let builder = match ThreadPoolBuilder::new().build() {
        Ok(_) => ThreadPoolBuilder::new(),
        Err(_) => ThreadPoolBuilder::new().num_threads(1).use_current_thread(),
    };
    // An error where the threads have been started before.
    let _ = builder.build_global();
}

/// The cores that this process may use.
pub fn cores() -> usize {
    available_parallelism().map_or(1, |cores| cores.get())
}
