//! Linear algebra and Fourier transforms.

use weft::fft::{Along, Norm};
use weft::{DynArray, kernel::BinaryOp};

use super::{Inputs, Outcome};

fn norm(name: &str) -> Norm {
    match name.rsplit('_').next() {
        Some("ortho") => Norm::Ortho,
        Some("forward") => Norm::Forward,
        _ => Norm::Backward,
    }
}

pub(super) fn call(name: &str, x: &Inputs<'_>) -> Outcome {
    let (square, nice, line) = (x.get("square"), x.get("nice"), x.get("line"));
    let along = Along {
        norm: norm(name),
        ..Along::default()
    };
    Ok(vec![match name {
        "solve" => square.solve(x.get("other"))?,
        "inv" => square.inv()?,
        "det" => square.det()?,
        "slogdet" | "slogdet_zero" => {
            let none = DynArray::binary(BinaryOp::Mul, square, 0i64)?;
            let (sign, log) = if name == "slogdet" {
                square.slogdet()?
            } else {
                none.slogdet()?
            };
            return Ok(vec![sign, log]);
        }
        "cholesky" => square.cholesky()?,
        "svdvals" => nice.svdvals()?,
        "eigvalsh" => square.eigvalsh()?,
        "lstsq" => {
            let right = line.slice(ndarray::s![..4])?;
            nice.swapaxes(0, 1)?.lstsq(&right, None)?.0
        }
        "matrix_power_-2" => square.matrix_power(-2)?,
        "matrix_power_0" => square.matrix_power(0)?,
        "matrix_power_5" => square.matrix_power(5)?,
        "fft_0" => nice.fft(Along {
            axis: Some(0),
            length: Some(5),
            ..along
        })?,
        "rfft" => line.rfft(along)?,
        "irfft" => line.irfft(along)?,
        "fftn" => nice.fftn(None, Norm::Backward)?,
        "ifftn" => nice.ifftn(None, Norm::Backward)?,
        "fftshift" => nice.fftshift(None)?,
        "ifftshift" => nice.ifftshift(None)?,
        other if other.starts_with("fft_") => line.fft(along)?,
        other if other.starts_with("ifft_") => line.ifft(along)?,
        other => panic!("no case {other}"),
    }])
}
