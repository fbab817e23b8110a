//! Random tasks: shapes, dtypes, views and projections, on every kind of processor, compared with
//! an oracle that computes whole arrays at once.

mod arrays;
mod cuda;
mod follows;
mod task;
mod verify;

use ndarray::{ArrayD, IxDyn};
use proptest::prelude::*;
use weft::DynArray;
use weft::task::Argument;

use crate::support::runtime;
use arrays::{read, stored, values};
use follows::Follows;
use task::{Bodies, RandomTask, State, drawn};

/// Returns the number of tasks, which the environment can override.
fn cases(otherwise: u32) -> u32 {
    let given = std::env::var("WEFT_TEST_TASKS").ok();
    given.map_or(otherwise, |text| text.parse().unwrap())
}

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

/// Returns the initial values of a task's arrays.
fn state(task: &RandomTask) -> State {
    let inputs = task.inputs.iter().enumerate().map(|(at, input)| {
        let through = match &input.follows {
            Follows::Image(image) => {
                let dims = image.through(&task.shape);
                Some(ArrayD::from_shape_vec(IxDyn(&dims), image.values(&task.shape)).unwrap())
            }
            _ => None,
        };
        let dims = input.follows.dims(&task.shape);
        (through, values(at, &dims, input.dtype))
    });
    let outputs = task.outputs().enumerate().map(|(at, (_, output))| {
        let dims = output.written.as_input().dims(&task.shape);
        values(90 + at, &dims, output.dtype)
    });
    let totals = task.reduced.iter();
    State {
        inputs: inputs.collect(),
        outputs: outputs.collect(),
        totals: totals
            .map(|reduced| ArrayD::ones(IxDyn(&reduced.dims())))
            .collect(),
    }
}

/// The arrays of a task.
struct Arrays {
    /// The inputs, each with the array of its image.
    inputs: Vec<(Option<DynArray>, DynArray)>,
    outputs: Vec<DynArray>,
    totals: Vec<DynArray>,
}

impl Arrays {
    fn new(task: &RandomTask, state: &State) -> Arrays {
        let inputs = task.inputs.iter().zip(&state.inputs);
        let inputs = inputs.map(|(input, (through, values))| {
            let through = match (&input.follows, through) {
                (Follows::Image(image), Some(values)) => {
                    Some(stored(values, image.dtype, input.seen))
                }
                _ => None,
            };
            (through, stored(values, input.dtype, input.seen))
        });
        let outputs = task.outputs().zip(&state.outputs);
        let totals = task.reduced.iter().zip(&state.totals);
        Arrays {
            inputs: inputs.collect(),
            outputs: outputs
                .map(|((_, output), values)| stored(values, output.dtype, output.seen))
                .collect(),
            totals: totals
                .map(|(reduced, values)| stored(values, reduced.dtype, task.out.seen))
                .collect(),
        }
    }

    /// Returns the arguments of a call.
    fn arguments(&self) -> Vec<Argument<'_>> {
        let inputs = self.inputs.iter();
        let inputs = inputs.flat_map(|(through, input)| through.iter().chain([input]));
        let all = self.outputs.iter().chain(inputs).chain(&self.totals);
        all.map(Argument::from).collect()
    }
}

/// Calls the task several times in the runtime of this thread, with these bodies, and compares the
/// results of all calls. Later calls see the writes of earlier ones.
fn check(task: &RandomTask, calls: &[Bodies], words: &str) {
    let mut expected = state(task);
    let mut arrays = Arrays::new(task, &expected);
    let definitions = [Bodies::Cpu, Bodies::Both].map(|bodies| {
        calls
            .contains(&bodies)
            .then(|| task.definition(bodies, None))
    });
    for (call, bodies) in calls.iter().enumerate() {
        if call > 0 && task.feeds {
            // The output becomes the input, and there is a new output.
            let output = stored(
                &values(98, &task.shape, task.out.dtype),
                task.out.dtype,
                task.out.seen,
            );
            let fed = std::mem::replace(&mut arrays.outputs[0], output);
            arrays.inputs[0].1 = fed;
            expected.inputs[0].1 = expected.outputs[0].clone();
        }
        expected.step(task);
        let definition = definitions[*bodies as usize].as_ref().unwrap();
        definition.launch(&arrays.arguments()).unwrap();
    }
    let found = [&arrays.outputs, &arrays.totals].into_iter().flatten();
    let wanted = [&expected.outputs, &expected.totals].into_iter().flatten();
    for (found, wanted) in found.zip(wanted) {
        let found =
            read(found).unwrap_or_else(|error| panic!("{words}, {calls:?}: {error}\n{task:?}"));
        assert_eq!(found, wanted, "{words}, {calls:?}: {task:?}");
    }
}

/// Checks the task in its own runtime, on CPUs.
fn run(task: &RandomTask, words: &str) {
    let runtime = runtime(words);
    runtime.enter(|| check(task, &[Bodies::Cpu; 2], words));
    runtime.finish().unwrap();
}

proptest! {
    #![proptest_config(config(cases(150)))]

    #[test]
    fn tasks_match_the_oracle(task in drawn(), cpus in 1..5_usize) {
        run(&task, &format!("--cpus {cpus} --min-cpu-chunk 20 --max-inline-chunk 0"));
        run(&task, "--cpus 1 --omps 2 --ompthreads 2 --min-cpu-chunk 20 --min-omp-chunk 50");
    }
}

proptest! {
    #![proptest_config(config(cases(40)))]

    #[test]
    fn verify_accepts_correct_tasks(task in drawn()) {
        run(&task, "--cpus 2 --min-cpu-chunk 200 --verify");
    }
}
