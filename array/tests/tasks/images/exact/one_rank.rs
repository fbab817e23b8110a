//! What `--verify` and a profile say of exact images, on one rank.

use proptest::prelude::*;
use weft::Error;
use weft::dtype::DType;
use weft::error::Cause;
use weft::task::{Context, Definition, In, InOut, Names};
use weft_trace::file::Prof;
use weft_trace::record::{DependencyKind, Record};

use super::{ELEMENTS, ROWS, gather, indices};
use crate::support::{runtime, small_tiles};

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    /// An element between those that are named is found by `--verify` where its value matters.
    #[test]
    fn what_is_not_named_is_not_read(
        named in prop::collection::vec(0..ELEMENTS, 1..60),
        row in 0..ROWS,
        index in 0..ELEMENTS,
    ) {
        let at = indices(ROWS, 1, &named);
        let runtime = runtime(&format!("{} --verify", small_tiles(2)));
        let text = runtime.enter(|| {
            let (x, y) = (weft::arange::<f64>(ELEMENTS as f64), weft::zeros::<f64>(&[ROWS]));
            let names = weft::from_ndarray(&at);
            let task = gather(1, Some((row, index)));
            task.launch(&[(&y).into(), (&names).into(), (&x).into()]).unwrap();
            match y.to_vec() {
                Ok(_) => String::new(),
                Err(Error::Failed(failure)) => {
                    assert!(matches!(failure.cause, Cause::Undeclared(_)), "{failure}");
                    failure.to_string()
                }
                Err(error) => panic!("{error}"),
            }
        });
        drop(runtime.finish());
        // Each tile has the same names, over and over, and a view from the lowest to the highest.
        let is_reached = named.iter().min() <= Some(&index) && Some(&index) <= named.iter().max();
        match is_reached && !named.contains(&index) {
            true => {
                let wanted = format!("it reads x at [{index}], which its tile does not have");
                prop_assert!(text.contains(&wanted), "{wanted} is not in {text:?}");
            }
            false => prop_assert_eq!(text, ""),
        }
    }
}

#[weft::task(align(y), project(at, "[i0, ..*]"), coordinates(at, x, exact))]
fn picked(mut y: InOut<f64, 1>, at: In<i64, 1>, x: In<f64, 1>) {
    for row in y.range(0) {
        let own = row - y.range(0).start;
        let named = at.at([row]).copied().unwrap_or(0) as usize;
        y[own] += x.at([named]).copied().unwrap_or(f64::NAN);
    }
}

/// Which dependences on writes the profile of a call names that reads elements 0 to 9 and 890 to 899, after others have been written.
fn writes_followed(is_exact: bool) -> usize {
    let folder = tempfile::tempdir().unwrap();
    let words = format!(
        "--cpus 2 --max-inline-chunk 0 --profile --logdir {}",
        folder.path().display()
    );
    let runtime = runtime(&words);
    runtime.enter(|| {
        let (x, y) = (weft::ones::<f64>(&[ELEMENTS]), weft::zeros::<f64>(&[20]));
        let named: Vec<i64> = (0..10).chain(890..900).collect();
        let at = weft::from_ndarray(&ndarray::Array1::from(named));
        // Written by others than all of it was.
        for first in (20..880).step_by(20) {
            x.slice(ndarray::s![first..first + 20]).fill(2.0);
        }
        match is_exact {
            true => picked(&y, &at, &x).unwrap(),
            false => {
                let bounds = Definition::builder("picked")
                    .parameter("y", weft::task::Kind::InOut, Some(DType::F64), Some(1))
                    .input("at", DType::I64, 1)
                    .input("x", DType::F64, 1)
                    .align(&["y"])
                    .project_text("at", "[i0, ..*]")
                    .image("at", "x", Names::Coordinates)
                    .cpu(|context: &mut Context<'_, '_>| {
                        let [y, _, _] = context.take_all()?;
                        y.into_inout::<f64, 1>()?.fill(1.0);
                        Ok(())
                    })
                    .finish()
                    .unwrap();
                bounds
                    .launch(&[(&y).into(), (&at).into(), (&x).into()])
                    .unwrap();
            }
        }
        assert_eq!(y.sum().item(), 20.0);
    });
    runtime.finish().unwrap();
    let prof = Prof::open(&folder.path().join("weft_0.prof")).unwrap();
    let mut names = std::collections::HashMap::new();
    let (mut operations, mut tasks, mut edges) = (Vec::new(), Vec::new(), Vec::new());
    for record in prof.records() {
        match record {
            Record::Name(name) => {
                names.insert(name.id, name.text.to_owned());
            }
            Record::Operation(operation) => operations.push((operation.uid, operation.name)),
            Record::Task(task) => tasks.push((task.uid, task.operation)),
            Record::Dependencies(found) => {
                edges.extend(found.on.iter().map(|(_, kind)| (found.task, kind)));
            }
            _ => {}
        }
    }
    let of_picked = |uid: weft_trace::id::TaskUid| {
        let operation = tasks.iter().find(|(task, _)| *task == uid).unwrap().1;
        let name = operations.iter().find(|(own, _)| *own == operation);
        names[&name.unwrap().1] == "picked"
    };
    edges
        .into_iter()
        .filter(|(task, kind)| *kind == DependencyKind::ReadAfterWrite && of_picked(*task))
        .count()
}

#[test]
fn nobody_waits_for_what_is_not_named() {
    let (exact, bounds) = (writes_followed(true), writes_followed(false));
    // The zeros of `y`, the values of `at`, the ones of `x`; with bounds, also each slice.
    assert!(exact <= 4, "{exact} dependences");
    assert_eq!(bounds, exact + 43);
}
