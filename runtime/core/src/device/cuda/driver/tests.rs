mod emulated;
mod factors;
mod machine;
mod measure;
mod trait_methods;

use super::super::compile::Compiler;
use super::*;

/// Returns the functions that a driver needs, with NVRTC.
fn means() -> Means {
    let compiler = version().and_then(Compiler::new);
    Means {
        compile: Box::new(move |kernel, capability| match &compiler {
            Ok(compiler) => compiler.compile(kernel, capability),
            Err(error) => Err(error.clone()),
        }),
        watch: None,
        tf32: false,
    }
}

/// Without a driver or a GPU the error names the missing one, and nothing panics.
#[test]
fn open_error_names_missing_driver_or_gpus() {
    let opened = CudaDriver::open(0, 1, means());
    match (library::start(), opened) {
        (Ok(found), opened) => {
            assert!(found > 0 && opened.is_ok());
            let asked = found + 1;
            let refused = CudaDriver::open(0, asked, means()).err();
            assert_eq!(refused, Some(DriverError::TooFew { asked, found }));
        }
        (Err(error), opened) => {
            assert_eq!(opened.err(), Some(error.clone()));
            assert!(matches!(
                error,
                DriverError::NoDevice | DriverError::Missing { .. } | DriverError::Call { .. }
            ));
            assert_eq!(version(), Err(error));
        }
    }
}
