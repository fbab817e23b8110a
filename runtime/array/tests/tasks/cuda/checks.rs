//! Findings of `--verify` in bodies in CUDA C, with the same messages as for CPUs.

use weft::Error;
use weft::dtype::DType;
use weft::error::Cause;
use weft::task::Definition;

use super::{flags, with_gpus};
use crate::support::runtime_on_gpus;

/// Returns the finding for a body that reads `x` and writes `y`, of 1000 elements in two tiles,
/// without a halo; empty if there is none.
fn verify_message(body: &str, writes_all: bool) -> String {
    let source = format!(
        "__device__ void wrong(weft::Index<1> i, weft::In<double, 1> x, weft::{}<double, 1> y) {{\n{body}\n}}",
        if writes_all { "Out" } else { "InOut" }
    );
    let built = Definition::builder("wrong").input("x", DType::F64, 1);
    let built = match writes_all {
        true => built.output("y", DType::F64, 1),
        false => built.inout("y", DType::F64, 1),
    };
    let task = built.cuda(&source).finish().unwrap();
    let runtime = runtime_on_gpus(&flags(2, "--verify"));
    let text = runtime.enter(|| {
        let x = weft::arange::<f64>(1000.0);
        let y = weft::zeros::<f64>(&[1000]);
        task.launch(&[(&x).into(), (&y).into()]).unwrap();
        match y.to_vec() {
            Ok(_) => String::new(),
            Err(Error::Failed(failure)) => {
                assert!(matches!(failure.cause, Cause::Undeclared(_)), "{failure}");
                assert!(
                    failure
                        .to_string()
                        .contains(&format!("wrong at {}:", file!()))
                );
                failure.to_string()
            }
            Err(error) => panic!("{error}"),
        }
    });
    drop(runtime.finish());
    text
}

#[test]
fn reports_undeclared_accesses() {
    with_gpus(|| {
        let cases = [
            (
                "y(i) = x(i) + (i[0] + 1 < x.extent(0) ? x(i[0] + 1) : 0);",
                "it reads x at [500], which its tile does not have; declare a halo, or broadcast x",
            ),
            (
                "y(i) = x(i) + x(i[0] - 1);",
                "it reads x at index -1 of axis 0, outside of its shape [1000]",
            ),
            (
                "y(i) = x(i); if (i[0] == 499) y(500) = 1;",
                "it writes to y at [500], which is not in its tile",
            ),
            (
                "y(i) += x(i);",
                "it reads y at [0] before it writes it; declare y as InOut",
            ),
            (
                "if (i[0] % 100 != 7) y(i) = x(i);",
                "it does not write y at [7]; an Out must be written everywhere",
            ),
        ];
        for (body, expected) in cases {
            let text = verify_message(body, true);
            let other = expected.replace("[0]", "[500]").replace("[7]", "[507]");
            assert!(
                text.contains(expected) || text.contains(&other),
                "{body}: {text}"
            );
        }
        for body in [
            "y(i) = x(i); y(i) += 1;",
            "double value = 0; if (x.has(i[0] + 1)) value = x(i[0] + 1); y(i) = value;",
        ] {
            assert_eq!(verify_message(body, true), "", "{body}");
        }
        assert_eq!(verify_message("if (i[0] % 2) y(i) += x(i);", false), "");
    });
}
