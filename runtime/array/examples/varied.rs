//! Programs that print the bits of their results, which are the same on CPUs and on GPUs:
//! `varied host|half|complex|halo|spectra`.
//!
//! `host` transforms and solves between operations of GPUs, such as sorting. `half` and `complex`
//! compute in `f16` and in complex numbers. `halo` reads the neighbours of every point of a grid,
//! whose instances are allocated with room for them.
#![allow(clippy::print_stdout, reason = "this is its purpose")]

use std::process::ExitCode;

use weft::{Array, Complex, Error, f16, fft, linalg};

/// The number of elements of the vectors.
const N: usize = 900;
/// The number of rows and columns of the matrix.
const SIDE: usize = 30;

fn main() -> Result<ExitCode, Error> {
    let way = std::env::args().nth(1).unwrap_or_default();
    let _running = weft::start()?;
    match way.as_str() {
        "host" => host()?,
        "half" => half()?,
        "complex" => complex()?,
        "halo" => halo()?,
        "spectra" => spectra()?,
        _ => {
            eprintln!("usage: varied host|half|complex|halo|spectra");
            return Ok(ExitCode::from(2));
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn print(what: &str, values: impl Iterator<Item = u64>) {
    let values: Vec<String> = values.map(|bits| format!("{bits:x}")).collect();
    println!("{what} {}", values.join(" "));
}

fn reals(what: &str, array: &Array<f64>) -> Result<(), Error> {
    print(what, array.to_vec()?.into_iter().map(f64::to_bits));
    Ok(())
}

/// Adds and multiplies before and after each operation that needs main memory.
fn host() -> Result<(), Error> {
    let x = weft::random::seeded(7).uniform::<f64>(&[N]);
    let centred = &x * 2.0 - 1.0;
    let sorted = centred.sort();
    let doubled = &sorted + &sorted;
    reals("sorted", &doubled)?;

    let low = fft::rfft(&doubled).real();
    let scaled = low * 0.125;
    reals("spectrum", &scaled)?;

    let matrix = centred.reshape(&[SIDE, SIDE]) + weft::eye::<f64>(SIDE, SIDE, 0) * 64.0;
    let side = scaled.slice(ndarray::s![..SIDE]) + 1.0;
    let values = linalg::eigvals(&matrix).real();
    reals("values", &(&values * 0.5 - &side))
}

/// Transforms signals of whole numbers to spectra and back, rounded: the last bits of a transform
/// differ between machines.
fn spectra() -> Result<(), Error> {
    let numbers: Vec<f64> = (0..N).map(|n| (n * n % 101) as f64).collect();
    let whole = |what: &str, array: &Array<f64>| {
        let values = array.to_vec()?;
        // Adding 0 removes the sign of zeros.
        print(what, values.iter().map(|x| (x.round() + 0.0).to_bits()));
        Ok::<_, Error>(())
    };
    let x = weft::from_slice(&numbers);
    whole("line", &(fft::irfft(&fft::rfft(&(&x + 1.0))) + 1.0))?;
    let grid = x.reshape(&[SIDE, SIDE]);
    for axis in [0, 1] {
        let along = fft::Along {
            axis: Some(axis),
            length: Some(SIDE + 3),
            norm: fft::Norm::Ortho,
        };
        let padded = fft::irfft_along(&fft::rfft_along(&grid, along), along);
        whole("grid", &(padded * 2.0))?;
    }
    let spectrum = fft::ifftn(
        &fft::fftn(&grid, None, fft::Norm::Forward),
        None,
        fft::Norm::Forward,
    );
    whole("spectrum", &fft::hfft(&spectrum))?;
    whole("half", &fft::hfft(&fft::ihfft(&grid)))
}

fn half() -> Result<(), Error> {
    let x = weft::random::seeded(8).uniform::<f16>(&[N]);
    let y = &x * f16::from_f32(3.0) - f16::from_f32(0.5);
    let z = (&y / (&x + f16::ONE)).sort();
    print(
        "halves",
        z.to_vec()?.iter().map(|value| value.to_bits().into()),
    );
    let singles = z.cast::<f32>() + 0.25f32;
    print(
        "singles",
        singles.to_vec()?.iter().map(|value| value.to_bits().into()),
    );
    let sum = x.sum().try_item()?;
    print("sum", std::iter::once(sum.to_bits().into()));
    Ok(())
}

fn complex() -> Result<(), Error> {
    let random = weft::random::seeded(9);
    let (re, im) = (random.uniform::<f64>(&[N]), random.uniform::<f64>(&[N]));
    let z = weft::complex(&re + 1.0, &im * 2.0);
    let w = &z * &z - Complex::new(0.5, 0.25) / &z;
    reals("real", &(w.real() + &re))?;
    reals("imaginary", &(w.imag() - &im))?;
    // Whole numbers, whose sums have the same bits in any order.
    let whole = weft::complex((&re * 64.0).floor(), (&im * 64.0).floor());
    let sum = whole.sum().try_item()?;
    print("sum", [sum.re, sum.im].map(f64::to_bits).into_iter());
    Ok(())
}

fn halo() -> Result<(), Error> {
    let grid = weft::random::seeded(10).uniform::<f64>(&[SIDE + 2, SIDE + 2]);
    grid.stencil_hint(&[1, 1], &[1, 1]);
    let center = grid.slice(ndarray::s![1..-1, 1..-1]);
    let north = grid.slice(ndarray::s![..-2, 1..-1]);
    let south = grid.slice(ndarray::s![2.., 1..-1]);
    let east = grid.slice(ndarray::s![1..-1, 2..]);
    let west = grid.slice(ndarray::s![1..-1, ..-2]);
    for _ in 0..3 {
        for _ in 0..4 {
            center.assign(&((&north + &south + &east + &west) * 0.25));
        }
        reals("grid", &grid)?;
    }
    Ok(())
}
