//! The order of ready tasks.

use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel};

use weft::task::InOut;

use crate::support::on;

/// A gate that reports the start of the first task, and makes it wait for the program.
static GATE: Mutex<Option<(Sender<()>, Receiver<()>)>> = Mutex::new(None);
static ORDER: Mutex<Vec<i64>> = Mutex::new(Vec::new());

#[weft::task]
fn wait_for_the_program(mut x: InOut<i64, 1>) {
    if let Some((begun, gate)) = GATE.lock().unwrap().take() {
        begun.send(()).unwrap();
        gate.recv().unwrap();
    }
    x.fill(0);
}

#[weft::task]
fn note(number: i64, mut x: InOut<i64, 1>) {
    ORDER.lock().unwrap().push(number);
    x.fill(number);
}

#[test]
fn higher_priority_tasks_run_first() {
    let ((begun, has_begun), (opens, gate)) = (channel(), channel());
    *GATE.lock().unwrap() = Some((begun, gate));
    // One worker, which the first task keeps busy. Other tasks are ready when their calls have
    // returned.
    on("--cpus 1 --utility 0 --max-inline-chunk 0", || {
        let kept = weft::zeros::<i64>(&[4]);
        let arrays: Vec<_> = (0..6).map(|_| weft::zeros::<i64>(&[4])).collect();
        for array in &arrays {
            array.to_vec().unwrap();
        }
        wait_for_the_program(&kept).unwrap();
        has_begun.recv().unwrap();
        for (number, priority) in [(0, 0), (1, -1), (2, 0), (3, 3), (4, 7), (5, 3)] {
            let _scope = weft::scope().priority(priority).enter();
            note(number, &arrays[number as usize]).unwrap();
        }
        opens.send(()).unwrap();
        for (number, array) in arrays.iter().enumerate() {
            assert_eq!(array.to_vec().unwrap(), [number as i64; 4]);
        }
    });
    assert_eq!(*ORDER.lock().unwrap(), [4, 3, 5, 0, 2, 1]);
}
