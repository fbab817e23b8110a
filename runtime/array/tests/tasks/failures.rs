//! Bodies that fail, and calls with arguments that do not fit.

use weft::error::Cause;
use weft::task::{
    Argument, Builder, Definition, DefinitionError, In, InOut, Kind, Names, Out, Reduction,
};
use weft::{Error, Runtime, dtype::DType};

use crate::support::{plan, small_tiles};

#[weft::task(align(x, y))]
fn checked(x: In<f64, 1>, mut y: Out<f64, 1>) -> Result<(), String> {
    for (at, (y, x)) in y.iter_mut().zip(&*x).enumerate() {
        if *x < 0.0 {
            return Err(format!("element {} is negative", x_index(at)));
        }
        assert!(*x < 1000.0, "too large");
        *y = x.sqrt();
    }
    Ok(())
}

fn x_index(at: usize) -> usize {
    at
}

/// Runs a program with several workers on a runtime that may fail.
fn run(program: impl FnOnce(&Runtime)) {
    let runtime = Runtime::new(plan(&small_tiles(3))).unwrap();
    runtime.enter(|| program(&runtime));
    drop(runtime.finish());
}

#[test]
fn body_error_names_the_line_of_its_call() {
    run(|_| {
        let x = weft::full(&[1000], 4.0);
        x.slice(ndarray::s![700..701]).fill(-1.0);
        let (y, other) = (weft::zeros::<f64>(&[1000]), weft::zeros::<f64>(&[1000]));
        let line = line!() + 1;
        checked(&x, &y).unwrap();
        // Operations that do not depend on it continue.
        checked(&weft::full(&[1000], 4.0), &other).unwrap();
        assert_eq!(other.sum().item(), 2000.0);
        let Err(Error::Failed(failure)) = (&y + 1.0).to_vec() else {
            panic!("the output of a failed body can be read");
        };
        assert_eq!(
            (failure.operation, failure.location.line()),
            ("checked", line)
        );
        let text = failure.to_string();
        assert!(
            text.contains("is negative") && text.contains("failures.rs"),
            "{text}"
        );
        // The input is unchanged.
        assert_eq!(x.sum().item(), 3995.0);
    });
}

#[derive(Debug, PartialEq)]
struct Own(usize);

impl std::fmt::Display for Own {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "number {}", self.0)
    }
}

impl std::error::Error for Own {}

#[weft::task]
fn failing(x: InOut<f64, 1>) -> Result<(), Own> {
    Err(Own(x.len()))
}

#[test]
fn failure_exposes_the_body_error() {
    run(|_| {
        let x = weft::zeros::<f64>(&[10]);
        failing(&x).unwrap();
        let Err(Error::Failed(failure)) = x.to_vec() else {
            panic!("the body failed");
        };
        let Cause::Body(error) = &failure.cause else {
            panic!("{}", failure.cause);
        };
        assert_eq!(error.downcast_ref(), Some(&Own(10)));
        assert!(failure.to_string().ends_with("its body failed: number 10"));
    });
}

#[test]
fn panic_poisons_only_the_outputs() {
    run(|runtime| {
        let x = weft::full(&[1000], 2000.0);
        let y = weft::zeros::<f64>(&[1000]);
        checked(&x, &y).unwrap();
        let Err(Error::Failed(failure)) = y.to_vec() else {
            panic!("a body panicked");
        };
        assert!(matches!(&failure.cause, Cause::BodyPanicked(text) if text.contains("too large")));
        // The runtime continues.
        assert_eq!(x.sum().item(), 2_000_000.0);
        let other = weft::zeros::<f64>(&[1000]);
        checked(&weft::full(&[1000], 9.0), &other).unwrap();
        assert_eq!(other.sum().item(), 3000.0);
        runtime.wait().unwrap();
    });
}

/// Returns the error of a call that does not fit.
fn refusal(task: &Definition, arguments: &[Argument<'_>]) -> String {
    match task.launch(arguments) {
        Err(error) => error.to_string(),
        Ok(()) => panic!("{} takes these arguments", task.name()),
    }
}

#[test]
fn rejects_invalid_calls_with_a_remedy() {
    let task = Definition::builder("axpy")
        .scalar("a", DType::I8)
        .input("x", DType::F64, 1)
        .output("y", DType::F64, 1)
        .align(&["x", "y"])
        .cpu(|_: &mut weft::task::Context<'_, '_>| Ok(()))
        .finish()
        .unwrap();
    run(|_| {
        let (x, y) = (weft::zeros::<f64>(&[5]), weft::zeros::<f64>(&[5]));
        let (short, single) = (weft::zeros::<f64>(&[4]), weft::zeros::<f32>(&[5]));
        let square = weft::zeros::<f64>(&[5, 5]);
        let one = Argument::from(weft::dtype::Scalar::I64(1));
        let of = |x: Argument<'_>, y: Argument<'_>| refusal(&task, &[one.clone(), x, y]);
        assert_eq!(
            of((&short).into(), (&y).into()),
            "axpy: y of shape [5] does not fit x of shape [4] along axis 0: 5 elements instead of 4"
        );
        assert_eq!(
            of((&single).into(), (&y).into()),
            "axpy: x is of f32, not f64; cast it"
        );
        assert_eq!(
            of((&square).into(), (&y).into()),
            "axpy: x of shape [5, 5] has 2 axes, not 1"
        );
        assert_eq!(
            of(one.clone(), (&y).into()),
            "axpy: x is an array, not a single value"
        );
        assert_eq!(
            refusal(&task, &[(&x).into(), (&x).into(), (&y).into()]),
            "axpy: a is a single value, not an array"
        );
        assert_eq!(refusal(&task, &[]), "axpy: 0 arguments for 3 parameters");
        let large = Argument::from(weft::dtype::Scalar::I64(1000));
        let text = refusal(&task, &[large, (&x).into(), (&y).into()]);
        assert!(text.contains("out of range for i8"), "{text}");
        let repeated = weft::zeros::<f64>(&[1]).broadcast_to(&[5]);
        let text = of((&x).into(), (&repeated).into());
        assert!(text.contains("copy it first"), "{text}");
    });
}

/// Returns the error of a task `mv` of a matrix and two vectors with these constraints.
fn misfit(constrained: impl FnOnce(Builder) -> Builder, arrays: [&[usize]; 3]) -> String {
    let builder = Definition::builder("mv")
        .parameter("m", Kind::In, Some(DType::F64), None)
        .parameter("x", Kind::In, Some(DType::F64), None)
        .parameter("y", Kind::Out, Some(DType::F64), None)
        .cpu(|_: &mut weft::task::Context<'_, '_>| Ok(()));
    let task = constrained(builder).finish().unwrap();
    let mut text = String::new();
    run(|_| {
        let arrays = arrays.map(|dims| weft::zeros::<f64>(dims));
        let given: Vec<Argument<'_>> = arrays.iter().map(Argument::from).collect();
        text = refusal(&task, &given);
    });
    text
}

#[test]
fn misaligned_arrays_get_a_projection_hint() {
    let of_rows: [&[usize]; 3] = [&[5, 3], &[3], &[5]];
    let does_not = "mv: m of shape [5, 3] does not follow y of shape [5] index by index: write project(m, \"[i0, *, ..*]\")";
    assert_eq!(misfit(|task| task.broadcast("x"), of_rows), does_not);
    assert_eq!(
        misfit(
            |task| task.broadcast_axes("m", &[1]).broadcast("x"),
            of_rows
        ),
        format!("{does_not} in place of broadcast")
    );
    assert_eq!(
        misfit(|task| task.align(&["m", "y"]).broadcast("x"), of_rows),
        "mv: y of shape [5] does not follow m of shape [5, 3] index by index: write project(m, \"[i0, *, ..*]\"), and leave m out of align"
    );
    assert_eq!(
        misfit(
            |task| task
                .align(&["y", "m"])
                .broadcast_axes("m", &[1])
                .broadcast("x"),
            of_rows
        ),
        format!("{does_not} in place of broadcast, and leave m out of align")
    );
    // By columns.
    let of_columns: [&[usize]; 3] = [&[5, 3], &[5], &[3]];
    let text = misfit(|task| task.broadcast("x"), of_columns);
    assert!(
        text.ends_with("write project(m, \"[*, i0, ..*]\")"),
        "{text}"
    );
    // An array that follows no axis is broadcast.
    let text = misfit(|task| task.project_text("m", "[i0, *, ..*]"), of_rows);
    assert_eq!(
        text,
        "mv: x of shape [3] does not fit y of shape [5] along axis 0: 3 elements instead of 5; if a tile needs all of it, write broadcast(x)"
    );
    let text = misfit(|task| task.broadcast_axes("x", &[1]), of_rows);
    assert!(
        text.ends_with("write project(m, \"[i0, *, ..*]\")"),
        "{text}"
    );
    let text = misfit(
        |task| {
            task.project_text("m", "[i0, *, ..*]")
                .broadcast_axes("x", &[1])
        },
        of_rows,
    );
    assert!(
        text.ends_with("x of shape [3] has no axis 1; broadcast(x) is all of it"),
        "{text}"
    );
    // An outer product, and a transpose.
    let outer: [&[usize]; 3] = [&[5], &[3], &[5, 3]];
    let text = misfit(|task| task, outer);
    assert!(text.ends_with("write project(m, \"[i0, ..*]\")"), "{text}");
    let transposed: [&[usize]; 3] = [&[3, 5], &[5, 3], &[5, 3]];
    let text = misfit(|task| task, transposed);
    assert!(
        text.ends_with("if its axes follow others, write project(m, \"[i1, i0, ..*]\")"),
        "{text}"
    );
    // An output that follows no axis of an input.
    let all: [&[usize]; 3] = [&[5, 3], &[5, 3], &[1]];
    let text = misfit(|task| task.align(&["m", "x", "y"]), all);
    assert!(
        text.ends_with("write broadcast(m), and leave m out of align"),
        "{text}"
    );
    let text = misfit(|task| task.align(&["m", "x"]), all);
    assert!(
        text.ends_with("if all tiles contribute to y, make it a Reduce"),
        "{text}"
    );
}

#[test]
fn misfits_of_half_halos_and_scaled_lengths_are_explained() {
    let near: [&[usize]; 3] = [&[6], &[5], &[5]];
    let text = misfit(|task| task.halo("m", &[1], &[1]), near);
    assert!(
        text.ends_with("6 elements instead of 5, or 7 with its halo"),
        "{text}"
    );
}

#[test]
fn float_images_get_a_cast_hint() {
    let text = misfit(
        |task| task.image("x", "m", Names::Coordinates),
        [&[9], &[5], &[5]],
    );
    assert_eq!(
        text,
        "mv: x is of f64: an image needs integers; cast it, as x.cast::<i64>()"
    );
}

#[test]
fn range_images_require_pairs() {
    let text = misfit(
        |task| task.image("x", "m", Names::Ranges).align(&["y", "x"]),
        [&[9], &[5, 3], &[5]],
    );
    assert!(
        text.ends_with("it needs the shape of y, [5], and an axis of 2"),
        "{text}"
    );
    let text = misfit(
        |task| task.image("x", "m", Names::Ranges),
        [&[9], &[5], &[5]],
    );
    assert!(
        text.contains("single indices are \"coordinates\""),
        "{text}"
    );
}

#[test]
fn followed_axes_must_have_equal_length() {
    let text = misfit(
        |task| task.project_text("m", "[i0, *, ..*]").broadcast("x"),
        [&[4, 3], &[3], &[5]],
    );
    assert_eq!(
        text,
        "mv: m of shape [4, 3] does not fit y of shape [5]: axis 0 follows axis 0, and has 4 elements instead of 5"
    );
}

#[test]
fn rejects_overlapping_outputs() {
    let task = Definition::builder("both")
        .output("x", DType::F64, 1)
        .output("y", DType::F64, 1)
        .cpu(|_: &mut weft::task::Context<'_, '_>| Ok(()))
        .finish()
        .unwrap();
    run(|_| {
        let x = weft::zeros::<f64>(&[10]);
        let (low, high) = (x.slice(ndarray::s![..6]), x.slice(ndarray::s![4..]));
        let text = refusal(&task, &[(&low).into(), (&high).into()]);
        assert_eq!(
            text,
            "both: x and y are both written and have elements in common"
        );
    });
}

#[test]
fn rejects_inconsistent_definitions() {
    let begin = || {
        Definition::builder("odd")
            .input("x", DType::F64, 1)
            .output("y", DType::F64, 1)
            .cpu(|_: &mut weft::task::Context<'_, '_>| Ok(()))
    };
    let wrong = |built: Result<Definition, DefinitionError>| built.unwrap_err().to_string();
    assert_eq!(
        wrong(begin().align(&["x", "z"]).finish()),
        "task odd: unknown parameter \"z\"; it has x, y"
    );
    let text = wrong(begin().halo("y", &[1], &[1]).finish());
    assert!(text.contains("give the halo to an input"), "{text}");
    let text = wrong(begin().input("x", DType::F64, 1).finish());
    assert_eq!(text, "task odd: two parameters have the name \"x\"");
    let text = wrong(begin().project_text("x", "[i9]").finish());
    assert!(text.contains("invalid projection"), "{text}");
    let text = wrong(
        begin()
            .reduce("h", Reduction::Add, DType::F64, 0)
            .broadcast("h")
            .finish(),
    );
    assert!(text.contains("cannot have broadcast"), "{text}");
    let text = wrong(
        begin()
            .parameter("found", Kind::Unbound, None, None)
            .finish(),
    );
    assert_eq!(
        text,
        "task odd: found: a result of unknown length needs a dtype, since no argument determines it"
    );
    let text = wrong(Definition::builder("none").scalar("a", DType::F64).finish());
    assert!(text.contains("needs at least one array"), "{text}");
    let text = wrong(
        Definition::builder("none")
            .input("a", DType::F64, 1)
            .finish(),
    );
    assert!(text.contains("needs a body"), "{text}");
}

#[test]
fn rejects_outputs_with_overlapping_elements() {
    let task = Definition::builder("writes")
        .output("y", DType::F64, 2)
        .cpu(|_: &mut weft::task::Context<'_, '_>| Ok(()))
        .finish()
        .unwrap();
    run(|_| {
        let x = weft::zeros::<f64>(&[9]);
        let windows = x.as_dyn().strided(&[3, 3], &[1, 1]).unwrap();
        let text = refusal(&task, &[(&windows).into()]);
        assert!(text.contains("which cannot be written"), "{text}");
        let rows = x.as_dyn().strided(&[3, 3], &[3, 1]).unwrap();
        task.launch(&[(&rows).into()]).unwrap();
    });
}

#[test]
fn concurrent_tasks_accept_only_cpu_bodies() {
    let refused = Definition::builder("both")
        .output("y", DType::F64, 1)
        .concurrent()
        .cpu(|_: &mut weft::task::Context<'_, '_>| Ok(()))
        .cuda("__device__ void both() {}")
        .finish();
    let text = refused.err().unwrap().to_string();
    assert!(text.contains("has a body for CPUs alone"), "{text}");
}
