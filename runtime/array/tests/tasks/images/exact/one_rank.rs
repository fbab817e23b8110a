//! Exact images in `--verify` and in profiles, on one rank.

use proptest::prelude::*;
use weft::Error;
use weft::error::Cause;
use weft::task::{In, Out};
use weft_trace::file::Prof;
use weft_trace::record::Record;

use super::{ELEMENTS, ROWS, gather, indices};
use crate::support::{runtime, small_tiles};

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    /// `--verify` finds a read of an element between the indices if its value matters.
    #[test]
    fn verify_reports_reads_of_unnamed_elements(
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
        // Each tile has the same indices, repeated, and a view from the lowest to the highest.
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

#[weft::task(align(y, at), coordinates(at, x, exact))]
fn picked(mut y: Out<f64, 1>, at: In<i64, 1>, x: In<f64, 1>) {
    let first = x.range(0).start;
    for (y, at) in y.iter_mut().zip(at.iter()) {
        *y = x[*at as usize - first];
    }
}

/// Elements between the indices are not read.
#[test]
fn recorded_bytes_cover_only_named_elements() {
    let folder = tempfile::tempdir().unwrap();
    let logdir = folder.path().display();
    let runtime = runtime(&format!("--cpus 1 --profile --logdir {logdir}"));
    runtime.enter(|| {
        let (x, y) = (weft::ones::<f64>(&[ELEMENTS]), weft::zeros::<f64>(&[3]));
        let at = weft::from_slice(&[0_i64, ELEMENTS as i64 - 1, 450]);
        picked(&y, &at, &x).unwrap();
        assert_eq!(y.sum().item(), 3.0);
    });
    runtime.finish().unwrap();
    let prof = Prof::open(&folder.path().join("weft_0.prof")).unwrap();
    let mut names = std::collections::HashMap::new();
    let mut read = Vec::new();
    for record in prof.records() {
        match record {
            Record::Name(name) => {
                names.insert(name.id, name.text.to_owned());
            }
            Record::Kernel(kernel) => read.push((kernel.name, kernel.read)),
            Record::Immediate(one) => read.push((one.kernel, one.read)),
            _ => {}
        }
    }
    let of_picked = read
        .iter()
        .filter(|(name, _)| names[name].contains("picked"));
    let of_picked: Vec<_> = of_picked.map(|(_, read)| *read).collect();
    // The three indices, and their elements.
    assert_eq!(of_picked, [Some(3 * 8 + 3 * 8)]);
}
