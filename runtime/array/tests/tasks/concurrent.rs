//! Tasks whose tiles run at the same time and exchange values.

use std::sync::Mutex;
use std::time::Duration;

use cuda_emulator::emulated;
use ndarray::s;
use weft::task::{Communicator, ExchangeError, In, InOut, Out, Reduction};
use weft::{Error, Runtime};
use weft_config::launch::Launch;

use crate::support::{drawn, on, plan, runtime_on_gpus, small_tiles};

/// Prefix sums: each tile adds the sums of the tiles before it.
#[weft::task(align(x, y), concurrent)]
fn prefix(x: In<i64, 1>, mut y: Out<i64, 1>, all: Communicator) -> Result<(), ExchangeError> {
    let sums = all.all_gather(&[x.sum()])?;
    let mut sum: i64 = sums[..all.tile()].iter().map(|sum| sum[0]).sum();
    for (y, x) in y.iter_mut().zip(&*x) {
        sum += x;
        *y = sum;
    }
    Ok(())
}

/// A sample sort: each tile sends every other one the values that belong there, and then all are
/// written to their places.
#[weft::task(align(x, y), concurrent)]
fn sorted(x: In<f64, 1>, mut y: Out<f64, 1>, all: Communicator) -> Result<(), ExchangeError> {
    let tiles = all.tiles();
    let mut parts = vec![Vec::new(); tiles];
    for value in &*x {
        let bucket = ((value + 1.0) / 2.0 * tiles as f64) as usize;
        parts[bucket.min(tiles - 1)].push(*value);
    }
    let mut own: Vec<f64> = all.all_to_all(&parts)?.concat();
    own.sort_by(f64::total_cmp);
    // Buckets do not have the length of tiles.
    let sorted = all.all_gather(&own)?.concat();
    let range = y.range(0);
    y.assign(&ndarray::aview1(&sorted[range]));
    Ok(())
}

/// The largest distance from the mean, in each element, in many rounds.
#[weft::task(align(x, y), concurrent)]
fn farthest(x: In<f64, 1>, mut y: Out<f64, 1>, all: Communicator) -> Result<(), ExchangeError> {
    let mut sums = [x.sum(), x.len() as f64];
    all.all_reduce(&mut sums, Reduction::Add)?;
    let mean = sums[0] / sums[1];
    let mut most = [x.iter().map(|x| (x - mean).abs()).fold(0.0, f64::max)];
    all.all_reduce(&mut most, Reduction::Max)?;
    for _ in 0..50 {
        all.barrier()?;
        let mut same = most;
        all.all_reduce(&mut same, Reduction::Min)?;
        assert_eq!(same, most);
    }
    y.fill(most[0]);
    Ok(())
}

/// A task whose elements need enough work that even a few are cut; some ranks then have none.
#[weft::task(align(x, y), concurrent, work = 1000000)]
fn few(x: In<i64, 1>, mut y: Out<i64, 1>, all: Communicator) -> Result<(), ExchangeError> {
    let mut sum = [x.sum()];
    all.all_reduce(&mut sum, Reduction::Add)?;
    let parts: Vec<Vec<i64>> = (0..all.tiles()).map(|to| vec![to as i64; to + 1]).collect();
    for (from, part) in all.all_to_all(&parts)?.into_iter().enumerate() {
        assert_eq!(part, vec![all.tile() as i64; all.tile() + 1], "from {from}");
    }
    y.fill(sum[0]);
    Ok(())
}

fn program() {
    for count in 1..6 {
        let x = weft::from_slice(&vec![1_i64; count]);
        let y = weft::zeros::<i64>(&[count]);
        few(&x, &y).unwrap();
        few(&y.slice(ndarray::s![..;-1]), &x).unwrap();
        let expected = vec![(count * count) as i64; count];
        assert_eq!(x.to_vec().unwrap(), expected);
    }
    let values: Vec<i64> = drawn(3, 4099).iter().map(|x| (x * 1e6) as i64).collect();
    let floats = drawn(4, 5000);
    let mean = floats.iter().sum::<f64>() / 5000.0;
    let most = floats.iter().map(|x| (x - mean).abs()).fold(0.0, f64::max);
    let mut in_order = floats.clone();
    in_order.sort_by(f64::total_cmp);
    for _ in 0..3 {
        let x = weft::from_slice(&values);
        let sums = weft::zeros::<i64>(&[4099]);
        prefix(&x, &sums).unwrap();
        let f = weft::from_slice(&floats);
        let (sorts, far) = (weft::zeros::<f64>(&[5000]), weft::zeros::<f64>(&[5000]));
        // They do not depend on each other.
        sorted(&f, &sorts).unwrap();
        farthest(&f, &far).unwrap();
        let mut sum = 0;
        let expected = values.iter().map(|x| {
            sum += x;
            sum
        });
        assert_eq!(sums.to_vec().unwrap(), expected.collect::<Vec<_>>());
        assert_eq!(sorts.to_vec().unwrap(), in_order);
        let far = far.to_vec().unwrap();
        assert!(far.iter().all(|far| (far - most).abs() < 1e-12), "{far:?}");
    }
}

#[test]
fn tiles_exchange_values() {
    for cpus in 1..=6 {
        on(&small_tiles(cpus), program);
    }
    on(
        "--cpus 1 --omps 2 --ompthreads 2 --min-cpu-chunk 64 --min-omp-chunk 128",
        program,
    );
    on(&format!("{} --utility 0", small_tiles(3)), program);
    on(&format!("{} --verify", small_tiles(3)), program);
    // A single element is a single tile.
    on(&small_tiles(2), || {
        let y = weft::zeros::<i64>(&[1]);
        prefix(&weft::from_slice(&[7_i64]), &y).unwrap();
        assert_eq!(y.to_vec().unwrap(), [7]);
    });
}

#[weft::task(align(x, y), concurrent)]
fn uneven(x: In<f64, 1>, mut y: Out<f64, 1>, how: i64, all: Communicator) -> Result<(), Error> {
    y.assign(&x.view());
    let is_last = all.tile() + 1 == all.tiles();
    let wrong = |error: ExchangeError| {
        let text = error.to_string();
        weft::error::CallError::Shape {
            operation: "uneven",
            why: text,
        }
    };
    match how {
        // The last tile fails before the others meet it.
        0 if is_last => panic!("the last tile"),
        // The last tile ends without an exchange.
        1 if is_last => return Ok(()),
        // The last tile makes another exchange.
        2 if is_last => all.all_gather(&[1_i32]).map(drop).map_err(wrong)?,
        // The last tile passes too few parts.
        3 if is_last => all.all_to_all(&[vec![1_i32]]).map(drop).map_err(wrong)?,
        _ => all.barrier().map_err(wrong)?,
    }
    Ok(())
}

/// Tiles that exchange values, and call functions in between.
#[weft::task(align(x, y), concurrent, nested)]
fn scaled(x: In<f64, 1>, mut y: Out<f64, 1>, all: Communicator) -> Result<(), Error> {
    let part = weft::from_ndarray(&x.view());
    let mut norm = [(&part * &part).sum().item()];
    let error = |error: ExchangeError| weft::error::CallError::Shape {
        operation: "scaled",
        why: error.to_string(),
    };
    all.all_reduce(&mut norm, Reduction::Add).map_err(error)?;
    y.assign(&(&part / norm[0].sqrt()).to_ndarray()?);
    Ok(())
}

#[test]
fn concurrent_tiles_launch_tasks() {
    for words in [small_tiles(1), small_tiles(3)] {
        on(&words, || {
            let y = weft::zeros::<f64>(&[4096]);
            scaled(&weft::full(&[4096], 3.0), &y).unwrap();
            let found = y.to_vec().unwrap();
            assert!(found.iter().all(|y| (y - 1.0 / 64.0).abs() < 1e-15));
        });
    }
}

#[weft::task]
fn step(mut x: InOut<f64, 1>) {
    std::thread::sleep(Duration::from_millis(1));
    x.map_inplace(|x| *x += 1.0);
}

#[weft::task(align(x, y), concurrent)]
fn met(x: In<f64, 1>, mut y: Out<f64, 1>, all: Communicator) -> Result<(), ExchangeError> {
    all.barrier()?;
    y.assign(&x.view());
    Ok(())
}

#[test]
fn sole_worker_serves_other_ranks_while_a_tile_waits() {
    on("--cpus 1 --min-cpu-chunk 64 --max-inline-chunk 0", || {
        let [x, y, z] = [(); 3].map(|()| weft::zeros::<f64>(&[1024]));
        for _ in 0..40 {
            step(&z).unwrap();
        }
        x.slice(s![512..]).assign(z.slice(s![..512]));
        // The tile of the first rank can begin at once, and does. Those of others wait for work of
        // the first rank.
        let scope = weft::scope().priority(1).enter();
        met(&x, &y).unwrap();
        drop(scope);
        let found = y.to_vec().unwrap();
        assert!(found[..512].iter().all(|y| *y == 0.0), "{found:?}");
        assert!(found[512..].iter().all(|y| *y == 40.0), "{found:?}");
    });
}

/// Returns the hardware threads that the calling thread may run on.
fn allowed() -> String {
    let status = std::fs::read_to_string("/proc/thread-self/status").unwrap();
    let list = status
        .lines()
        .find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
    list.unwrap().trim().to_owned()
}

/// Tiles, and the hardware threads that they may run on.
static PLACES: Mutex<Vec<(usize, String)>> = Mutex::new(Vec::new());

#[weft::task(align(x, y), concurrent)]
fn placed(x: In<f64, 1>, mut y: Out<f64, 1>, all: Communicator) -> Result<(), ExchangeError> {
    PLACES.lock().unwrap().push((all.tile(), allowed()));
    y.assign(&x.view());
    all.barrier()
}

#[test]
fn concurrent_tiles_run_on_all_cores_despite_pinning() {
    let own = allowed();
    // Nothing is pinned if there are more workers than hardware threads.
    let cpus = std::thread::available_parallelism().map_or(1, |cpus| cpus.get().min(4));
    on(&format!("{} --pin-cpus", small_tiles(cpus)), || {
        let y = weft::zeros::<f64>(&[4096]);
        placed(&weft::ones::<f64>(&[4096]), &y).unwrap();
        assert_eq!(y.sum().item(), 4096.0);
    });
    let mut places = std::mem::take(&mut *PLACES.lock().unwrap());
    places.sort();
    // The first tile of a rank runs on the worker itself.
    let others: Vec<_> = places.iter().skip(1).collect();
    assert_eq!(others.len(), cpus - 1);
    assert!(others.iter().all(|(_, place)| *place == own), "{places:?}");
}

/// One of the tiles ends before an exchange, in one of several ways.
#[weft::task(align(x, y), concurrent)]
fn stops(
    x: In<f64, 1>,
    mut y: Out<f64, 1>,
    last: bool,
    how: i64,
    call: i64,
    all: Communicator,
) -> Result<(), String> {
    y.assign(&x.view());
    let text = |error: ExchangeError| error.to_string();
    all.barrier().map_err(text)?;
    if all.tile() == if last { all.tiles() - 1 } else { 0 } {
        match how {
            0 => panic!("the tile panics"),
            1 => return Err("the tile gives up".to_owned()),
            2 => return Ok(()),
            _ => {}
        }
    }
    let parts = vec![vec![1_i64]; all.tiles()];
    match call {
        0 => all.barrier(),
        1 => all.all_gather(&[1.0; 3]).map(drop),
        2 => all.all_to_all(&parts).map(drop),
        _ => all.all_reduce(&mut [1.0], Reduction::Add),
    }
    .map_err(text)
}

#[test]
fn every_rank_reports_why_a_tile_ended() {
    for cpus in [1, 2] {
        let runtime = Runtime::new(plan(&small_tiles(cpus))).unwrap();
        runtime.enter(|| {
            let x = weft::ones::<f64>(&[1000]);
            let ranks = Launch::detect().unwrap().map_or(1, |launch| launch.size);
            let has_others = cpus > 1 || ranks > 1;
            for (how, expected) in [
                (0, "its body panicked: the tile panics"),
                (1, "its body failed: the tile gives up"),
                (2, "has ended, and other tiles of the task wait for it"),
            ] {
                for (call, last) in (0..4).flat_map(|call| [(call, false), (call, true)]) {
                    let y = weft::zeros::<f64>(&[1000]);
                    stops(&x, &y, last, how, call).unwrap();
                    match y.to_vec() {
                        Err(error) => {
                            let text = error.to_string();
                            assert!(text.contains(expected), "{how} {call} {last}: {text}");
                            // The error must not come from the tiles that waited for it.
                            let is_of_others = text.contains("wait for it");
                            assert_eq!(is_of_others, how == 2, "{how} {call} {last}: {text}");
                        }
                        // A single tile may end in any way.
                        Ok(_) => assert!(how == 2 && !has_others),
                    }
                }
            }
            // The runtime continues.
            let y = weft::zeros::<f64>(&[1000]);
            stops(&x, &y, true, 3, 0).unwrap();
            assert_eq!(y.sum().item(), 1000.0);
        });
        drop(runtime.finish());
    }
}

mod cuda {
    use super::*;

    #[test]
    fn tiles_on_gpu_host_exchange_values() {
        emulated(&[("WEFT_EMULATED_GPUS", "2")], || {
            let words = "--cpus 3 --gpus 2 --min-gpu-chunk 64 --min-cpu-chunk 64";
            let runtime = runtime_on_gpus(words);
            runtime.enter(program);
            runtime.finish().unwrap();
        });
    }
}

mod failures {
    use super::*;

    #[test]
    fn early_tile_exit_fails_the_call_without_deadlock() {
        let runtime = Runtime::new(plan(&small_tiles(3))).unwrap();
        runtime.enter(|| {
            let x = weft::ones::<f64>(&[1000]);
            for (how, expected) in [
                (0, "the last tile"),
                (1, "has ended, and other tiles of the task wait for it"),
                (2, "tile 2 makes all_gather of i32"),
                (3, "one part to each tile: 1 parts for 3 tiles"),
            ] {
                let y = weft::zeros::<f64>(&[1000]);
                uneven(&x, &y, how).unwrap();
                let text = y.to_vec().unwrap_err().to_string();
                assert!(text.contains(expected), "{text}");
            }
            // The runtime continues.
            let y = weft::zeros::<f64>(&[1000]);
            uneven(&x, &y, 4).unwrap();
            assert_eq!(y.sum().item(), 1000.0);
        });
        drop(runtime.finish());
    }
}
