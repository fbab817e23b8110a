//! Profiles of tasks that start tasks, and of tasks whose tiles exchange values.

use std::collections::{HashMap, HashSet};

use weft::Error;
use weft::task::{Communicator, ExchangeError, In, Out, Reduction};
use weft_config::launch::Launch;
use weft_trace::file::Prof;
use weft_trace::record::{Record, RuntimeCallKind};

use crate::support::{on, small_tiles};

mod elsewhere;

/// Each element less the sum of the squares of its tile.
#[weft::task(align(x, y), nested)]
fn reduced(x: In<f64, 1>, mut y: Out<f64, 1>) -> Result<(), Error> {
    let part = weft::from_ndarray(&x.view());
    let sum = elsewhere::sum_of_squares(&part)?;
    y.assign(&(&part - sum).to_ndarray()?);
    Ok(())
}

/// Calls the task `reduced`.
fn reduce() {
    let y = weft::zeros::<f64>(&[4096]);
    reduced(&weft::ones::<f64>(&[4096]), &y).unwrap();
    assert!(y.to_vec().unwrap().iter().all(|y| *y < 0.0));
}

/// Returns the profile of a program.
fn profile(words: &str, program: impl FnOnce()) -> Prof {
    let folder = tempfile::tempdir().unwrap();
    let logdir = folder.path().display();
    on(&format!("{words} --profile --logdir {logdir}"), program);
    let mut files = std::fs::read_dir(folder.path()).unwrap();
    let path = files.next().unwrap().unwrap().path();
    Prof::open(&path).unwrap()
}

#[test]
fn profile_assigns_body_waits_to_their_tasks() {
    let words = [
        small_tiles(2),
        format!("{} --verify", small_tiles(2)),
        "--cpus 1 --omps 1 --ompthreads 2 --min-omp-chunk 128".to_owned(),
    ];
    for words in words {
        let prof = profile(&words, reduce);
        let (mut tasks, mut operations) = (HashMap::new(), HashMap::new());
        let (mut names, mut calls) = (HashMap::new(), Vec::new());
        for record in prof.records() {
            match record {
                Record::Task(task) => drop(tasks.insert(task.uid, task.operation)),
                // A small operation with complete inputs runs at once.
                Record::Immediate(one) => {
                    tasks.insert(one.task, one.operation);
                    operations.insert(one.operation, (one.name, one.parent));
                }
                Record::Operation(one) => drop(operations.insert(one.uid, (one.name, one.parent))),
                Record::Name(name) => drop(names.insert(name.id, name.text.to_owned())),
                Record::RuntimeCall(call) => calls.push(call),
                _ => {}
            }
        }
        let waits = calls
            .into_iter()
            .filter(|call| call.kind == RuntimeCallKind::Wait);
        let (of_bodies, others): (Vec<_>, Vec<_>) = waits.partition(|wait| wait.task.is_some());
        assert!(!of_bodies.is_empty(), "{words}");
        for wait in &of_bodies {
            let operation = tasks[&wait.task.unwrap()];
            assert_eq!(names[&operations[&operation].0], "reduced", "{words}");
            // The operation that it waits for is part of it.
            let awaited = operations[&wait.operation.unwrap()];
            assert_eq!(awaited.1, Some(operation), "{words}");
        }
        for wait in others.iter().filter_map(|wait| wait.operation) {
            assert_eq!(operations[&wait].1, None, "{words}");
        }
    }
}

#[test]
fn profile_keeps_source_files_used_only_by_bodies() {
    let prof = profile(&small_tiles(2), reduce);
    let (mut names, mut texts, mut places) = (HashMap::new(), HashMap::new(), HashSet::new());
    for record in prof.records() {
        match record {
            Record::Name(name) => drop(names.insert(name.id, name.text.to_owned())),
            Record::SourceText(text) => drop(texts.insert(text.file, text.text.to_owned())),
            Record::Provenance(place) => drop(places.insert((place.file, place.line))),
            _ => {}
        }
    }
    let text = include_str!("profiled/elsewhere.rs");
    let file = names
        .iter()
        .find(|(_, name)| name.ends_with("profiled/elsewhere.rs"));
    let (file, _) = file.unwrap_or_else(|| panic!("{names:?}"));
    assert_eq!(texts.get(file).map(String::as_str), Some(text));
    let line = 1 + text
        .lines()
        .position(|line| line.contains("(part * part)"))
        .unwrap();
    assert!(places.contains(&(*file, line as u32)), "{places:?}");
}

/// The number of exchanges of each tile.
const EXCHANGES: usize = 4;

/// A task whose first tile is late at the first exchange.
#[weft::task(align(x, y), concurrent)]
fn centred(x: In<f64, 1>, mut y: Out<f64, 1>, all: Communicator) -> Result<(), ExchangeError> {
    if all.tile() == 0 {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    all.barrier()?;
    let mut sum = [x.sum()];
    all.all_reduce(&mut sum, Reduction::Add)?;
    let lengths: f64 = all.all_gather(&[x.len() as f64])?.concat().iter().sum();
    all.all_to_all(&vec![vec![1.0]; all.tiles()])?;
    y.assign(&(&x.view() - sum[0] / lengths));
    Ok(())
}

#[test]
fn profile_assigns_waits_for_other_tiles_to_the_task() {
    const TILES: usize = 2;
    let are_ranks = Launch::detect()
        .unwrap()
        .is_some_and(|launch| launch.is_shared());
    for (words, runs) in [
        (small_tiles(TILES), Some(1)),
        // A body runs several times.
        (format!("{} --verify", small_tiles(TILES)), None),
    ] {
        let prof = profile(&words, || {
            let y = weft::zeros::<f64>(&[4096]);
            centred(&weft::ones::<f64>(&[4096]), &y).unwrap();
            assert_eq!(y.to_vec().unwrap(), [0.0; 4096]);
        });
        let (mut tasks, mut operations) = (HashMap::new(), HashMap::new());
        let (mut names, mut waits) = (HashMap::new(), Vec::new());
        for record in prof.records() {
            match record {
                Record::Task(task) => drop(tasks.insert(task.uid, task.operation)),
                Record::Operation(one) => drop(operations.insert(one.uid, one.name)),
                Record::Name(name) => drop(names.insert(name.id, name.text.to_owned())),
                Record::RuntimeCall(call) if call.kind == RuntimeCallKind::Exchange => {
                    waits.push(call);
                }
                _ => {}
            }
        }
        for wait in &waits {
            let operation = tasks[&wait.task.unwrap()];
            assert_eq!(wait.operation, Some(operation), "{words}");
            assert_eq!(names[&operations[&operation]], "centred", "{words}");
        }
        // The last tile of a process waits only for those of other ranks.
        let waiting = if are_ranks { TILES } else { TILES - 1 };
        match runs {
            Some(runs) => assert_eq!(waits.len(), runs * waiting * EXCHANGES, "{words}"),
            None => assert!(waits.len() >= waiting * EXCHANGES, "{words}"),
        }
    }
}
