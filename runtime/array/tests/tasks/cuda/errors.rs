//! Mistakes in bodies in CUDA C, and their errors.

use weft::Error;
use weft::dtype::DType;
use weft::task::{Builder, Definition, Reduction};

use super::{flags, with_gpus};
use crate::support::{runtime, runtime_on_gpus};

fn copies() -> Builder {
    let built = Definition::builder("copies");
    built.input("x", DType::F64, 1).output("y", DType::F64, 1)
}

/// Returns the error of a call of the task.
fn failure(runtime: &weft::Runtime, task: &Definition) -> String {
    runtime.enter(|| {
        let (x, y) = (weft::ones::<f64>(&[1000]), weft::zeros::<f64>(&[1000]));
        task.launch(&[(&x).into(), (&y).into()]).unwrap();
        match y.to_vec() {
            Err(Error::Failed(failure)) => failure.to_string(),
            other => panic!("{other:?}"),
        }
    })
}

#[test]
fn compiler_errors_name_the_source_line() {
    with_gpus(|| {
        let wrong = "// A comment.\n__device__ void copies(weft::Index<1> i, weft::In<double, 1> x, weft::Out<double, 1> y) {\n    y(i) = z(i);\n}";
        let to_input = "__device__ void copies(weft::Index<1> i, weft::In<double, 1> x, weft::Out<double, 1> y) {\n    y(i) = 0;\n    x(i) = 1;\n}";
        for (file, source, place) in [
            (Some("kernels/copies.cu"), wrong, "kernels/copies.cu:3"),
            (None, to_input, "copies.cu:3"),
        ] {
            let task = match file {
                Some(file) => copies().cuda_file(file, source),
                None => copies().cuda(source),
            };
            let task = task.finish().unwrap();
            let runtime = runtime_on_gpus(&flags(2, ""));
            let text = failure(&runtime, &task);
            drop(runtime.finish());
            let place = place.to_owned();
            assert!(
                text.contains("the CUDA C of copies does not compile"),
                "{text}"
            );
            assert!(text.contains(&place), "{text}");
            assert!(text.contains(file!()) && !text.contains("report"), "{text}");
        }
    });
}

#[test]
fn cuda_only_task_fails_on_cpus() {
    let source = "__device__ void copies(weft::Index<1> i, weft::In<double, 1> x, weft::Out<double, 1> y) { y(i) = x(i); }";
    let task = copies().cuda(source).finish().unwrap();
    let runtime = runtime("--cpus 2");
    let text = failure(&runtime, &task);
    drop(runtime.finish());
    assert!(
        text.contains("it has no body for CPUs: run it on a GPU, with --gpus"),
        "{text}"
    );
}

#[test]
fn rejects_definitions_unsupported_on_gpus() {
    let why = |built: Builder| built.finish().unwrap_err().to_string();
    assert!(why(copies()).contains("a task needs a body"));
    assert!(why(copies().cuda("int copy;")).contains("neither a function copies"));
    let block = copies().cuda("void copies();").cuda_block(&[64, 64]);
    assert!(why(block).contains("1 to 1024 threads"));
    let histogram = || {
        let built = Definition::builder("h").input("x", DType::F64, 1);
        built
            .reduce("bins", Reduction::Add, DType::F64, 1)
            .cuda("void h();")
    };
    let text = why(histogram());
    assert!(
        text.contains("bins: on GPUs sums") && text.contains("unordered"),
        "{text}"
    );
    assert!(histogram().unordered().finish().is_ok());
}
