//! Calls on arrays within a body.

use weft::Runtime;
use weft::task::{In, Out};

use crate::support::{plan, small_tiles};

#[weft::task(align(x, y))]
fn nested(x: In<f64, 1>, mut y: Out<f64, 1>) -> Result<(), weft::Error> {
    y.assign(&x.view());
    drop(weft::runtime::current()?);
    Ok(())
}

#[test]
fn are_refused_and_do_not_wait_for_ever() {
    for cpus in [1, 3] {
        let runtime = Runtime::new(plan(&small_tiles(cpus))).unwrap();
        runtime.enter(|| {
            let (x, y) = (weft::zeros::<f64>(&[1000]), weft::zeros::<f64>(&[1000]));
            nested(&x, &y).unwrap();
            let text = y.to_vec().unwrap_err().to_string();
            assert!(text.contains("cannot make calls on arrays"), "{text}");
            assert_eq!(x.sum().item(), 0.0);
        });
        drop(runtime.finish());
    }
}

#[test]
fn operations_on_arrays_that_a_body_knows_are_refused_too() {
    let runtime = Runtime::new(plan(&small_tiles(1))).unwrap();
    runtime.enter(|| {
        let x = weft::zeros::<f64>(&[1000]);
        let known = weft::ones::<f64>(&[10]).into_dyn();
        let task = weft::task::Definition::builder("knows")
            .output("x", weft::dtype::DType::F64, 1)
            .cpu(move |_: &mut weft::task::Context<'_, '_>| {
                known.request()?;
                Ok(())
            });
        let task = task.finish().unwrap();
        task.launch(&[(&x).into()]).unwrap();
        let text = x.to_vec().unwrap_err().to_string();
        assert!(text.contains("cannot make calls on arrays"), "{text}");
    });
    drop(runtime.finish());
}
