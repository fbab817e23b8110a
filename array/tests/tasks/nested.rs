//! Calls on arrays within a body.

use weft::Runtime;
use weft::task::{In, Out};

use crate::support::{plan, small_tiles};

#[weft::task(align(x, y))]
fn nested(x: In<f64, 1>, mut y: Out<f64, 1>) -> Result<(), weft::Error> {
    y.assign(&x.view());
    let values = vec![1.0; 100];
    let array = weft::DynArray::full(&weft::runtime::current()?, &[100], 1.0_f64.into())?;
    y[0] = array.request()?.value()?.as_bytes().len() as f64;
    drop(values);
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
