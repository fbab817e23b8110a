//! Operations of a single value and an array, and arrays of single values.

use weft::dtype::{Scalar, with_number, with_real};
use weft::kernel::BinaryOp;
use weft::{Array, DynArray};

use super::{Inputs, Outcome};

/// Parses a value as Python writes it: an integer of the smallest sufficient width, or an `f64`.
fn value(text: &str) -> Scalar {
    if let Ok(value) = text.parse::<i64>() {
        return Scalar::I64(value);
    }
    match text.parse::<u64>() {
        Ok(value) => Scalar::U64(value),
        Err(_) => Scalar::F64(text.parse().unwrap()),
    }
}

pub(super) fn call(name: &str, x: &Inputs<'_>) -> Outcome {
    let few = x.get("few");
    let words: Vec<&str> = name.split('_').collect();
    if words[0] != "scalar" {
        return compute(name, &words, x);
    }
    let operand = value(words[words.len() - 1]);
    let function = words[1..words.len() - 1].join("_");
    Ok(vec![match function.as_str() {
        "clip" => few.clip(-1i64, operand)?,
        "fill" => {
            let copy = few.copy()?;
            copy.assign(operand)?;
            copy
        }
        other => {
            let op = *BinaryOp::ALL.iter().find(|op| op.name() == other).unwrap();
            DynArray::binary(op, few, operand)?
        }
    }])
}

fn compute(name: &str, words: &[&str], x: &Inputs<'_>) -> Outcome {
    let number = |at: usize| value(words[words.len() - at]);
    let [start, stop, count] = [3, 2, 1].map(|at| {
        let text: f64 = words
            .len()
            .checked_sub(at)
            .and_then(|at| words[at].parse().ok())
            .unwrap_or_default();
        text
    });
    let line = |array: Array<f64>| array.into_dyn();
    Ok(vec![match words[0] {
        "arange" => with_real!(x.dtype, T => {
            let [start, stop, step] = [3, 2, 1].map(|at| number(at).to::<T>());
            weft::arange_step(start, stop, step).into_dyn()
        }, else panic!("no range of {}", x.dtype)),
        "linspace" if words[1] == "open" => line(weft::linspace_open(start, stop, count as usize)),
        "linspace" => line(weft::linspace(start, stop, count as usize)),
        "logspace" => line(weft::logspace(-2.0, 3.0, 6, 10.0)),
        "geomspace" => line(weft::geomspace(0.5, 128.0, 9)),
        "eye" => {
            with_number!(x.dtype, T => weft::eye::<T>(3, 4, 1).into_dyn(), else panic!("{name}"))
        }
        "identity" => {
            with_number!(x.dtype, T => weft::identity::<T>(3).into_dyn(), else panic!("{name}"))
        }
        "tri" => {
            with_number!(x.dtype, T => weft::tri::<T>(3, 4, 1).into_dyn(), else panic!("{name}"))
        }
        "indices" => weft::indices(&[2, 3]).into_dyn(),
        "fftfreq" => line(weft::fft::fftfreq(7, 0.5)),
        "rfftfreq" => line(weft::fft::rfftfreq(8, 0.5)),
        other => panic!("no case {other}"),
    }])
}
