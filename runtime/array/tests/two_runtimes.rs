//! Arrays of two runtimes in one call: an error at the caller's line, for every call with several
//! arrays.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a mistake in a test must stop it"
)]

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use weft::kernel::{BinaryOp, ReduceOp, UnaryOp};
use weft::program::{Bins, Overlap, Side, Tolerance, Value};
use weft::{Array, DynArray, Error, linalg};

#[path = "support/runtimes.rs"]
mod runtimes;

use runtimes::runtime;

/// The arrays of one runtime.
struct Own {
    v: Array<f64>,
    m: Array<f64>,
    i: Array<i64>,
    b: Array<bool>,
    dv: DynArray,
    dm: DynArray,
    di: DynArray,
    db: DynArray,
}

impl Own {
    fn new(n: usize) -> Own {
        let v = weft::ones::<f64>(&[n]);
        let m = weft::eye::<f64>(n, n, 0);
        let i = weft::full::<i64>(&[n], 1);
        let b = weft::full::<bool>(&[n], true);
        Own {
            dv: v.as_dyn().clone(),
            dm: m.as_dyn().clone(),
            di: i.as_dyn().clone(),
            db: b.as_dyn().clone(),
            v,
            m,
            i,
            b,
        }
    }
}

/// A call with an array of each runtime, with the name of the function.
struct Call {
    name: &'static str,
    call: fn(&Own, &Own) -> Result<(), Error>,
}

macro_rules! calls {
    ($($name:ident: |$a:ident, $b:ident| $call:expr;)*) => {
        &[$(Call { name: stringify!($name), call: |$a, $b| $call.map(drop).map_err(Error::from) },)*]
    };
}

/// A call that panics, with the name of its function.
struct Panic {
    name: &'static str,
    call: fn(&Own, &Own),
}

macro_rules! panics {
    ($($name:ident: |$a:ident, $b:ident| $call:expr;)*) => {
        &[$(Panic { name: stringify!($name), call: |$a, $b| { let _ = $call; } },)*]
    };
}

/// All functions that return their errors.
const RETURNS: &[Call] = calls! {
    bincount: |a, b| a.di.bincount(Some(&b.dv), 0);
    bincount_below: |a, b| a.di.bincount_below(3, Some(&b.dv));
    searchsorted: |a, b| a.dv.searchsorted(&b.dv, Side::Left);
    digitize: |a, b| a.dv.digitize(&b.dv, false);
    histogram: |a, b| a.dv.histogram(Bins::Edges(&b.dv), None);
    histogram: |a, b| a.dv.histogram(Bins::Count(3), Some(&b.dv));
    histogram_between: |a, b| a.dv.histogram_between(&b.dv, None);
    isin: |a, b| a.dv.isin(&b.dv);
    union1d: |a, b| a.dv.union1d(&b.dv);
    intersect1d: |a, b| a.dv.intersect1d(&b.dv);
    setdiff1d: |a, b| a.dv.setdiff1d(&b.dv);
    setxor1d: |a, b| a.dv.setxor1d(&b.dv);
    take_along_axis: |a, b| a.dv.take_along_axis(&b.di, 0);
    put_along_axis: |a, b| a.dv.put_along_axis(&b.di, 0, 2.0);
    put_along_axis: |a, b| a.dv.put_along_axis(&a.di, 0, &b.dv);
    concatenate: |a, b| DynArray::concatenate(&[a.dv.clone(), b.dv.clone()], 0);
    block: |a, b| DynArray::block(&[vec![a.dm.clone(), b.dm.clone()]]);
    stack: |a, b| DynArray::stack(&[a.dv.clone(), b.dv.clone()], 0);
    vstack: |a, b| DynArray::vstack(&[a.dv.clone(), b.dv.clone()]);
    hstack: |a, b| DynArray::hstack(&[a.dv.clone(), b.dv.clone()]);
    dstack: |a, b| DynArray::dstack(&[a.dv.clone(), b.dv.clone()]);
    column_stack: |a, b| DynArray::column_stack(&[a.dv.clone(), b.dv.clone()]);
    take: |a, b| a.dv.take(&b.di, None);
    put: |a, b| a.dv.put(&b.di, None, 2.0);
    put: |a, b| a.dv.put(&a.di, None, &b.dv);
    take_at: |a, b| a.dm.take_at(&[(0, &b.di), (1, &b.di)]);
    take_at: |a, b| a.dm.take_at(&[(0, &a.di), (1, &b.di)]);
    put_at: |a, b| a.dm.put_at(&[(0, &b.di), (1, &b.di)], 2.0);
    put_at: |a, b| a.dm.put_at(&[(0, &a.di), (1, &a.di)], &b.dv);
    einsum: |a, b| DynArray::einsum("i,i", &[&a.dv, &b.dv]);
    einsum: |a, b| DynArray::einsum("ij,jk->ik", &[&a.dm, &b.dm]);
    matmul: |a, b| a.dm.matmul(&b.dm);
    cross: |a, b| a.dm.cross(&b.dm);
    matmul: |a, b| a.dm.matmul(&b.dv);
    matmul: |a, b| a.dv.matmul(&b.dv);
    tensordot: |a, b| a.dm.tensordot(&b.dm, &[1], &[0]);
    inner: |a, b| a.dv.inner(&b.dv);
    vdot: |a, b| a.dv.vdot(&b.dv);
    outer: |a, b| a.dv.outer(&b.dv);
    kron: |a, b| a.dv.kron(&b.dv);
    solve: |a, b| a.dm.solve(&b.dv);
    lstsq: |a, b| a.dm.lstsq(&b.dv, None);
    average: |a, b| a.dv.average(&b.dv, None);
    convolve: |a, b| a.dv.convolve(&b.dv, Overlap::Full);
    correlate: |a, b| a.dv.correlate(&b.dv, Overlap::Full);
    interp: |a, b| a.dv.interp(&b.dv, &b.dv, [None; 2]);
    interp: |a, b| a.dv.interp(&a.dv, &b.dv, [None; 2]);
    assign: |a, b| a.dv.assign(&b.dv);
    assign: |a, b| a.di.assign(&b.dv);
    place: |a, b| a.dv.place(&b.db, &a.dv);
    place: |a, b| a.dv.place(&a.db, &b.dv);
    putmask: |a, b| a.dv.putmask(&b.db, 2.0);
    putmask: |a, b| a.dv.putmask(&a.db, &b.dv);
    fill_diagonal: |a, b| a.dm.fill_diagonal(&b.dv);
    binary: |a, b| DynArray::binary(BinaryOp::Add, &a.dv, &b.dv);
    binary_into: |a, b| a.dv.binary_into(BinaryOp::Add, &a.dv, &b.dv);
    binary_into: |a, b| a.dv.binary_into(BinaryOp::Add, &b.dv, &b.dv);
    unary_into: |a, b| a.dv.unary_into(UnaryOp::Sqrt, &b.dv);
    select: |a, b| DynArray::select(&a.db, &b.dv, &b.dv);
    select: |a, b| DynArray::select(&a.db, &a.dv, &b.dv);
    isclose: |a, b| a.dv.isclose(&b.dv, Tolerance::default());
    allclose: |a, b| a.dv.allclose(&b.dv, Tolerance::default());
    array_equal: |a, b| a.dv.array_equal(&b.dv);
    array_equiv: |a, b| a.dv.array_equiv(&b.dv);
    clip: |a, b| a.dv.clip(Value::from(&b.dv), 1.0);
    take_where: |a, b| a.dv.take_where(&b.db);
    put_where: |a, b| a.dv.put_where(&b.db, 2.0);
    put_where: |a, b| a.dv.put_where(&a.db, Value::from(&b.dv));
    compress: |a, b| a.dv.compress(&b.db, None);
    try_dot: |a, b| a.v.try_dot(&b.v);
    try_matmul: |a, b| a.m.try_matmul(&b.m);
    try_assign: |a, b| a.v.try_assign(&b.v);
    try_putmask: |a, b| a.v.try_putmask(&b.b, 2.0);
    try_take: |a, b| a.v.try_take(&b.i, None);
    try_put: |a, b| a.v.try_put(&b.i, None, 2.0);
    try_take_at: |a, b| a.m.try_take_at(&[(0, &b.i), (1, &b.i)]);
    try_put_at: |a, b| a.m.try_put_at(&[(0, &b.i), (1, &b.i)], 2.0);
    try_take_where: |a, b| a.v.try_take_where(&b.b);
    try_put_where: |a, b| a.v.try_put_where(&b.b, 2.0);
    try_add: |a, b| a.v.try_add(&b.v);
    try_solve: |a, b| linalg::try_solve(&a.m, &b.v);
    try_lstsq: |a, b| linalg::try_lstsq(&a.m, &b.v, None);
    reduce_segments: |a, b| a.dv.reduce_segments(ReduceOp::Sum, &b.di, &a.di);
};

/// Functions that panic at the caller's line, which have no other form or one with another name.
const PANICS: &[Panic] = panics! {
    bincount_weights: |a, b| a.i.bincount_weights(&b.v, 0);
    histogram_edges: |a, b| a.v.histogram_edges(&b.v);
    take_axis: |a, b| a.v.take_axis(&b.i, 0);
    put_axis: |a, b| a.v.put_axis(&b.i, 0, 2.0);
    take_at_axes: |a, b| a.m.take_at_axes(&[(0, &b.i), (1, &b.i)]);
    put_at_axes: |a, b| a.m.put_at_axes(&[(0, &b.i), (1, &b.i)], 2.0);
    average_axis: |a, b| a.v.average_axis(&b.v, 0);
    compress_axis: |a, b| a.v.compress_axis(&b.b, 0);
    dot: |a, b| a.v.dot(&b.v);
    complex: |a, b| weft::complex::<f64>(&a.v, &b.v);
    store: |a, b| a.v.store(BinaryOp::Add, &a.v, &b.v);
    store_unary: |a, b| a.v.store_unary(UnaryOp::Sqrt, &b.v);
    assign: |a, b| a.v.assign(&b.v);
    plus: |a, b| &a.v + &b.v;
    matmul: |a, b| a.m.matmul(&b.m);
    take_where: |a, b| a.v.take_where(&b.b);
    concatenate: |a, b| weft::concatenate(&[&a.v, &b.v], 0);
    einsum: |a, b| weft::einsum("i,i", &[&a.v, &b.v]);
    solve: |a, b| linalg::solve(&a.m, &b.v);
    searchsorted: |a, b| a.v.searchsorted(&b.v, Side::Left);
};

/// Functions with several arrays that do not combine two of them.
const APART: [&str; 11] = [
    // They take turns of stores, and submit no operation.
    "begin_whole",
    "begin_whole_or_wait",
    // Each result is a view of one of the vectors.
    "meshgrid",
    // Each array is read separately.
    "save_npz",
    // They compare stores and layouts, and submit no operation.
    "shares_store_with",
    "is_same_view_as",
    "is",
    // They fall back to an operation (`tests/direct.rs`).
    "binary_at_once",
    "set_binary_at_once",
    "place_at_once",
    "ravel_at_once",
];

thread_local! {
    static PLACE: RefCell<Option<(String, u32)>> = const { RefCell::new(None) };
}

#[test]
fn rejects_arrays_of_two_runtimes() {
    // Small arrays would run on the program's thread, and others on the workers.
    for n in [6, 3000] {
        let (one, other) = (runtime("--cpus 2"), runtime("--cpus 2"));
        let (a, b) = (one.enter(|| Own::new(n)), other.enter(|| Own::new(n)));
        for (a, b) in [(&a, &b), (&b, &a)] {
            for Call { name, call } in RETURNS {
                if n > 6
                    && ["solve", "lstsq", "kron"]
                        .iter()
                        .any(|slow| name.contains(slow))
                {
                    continue;
                }
                let error = call(a, b).expect_err(name).to_string();
                assert!(error.contains("different runtimes"), "{name}: {error}");
            }
        }
        // The arrays are unchanged.
        let sum = |own: &Own| (own.v.sum().item(), own.i.sum().item(), own.m.sum().item());
        let expected = (n as f64, n as i64, n as f64);
        assert_eq!((sum(&a), sum(&b)), (expected, expected));
        one.finish().unwrap();
        other.finish().unwrap();
    }
}

#[test]
fn typed_calls_panic_at_the_callers_line() {
    let (one, other) = (runtime("--cpus 1"), runtime("--cpus 1"));
    let (a, b) = (one.enter(|| Own::new(6)), other.enter(|| Own::new(6)));
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(|info| {
        let place = info.location().map(|at| (at.file().to_owned(), at.line()));
        PLACE.set(place);
    }));
    let told: Vec<_> = PANICS
        .iter()
        .map(|Panic { name, call }| {
            PLACE.set(None);
            let text = catch_unwind(AssertUnwindSafe(|| call(&a, &b)))
                .err()
                .and_then(|panic| panic.downcast_ref::<String>().cloned());
            (name, text, PLACE.take())
        })
        .collect();
    std::panic::set_hook(usual);
    for (name, text, place) in told {
        let text = text.unwrap_or_default();
        assert!(text.contains("different runtimes"), "{name}: {text}");
        let (file, _) = place.unwrap_or_default();
        assert!(file.ends_with("two_runtimes.rs"), "{name} panics in {file}");
    }
}

/// Returns the names of functions in the sources that take an array in addition to `self`, or
/// several.
fn functions(text: &str) -> BTreeSet<String> {
    let several = [
        "&DynArray",
        "&Array<",
        "Into<Value>",
        "IntoValue<",
        "ValueRef<",
        "[DynArray]",
        "[&DynArray]",
        "[&Array<",
        "Bins<",
    ];
    let mut names = BTreeSet::new();
    for signature in text.split("pub fn ").skip(1) {
        let end = signature.find(['{', ';']).unwrap_or(signature.len());
        let signature = &signature[..end];
        let (name, rest) = signature.split_at(signature.find(['<', '(']).unwrap_or(0));
        let arguments = rest.split("->").next().unwrap_or_default();
        let is_name = name.chars().all(|c| c.is_alphanumeric() || c == '_') && !name.is_empty();
        let arrays: usize = several
            .iter()
            .map(|one| arguments.matches(one).count())
            .sum();
        let has_own = arguments.contains("self");
        // A single array is enough for a free function if it is a list.
        let is_list = arguments.contains("DynArray]") || arguments.contains("DynArray)]");
        if is_name && (arrays > 1 || (arrays == 1 && (has_own || is_list))) {
            names.insert(name.to_owned());
        }
    }
    names
}

/// Ensures that the tables are complete.
#[test]
fn tables_list_every_function_with_several_arrays() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/program");
    let mut folders = vec![folder];
    let mut known: BTreeSet<&str> = RETURNS.iter().map(|call| call.name).collect();
    known.extend(PANICS.iter().map(|call| call.name));
    known.extend(APART);
    let mut found = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            for name in functions(&std::fs::read_to_string(&path).unwrap()) {
                found += 1;
                assert!(
                    known.contains(name.as_str()),
                    "{name} of {}",
                    path.display()
                );
            }
        }
    }
    assert!(found > 50, "only {found} functions found");
}
