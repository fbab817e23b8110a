//! Operations share a kernel on a GPU by their order in the program, independent of their time of
//! arrival.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use ndarray::s;
use weft_core::testing::{Fake, SchedulerCall};

use super::{can_run, on, on_cpus};
use crate::Array;

/// Long enough that no group ends early because the system delays a thread.
const PATIENT: &str = "--fusion-wait 5000";

/// A small generator of random numbers, the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}

/// Random pauses between the operations of a program.
struct Schedule(Random);

impl Schedule {
    fn pause(&mut self) {
        let pause = match self.0.below(8) {
            0 => Duration::from_micros(self.0.below(400)),
            1 => Duration::from_micros(self.0.below(30)),
            _ => return,
        };
        let start = Instant::now();
        while start.elapsed() < pause {
            std::hint::spin_loop();
        }
    }
}

/// Returns the kernels that were issued.
fn kernels(fake: &Fake) -> BTreeSet<String> {
    let names = fake.calls().into_iter().filter_map(|asked| match asked {
        SchedulerCall::Issue(_, name) => Some(name),
        _ => None,
    });
    names.filter(|name| name.starts_with("weft_")).collect()
}

/// Runs a random program, by `seed`: it computes arrays from others, overwrites, keeps, reads and
/// drops them.
fn drawn(seed: u64, schedule: &mut Schedule) -> Vec<f64> {
    let mut random = Random(seed);
    let mut arrays: Vec<Array<f64>> = (1..4)
        .map(|value| crate::full(&[200], f64::from(value)))
        .collect();
    let mut read = Vec::new();
    let body: Vec<[u64; 4]> = (0..random.below(6) + 2)
        .map(|_| [(); 4].map(|()| random.below(64)))
        .collect();
    for _ in 0..random.below(12) + 3 {
        for &[kind, first, second, place] in &body {
            let count = arrays.len() as u64;
            let (a, b) = ((first % count) as usize, (second % count) as usize);
            let made = match kind % 8 {
                0 | 1 => &arrays[a] + &arrays[b],
                2 => (&arrays[a] * 0.5).abs().sqrt(),
                3 => &arrays[a] - 1.0,
                4 => {
                    arrays[a].assign(&(&arrays[b] * 0.25));
                    schedule.pause();
                    continue;
                }
                5 if kind > 48 => {
                    read.extend(arrays[a].sum().to_vec().unwrap());
                    continue;
                }
                5 => {
                    if arrays.len() > 3 {
                        arrays.remove(a);
                    }
                    continue;
                }
                _ => &(&arrays[a] * &arrays[b]) * 0.001,
            };
            schedule.pause();
            if arrays.len() < 6 {
                arrays.push(made);
            } else {
                arrays[place as usize % 6] = made;
            }
        }
    }
    for array in &arrays {
        read.extend(array.to_vec().unwrap());
    }
    read
}

#[test]
fn kernels_do_not_depend_on_the_schedule() {
    if !can_run() {
        return;
    }
    for program in 0..10 {
        let run = |schedule: u64| {
            let (runtime, fake) = on(1, schedule, PATIENT);
            let mut random = Schedule(Random(schedule));
            let values = runtime.enter(|| drawn(program, &mut random));
            runtime.finish().unwrap();
            (kernels(&fake), values)
        };
        let expected = run(0);
        let on_cpus = on_cpus(|| drawn(program, &mut Schedule(Random(0))));
        // Sums are added up in another order.
        let is_near = |(a, b): (&f64, &f64)| {
            (a - b).abs() <= 1e-9 * b.abs() || a.is_nan() && b.is_nan() || a == b
        };
        assert!(
            expected.1.iter().zip(&on_cpus).all(is_near),
            "program {program}"
        );
        assert_eq!(expected.1.len(), on_cpus.len(), "program {program}");
        for schedule in 1..10 {
            assert_eq!(
                run(schedule),
                expected,
                "program {program}, schedule {schedule}"
            );
        }
    }
}

#[test]
fn loop_compiles_no_kernel_after_second_iteration() {
    if !can_run() {
        return;
    }
    // With more or fewer steps in a round of the loop, groups are full at other places of its body.
    for steps in 1..9 {
        let (runtime, fake) = on(1, steps, PATIENT);
        let mut schedule = Schedule(Random(steps));
        let mut after_two = BTreeSet::new();
        runtime.enter(|| {
            let f = crate::full(&[500], 0.5);
            let mut kept = Vec::new();
            for round in 0..8 {
                for _ in 0..30 {
                    let mut x = f.exp();
                    for _ in 1..steps {
                        x = x.sqrt();
                        schedule.pause();
                    }
                    kept.push(x);
                    if kept.len() > 5 {
                        kept.remove(0);
                    }
                }
                runtime.wait().unwrap();
                if round == 1 {
                    after_two = kernels(&fake);
                }
            }
        });
        runtime.finish().unwrap();
        let all = kernels(&fake);
        assert_eq!(all, after_two, "{steps} steps");
    }
}

#[test]
fn late_operations_get_separate_kernels() {
    if !can_run() {
        return;
    }
    let (runtime, fake) = on(1, 1, "");
    runtime.enter(|| {
        let x = crate::full(&[500], 0.5);
        for pause in [0, 20, 0] {
            let y = x.exp();
            std::thread::sleep(Duration::from_millis(pause));
            let z = y.sqrt();
            std::thread::sleep(Duration::from_millis(pause));
            drop(y);
            z.to_vec().unwrap();
        }
    });
    runtime.finish().unwrap();
    let names = kernels(&fake);
    let of = |part: &str| names.iter().filter(|name| name.contains(part)).count();
    // Alone, together, and together with the operation that fills the array at first.
    assert!(of("exp") <= 3 && of("sqrt") <= 3, "{names:?}");
    let alone = |name: &String| name.contains("exp") && !name.contains("sqrt");
    assert!(names.iter().any(alone), "{names:?}");
}

#[test]
fn loop_groups_end_at_the_same_operation() {
    if !can_run() {
        return;
    }
    for steps in 1..14 {
        let (runtime, fake) = on(1, steps, PATIENT);
        runtime.enter(|| {
            let mut x = crate::full(&[300], 0.5);
            runtime.wait().unwrap();
            for _ in 0..200 {
                x = x.exp();
                for _ in 1..steps {
                    x = x.sqrt();
                }
            }
            x.to_vec().unwrap();
        });
        runtime.finish().unwrap();
        let kernels = kernels(&fake);
        // The kernels of the fill, the first group, the following ones, and the last.
        assert!(kernels.len() <= 4, "{steps} steps: {kernels:?}");
    }
}

/// Returns reductions of values that are computed before: of all, along each axis, of values that
/// stay visible, of rows against columns, and of more values than one block takes.
fn reduced() -> Vec<f64> {
    let mut read = Vec::new();
    for dims in [[1, 1], [40, 7], [7, 40], [300, 90]] {
        let count = dims[0] * dims[1];
        let x = crate::arange(count as f64).reshape(&dims);
        let x = &(&x.sqrt() * 0.37) - 1.5;
        let rows = crate::full(&[dims[1]], 0.25);
        read.extend((&x * 1.7).sum().to_vec().unwrap());
        read.extend((&x.abs() + &rows).sum_axis(0).to_vec().unwrap());
        read.extend((&x * &x).sum_axis(1).to_vec().unwrap());
        let seen = x.exp();
        read.extend(seen.max_axis(1).to_vec().unwrap());
        read.extend(seen.to_vec().unwrap());
        // A value that runs backwards, and then another one of the same array.
        let both = crate::full(&[2 * count], 0.5);
        let line = x.reshape(&[count]);
        let back = both.slice(s![count..;-1]);
        back.assign(&(&line * 1.3));
        both.slice(s![..count]).assign(&(&line * 1.1));
        read.extend(back.sum().to_vec().unwrap());
    }
    read
}

#[test]
fn fused_reductions_have_the_bits_of_separate_ones() {
    if !can_run() {
        return;
    }
    let run = |gpus: usize, words: &str| {
        let (runtime, fake) = on(gpus, 1, words);
        let values = runtime.enter(reduced);
        runtime.finish().unwrap();
        (values, kernels(&fake))
    };
    let (apart, kernels_apart) = run(1, "--fusion=false");
    let (fused, kernels_fused) = run(1, PATIENT);
    assert_eq!(fused, apart);
    assert_eq!(run(2, PATIENT).0, apart);
    let own = |names: &BTreeSet<String>| {
        let reduces = |name: &&String| name.starts_with("weft_sum") || name.starts_with("weft_max");
        names.iter().filter(reduces).count()
    };
    assert!(own(&kernels_apart) >= 4, "{kernels_apart:?}");
    // The sum of the value that runs backwards.
    assert_eq!(own(&kernels_fused), 1, "{kernels_fused:?}");
}
