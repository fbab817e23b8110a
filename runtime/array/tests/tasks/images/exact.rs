//! Exact images: a tile touches the indexed elements, and none between them.

#![allow(
    unsafe_code,
    reason = "reads indices of a dtype that is known at run time"
)]

use ndarray::s;
use proptest::prelude::*;
use weft::dtype::DType;
use weft::task::{Context, Definition, Names, Out};
use weft_config::launch::Launch;
use weft_trace::file::Prof;
use weft_trace::record::{MessageSide, Record};

use crate::support::{on, small_tiles};

mod one_rank;

const ROWS: usize = 700;
const ELEMENTS: usize = 900;

/// Returns a task that adds up the elements at the columns of a row; for one row also the element
/// at an index that its tile may not have.
fn gather(columns: usize, also: Option<(usize, usize)>) -> Definition {
    Definition::builder("gather")
        .output("y", DType::F64, 1)
        .input("at", DType::I64, 2)
        .input("x", DType::F64, 1)
        .align(&["y"])
        .project_text("at", "[i0, ..*]")
        .exact_image("at", "x", Names::Coordinates)
        .cpu(move |context: &mut Context<'_, '_>| {
            let [y, at, x] = context.take_all()?;
            let mut y: Out<'_, f64, 1> = y.into_out()?;
            let (at, x) = (at.into_in::<i64, 2>()?, x.into_in::<f64, 1>()?);
            for row in y.range(0) {
                let mut sum = 0.0;
                for column in 0..columns {
                    let named = *at.at([row, column]).ok_or("no index")?;
                    sum += x.at([named as usize]).ok_or("no element")?;
                }
                // Outside of the view, nothing can be read.
                if let Some((own, index)) = also
                    && own == row
                {
                    sum += x.at([index]).unwrap_or(&0.0);
                }
                let own = row - y.range(0).start;
                y[own] = sum;
            }
            Ok(())
        })
        .finish()
        .unwrap()
}

fn indices(rows: usize, columns: usize, named: &[usize]) -> ndarray::Array2<i64> {
    let named = named.iter().map(|at| *at as i64).cycle();
    ndarray::Array2::from_shape_vec((rows, columns), named.take(rows * columns).collect()).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    /// The indexed elements have the program's last writes.
    #[test]
    fn image_reads_see_the_latest_writes(
        named in prop::collection::vec(0..ELEMENTS, 1..2000),
        columns in 1..4_usize,
        written in prop::collection::vec((0..ELEMENTS, 1..400_usize), 0..5),
        cpus in 1..4_usize,
    ) {
        let at = indices(ROWS, columns, &named);
        on(&small_tiles(cpus), || {
            let (x, y) = (weft::arange::<f64>(ELEMENTS as f64), weft::zeros::<f64>(&[ROWS]));
            let mut expected: Vec<f64> = (0..ELEMENTS).map(|at| at as f64).collect();
            let names = weft::from_ndarray(&at);
            let task = gather(columns, None);
            for (round, (first, length)) in written.iter().enumerate() {
                task.launch(&[(&y).into(), (&names).into(), (&x).into()]).unwrap();
                let end = (first + length).min(ELEMENTS);
                // The sums are read both before and after later writes.
                let sums = y.to_vec().unwrap();
                for (row, sum) in sums.iter().enumerate() {
                    let wanted: f64 = at.row(row).iter().map(|at| expected[*at as usize]).sum();
                    assert_eq!(*sum, wanted, "row {row} of round {round}");
                }
                x.slice(s![*first..end]).fill(round as f64 + 0.5);
                expected[*first..end].fill(round as f64 + 0.5);
            }
            task.launch(&[(&y).into(), (&names).into(), (&x).into()]).unwrap();
            let wanted: f64 = at.iter().map(|at| expected[*at as usize]).sum();
            assert_eq!(y.sum().item(), wanted);
        });
    }
}

/// Returns the bytes of data that this rank receives for the calls of `gather`, and the number of
/// messages of all its operations.
fn received(task: &Definition, at: &ndarray::Array2<i64>) -> (u64, usize) {
    let folder = tempfile::tempdir().unwrap();
    let logdir = folder.path().display();
    on(
        &format!("{} --profile --logdir {logdir}", small_tiles(1)),
        || {
            let (x, y) = (weft::zeros::<f64>(&[ELEMENTS]), weft::zeros::<f64>(&[ROWS]));
            x.fill(1.0);
            let names = weft::from_ndarray(at);
            task.launch(&[(&y).into(), (&names).into(), (&x).into()])
                .unwrap();
            assert_eq!(y.sum().item(), at.len() as f64);
        },
    );
    let rank = Launch::detect().unwrap().map_or(0, |launch| launch.rank);
    let prof = Prof::open(&folder.path().join(format!("weft_{rank}.prof"))).unwrap();
    let mut operations = std::collections::HashMap::new();
    let (mut names, mut messages) = (std::collections::HashMap::new(), Vec::new());
    for record in prof.records() {
        match record {
            Record::Name(name) => {
                names.insert(name.id, name.text.to_owned());
            }
            Record::Operation(operation) => {
                operations.insert(operation.uid, operation.name);
            }
            Record::Message(message) if message.side == MessageSide::Receive => {
                messages.push((message.operation, message.bytes));
            }
            _ => {}
        }
    }
    let of_gather = messages
        .iter()
        .filter(|(operation, _)| names[&operations[operation]] == "gather");
    let bytes: Vec<u64> = of_gather.map(|(_, bytes)| *bytes).collect();
    (bytes.iter().sum(), bytes.len())
}

/// Each other rank sends one message, with the indexed elements only.
#[test]
fn messages_contain_only_named_elements() {
    let ranks = Launch::detect().unwrap().map_or(1, |launch| launch.size);
    // The lowest and the highest element of each row, and some between.
    let named: Vec<usize> = (0..ROWS)
        .flat_map(|row| [0, 17 * (row % 50), ELEMENTS - 1])
        .collect();
    let (bytes, messages) = received(&gather(3, None), &indices(ROWS, 3, &named));
    assert!(messages < usize::from(ranks), "{messages} messages");
    // Some of the 51 indexed elements belong to this rank.
    assert!(bytes <= 51 * 8, "{bytes} bytes");
    assert_eq!(bytes > 0, ranks > 1);
}

/// Returns a view of rows and columns, and the same view in ndarray.
fn views(kind: usize) -> (weft::Array<f64>, weft::Array<f64>, ndarray::Array2<f64>) {
    let store = weft::arange::<f64>(1200.0).reshape(&[60, 20]);
    let all = ndarray::Array2::from_shape_fn((60, 20), |(row, column)| (row * 20 + column) as f64);
    let (view, eager) = match kind {
        0 => (store.slice(s![.., ..]), all),
        1 => (
            store.slice(s![..;2, 3..]),
            all.slice(s![..;2, 3..]).to_owned(),
        ),
        2 => (
            store.slice(s![..;-1, ..]),
            all.slice(s![..;-1, ..]).to_owned(),
        ),
        3 => (store.t(), all.t().to_owned()),
        4 => (
            store.slice(s![.., 4..5]),
            all.slice(s![.., 4..5]).to_owned(),
        ),
        5 => {
            let flat = store.reshape(&[1200, 1]);
            (flat, all.into_shape_with_order((1200, 1)).unwrap())
        }
        _ => {
            let row = store.slice(s![7, ..]).broadcast_to(&[60, 20]);
            (
                row,
                ndarray::Array2::from_shape_fn((60, 20), |(_, column)| (140 + column) as f64),
            )
        }
    };
    (store, view, eager)
}

fn rows_of(dtype: DType) -> Definition {
    Definition::builder("rows")
        .output("y", DType::F64, 1)
        .input("at", dtype, 1)
        .input("x", DType::F64, 2)
        .align(&["y", "at"])
        .exact_image("at", "x", Names::Coordinates)
        .cpu(|context: &mut Context<'_, '_>| {
            let [y, mut at, x] = context.take_all()?;
            let mut y: Out<'_, f64, 1> = y.into_out()?;
            let at: Vec<usize> = indices_of(&mut at);
            let x = x.into_in::<f64, 2>()?;
            let first = x.range(0).start;
            for (y, at) in y.iter_mut().zip(at) {
                *y = x.row(at - first).sum();
            }
            Ok(())
        })
        .finish()
        .unwrap()
}

/// Returns the values of a vector of indices.
fn indices_of(at: &mut weft::task::BodyArgument<'_, '_>) -> Vec<usize> {
    let tile = at.as_tile();
    let count = tile.layout().shape.len();
    let each = (0..count as isize).map(|number| {
        let place = tile.first().wrapping_offset(number * tile.byte_stride(0));
        // SAFETY: an element of the tile, with the dtype of the arm.
        unsafe {
            match tile.dtype() {
                DType::U8 => usize::from(place.read()),
                DType::I16 => place.cast::<i16>().read() as usize,
                DType::U64 => place.cast::<u64>().read() as usize,
                _ => place.cast::<i64>().read() as usize,
            }
        }
    });
    each.collect()
}

/// Rows of views of every kind, by indices of several dtypes, have the values of the last write.
#[test]
fn image_rows_of_views_see_the_latest_writes() {
    on(&small_tiles(3), || {
        for kind in 0..7 {
            for dtype in [DType::U8, DType::I16, DType::U64, DType::I64] {
                let (store, x, mut eager) = views(kind);
                let rows = eager.nrows();
                // Unsorted, some twice, and from both ends.
                let named: Vec<i64> = (0..500_i64)
                    .map(|at| at * at * 7 % 256 % rows as i64)
                    .collect();
                let at = weft::from_slice(&named).as_dyn().cast(dtype).unwrap();
                let y = weft::zeros::<f64>(&[named.len()]);
                let task = rows_of(dtype);
                for round in 0..3 {
                    if round > 0 {
                        store.assign(&store * 2.0);
                        eager *= 2.0;
                    }
                    // A broadcast row is also a view of the store.
                    task.launch(&[(&y).into(), (&at).into(), (&x).into()])
                        .unwrap();
                    let found = y.to_vec().unwrap();
                    let wanted: Vec<f64> = named
                        .iter()
                        .map(|at| eager.row(*at as usize).sum())
                        .collect();
                    assert_eq!(found, wanted, "view {kind}, {dtype}, round {round}");
                }
            }
        }
    });
}

/// The greatest index of all is rejected like any other index outside of the array.
#[test]
fn rejects_huge_image_indices() {
    on(&small_tiles(1), || {
        let (x, y) = (weft::ones::<f64>(&[9, 2]), weft::zeros::<f64>(&[2]));
        let refused = |dtype, at: weft::DynArray| {
            let launched = rows_of(dtype).launch(&[(&y).into(), (&at).into(), (&x).into()]);
            launched.unwrap_err().to_string()
        };
        let text = refused(
            DType::I64,
            weft::from_slice(&[3, i64::MAX]).as_dyn().clone(),
        );
        let wanted = format!("at at [1] is {} or more, outside of the 9", i64::MAX - 1);
        assert!(text.contains(&wanted), "{text}");
        let text = refused(
            DType::U64,
            weft::from_slice(&[3, u64::MAX]).as_dyn().clone(),
        );
        assert!(text.contains(&wanted), "{text}");
    });
}
