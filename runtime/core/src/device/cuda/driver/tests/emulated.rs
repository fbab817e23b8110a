//! Runs the tests that need a GPU on the emulator: in their own processes, which load it in
//! place of NVIDIA's libraries.

use std::process::{Command, Output};

use super::super::super::work::{Fft, LineSteps};
use super::super::*;
use super::machine::Machine;
use super::means;

/// Runs tests of this binary on the emulator. Returns `None`, with a printed reason, if there is no
/// C++ compiler.
fn emulated(filter: &str, variables: &[(&str, &str)]) -> Option<Output> {
    if !cuda_emulator::host::Module::can_compile() {
        println!("skipped: no C++ compiler to run kernels with");
        return None;
    }
    let mut command = Command::new(std::env::current_exe().unwrap());
    let command = cuda_emulator::emulate(&mut command).unwrap();
    command
        .args([filter, "--include-ignored", "--test-threads=1"])
        .envs(variables.iter().copied());
    Some(command.output().unwrap())
}

/// Runs tests on the emulator. All of them must pass, and at least one must run.
fn pass(filter: &str, variables: &[(&str, &str)]) {
    let Some(output) = emulated(filter, variables) else {
        return;
    };
    let said = String::from_utf8_lossy(&output.stdout);
    let mistakes = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{variables:?}: {said}{mistakes}");
    assert!(!said.contains("running 0 tests"), "{filter}: {said}");
}

#[test]
fn emulated_methods_run_in_any_order() {
    for seed in ["1", "2", "3"] {
        let variables = [("WEFT_EMULATED_GPUS", "2"), ("WEFT_EMULATED_SEED", seed)];
        pass("driver::tests::trait_methods::", &variables);
    }
}

#[test]
fn emulated_linear_algebra_routines_run() {
    pass("driver::tests::factors::", &[("WEFT_EMULATED_SEED", "4")]);
}

#[test]
fn opening_too_few_gpus_fails() {
    pass(
        "driver::tests::open_error_names_missing_driver_or_gpus",
        &[],
    );
    pass(
        "driver::tests::open_error_names_missing_driver_or_gpus",
        &[("WEFT_EMULATED_GPUS", "0")],
    );
}

#[test]
fn every_failing_driver_call_is_reported() {
    let lists = [
        "cuDevicePrimaryCtxRetain",
        "cuMemGetInfo_v2",
        "cuMemAlloc_v2",
        "cuMemHostAlloc",
        "cuStreamCreate",
        "cuEventCreate",
        "cuEventRecord",
        "cuEventSynchronize",
        "cuMemcpyAsync",
        "cuMemsetD32Async",
        "cuModuleLoadData",
        "cuModuleGetFunction",
        "cuLaunchKernel",
        "cuGraphCreate",
        "cuGraphAddKernelNode_v2",
        "cuGraphInstantiateWithFlags",
        "cuGraphExecKernelNodeSetParams_v2",
        "cuGraphLaunch",
    ];
    for call in lists {
        let order = format!("{call}:1=719");
        let variables = [
            ("WEFT_EMULATED_FAIL", order.as_str()),
            ("WEFT_TEST_CALL", call),
        ];
        pass(
            "driver::tests::emulated::victim_reports_failed_driver_call",
            &variables,
        );
    }
}

#[test]
fn every_failing_cufft_call_is_reported() {
    let lists = [
        "cufftCreate",
        "cufftSetAutoAllocation",
        "cufftMakePlanMany64",
        "cufftSetStream",
        "cufftSetWorkArea",
        "cufftExecZ2Z",
    ];
    for call in lists {
        let order = format!("{call}:1=2");
        let variables = [
            ("WEFT_EMULATED_FAIL", order.as_str()),
            ("WEFT_TEST_CALL", call),
        ];
        pass(
            "driver::tests::emulated::victim_reports_failed_cufft_call",
            &variables,
        );
    }
}

/// The call of cuFFT that `WEFT_TEST_CALL` names fails with 2. The error contains the code, and the
/// next transform succeeds.
#[test]
#[ignore = "started by `every_failing_cufft_call_is_reported`"]
fn victim_reports_failed_cufft_call() {
    let Ok(failing) = std::env::var("WEFT_TEST_CALL") else {
        return;
    };
    let machine = Machine::new();
    let x = machine.device(&[1.0; 24]);
    let area = machine.driver.allocate(machine.gpu, 1 << 12).unwrap();
    let steps = LineSteps {
        step: 1,
        distance: 12,
    };
    let transform = Transform {
        kind: TransformKind::Forward,
        real: DType::F64,
        length: 12,
        lines: 1,
        input: steps,
        output: steps,
    };
    let run = || {
        machine.driver.plan(machine.gpu, &transform)?;
        let fft = Work::Fft(Fft {
            transform,
            input: x,
            output: x,
            area,
        });
        // SAFETY: the memory lives until the driver is dropped.
        unsafe { machine.driver.issue(machine.stream, &fft, None) }
    };
    let error = run().expect_err("a call fails");
    let DriverError::Call { call, code, name } = error else {
        panic!("{error}");
    };
    assert_eq!(
        (call, code, name.as_str()),
        (failing.as_str(), 2, "CUFFT_ALLOC_FAILED")
    );
    run().unwrap();
    assert_eq!(machine.read::<f64>(x, 2), [12.0, 12.0]);
}

#[test]
fn missing_cufft_is_reported() {
    let variables = [("WEFT_CUFFT", "/nowhere/libcufft.so")];
    pass(
        "driver::tests::emulated::victim_works_without_cufft",
        &variables,
    );
}

/// Without cuFFT the error names the library to install, and all other work succeeds.
#[test]
#[ignore = "started by `missing_cufft_is_reported`"]
fn victim_works_without_cufft() {
    if std::env::var_os("WEFT_CUFFT").is_none() {
        return;
    }
    let machine = Machine::new();
    let lacks = machine.driver.lacks_functions(Need::Transforms).unwrap();
    assert!(
        lacks.to_string().contains("cuFFT was not found: install"),
        "{lacks}"
    );
    assert_eq!(machine.driver.lacks_functions(Need::Factors), None);
    let x = machine.device(&[1.5; 10]);
    assert_eq!(machine.read::<f64>(x, 10), vec![1.5; 10]);
}

/// The call that `WEFT_TEST_CALL` names fails with 719. The error contains the code, and nothing
/// panics, then or at exit.
#[test]
#[ignore = "started by `every_failing_driver_call_is_reported`"]
fn victim_reports_failed_driver_call() {
    let Ok(failing) = std::env::var("WEFT_TEST_CALL") else {
        return;
    };
    let error = every_method().expect_err("a call fails");
    let DriverError::Call { call, code, name } = error else {
        panic!("{error}");
    };
    assert_eq!(
        (call, code, name.as_str()),
        (failing.as_str(), 719, "CUDA_ERROR_LAUNCH_FAILED")
    );
}

/// Makes calls that need each function at least once.
fn every_method() -> Result<(), DriverError> {
    let driver = CudaDriver::open(0, 1, means())?;
    let gpu = GpuId(0);
    let (stream, event) = (driver.stream(gpu)?, driver.event(gpu)?);
    let x = driver.allocate(gpu, 800)?;
    let pinned = driver.allocate_pinned(800)?;
    let machine = Machine {
        driver,
        gpu,
        stream,
        event,
    };
    let driver = &machine.driver;
    let fill = Work::Fill {
        to: x,
        pattern: 0,
        width: 4,
        count: 200,
    };
    let launch = super::machine::add(x, 1.0, 100);
    let copy = Work::Copy {
        from: x,
        to: pinned.as_ptr().expose_provenance() as u64,
        bytes: 800,
    };
    for work in [fill, Work::Kernel(launch.clone()), copy] {
        // SAFETY: the memory lives until the driver is dropped.
        unsafe { driver.issue(stream, &work, None) }?;
    }
    let graph = driver.graph(gpu, &[launch.clone(), launch.clone()])?;
    driver.update(graph, 0, &launch)?;
    // SAFETY: as above.
    unsafe { driver.replay(graph, stream) }?;
    driver.record(event, stream)?;
    driver.synchronize(event)
}
