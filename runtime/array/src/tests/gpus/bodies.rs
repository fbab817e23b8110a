//! Bodies for GPUs that submit work to a stream themselves. Here they get host memory, in which all
//! earlier work is done.

#![allow(
    unsafe_code,
    reason = "bodies work on the memory of tiles by its addresses"
)]

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use weft_core::testing::SchedulerCall;

use super::{can_run, on};
use crate::Error;
use crate::dtype::{Complex, DType, Element};
use crate::error::Cause;
use crate::task::{
    BodyError, Context, Definition, DefinitionError, GpuContext, GpuGiven, Reduction,
};

/// Returns the address of the element at an index of a tile's part along one axis.
fn place<T>(given: &GpuGiven<'_>, at: usize) -> *mut T {
    let first = std::ptr::with_exposed_provenance_mut::<u8>(given.address() as usize);
    first
        .wrapping_offset(at as isize * given.strides()[0])
        .cast()
}

/// Computes `y = 2 x`, for vectors of any numeric type.
fn doubled<T: Element + std::ops::Add<Output = T>>(
    context: &GpuContext<'_>,
) -> Result<(), BodyError> {
    let [x, y] = context.given() else {
        return Err("two arrays".into());
    };
    for at in 0..y.dims()[0] {
        // SAFETY: the driver of these tests has done all earlier work, and nothing else uses the
        // part while the body runs.
        unsafe {
            let value = *place::<T>(x, at);
            *place::<T>(y, at) = value + value;
        }
    }
    Ok(())
}

fn doubling<T: Element + std::ops::Add<Output = T>>() -> Definition {
    Definition::builder("doubled")
        .input("x", T::DTYPE, 1)
        .output("y", T::DTYPE, 1)
        .align(&["x", "y"])
        .gpu(doubled::<T>)
        .finish()
        .unwrap()
}

#[test]
fn bodies_are_ordered_with_operations() {
    if !can_run() {
        return;
    }
    let task = doubling::<f64>();
    for (gpus, seed) in [(1, 1), (1, 2), (2, 3), (3, 4)] {
        let (runtime, fake) = on(gpus, seed, "");
        runtime.enter(|| {
            let mut x = crate::arange::<f64>(100.0);
            for _ in 0..5 {
                let y = crate::zeros::<f64>(&[100]);
                task.launch(&[(&x).into(), (&y).into()]).unwrap();
                // A reversed view of it.
                let z = crate::zeros::<f64>(&[100]);
                let backwards = y.slice(ndarray::s![..;-1]);
                task.launch(&[(&backwards).into(), (&z).into()]).unwrap();
                x = z.slice(ndarray::s![..;-1]) * 0.25 + 1.0;
            }
            let expected: Vec<f64> = (0..100).map(|at| f64::from(at) + 5.0).collect();
            assert_eq!(x.to_vec().unwrap(), expected);
        });
        runtime.finish().unwrap();
        let asked = fake.calls();
        let calls = asked.iter();
        let calls =
            calls.filter(|one| matches!(one, SchedulerCall::Issue(_, name) if name == "call"));
        assert!(calls.count() >= 10);
    }
}

#[test]
fn bodies_process_complex_elements() {
    let task = doubling::<Complex<f32>>();
    let (runtime, _) = on(1, 5, "");
    runtime.enter(|| {
        let values: Vec<Complex<f32>> = (0..50).map(|at| Complex::new(at as f32, -1.0)).collect();
        let x = crate::from_slice(&values);
        let y = crate::zeros::<Complex<f32>>(&[50]);
        task.launch(&[(&x).into(), (&y).into()]).unwrap();
        let expected: Vec<_> = values.iter().map(|value| value + value).collect();
        assert_eq!(y.to_vec().unwrap(), expected);
    });
    runtime.finish().unwrap();
}

#[test]
fn bodies_receive_their_tile() {
    if !can_run() {
        return;
    }
    let seen: Arc<Mutex<Vec<(usize, usize, i32)>>> = Arc::default();
    let told = seen.clone();
    let body = move |context: &GpuContext<'_>| -> Result<(), BodyError> {
        let [x, weight, total] = context.given() else {
            return Err("three arguments".into());
        };
        let range = context.ranges()[0].clone();
        assert_eq!(
            x.bounds()[0],
            (range.start.saturating_sub(1), (range.end + 1).min(90))
        );
        assert_eq!(
            (context.shape(), weight.scalar()),
            (&[90][..], Some(2.5.into()))
        );
        assert_eq!((total.bounds(), total.dims()), (&[][..], &[][..]));
        assert_eq!(
            (x.name(), weight.name(), total.dtype()),
            ("x", "weight", DType::F64)
        );
        let told = &mut *told.lock().unwrap();
        told.push((context.tile(), context.tiles(), context.device()));
        let first = std::ptr::with_exposed_provenance_mut::<f64>(total.address() as usize);
        // SAFETY: as in `doubled`.
        unsafe {
            // The contributions start at 0, which changes nothing.
            assert_eq!(*first, 0.0);
            *first += range.len() as f64;
        }
        Ok(())
    };
    let task = Definition::builder("known")
        .input("x", DType::F64, 1)
        .scalar("weight", DType::F64)
        .reduce("total", Reduction::Add, DType::F64, 0)
        .unordered()
        .halo("x", &[1], &[1])
        .gpu(body)
        .finish()
        .unwrap();
    let (runtime, _) = on(3, 6, "");
    runtime.enter(|| {
        let (x, total) = (crate::zeros::<f64>(&[90]), crate::full(&[], 1.0));
        let weight = crate::dtype::Scalar::F64(2.5);
        task.launch(&[(&x).into(), weight.into(), (&total).into()])
            .unwrap();
        assert_eq!(total.item(), 91.0);
    });
    runtime.finish().unwrap();
    let mut seen = seen.lock().unwrap().clone();
    seen.sort_unstable();
    assert_eq!(seen, [(0, 3, 0), (1, 3, 1), (2, 3, 2)]);
}

#[derive(Debug, PartialEq, thiserror::Error)]
#[error("number {0}")]
struct Own(u32);

#[test]
fn body_failure_affects_only_its_call() {
    if !can_run() {
        return;
    }
    let runs = AtomicUsize::new(0);
    let body = move |_: &GpuContext<'_>| -> Result<(), BodyError> {
        match runs.fetch_add(1, Ordering::Relaxed) {
            0 => Err(Box::new(Own(7))),
            _ => panic!("the second one"),
        }
    };
    let task = Definition::builder("failing")
        .inout("x", DType::F64, 1)
        .gpu(body);
    let task = task.finish().unwrap();
    let (runtime, _) = on(1, 7, "");
    runtime.enter(|| {
        let failed = || {
            let x = crate::zeros::<f64>(&[100]);
            task.launch(&[(&x).into()]).unwrap();
            match (&x + 1.0).to_vec() {
                Err(Error::Failed(failure)) => failure.cause.clone(),
                other => panic!("{other:?}"),
            }
        };
        match failed() {
            Cause::Body(error) => assert_eq!(error.downcast_ref(), Some(&Own(7))),
            other => panic!("{other}"),
        }
        assert!(matches!(failed(), Cause::BodyPanicked(text) if text.contains("the second one")));
        assert_eq!(crate::ones::<f64>(&[100]).sum().item(), 100.0);
    });
    drop(runtime.finish());
}

#[test]
fn definitions_accept_later_bodies() {
    let on_cpu = |context: &mut Context<'_, '_>| -> Result<(), BodyError> {
        let [x] = context.take_all()?;
        x.into_inout::<f64, 1>()?.fill(1.0);
        Ok(())
    };
    let on_gpu = |context: &GpuContext<'_>| -> Result<(), BodyError> {
        let x = &context.given()[0];
        for at in 0..x.dims()[0] {
            // SAFETY: as in `doubled`.
            unsafe { *place::<f64>(x, at) = 2.0 };
        }
        Ok(())
    };
    let builder = || Definition::builder("later").inout("x", DType::F64, 1);
    let first = builder().cpu(on_cpu).finish().unwrap();
    let both = first.with_gpu(on_gpu).unwrap();
    let alone = builder().gpu(on_gpu).finish().unwrap();
    assert!(first.has_cpu() && both.has_cpu() && !alone.has_cpu());
    let run = |words: &str, gpus: usize| {
        let (runtime, _) = on(gpus, 8, words);
        let found = runtime.enter(|| {
            let tasks = [&first, &both, &alone.with_cpu(on_cpu).unwrap()];
            tasks.map(|task| {
                let x = crate::from_slice(&[0.0; 40]);
                task.launch(&[(&x).into()]).unwrap();
                x.to_vec().unwrap()[39]
            })
        });
        runtime.finish().unwrap();
        found
    };
    assert_eq!(run("", 1), [1.0, 2.0, 2.0]);
    let found = super::on_cpus(|| {
        let x = crate::zeros::<f64>(&[40]);
        both.launch(&[(&x).into()]).unwrap();
        x.to_vec().unwrap()[39]
    });
    assert_eq!(found, 1.0);
}

#[test]
fn rejects_invalid_gpu_definitions() {
    let body = |_: &GpuContext<'_>| -> Result<(), BodyError> { Ok(()) };
    let builder = || Definition::builder("wrong").inout("x", DType::F64, 1);
    let code = "__device__ void wrong(weft::Index<1> i, weft::InOut<double, 1> x) {}";
    let refused = |result: Result<Definition, DefinitionError>, text: &str| {
        let error = result.unwrap_err().to_string();
        assert!(error.contains(text), "{error}");
    };
    refused(
        builder().gpu(body).cuda(code).finish(),
        "two bodies for GPUs",
    );
    let why = "found: a body for GPUs cannot fill a result of unknown length";
    let cpu = |_: &mut Context<'_, '_>| -> Result<(), BodyError> { Ok(()) };
    let unbound = || builder().unbound("found", DType::F64).cpu(cpu);
    refused(unbound().gpu(body).finish(), why);
    refused(unbound().finish().unwrap().with_gpu(body), why);
}
