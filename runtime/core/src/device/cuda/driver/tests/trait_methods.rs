//! Tests of each method of `Driver`, on a GPU or on the emulator.

use super::super::super::work::{Fft, Gemm, LineSteps, Matrix};
use super::super::sys;
use super::super::*;
use super::machine::{Machine, add};
use super::means;
use crate::dtype::DType;

#[test]
#[ignore = "needs a GPU"]
fn fills_copies_and_reads_memory() {
    let machine = Machine::new();
    let address = machine.driver.allocate(machine.gpu, 4000).unwrap();
    let fill = |pattern, width, count| {
        machine.issue(&Work::Fill {
            to: address,
            pattern,
            width,
            count,
        });
    };
    fill(0x0102_0304, 4, 1000);
    assert_eq!(machine.read::<u32>(address, 1000), vec![0x0102_0304; 1000]);
    fill(0xabcd, 2, 1000);
    fill(0x7f, 1, 3);
    let words = machine.read::<u32>(address, 501);
    assert_eq!(words[0], 0xab7f_7f7f);
    assert_eq!(words[1..500], [0xabcd_abcd; 499]);
    assert_eq!(words[500], 0x0102_0304);
    // SAFETY: `read` has waited for all work that used it.
    unsafe { machine.driver.free(machine.gpu, address) };
    let issued = machine.driver.issued();
    assert_eq!((issued.fills, issued.copies), (3, 2));
}

#[test]
#[ignore = "needs a GPU"]
fn streams_wait_for_events_of_other_streams() {
    let machine = Machine::new();
    let driver = &machine.driver;
    let other = driver.stream(machine.gpu).unwrap();
    let x = machine.device(&vec![0.0; 100_000]);
    // SAFETY: the memory lives until the driver is dropped, and each stream waits for the other.
    unsafe {
        for round in 0..20 {
            let launch = Work::Kernel(add(x, 1.0, 100_000));
            let (here, there) = match round % 2 {
                0 => (machine.stream, other),
                _ => (other, machine.stream),
            };
            driver.issue(here, &launch, None).unwrap();
            driver.record(machine.event, here).unwrap();
            driver.wait(there, machine.event).unwrap();
        }
    }
    assert_eq!(machine.read::<f64>(x, 100_000), vec![20.0; 100_000]);
    assert_eq!(driver.issued().kernels, 20);
    driver.settle(machine.gpu).unwrap();
}

#[test]
#[ignore = "needs a GPU"]
fn loads_each_kernel_once() {
    let machine = Machine::new();
    let kernel = add(64, 1.0, 5).kernel;
    let prepare = || machine.driver.prepare(machine.gpu, &kernel).unwrap();
    let first = prepare();
    assert!(
        first.preparation.is_some(),
        "it was compiled or read, and loaded"
    );
    let again = prepare();
    assert_eq!(again.function, first.function);
    assert!(again.preparation.is_none());
}

#[test]
#[ignore = "needs a GPU"]
fn replays_and_updates_graphs() {
    let machine = Machine::new();
    let driver = &machine.driver;
    let (x, y) = (machine.device(&[0.0; 50]), machine.device(&[0.0; 50]));
    let launches = [1.0, 2.0, 4.0].map(|value| add(x, value, 50));
    let graph = driver.graph(machine.gpu, &launches).unwrap();
    assert_eq!(driver.nodes(graph), Vec::<u64>::new());
    // SAFETY: the memory lives until the driver is dropped.
    let replay = || unsafe { driver.replay(graph, machine.stream) };
    replay().unwrap();
    driver.update(graph, 1, &add(y, 16.0, 50)).unwrap();
    replay().unwrap();
    driver.update(graph, 1, &add(y, 32.0, 10)).unwrap();
    replay().unwrap();
    assert_eq!(machine.read::<f64>(x, 50), vec![7.0 + 5.0 + 5.0; 50]);
    let y = machine.read::<f64>(y, 50);
    assert_eq!((&y[..10], &y[10..]), (&[48.0; 10][..], &[16.0; 40][..]));
    assert!(driver.update(graph, 3, &launches[0]).is_err());
    replay().unwrap();
    driver.forget(graph);
    assert!(replay().is_err());
    machine.wait();
    let issued = driver.issued();
    assert_eq!((issued.graphs, issued.graph_kernels), (4, 12));
}

#[test]
#[ignore = "needs a GPU"]
fn multiplies_row_major_matrices() {
    fn product<T: crate::dtype::Number + From<u8> + std::iter::Sum + std::ops::Mul<Output = T>>(
        machine: &Machine,
        dtype: DType,
    ) {
        let (rows, inner, columns) = (5usize, 7, 3);
        let a: Vec<T> = (0..35u8).map(|x| T::from(x % 11)).collect();
        let b: Vec<T> = (0..21u8).map(|x| T::from(x % 5)).collect();
        for transposed in 0..4 {
            let matrix = |start, rows, columns, is_transposed| Matrix {
                start,
                step: if is_transposed { rows } else { columns },
                is_transposed,
            };
            let (of_a, of_b) = (transposed & 1 != 0, transposed & 2 != 0);
            let result = machine.device(&vec![T::from(99); rows * columns]);
            machine.issue(&Work::Gemm(Gemm {
                dtype,
                rows,
                columns,
                inner,
                a: matrix(machine.device(&a), rows, inner, of_a),
                b: matrix(machine.device(&b), inner, columns, of_b),
                c: matrix(result, rows, columns, false),
            }));
            let at = |values: &[T], rows, columns, is_transposed, row, column| match is_transposed {
                true => values[column * rows + row],
                false => values[row * columns + column],
            };
            let mut expected = Vec::new();
            for row in 0..rows {
                for column in 0..columns {
                    let terms = (0..inner).map(|l| {
                        at(&a, rows, inner, of_a, row, l) * at(&b, inner, columns, of_b, l, column)
                    });
                    expected.push(terms.sum::<T>());
                }
            }
            assert_eq!(machine.read::<T>(result, rows * columns), expected);
        }
    }
    let machine = Machine::new();
    product::<f64>(&machine, DType::F64);
    product::<f32>(&machine, DType::F32);
    assert_eq!(machine.driver.issued().products, 8);
}

/// A signal with one peak has a spectrum of constant magnitude. The inverse transform returns it
/// multiplied by its length.
#[test]
#[ignore = "needs a GPU"]
fn inverse_transform_restores_lines() {
    let machine = Machine::new();
    let (length, lines) = (90, 3);
    // The forward transform works line after line, and the inverse one element after element.
    let (dense, across) = (
        LineSteps {
            step: 1,
            distance: length,
        },
        LineSteps {
            step: lines,
            distance: 1,
        },
    );
    let transform = |kind, input, output| Transform {
        kind,
        real: DType::F64,
        length,
        lines,
        input,
        output,
    };
    let run = |transform: Transform, input, output| {
        let bytes = machine.driver.plan(machine.gpu, &transform).unwrap();
        let area = machine.driver.allocate(machine.gpu, bytes.max(1)).unwrap();
        machine.issue(&Work::Fft(Fft {
            transform,
            input,
            output,
            area,
        }));
    };
    let mut signal = vec![0.0; 2 * length * lines];
    for line in 0..lines {
        signal[2 * length * line] = 1.0 + line as f64;
    }
    let (x, spectrum) = (
        machine.device(&signal),
        machine.device(&vec![7.0; 2 * length * lines]),
    );
    run(
        transform(TransformKind::Forward, dense, across),
        x,
        spectrum,
    );
    let values = machine.read::<f64>(spectrum, 2 * length * lines);
    for (at, pair) in values.chunks(2).enumerate() {
        assert_eq!(pair, [1.0 + (at % lines) as f64, 0.0], "{at}");
    }
    run(
        transform(TransformKind::Inverse, across, dense),
        spectrum,
        x,
    );
    for (got, wanted) in machine.read::<f64>(x, signal.len()).iter().zip(&signal) {
        assert!((got - wanted * length as f64).abs() < 1e-10);
    }
    assert_eq!(machine.driver.issued().transforms, 2);
}

#[test]
#[ignore = "needs a GPU"]
fn evicts_cached_transform_plans() {
    let machine = Machine::new();
    let x = machine.device(&[1.0f32; 4000]);
    let out = machine.device(&[0.0f32; 4000]);
    let area = machine.driver.allocate(machine.gpu, 1 << 20).unwrap();
    for round in 0..2 {
        for length in 1..80 {
            let steps = LineSteps {
                step: 1,
                distance: 2 * length,
            };
            let transform = Transform {
                kind: TransformKind::RealForward,
                real: DType::F32,
                length,
                lines: 2,
                input: steps,
                output: steps,
            };
            let bytes = machine.driver.plan(machine.gpu, &transform).unwrap();
            assert!(bytes <= 1 << 20);
            let made = machine.driver.planned(machine.gpu, &transform).unwrap();
            assert_eq!(made.image.name, format!("cufft_r2c_{length}x2"));
            assert!(made.start <= made.end && made.waited_from == Some(made.start));
            assert!(machine.driver.planned(machine.gpu, &transform).is_none());
            machine.issue(&Work::Fft(Fft {
                transform,
                input: x,
                output: out,
                area,
            }));
            if length % 20 == 3 * round {
                let first = machine.read::<f32>(out, 2);
                assert_eq!(first, [length as f32, 0.0]);
            }
        }
    }
}

#[test]
#[ignore = "needs a GPU"]
fn excessive_allocation_is_out_of_memory() {
    let machine = Machine::new();
    let bytes = 1 << 46;
    let lacking = DriverError::OutOfMemory { gpu: 0, bytes };
    assert_eq!(machine.driver.allocate(machine.gpu, bytes), Err(lacking));
    // The driver continues to work.
    let address = machine.device(&[1.5; 10]);
    assert_eq!(machine.read::<f64>(address, 10), vec![1.5; 10]);
}

#[test]
#[ignore = "needs a GPU"]
fn rejects_unknown_ids() {
    let machine = Machine::new();
    let driver = &machine.driver;
    assert!(driver.allocate(GpuId(9), 8).is_err());
    assert!(driver.stream(GpuId(9)).is_err());
    assert!(driver.record(EventId(99), machine.stream).is_err());
    assert!(driver.wait(StreamId(99), machine.event).is_err());
    assert!(driver.update(GraphId(0), 0, &add(64, 1.0, 5)).is_err());
    driver.forget(GraphId(7));
}

/// A thread that is not Weft's keeps the context it had.
#[test]
#[ignore = "needs a GPU"]
fn other_threads_may_call_the_driver() {
    let machine = Machine::new();
    let address = machine.device(&[2.5; 10]);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let pinned = machine.pinned(&[0.0; 10]);
            machine.copy(address, pinned.address(), 80);
            machine.wait();
            assert_eq!(pinned.values(), [2.5; 10]);
            let mut current: sys::CUcontext = std::ptr::dangling_mut();
            // SAFETY: the driver is loaded already.
            let library = unsafe { libloading::Library::new(sys::LIBRARY) }.unwrap();
            // SAFETY: the signature is that of cuda.h; the call writes a context or null.
            let result = unsafe {
                type Current = unsafe extern "C" fn(*mut sys::CUcontext) -> sys::CUresult;
                library.get::<Current>(b"cuCtxGetCurrent").unwrap()(&mut current)
            };
            assert_eq!((result, current.is_null()), (0, true));
        });
    });
}

#[test]
#[ignore = "needs two GPUs"]
fn copies_between_gpus() {
    let machine = Machine::with(2);
    let there = machine.driver.allocate(GpuId(1), 800).unwrap();
    let here = machine.device(&[3.5; 100]);
    machine.copy(here + 80, there, 720);
    machine.copy(there, here, 80);
    assert_eq!(machine.read::<f64>(here, 100), vec![3.5; 100]);
}

/// Ranks of one node that see the same GPUs each start at a different one.
#[test]
#[ignore = "needs two GPUs"]
fn first_gpu_is_configurable() {
    let first = CudaDriver::open(0, 1, means()).unwrap();
    first.enter_thread().unwrap();
    let taken = 64 << 20;
    let free = first.gpus()[0].free;
    let held = first.allocate(GpuId(0), taken).unwrap();
    let second = CudaDriver::open(1, 1, means()).unwrap();
    let again = CudaDriver::open(0, 1, means()).unwrap();
    assert_eq!((second.gpus().len(), again.gpus().len()), (1, 1));
    assert!(again.gpus()[0].free + taken as u64 <= free);
    assert!(second.gpus()[0].free > again.gpus()[0].free);
    let refused = CudaDriver::open(1, 2, means()).err();
    let found = library::start().unwrap();
    if found == 2 {
        assert_eq!(refused, Some(DriverError::TooFew { asked: 3, found }));
    }
    // SAFETY: no work uses it.
    unsafe { first.free(GpuId(0), held) };
}
