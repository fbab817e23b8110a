//! Plans of transforms: the copies, and the calls of cuFFT.

use super::*;
use crate::cuda::testing;
use crate::dtype::Parameter;

/// Returns a tile at an address that is a multiple of 256.
fn tile(dtype: DType, layout: Layout) -> DeviceTile {
    DeviceTile {
        start: 1 << 20,
        dtype,
        layout,
    }
}

fn dense(dims: &[usize]) -> Layout {
    Layout::contiguous(Shape::new(dims).unwrap())
}

fn plan(op: FourierOp, axis: u8, length: usize, scale: f64, input: &DeviceTile) -> Transforms {
    let shape = input.layout.shape;
    let results = shape.with_dim(axis.into(), op.results(length)).unwrap();
    let dtype = match (op.is_to_real(), input.dtype.real()) {
        (true, real) => real,
        (false, real) => real.complex(),
    };
    let fourier = Fourier {
        op,
        axis,
        length,
        scale: Parameter(scale),
    };
    let out = DeviceTile {
        start: 2 << 20,
        ..tile(dtype, Layout::contiguous(results))
    };
    Transforms::new(&fourier, input, &out).unwrap()
}

/// Describes each piece of work in a word, with scratch memory at 3 MiB.
fn describe_work(plan: &Transforms) -> Vec<String> {
    let works = plan.work(3 << 20);
    let word = |work: &Work| match work {
        Work::Kernel(launch) => launch.kernel.name(),
        Work::Fft(fft) => format!("{:?}", fft.transform.kind),
        other => panic!("{other:?}"),
    };
    works.iter().map(word).collect()
}

#[test]
fn transforms_dense_complex_lines_in_place() {
    let signal = tile(DType::C128, dense(&[6, 100]));
    let along = plan(FourierOp::Forward, 1, 100, 1.0, &signal);
    assert_eq!(
        (describe_work(&along), along.scratch()),
        (vec!["Forward".into()], 0)
    );
    let transform = along.transform();
    assert_eq!((transform.lines, transform.length), (6, 100));
    let steps = LineSteps {
        step: 1,
        distance: 100,
    };
    assert_eq!((transform.input, transform.output), (steps, steps));

    let across = plan(FourierOp::Inverse, 0, 6, 1.0, &signal).transform();
    let steps = LineSteps {
        step: 100,
        distance: 1,
    };
    assert_eq!((across.lines, across.input), (100, steps));
    // A shorter part of a line needs no copy either.
    let cut = plan(FourierOp::Forward, 1, 64, 1.0, &signal);
    assert_eq!(describe_work(&cut), ["Forward"]);
    assert_eq!(cut.transform().output.distance, 64);
}

#[test]
fn scales_results_in_place_or_while_copying() {
    let signal = tile(DType::C64, dense(&[6, 100]));
    let scaled = plan(FourierOp::Inverse, 1, 100, 0.01, &signal);
    assert_eq!(
        describe_work(&scaled),
        ["Inverse", "weft_fourier_copy_complex64_complex64"]
    );
    assert_eq!(scaled.scratch(), 0);
    let padded = plan(FourierOp::Inverse, 1, 128, 0.01, &signal);
    assert_eq!(
        describe_work(&padded),
        ["weft_fourier_copy_complex64_complex64_2d", "Inverse"]
    );
    assert_eq!(padded.scratch(), 6 * 128 * 8);
}

#[test]
fn plans_real_lines_and_half_spectra() {
    let signal = tile(DType::F64, dense(&[6, 100]));
    let half = plan(FourierOp::RealForward, 1, 100, 1.0, &signal);
    assert_eq!(describe_work(&half), ["RealForward"]);
    assert_eq!(half.transform().output.distance, 51);
    let conjugated = plan(FourierOp::HermitianInverse, 1, 100, 0.5, &signal);
    let expected = ["RealForward", "weft_fourier_copy_complex128_complex128"];
    assert_eq!(describe_work(&conjugated), expected);
    let whole = plan(FourierOp::Forward, 1, 100, 1.0, &signal);
    assert_eq!(
        describe_work(&whole),
        ["weft_fourier_copy_f64_complex128", "Forward"]
    );
    // The transform would destroy its input.
    let spectrum = tile(DType::C128, dense(&[6, 51]));
    for op in [FourierOp::RealInverse, FourierOp::Hermitian] {
        let back = plan(op, 1, 100, 0.01, &spectrum);
        let expected = ["weft_fourier_copy_complex128_complex128_2d", "RealInverse"];
        assert_eq!(describe_work(&back), expected);
    }
    // A line begins at an address that is not aligned for complex numbers.
    let shifted = DeviceTile {
        layout: dense(&[6, 101]).slice(1, Some(1), None, 1).unwrap(),
        ..signal
    };
    let shifted = plan(FourierOp::RealForward, 1, 100, 1.0, &shifted);
    let expected = ["weft_fourier_copy_f64_f64_2d", "RealForward"];
    assert_eq!(describe_work(&shifted), expected);
}

#[test]
fn transforms_few_batches_separately_and_copies_many() {
    let few = tile(DType::C128, dense(&[3, 8, 40]));
    let few = plan(FourierOp::Forward, 1, 8, 1.0, &few);
    assert_eq!(describe_work(&few), ["Forward"; 3]);
    let works = few.work(0);
    let [Work::Fft(first), .., Work::Fft(last)] = works.as_slice() else {
        panic!("{works:?}");
    };
    assert_eq!(last.input - first.input, 2 * 8 * 40 * 16);
    assert_eq!(few.transform().lines, 40);
    let many = tile(DType::C128, dense(&[100, 8, 40]));
    let many = plan(FourierOp::Forward, 1, 8, 1.0, &many);
    let copy = "weft_fourier_copy_complex128_complex128_3d";
    assert_eq!(describe_work(&many), [copy, "Forward", copy]);
    assert_eq!(many.scratch(), 100 * 8 * 40 * 16);
    assert_eq!(many.transform().lines, 4000);
}

#[test]
fn copies_reversed_lines() {
    let layout = dense(&[6, 100]).slice(1, None, None, -1).unwrap();
    let back = plan(FourierOp::Forward, 1, 100, 1.0, &tile(DType::C64, layout));
    assert_eq!(back.transform().input.step, 1);
    assert_eq!(describe_work(&back).len(), 2);
    let row = dense(&[1, 100]);
    let repeated = row.broadcast_to(Shape::new(&[6, 100]).unwrap()).unwrap();
    let repeated = plan(FourierOp::Forward, 1, 100, 1.0, &tile(DType::C64, repeated));
    assert_eq!(
        repeated.scratch(),
        (6usize * 100 * 8).next_multiple_of(ALIGNMENT)
    );
}

/// The copies pad, cut, scale, conjugate and take half spectra as intended.
#[test]
fn copies_convert_elements() {
    if !testing::can_run() {
        return;
    }
    let line: Vec<[f64; 2]> = (0..6).map(|x| [f64::from(x), f64::from(x + 10)]).collect();
    let mut padded = vec![[f64::NAN; 2]; 8];
    let side = |start: u64, count: usize| DeviceTile {
        start,
        dtype: DType::C128,
        layout: dense(&[count]),
    };
    let change = Change {
        scale: 0.5,
        is_conjugated: true,
        known: Some(6),
        halves: Some(14),
    };
    let from = side(line.as_ptr() as u64, 6);
    let to = side(padded.as_mut_ptr() as u64, 8);
    testing::run(&change.work(0, &from, &to).unwrap());
    let half = |x: f64| [x / 2.0, -(x + 10.0) / 2.0];
    let mut expected: Vec<[f64; 2]> = (0..6).map(|x| half(x.into())).collect();
    expected[0][1] = 0.0;
    expected.extend([[0.0, 0.0]; 2]);
    let got: Vec<[f64; 2]> = padded.iter().map(|pair| pair.map(|x| x + 0.0)).collect();
    assert_eq!(got, expected);

    let reals: Vec<f32> = vec![1.0, 2.0, 3.0];
    let mut whole = vec![[f32::NAN; 2]; 3];
    let from = DeviceTile {
        start: reals.as_ptr() as u64,
        dtype: DType::F32,
        layout: dense(&[3]),
    };
    let to = DeviceTile {
        start: whole.as_mut_ptr() as u64,
        dtype: DType::C64,
        layout: dense(&[3]).slice(0, None, None, -1).unwrap(),
    };
    let change = Change {
        scale: 2.0,
        is_conjugated: false,
        known: None,
        halves: None,
    };
    let Some(Work::Kernel(mut launch)) = change.work(0, &from, &to) else {
        panic!("a kernel copies");
    };
    // The same with 64-bit indices.
    let key: Option<&FourierKernelKey> = launch.kernel.library_source();
    launch.kernel = Kernel::from_source(key.unwrap().clone().widened());
    testing::run(&Work::Kernel(launch));
    assert_eq!(whole, [[6.0, 0.0], [4.0, 0.0], [2.0, 0.0]]);

    let mut padded = [f32::NAN; 5];
    let to = DeviceTile {
        start: padded.as_mut_ptr() as u64,
        dtype: DType::F32,
        layout: dense(&[5]),
    };
    let change = Change {
        known: Some(3),
        ..change
    };
    testing::run(&change.work(0, &from, &to).unwrap());
    assert_eq!(padded, [2.0, 4.0, 6.0, 0.0, 0.0]);
}
