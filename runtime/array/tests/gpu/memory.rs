//! Arrays that exceed a GPU's memory.

use weft::Error;
use weft::error::Cause;

use super::harness::{gpus, runtime};

/// The operation that found no room is reported with its line, and the runtime continues.
#[test]
#[ignore = "needs a GPU"]
fn recovers_from_out_of_memory_error() {
    let runtime = runtime(&format!("--gpus {} --fbmem 16", gpus()));
    runtime.enter(|| {
        let small = weft::ones::<f64>(&[1000]);
        let large = weft::ones::<f64>(&[64 << 20]);
        let line = line!() - 1;
        let Err(Error::Failed(failure)) = large.sum().try_item() else {
            panic!("512 MiB are in 16");
        };
        assert_eq!(failure.location.line(), line);
        assert!(failure.location.file().ends_with("memory.rs"));
        assert!(
            matches!(failure.cause, Cause::OutOfMemory { .. }),
            "{failure}"
        );
        assert!(failure.to_string().contains("--fbmem"), "{failure}");
        drop(large);
        assert_eq!((&small + 1.0).sum().item(), 2000.0);
    });
    assert!(runtime.finish().is_err());
}
