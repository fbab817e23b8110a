//! Tasks that start tasks, and calls on arrays in bodies of other tasks.

use std::sync::Mutex;

use cuda_emulator::emulated;
use ndarray::s;
use weft::task::{Context, Definition, In, InOut, Out};
use weft::{Array, Error, Runtime, dtype::DType};

use crate::support::{drawn, on, plan, runtime_on_gpus, small_tiles};

#[weft::task(align(x, y))]
fn not_nested(x: In<f64, 1>, mut y: Out<f64, 1>) -> Result<(), weft::Error> {
    y.assign(&x.view());
    drop(weft::runtime::current()?);
    Ok(())
}

#[weft::task(align(x, y))]
fn squared(x: In<f64, 1>, mut y: Out<f64, 1>) {
    for (y, x) in y.iter_mut().zip(&*x) {
        *y = x * x;
    }
}

/// Each element less the mean of the squares of its tile, computed with other tasks and functions.
#[weft::task(align(x, y), nested)]
fn centred(x: In<f64, 1>, mut y: Out<f64, 1>) -> Result<(), Error> {
    let part = weft::from_ndarray(&x.view());
    let squares = weft::zeros::<f64>(&[part.shape()[0]]);
    squared(&part, &squares)?;
    let mean = squares.sum().item() / x.len() as f64;
    y.assign(&(&part - mean).to_ndarray()?);
    Ok(())
}

/// Returns the expected result for a number of tiles.
fn expected(values: &[f64], tiles: usize) -> Vec<f64> {
    let mut all = Vec::new();
    for tile in 0..tiles {
        let part = &values[values.len() * tile / tiles..values.len() * (tile + 1) / tiles];
        let mean = part.iter().map(|x| x * x).sum::<f64>() / part.len() as f64;
        all.extend(part.iter().map(|x| x - mean));
    }
    all
}

fn close(found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    let mut pairs = found.iter().zip(expected);
    assert!(
        pairs.all(|(one, other)| (one - other).abs() < 1e-12),
        "{found:?} {expected:?}"
    );
}

/// Calls the task, with many bodies at the same time, and compares the results.
fn centre() {
    let values = drawn(5, 4096);
    let x = weft::from_slice(&values);
    let all: Vec<Array<f64>> = (0..20)
        .map(|_| {
            let y = weft::zeros::<f64>(&[4096]);
            centred(&x, &y).unwrap();
            y
        })
        .collect();
    // Tiles are the same on every machine.
    let first = all[0].to_vec().unwrap();
    let tiles = (1..=64).find(|tiles| {
        let expected = expected(&values, *tiles);
        let mut pairs = first.iter().zip(&expected);
        pairs.all(|(one, other)| (one - other).abs() < 1e-12)
    });
    assert!(tiles.is_some(), "no number of tiles gives {first:?}");
    for y in &all {
        close(&y.to_vec().unwrap(), &first);
    }
}

#[test]
fn bodies_call_functions_and_tasks_on_their_parts() {
    for cpus in 1..=4 {
        on(&small_tiles(cpus), centre);
        on(&format!("{} --utility 0", small_tiles(cpus)), centre);
    }
    on(
        "--cpus 1 --omps 2 --ompthreads 2 --min-cpu-chunk 64 --min-omp-chunk 128",
        centre,
    );
    on(&format!("{} --verify", small_tiles(2)), centre);
}

/// Sorts by halves, each with its own task, down to a few elements.
#[weft::task(whole, nested)]
fn sorted(mut x: InOut<i64, 1>) -> Result<(), Error> {
    if x.len() <= 16 {
        let mut values = x.to_vec();
        values.sort_unstable();
        x.assign(&ndarray::Array1::from_vec(values));
        return Ok(());
    }
    let halves = [s![..x.len() / 2], s![x.len() / 2..]].map(|half| {
        let half = weft::from_ndarray(&x.slice(half));
        sorted(&half).map(|()| half)
    });
    let [low, high] = halves;
    let (low, high) = (low?.to_vec()?, high?.to_vec()?);
    let (mut low, mut high) = (low.into_iter().peekable(), high.into_iter().peekable());
    for value in x.iter_mut() {
        let next = match (low.peek(), high.peek()) {
            (Some(one), Some(other)) if one <= other => low.next(),
            (Some(_), None) => low.next(),
            _ => high.next(),
        };
        *value = next.unwrap_or(i64::MIN);
    }
    Ok(())
}

fn numbers(count: usize) -> Vec<i64> {
    let values = drawn(9, count);
    values.iter().map(|value| (value * 1e6) as i64).collect()
}

#[test]
fn tasks_nest_at_several_levels() {
    for words in ["--cpus 1", "--cpus 3", "--cpus 2 --verify"] {
        on(words, || {
            let mut values = numbers(1000);
            let x = weft::from_slice(&values);
            sorted(&x).unwrap();
            values.sort_unstable();
            assert_eq!(x.to_vec().unwrap(), values);
        });
    }
}

#[weft::task(whole, nested)]
fn deeper(mut x: InOut<i64, 1>) -> Result<(), Error> {
    let next = weft::from_ndarray(&(&x.view() + 1));
    deeper(&next)?;
    x.assign(&next.to_ndarray()?);
    Ok(())
}

#[test]
fn excessive_nesting_fails_without_exhausting_threads() {
    let runtime = Runtime::new(plan("--cpus 1")).unwrap();
    runtime.enter(|| {
        let x = weft::from_slice(&[0_i64]);
        deeper(&x).unwrap();
        let text = x.to_vec().unwrap_err().to_string();
        assert!(text.contains("more than 16 levels deep"), "{text}");
    });
    drop(runtime.finish());
}

static KEPT: Mutex<Option<Array<f64>>> = Mutex::new(None);

#[weft::task(whole, nested)]
fn keeps(x: In<f64, 1>, mut y: Out<f64, 1>) -> Result<(), Error> {
    *KEPT.lock().unwrap() = Some(weft::from_ndarray(&x.view()));
    y.fill(0.0);
    Ok(())
}

static LEFT: Mutex<Option<(u32, Array<f64>)>> = Mutex::new(None);

/// Leaves an array for the next call.
#[weft::task(whole, nested)]
fn leaves(x: In<f64, 1>, mut y: Out<f64, 1>) -> Result<(), Error> {
    *LEFT.lock().unwrap() = Some((line!(), weft::from_ndarray(&x.view())));
    y.fill(0.0);
    Ok(())
}

/// Uses the array that another body has left, in one of several ways.
#[weft::task(whole, nested)]
fn finds(mut y: Out<f64, 1>, how: i64) -> Result<(), Error> {
    let left = LEFT.lock().unwrap().clone();
    let (_, left) = left.unwrap();
    let length = y.len();
    let own = weft::ones::<f64>(&[length]);
    match how {
        0 => y.assign(&left.to_ndarray()?),
        1 => squared(&left, &own)?,
        2 => drop(left.into_dyn().share()?),
        _ => {
            let left = left.into_dyn();
            assert!(left.element(&[0]).is_none());
            left.request()?;
        }
    }
    y.fill(1.0);
    Ok(())
}

#[weft::task(align(x, y))]
fn fails(x: In<f64, 1>, mut y: Out<f64, 1>) -> Result<(), String> {
    y.assign(&x.view());
    Err("the inner one".to_owned())
}

#[weft::task(whole, nested)]
fn fails_within(x: In<f64, 1>, mut y: Out<f64, 1>, reads: bool) -> Result<(), Error> {
    let part = weft::from_ndarray(&x.view());
    let other = weft::zeros::<f64>(&[part.shape()[0]]);
    fails(&part, &other)?;
    if reads {
        y.assign(&other.to_ndarray()?);
    }
    Ok(())
}

mod cuda {
    use super::*;

    #[test]
    fn host_bodies_of_gpu_runs_call_functions() {
        emulated(&[("WEFT_EMULATED_GPUS", "2")], || {
            for gpus in [1, 2] {
                let words = format!("--cpus 2 --gpus {gpus} --min-gpu-chunk 64 --min-cpu-chunk 64");
                let runtime = runtime_on_gpus(&words);
                runtime.enter(centre);
                runtime.finish().unwrap();
            }
        });
    }
}

mod failures {
    use super::*;

    #[test]
    fn nested_failures_belong_to_the_body_that_reads_them() {
        let runtime = Runtime::new(plan(&small_tiles(2))).unwrap();
        runtime.enter(|| {
            let (x, y) = (weft::ones::<f64>(&[100]), weft::zeros::<f64>(&[100]));
            let line = line!() + 1;
            fails_within(&x, &y, true).unwrap();
            let Err(Error::Failed(failure)) = y.to_vec() else {
                panic!("a task within failed");
            };
            assert_eq!(
                (failure.operation, failure.location.line()),
                ("fails_within", line)
            );
            assert!(failure.to_string().contains("the inner one"), "{failure}");
        });
        drop(runtime.finish());
        // A failure that is not read makes the run fail, as outside of bodies.
        let runtime = Runtime::new(plan(&small_tiles(2))).unwrap();
        runtime.enter(|| {
            let (x, y) = (weft::ones::<f64>(&[100]), weft::zeros::<f64>(&[100]));
            fails_within(&x, &y, false).unwrap();
            y.to_vec().unwrap();
        });
        let text = runtime.finish().unwrap_err().to_string();
        assert!(text.contains("the inner one"), "{text}");
    }

    #[test]
    fn arrays_do_not_cross_nesting_levels() {
        let runtime = Runtime::new(plan(&small_tiles(2))).unwrap();
        runtime.enter(|| {
            let x = weft::ones::<f64>(&[1000]);
            let y = weft::zeros::<f64>(&[1000]);
            let outside = x.clone().into_dyn();
            let task = Definition::builder("outside")
                .output("y", DType::F64, 1)
                .nested()
                .cpu(move |_: &mut Context<'_, '_>| {
                    outside.request()?;
                    Ok(())
                });
            task.finish().unwrap().launch(&[(&y).into()]).unwrap();
            let text = y.to_vec().unwrap_err().to_string();
            assert!(text.contains("arrays from outside of it"), "{text}");

            let y = weft::zeros::<f64>(&[1000]);
            keeps(&x, &y).unwrap();
            assert_eq!(y.sum().item(), 0.0);
            let inside = KEPT.lock().unwrap().take().unwrap();
            let text = inside.to_vec().unwrap_err().to_string();
            assert!(text.contains("was made in the body of a task"), "{text}");
            // Nor together with others.
            let text = weft::runtime::current().unwrap().enter(|| {
                inside
                    .into_dyn()
                    .request()
                    .map(drop)
                    .unwrap_err()
                    .to_string()
            });
            assert!(text.contains("was made in the body of a task"), "{text}");
        });
        drop(runtime.finish());
    }

    #[test]
    fn rejects_arrays_left_by_another_body_with_their_line() {
        for words in [small_tiles(2), format!("{} --verify", small_tiles(2))] {
            let runtime = Runtime::new(plan(&words)).unwrap();
            runtime.enter(|| {
                let (x, y) = (weft::ones::<f64>(&[1000]), weft::zeros::<f64>(&[1000]));
                leaves(&x, &y).unwrap();
                assert_eq!(y.sum().item(), 0.0);
                let line = LEFT.lock().unwrap().as_ref().unwrap().0;
                for how in 0..4 {
                    let y = weft::zeros::<f64>(&[1000]);
                    finds(&y, how).unwrap();
                    let text = y.to_vec().unwrap_err().to_string();
                    let expected = format!("nested.rs:{line} is of another body");
                    assert!(text.contains(&expected), "{how}: {text}");
                }
                *LEFT.lock().unwrap() = None;
            });
            drop(runtime.finish());
        }
    }

    #[test]
    fn rejects_calls_in_unnested_bodies_without_deadlock() {
        for cpus in [1, 3] {
            let runtime = Runtime::new(plan(&small_tiles(cpus))).unwrap();
            runtime.enter(|| {
                let (x, y) = (weft::zeros::<f64>(&[1000]), weft::zeros::<f64>(&[1000]));
                not_nested(&x, &y).unwrap();
                let text = y.to_vec().unwrap_err().to_string();
                assert!(text.contains("cannot make calls on arrays"), "{text}");
                assert_eq!(x.sum().item(), 0.0);
            });
            drop(runtime.finish());
        }
    }

    #[test]
    fn rejects_operations_on_captured_arrays_in_unnested_bodies() {
        let runtime = Runtime::new(plan(&small_tiles(1))).unwrap();
        runtime.enter(|| {
            let x = weft::zeros::<f64>(&[1000]);
            let known = weft::ones::<f64>(&[10]).into_dyn();
            let task = Definition::builder("knows").output("x", DType::F64, 1).cpu(
                move |_: &mut Context<'_, '_>| {
                    known.request()?;
                    Ok(())
                },
            );
            let task = task.finish().unwrap();
            task.launch(&[(&x).into()]).unwrap();
            let text = x.to_vec().unwrap_err().to_string();
            assert!(text.contains("cannot make calls on arrays"), "{text}");
        });
        drop(runtime.finish());
    }
}
