//! Reductions of many elements to one.

use weft::DynArray;
use weft::kernel::{ReduceOp, ScanOp};

use super::{Inputs, Outcome};

/// Returns the parts of a case's name: the function, the input, and the axis.
fn parts(name: &str) -> (String, &str, Option<usize>) {
    let words: Vec<&str> = name.split('_').collect();
    let names = [
        "pairs", "nice", "none", "rows", "one", "edge", "special", "large",
    ];
    let at = words.iter().position(|word| names.contains(word)).unwrap();
    let axis = words.get(at + 1).map(|axis| axis.parse().unwrap());
    (words[..at].join("_"), words[at], axis)
}

pub(super) fn call(name: &str, x: &Inputs<'_>) -> Outcome {
    let (function, input, axis) = parts(name);
    if input == "large" {
        return large(&function, x);
    }
    let x_of = x.get(input);
    if let Some(op) = ReduceOp::ALL.iter().find(|op| op.name() == function) {
        return Ok(vec![x_of.reduce(*op, axis)?]);
    }
    if let Some(op) = ScanOp::ALL.iter().find(|op| op.name() == function) {
        return Ok(vec![x_of.scan(*op, axis)?]);
    }
    let line = || x.get("line").slice(ndarray::s![..4]);
    Ok(vec![match function.as_str() {
        "mean" => x_of.mean(axis)?,
        "var" => x_of.var(axis, 0)?,
        "std" => x_of.std(axis, 0)?,
        "var_ddof" => x_of.var(axis, 1)?,
        "std_ddof" => x_of.std(axis, 1)?,
        "median" => x_of.median(axis)?,
        "ptp" => x_of.ptp(axis)?,
        "nansum" => x_of.nansum(axis)?,
        "nanprod" => x_of.nanprod(axis)?,
        "nanmin" => x_of.nanmin(axis)?,
        "nanmax" => x_of.nanmax(axis)?,
        "nanmean" => x_of.nanmean(axis)?,
        "nanvar" => x_of.nanvar(axis, 0)?,
        "nanstd" => x_of.nanstd(axis, 0)?,
        "nanvar_ddof" => x_of.nanvar(axis, 1)?,
        "nanstd_ddof" => x_of.nanstd(axis, 1)?,
        "quantile" if input == "special" => x_of.quantile(&[0.5], Some(1))?,
        "quantile" if axis.is_some() => x_of.quantile(&[0.25, 0.9], axis)?,
        "quantile" => x_of.quantile(&[0.0, 0.3, 0.5, 1.0], None)?,
        "average" if axis.is_some() => x_of.average(&line()?, axis)?,
        "average" => x_of.average(x_of, None)?,
        other => panic!("no case {other}"),
    }])
}

/// Computes with the largest number twice, whose sum overflows.
fn large(function: &str, x: &Inputs<'_>) -> Outcome {
    let dtype = x.dtype;
    let place = if dtype.is_integer() { 4 } else { 7 };
    let top = x.get("few").slice(ndarray::s![place..=place])?;
    let twice = DynArray::concatenate(&[top.clone(), top], 0)?;
    Ok(vec![match function {
        "median" => twice.median(None)?,
        _ => twice.quantile(&[0.5], None)?,
    }])
}
