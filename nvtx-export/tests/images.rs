//! Images of operands: recorded once and referred to by number, in any order, and missing if a part
//! of one was lost.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::support;

use rusqlite::Connection;
use std::path::PathBuf;
use std::sync::Arc;
use support::{ProfFile, at, join, operation_uid};
use tempfile::TempDir;
use weft_analysis::simulate::Program;
use weft_geometry::words::{View, from_tiling};
use weft_geometry::{Access, Along, Image, Layout, Processors, Projection, Rest, Shape, Tiling};
use weft_model::{CutFor, Trace};
use weft_output::sqlite::{self, WriteOptions};
use weft_trace::file::RunId;
use weft_trace::id::{ImageId, NameId, ProvenanceId};
use weft_trace::record::{self, List, Name, Operands, Operation};

/// Operations of the recorded program.
const OPERATIONS: u64 = 3;
/// The operation without an image.
const PLAIN: u64 = OPERATIONS;

/// Returns an image with this many runs in each of two tiles.
fn image(runs: usize) -> Arc<Image> {
    let tile = |first: usize| (0..runs).map(move |at| (first + 3 * at, first + 3 * at + 2));
    Arc::new(Image::new([tile(0), tile(1)]))
}

/// Returns the views of an operation.
fn views(sequence: u64, image: &Arc<Image>) -> Vec<View> {
    let through = match sequence {
        PLAIN => Projection::Whole,
        _ => Projection::of_axes([Along::Image(image.clone())], Rest::Whole),
    };
    let view = |store, access, projection| View {
        store,
        layout: Layout::contiguous(Shape::new(&[20_000]).unwrap()),
        access,
        projection,
    };
    vec![
        view(8, Access::Read, through),
        view(9, Access::Write, Projection::Same),
    ]
}

fn words(image: &Image) -> Vec<u64> {
    let mut words = Vec::new();
    image.put(|word| words.push(word));
    words
}

/// Returns a profile of operations that refer to an image before it is recorded, with these of its
/// parts, in this order. Without parts, each operation has the whole image, as in profiles of
/// earlier versions.
fn profile(image: &Arc<Image>, parts: Option<&[u32]>) -> (TempDir, PathBuf) {
    let mut file = ProfFile::new(RunId([1; 16]), 0);
    file.write(Name {
        id: NameId(1),
        text: "gather",
    });
    let id = ImageId(5 << 40 | 1);
    let of_image = words(image);
    for sequence in 1..=OPERATIONS {
        file.write(Operation {
            uid: operation_uid(sequence),
            parent: None,
            name: NameId(1),
            provenance: ProvenanceId(0),
            created: at(0),
            tasks: 2,
            scope: Default::default(),
            stack: Default::default(),
            shape: List::Items(&[20_000]),
        });
        let mut own = Vec::new();
        for view in views(sequence, image) {
            view.put(|_| id.0, |word| own.push(word));
            if view.projection.has_image() && parts.is_none() {
                own.pop();
                own.extend(&of_image);
            }
        }
        let mut rest = &own[..];
        loop {
            let (list, behind) = rest.split_at(rest.len().min(record::VIEWS));
            file.write(Operands {
                operation: operation_uid(sequence),
                grain: from_tiling(Tiling::Processors { work: 1 }, true),
                views: List::Items(list),
            });
            if list.len() < record::VIEWS {
                break;
            }
            rest = behind;
        }
    }
    let lists: Vec<&[u64]> = of_image.chunks(record::IMAGE_WORDS).collect();
    for part in parts.unwrap_or_default() {
        file.write(record::Image {
            id,
            part: *part,
            words: of_image.len() as u64,
            list: List::Items(lists[*part as usize]),
        });
    }
    file.finish()
}

/// Returns the views that are found for each operation, and the number of operations that are
/// counted as lacking an image.
fn recorded_views(trace: &Trace) -> (Vec<Option<Vec<View>>>, Option<u64>) {
    let of = trace.program.operands.iter();
    let views = of.map(|row| row.views(&trace.program.images).collect());
    let mut losses = trace.quality.losses.iter();
    let missing = losses.find(|loss| loss.name == "images_missing");
    (views.collect(), missing.map(|loss| loss.value))
}

#[test]
fn reconstructs_image_views_from_any_part_order() {
    for runs in [1, 3000] {
        let image = image(runs);
        let expected: Vec<_> = (1..=OPERATIONS)
            .map(|sequence| Some(views(sequence, &image)))
            .collect();
        let count = words(&image).chunks(record::IMAGE_WORDS).len() as u32;
        assert_eq!(count > 1, runs > 1);
        let (_folder, earlier) = profile(&image, None);
        let in_order: Vec<u32> = (0..count).collect();
        let backwards: Vec<u32> = (0..count).rev().collect();
        let (_folder, first) = profile(&image, Some(&in_order));
        let (_folder, second) = profile(&image, Some(&backwards));
        let earlier = join(&[earlier]);
        assert_eq!(recorded_views(&earlier), (expected.clone(), None));
        for path in [first, second] {
            let trace = join(&[path]);
            assert_eq!(recorded_views(&trace), (expected.clone(), None));
            assert_eq!(trace.program.images.len(), 1);
            // A database has the image in each row, and is read as one image again.
            let folder = tempfile::tempdir().unwrap();
            let out = folder.path().join("out.sqlite");
            sqlite::write(&trace, &out, &WriteOptions::default()).unwrap();
            let back = join(&[out]);
            assert_eq!(recorded_views(&back), (expected.clone(), None));
            assert_eq!(back.program.images.len(), 1);
        }
    }
}

#[test]
fn image_with_a_missing_part_is_absent() {
    let image = image(3000);
    let count = words(&image).chunks(record::IMAGE_WORDS).len() as u32;
    assert!(count >= 3);
    for lost in (0..count).map(Some).chain([None]) {
        let parts: Vec<u32> = match lost {
            Some(lost) => (0..count).filter(|part| *part != lost).collect(),
            None => Vec::new(),
        };
        let (_folder, path) = profile(&image, Some(&parts));
        let trace = join(&[path]);
        let (views_of, missing) = recorded_views(&trace);
        assert_eq!(missing, Some(OPERATIONS - 1), "without {lost:?}");
        assert_eq!(views_of, [None, None, Some(views(PLAIN, &image))]);
        let refused = Program::from_trace(&trace)
            .err()
            .map(|error| error.to_string());
        let why = "2 of 3 operations have no operands, since records of their images are lost (images_missing); record the run again";
        assert_eq!(refused.as_deref(), Some(why));
        // The other view of such an operation would look like its only one.
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("out.sqlite");
        sqlite::write(&trace, &out, &WriteOptions::default()).unwrap();
        let database = Connection::open(out).unwrap();
        let ask = |query: &str| database.query_row(query, [], |row| row.get::<_, i64>(0));
        assert_eq!(ask("SELECT count(*) FROM WEFT_OPERAND").unwrap(), 2);
        let losses = "SELECT value FROM WEFT_LOSS WHERE name = 'images_missing'";
        assert_eq!(ask(losses).unwrap(), 2);
    }
}

#[test]
fn joined_database_restores_the_program_of_its_profile() {
    let image = image(4);
    let (_folder, path) = profile(&image, Some(&[0]));
    let mut trace = join(&[path]);
    let processors = Processors {
        cpus: 3,
        omps: 1,
        omp_threads: 2,
        smallest: 1_000,
        smallest_omp: 2_000,
    };
    let source = trace.program.operations[0].source;
    trace.program.cut_for.push(CutFor { source, processors });
    let program = Program::from_trace(&trace).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out.sqlite");
    sqlite::write(&trace, &out, &WriteOptions::default()).unwrap();
    let mut back = join(&[out]);
    assert_eq!(
        back.program.cut_for.first().map(|row| row.processors),
        Some(processors)
    );
    let same = Program::from_trace(&back).unwrap();
    assert_eq!(same.steps().len(), program.steps().len());
    assert_eq!(same.workers(), program.workers());
    // The message names the missing records, not the flag of the run.
    back.program.cut_for.clear();
    let refused = Program::from_trace(&back)
        .err()
        .map(|error| error.to_string());
    assert!(refused.unwrap().contains("the number of processors"));
}
