//! Profiles of tasks with images, which contain each image once.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use weft::dtype::DType;
use weft::task::{Context, Definition, Names, Out};
use weft_config::launch::Launch;
use weft_geometry::words::View;
use weft_geometry::{Along, Image};
use weft_trace::file::Prof;
use weft_trace::id::{ImageId, OperationUid};
use weft_trace::record::{IMAGE_WORDS, Record};

use crate::support::{on, small_tiles};

const ROWS: usize = 9000;

/// Returns a task that sets each element of `y` to that of `x` whose index is in `at`.
fn gather(exact: bool) -> Definition {
    let builder = Definition::builder("gather")
        .output("y", DType::F64, 1)
        .input("at", DType::I64, 1)
        .input("x", DType::F64, 1)
        .align(&["y", "at"]);
    let builder = match exact {
        true => builder.exact_image("at", "x", Names::Coordinates),
        false => builder.image("at", "x", Names::Coordinates),
    };
    let body = |context: &mut Context<'_, '_>| {
        let [y, at, x] = context.take_all()?;
        let mut y: Out<'_, f64, 1> = y.into_out()?;
        let (at, x) = (at.into_in::<i64, 1>()?, x.into_in::<f64, 1>()?);
        let first = x.range(0).start;
        for (y, at) in y.iter_mut().zip(at.iter()) {
            *y = x[*at as usize - first];
        }
        Ok(())
    };
    builder.cpu(body).finish().unwrap()
}

/// The images of operations in a profile.
#[derive(Default)]
struct Recorded {
    /// The words of each image.
    images: HashMap<ImageId, Vec<u64>>,
    bytes: usize,
    /// The words of each call's views.
    operands: Vec<(OperationUid, Vec<u64>)>,
}

impl Recorded {
    /// Returns the records of a run of these calls. Each round has its own indices; its image may
    /// be exact.
    fn record(rounds: &[(&[i64], bool)], calls: usize) -> Recorded {
        let folder = tempfile::tempdir().unwrap();
        let logdir = folder.path().display();
        let words = format!(
            "{} --profile --profile-operands --logdir {logdir}",
            small_tiles(2)
        );
        on(&words, || {
            let tasks = [false, true].map(gather);
            let x = weft::arange::<f64>(3.0 * ROWS as f64);
            let y = weft::zeros::<f64>(&[ROWS]);
            for (named, exact) in rounds {
                let at = weft::from_slice(named);
                for _ in 0..calls {
                    let task = &tasks[usize::from(*exact)];
                    task.launch(&[(&y).into(), (&at).into(), (&x).into()])
                        .unwrap();
                }
                let sum: i64 = named.iter().sum();
                assert_eq!(y.sum().item(), sum as f64);
            }
        });
        let rank = Launch::detect().unwrap().map_or(0, |launch| launch.rank);
        let prof = Prof::open(&folder.path().join(format!("weft_{rank}.prof"))).unwrap();
        let mut recorded = Recorded::default();
        let (mut names, mut operations) = (HashMap::new(), HashMap::new());
        for record in prof.records() {
            match record {
                Record::Name(name) => drop(names.insert(name.id, name.text.to_owned())),
                Record::Operation(one) => drop(operations.insert(one.uid, one.name)),
                Record::Immediate(one) => drop(operations.insert(one.operation, one.name)),
                Record::Image(part) => {
                    let words = recorded.images.entry(part.id).or_default();
                    assert_eq!(words.len(), part.part as usize * IMAGE_WORDS);
                    words.extend(part.list.iter());
                    recorded.bytes += record.frame_size();
                }
                Record::Operands(operands) => {
                    let words = operands.views.iter().collect();
                    recorded.operands.push((operands.operation, words));
                    recorded.bytes += record.frame_size();
                }
                _ => {}
            }
        }
        // The operation that computes an image follows one, too.
        let is_call = |operation: &OperationUid| names[&operations[operation]] == "gather";
        recorded
            .operands
            .retain(|(operation, _)| is_call(operation));
        recorded
    }

    /// Returns the images that calls follow.
    fn followed(&self) -> Vec<Arc<Image>> {
        let whole: HashMap<u64, Arc<Image>> = self
            .images
            .iter()
            .map(|(id, words)| {
                let image = Image::from_words(words.iter().copied()).unwrap();
                (id.0, Arc::new(image))
            })
            .collect();
        let mut followed = Vec::new();
        for (operation, words) in &self.operands {
            let mut words = words.iter().copied().peekable();
            while words.peek().is_some() {
                let view = View::get(&mut words, |number| whole.get(&number).cloned());
                let view = view.unwrap_or_else(|| panic!("a view of {operation}"));
                if let Along::Image(image) = view.projection.along(0) {
                    followed.push(image);
                }
            }
        }
        followed
    }
}

/// Returns every third index, with another start for each round.
fn thirds(round: usize) -> Vec<i64> {
    (0..ROWS).map(|at| (3 * at + round) as i64).collect()
}

#[test]
fn profile_records_an_image_once_for_many_calls() {
    let named = thirds(0);
    let few = Recorded::record(&[(&named, true)], 2);
    let many = Recorded::record(&[(&named, true)], 40);
    assert_eq!(few.images.len(), many.images.len());
    for (recorded, calls) in [(&few, 2), (&many, 40)] {
        let followed = recorded.followed();
        assert_eq!(followed.len(), calls);
        let image = &followed[0];
        assert!(followed.iter().all(|other| Arc::ptr_eq(other, image)));
        // One element for each row, in a different one for each: more than a record holds.
        let tiles = image.tiles();
        let words = recorded.images.values().map(Vec::len).max().unwrap();
        assert!(tiles > 1 && words > 2 * IMAGE_WORDS);
        let wanted = (0..ROWS).map(|row| (3 * row, 3 * row + 1));
        let runs = (0..tiles).flat_map(|tile| image.of_tile(tile)).copied();
        assert!(runs.eq(wanted));
    }
    // The records of 38 more calls take less than a hundredth of those of the image.
    assert!(
        few.bytes > 16 * ROWS && many.bytes < few.bytes + 38 * 600,
        "{} bytes, and {}",
        few.bytes,
        many.bytes
    );
}

#[test]
fn profile_records_equal_images_once() {
    // More images than a task keeps, each of an array that is dropped before the next is created.
    let named: Vec<Vec<i64>> = (0..20).map(|round| thirds(round % 3)).collect();
    let mut rounds = Vec::new();
    for (round, named) in named.iter().enumerate() {
        rounds.push((&named[..], round % 2 == 0));
    }
    let recorded = Recorded::record(&rounds, 3);
    let followed = recorded.followed();
    let different: HashSet<_> = followed.iter().map(Arc::as_ptr).collect();
    // Images of the same indices and extent are the same, even if they were forgotten and computed
    // again.
    assert_eq!(different.len(), 6);
    assert_eq!(followed.len(), 3 * rounds.len());
    for (calls, (named, exact)) in followed.chunks(3).zip(&rounds) {
        let image = &calls[0];
        assert!(calls.iter().all(|other| Arc::ptr_eq(other, image)));
        let all = image.runs(0..image.tiles());
        let first = named[0] as usize;
        assert_eq!(all[0].0, first);
        assert_eq!(all.len() == ROWS, *exact);
    }
}
