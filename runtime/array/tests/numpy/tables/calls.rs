//! Views, copies, selected and sorted elements, sets, sums of products.

use ndarray::s;
use weft::dtype::{DType, Scalar};
use weft::kernel::{BinaryOp, UnaryOp};
use weft::program::{Bins, Indexing, MatrixNorm, Overlap, PadMode, Side, Tolerance};
use weft::{DynArray, from_slice};

use super::{Inputs, Outcome};

fn bools(values: &[bool]) -> DynArray {
    from_slice(values).into_dyn()
}

fn ints(values: &[i64]) -> DynArray {
    from_slice(values).into_dyn()
}

fn floats(values: &[f64]) -> DynArray {
    from_slice(values).into_dyn()
}

fn grid() -> DynArray {
    let values = [1i64, 0, 2, -1, 3, 3, 0, 1, 0, 1, 2, 3];
    from_slice(&values).reshape(&[3, 4]).into_dyn()
}

fn mask() -> DynArray {
    let rows = [
        [true, false, true, true],
        [false; 4],
        [true, true, false, true],
    ];
    from_slice(&rows.concat()).reshape(&[3, 4]).into_dyn()
}

pub(super) fn call(name: &str, x: &Inputs<'_>) -> Outcome {
    if let Some(views) = view(name, x)? {
        return Ok(views);
    }
    if let Some(picked) = picked(name, x)? {
        return Ok(picked);
    }
    if let Some(sorted) = sorted(name, x)? {
        return Ok(sorted);
    }
    if let Some(compared) = compared(name, x)? {
        return Ok(compared);
    }
    product(name, x)
}

type Computed = Result<Option<Vec<DynArray>>, weft::Error>;

fn single_result(array: DynArray) -> Computed {
    Ok(Some(vec![array]))
}

fn view(name: &str, x: &Inputs<'_>) -> Computed {
    let (nice, line, other, none) = (x.get("nice"), x.get("line"), x.get("other"), x.get("none"));
    let pad = |mode| line.pad(&[(9, 2)], mode);
    single_result(match name {
        "swapaxes" => nice.swapaxes(0, 1)?,
        "moveaxis" => nice.moveaxis(0, 1)?,
        "expand_dims" => nice.expand_dims(1)?,
        "squeeze" => nice.slice(s![..1, ..])?.squeeze(None)?,
        "flip" => nice.flip(None)?,
        "flip_1" => nice.flip(Some(1))?,
        "rot90" => nice.rot90(3)?,
        "ravel" => nice.swapaxes(0, 1)?.ravel()?,
        "reshape" => nice.swapaxes(0, 1)?.copy()?.reshape(&[2, 6])?,
        "transpose" => nice.permute(&[1, 0])?,
        "broadcast_to" => other.expand_dims(1)?.broadcast_to(&[2, 3, 2])?,
        "split" => return Ok(Some(line.split(3, 0)?)),
        "split_at" => return Ok(Some(line.split_at(&[2, 2, 9], 0)?)),
        "diagonal" => nice.diagonal(1)?,
        "diag" => other.diag(-1)?,
        "diag_2" => nice.diag(0)?,
        "triu" => nice.triu(1)?,
        "tril" => nice.tril(-1)?,
        "trace" => nice.trace(1)?,
        "concatenate" => DynArray::concatenate(&[line.clone(), none.clone(), other.clone()], 0)?,
        "stack" => DynArray::stack(&[line.clone(), line.clone()], 1)?,
        "vstack" => DynArray::vstack(&[other.clone(), other.clone()])?,
        "hstack" => DynArray::hstack(&[nice.clone(), nice.clone()])?,
        "dstack" => DynArray::dstack(&[nice.clone(), nice.clone()])?,
        "column_stack" => DynArray::column_stack(&[other.clone(), other.clone()])?,
        "tile" => other.tile(&[2, 2])?,
        "tile_none" => other.tile(&[0, 2])?,
        "repeat" => nice.repeat(2, None)?,
        "repeat_1" => nice.repeat(2, Some(1))?,
        "roll" => nice.roll(5, None)?,
        "roll_1" => nice.roll(-1, Some(1))?,
        "roll_none" => none.roll(3, None)?,
        "pad_constant" => pad(PadMode::Constant(Scalar::zero(x.dtype)))?,
        "pad_edge" => pad(PadMode::Edge)?,
        "pad_reflect" => pad(PadMode::Reflect)?,
        "pad_symmetric" => pad(PadMode::Symmetric)?,
        "pad_wrap" => pad(PadMode::Wrap)?,
        "meshgrid" => {
            let vectors = [line.clone(), other.clone()];
            return Ok(Some(DynArray::meshgrid(&vectors, Indexing::Cartesian)?));
        }
        "full_like" => nice.full_like(scalar(x))?,
        "zeros_like" => nice.full_like(Scalar::zero(x.dtype))?,
        "ones_like" => nice.full_like(Scalar::one(x.dtype))?,
        _ => return Ok(None),
    })
}

/// Returns the value of the input without axes.
fn scalar(x: &Inputs<'_>) -> Scalar {
    super::Written::from_array(x.get("one")).unwrap().values[0]
}

fn picked(name: &str, x: &Inputs<'_>) -> Computed {
    let (nice, line, other) = (x.get("nice"), x.get("line"), x.get("other"));
    let picks = ints(&[2, 0, -1, 2]);
    let copy = nice.copy()?;
    single_result(match name {
        "take" => nice.take(&picks, None)?,
        "take_1" => nice.take(&picks, Some(1))?,
        "take_outside" => nice.take(&ints(&[12]), None)?,
        "put" => {
            copy.put(&ints(&[1, -1, 5]), None, other)?;
            copy
        }
        "take_at" => nice.take_at(&[(0, &ints(&[0, 2])), (1, &ints(&[1, -1]))])?,
        "put_at" => {
            copy.put_at(&[(0, &ints(&[0, 2, 1])), (1, &ints(&[1, -1, 0]))], other)?;
            copy
        }
        "take_along_axis" => nice.take_along_axis(&grid(), 1)?,
        "put_along_axis" => {
            copy.put_along_axis(&grid().slice(s![.., ..1])?, 1, scalar(x))?;
            copy
        }
        "extract" => nice.take_where(&mask())?,
        "place" => {
            copy.put_where(&mask(), &line.slice(s![..6])?)?;
            copy
        }
        "putmask" => {
            copy.putmask(&mask(), scalar(x))?;
            copy
        }
        "compress" => nice.compress(&bools(&[true, false, true]), Some(0))?,
        "where" => DynArray::select(&mask(), nice, scalar(x))?,
        "nonzero" => return Ok(Some(nice.nonzero()?)),
        "nonzero_edge" => x.get("edge").flatnonzero()?,
        "argwhere" => nice.argwhere()?,
        "fill_diagonal" => {
            copy.fill_diagonal(scalar(x))?;
            copy
        }
        "copyto" => {
            copy.assign(&line.slice(s![..4])?)?;
            copy
        }
        _ => return Ok(None),
    })
}

fn sorted(name: &str, x: &Inputs<'_>) -> Computed {
    let (nice, line, other, edge) = (x.get("nice"), x.get("line"), x.get("other"), x.get("edge"));
    let side = match name.ends_with("right") {
        true => Side::Right,
        false => Side::Left,
    };
    single_result(match name {
        "sort" => edge.sort(0)?,
        "sort_0" => nice.sort(0)?,
        "argsort" => edge.argsort(0)?,
        "argsort_0" => nice.argsort(0)?,
        "unique" => edge.unique()?,
        "unique_all" => {
            let all = line.unique_all()?;
            let numbers = [all.indices, all.inverse, all.counts].map(weft::Array::into_dyn);
            return Ok(Some([vec![all.values], numbers.to_vec()].concat()));
        }
        "isin" => edge.isin(x.get("few"))?,
        "union1d" => line.union1d(other)?,
        "intersect1d" => line.intersect1d(other)?,
        "setdiff1d" => line.setdiff1d(other)?,
        "setxor1d" => line.setxor1d(other)?,
        "searchsorted_left" | "searchsorted_right" => {
            x.get("few").sort(0)?.searchsorted(edge, side)?
        }
        "digitize_left" | "digitize_right" => {
            line.digitize(&other.unique()?, side == Side::Right)?
        }
        "digitize_down_left" | "digitize_down_right" => {
            line.digitize(&other.unique()?.flip(None)?, side == Side::Right)?
        }
        "bincount" if x.dtype.is_bool() => line.bincount(None, 0)?,
        "bincount" => line.unary(UnaryOp::Abs)?.bincount(None, 0)?,
        "bincount_negative" => line.bincount(None, 0)?,
        "bincount_least" => x.get("none").bincount(None, 4)?,
        "bincount_weights" => ints(&[0, 1, 2, 0, 1, 2, 0]).bincount(Some(line), 0)?,
        "histogram" | "histogram_range" | "histogram_edges" | "histogram_weights" => {
            let edges = other.unique()?;
            let bins = match name {
                "histogram_range" => Bins::Range(3, 0.0, 2.0),
                "histogram_edges" => Bins::Edges(&edges),
                _ => Bins::Count(4),
            };
            let weights = weft::arange(7.0).into_dyn();
            let weights = (name == "histogram_weights").then_some(&weights);
            let (counts, edges) = line.histogram(bins, weights)?;
            return Ok(Some(vec![counts, edges]));
        }
        _ => return Ok(None),
    })
}

fn compared(name: &str, x: &Inputs<'_>) -> Computed {
    let (nice, edge, few) = (x.get("nice"), x.get("edge"), x.get("few"));
    let column = few.expand_dims(1)?;
    let with_column = |op, dtype| DynArray::binary(op, &column, x.get_as(dtype, "few"));
    let tolerance = Tolerance::default();
    let answer = |is_so: bool| bools(&[is_so]).reshape(&[]);
    single_result(match name {
        "equal_unsigned" => with_column(BinaryOp::Equal, DType::U64)?,
        "equal_signed" => with_column(BinaryOp::Equal, DType::I64)?,
        "less_unsigned" => with_column(BinaryOp::Less, DType::U64)?,
        "less_signed" => with_column(BinaryOp::Less, DType::I64)?,
        "isclose" => column.isclose(few, tolerance)?,
        "isclose_nan" => {
            let equal_nan = true;
            column.isclose(
                few,
                Tolerance {
                    equal_nan,
                    ..tolerance
                },
            )?
        }
        "isclose_wide" => {
            let tolerance = Tolerance {
                relative: 0.5,
                absolute: 0.25,
                equal_nan: false,
            };
            nice.expand_dims(2)?.isclose(x.get("other"), tolerance)?
        }
        "allclose" => answer(edge.allclose(edge, tolerance)?)?,
        "array_equal" => answer(edge.array_equal(edge)?)?,
        "array_equiv" => answer(nice.array_equiv(&nice.slice(s![..1, ..])?)?)?,
        "round_-1" => edge.round(-1)?,
        "round_0" => edge.round(0)?,
        "round_1" => edge.round(1)?,
        "round_3" => edge.round(3)?,
        "clip" => {
            let bound = |at: isize| few.slice(s![at]);
            edge.clip(&bound(1)?, &bound(if x.dtype.is_bool() { 1 } else { 2 })?)?
        }
        "clip_wide" => column.clip(few, &few.flip(None)?)?,
        "nan_to_num" => edge.nan_to_num(0.0, None, None)?,
        "nan_to_num_given" => edge.nan_to_num(3.0, Some(5.0), Some(-5.0))?,
        "diff" => edge.diff(1, 0)?,
        "diff_3" => nice.diff(3, 1)?,
        "diff_beyond" => nice.diff(9, 1)?,
        "gradient" => nice.gradient(0.5, 1)?,
        "trapezoid" => nice.trapezoid(0.5, 1)?,
        "interp" => {
            let (points, values) = ([-1.0, 0.5, 2.0, 3.0], [1.0, -2.0, 5.0, 4.0]);
            x.get("line")
                .interp(&floats(&points), &floats(&values), [None; 2])?
        }
        "interp_edge" => edge.interp(
            &floats(&[-1.0, 0.5, 2.0]),
            &floats(&[1.0, -2.0, 5.0]),
            [None; 2],
        )?,
        _ => return Ok(None),
    })
}

fn product(name: &str, x: &Inputs<'_>) -> Outcome {
    let (nice, line, other) = (x.get("nice"), x.get("line"), x.get("other"));
    let overlap = match name.rsplit('_').next() {
        Some("same") => Overlap::Same,
        Some("valid") => Overlap::Valid,
        _ => Overlap::Full,
    };
    let turned = nice.swapaxes(0, 1)?;
    Ok(vec![match name {
        "dot" => line.matmul(line)?,
        "dot_2" => nice.matmul(&line.slice(s![..4])?)?,
        "matmul" => nice.matmul(&turned)?,
        "matmul_vector" => other.matmul(nice)?,
        "matmul_none" => x.get("rows").swapaxes(0, 1)?.matmul(x.get("rows"))?,
        "matmul_one" => x.get("one").matmul(nice)?,
        "inner" => nice.inner(nice)?,
        "vdot" => nice.vdot(&nice.flip(Some(0))?)?,
        "outer" => line.outer(other)?,
        "kron" => nice.kron(other)?,
        "tensordot" => nice.tensordot(nice, &[0], &[0])?,
        "einsum" => DynArray::einsum("ij,kj->ik", &[nice, nice])?,
        "einsum_diagonal" => DynArray::einsum("ii->i", &[x.get("square")])?,
        "einsum_sum" => DynArray::einsum("ij->j", &[nice])?,
        "cov" => nice.cov(1)?,
        "norm_1" => nice.norm(2.0, Some(1))?,
        "matrix_norm_fro" => nice.matrix_norm(MatrixNorm::Frobenius)?,
        "matrix_norm_1" => nice.matrix_norm(MatrixNorm::One)?,
        "matrix_norm_-1" => nice.matrix_norm(MatrixNorm::MinusOne)?,
        "matrix_norm_inf" => nice.matrix_norm(MatrixNorm::Infinity)?,
        "matrix_norm_-inf" => nice.matrix_norm(MatrixNorm::MinusInfinity)?,
        other_name => match other_name.split('_').collect::<Vec<_>>()[..] {
            ["convolve", _] => line.convolve(other, overlap)?,
            ["correlate", "long", _] => other.correlate(&line.slice(s![..6])?, overlap)?,
            ["correlate", _] => line.correlate(other, overlap)?,
            ["norm", p] => line.norm(p.parse().unwrap(), None)?,
            _ => panic!("no case {other_name}"),
        },
    }])
}
