//! Programs that fail on one of several ranks, in the way of the argument; for
//! tests/mpi/failures.sh.
#![allow(
    clippy::print_stdout,
    clippy::panic,
    unsafe_code,
    reason = "its purpose is to make these mistakes"
)]

use std::process::ExitCode;

use weft::Error;
use weft::task::{Communicator, In, Out};
use weft_config::launch::Launch;

const N: usize = 1 << 18;

fn main() -> Result<ExitCode, Error> {
    let way = std::env::args().nth(1).unwrap_or_default();
    let rank = Launch::detect()?.map_or(0, |launch| launch.rank);
    // Programs must not depend on the rank, except to provoke a failure.
    let is_odd = rank == 1;
    match way.as_str() {
        "operation" => {
            let (a, b) = (weft::ones::<f64>(&[N]), weft::ones::<f64>(&[N]));
            let c = if is_odd { &a - &b } else { &a + &b };
            println!("sum {}", c.sum().try_item()?);
        }
        "values" => {
            let a = weft::from_slice(&[1.0, f64::from(rank)]);
            println!("sum {}", a.sum().try_item()?);
        }
        "end" => {
            let a = weft::ones::<f64>(&[N]);
            if !is_odd {
                println!("sum {}", a.sum().try_item()?);
            }
        }
        "axis" | "long-axis" => {
            // An array of few elements is on every rank; one of many is shared out.
            let n = if way == "axis" { 3 } else { 1000 };
            let a = weft::arange::<f64>((n * n) as f64).reshape(&[n, n]);
            let sums = a.sum_axis(usize::from(is_odd));
            println!("sums {:?}", &sums.to_vec()?[..2]);
        }
        "sort" => {
            let a = weft::arange::<f64>(1e6).reshape(&[1000, 1000]);
            let sorted = a.sort_axis(usize::from(is_odd));
            println!("sum {}", sorted.sum().try_item()?);
        }
        "order" => {
            let (a, b) = (weft::ones::<f64>(&[3]), weft::zeros::<f64>(&[3]));
            let [left, right] = if is_odd { [&b, &a] } else { [&a, &b] };
            println!("difference {:?}", (left - right).to_vec()?);
        }
        "value" => {
            let mut values = vec![0.0; N];
            values[N / 3] = f64::from(rank);
            println!("sum {}", weft::from_slice(&values).sum().try_item()?);
        }
        "slow" => {
            // A slow rank is not an error.
            let a = weft::ones::<f64>(&[N]);
            if is_odd {
                std::thread::sleep(std::time::Duration::from_millis(2500));
            }
            println!("sum {}", a.sum().try_item()?);
        }
        "unfinished" => {
            println!("sum {}", weft::ones::<f64>(&[N]).sum().try_item()?);
            return Ok(ExitCode::SUCCESS);
        }
        "index" => {
            let mut indices = vec![0; N];
            // The index is in the tile of the last rank.
            indices[N - 1] = N as i64;
            let taken = weft::ones::<f64>(&[N]).take(&weft::from_slice(&indices));
            // The elements of the first rank do not need the last one's. The error may come with
            // them, or at the end.
            let first = taken.slice(ndarray::s![..4]).to_vec();
            let end = weft::finish();
            let error = first.err().map(|error| error.to_string());
            let error = error.or_else(|| end.err().map(|error| error.to_string()));
            println!("error {}", error.unwrap_or_default());
            return Ok(ExitCode::FAILURE);
        }
        "memory" => return memory(is_odd),
        "caught" | "unread" => {
            let mut indices = vec![0; N];
            indices[N - 1] = N as i64;
            let picked = weft::ones::<f64>(&[N]).take(&weft::from_slice(&indices));
            // The result is not read, and other ranks lack the elements that the last one failed to
            // compute.
            let _unread = &picked + &picked.slice(ndarray::s![..;-1]);
            if way == "caught" {
                println!("{}", caught(&picked));
            }
            return Ok(ExitCode::SUCCESS);
        }
        "caught-task" => {
            let _running = weft::start()?;
            let y = weft::zeros::<f64>(&[N]);
            refused(&weft::arange::<f64>(N as f64), &y)?;
            println!("{}", caught(&y));
            return Ok(ExitCode::SUCCESS);
        }
        "panic" => {
            let sum = weft::ones::<f64>(&[N]).sum().try_item()?;
            if is_odd {
                panic!("rank {rank} has no more to say than {sum}");
            }
            println!("sum {}", weft::ones::<f64>(&[N]).sum().try_item()?);
        }
        "kill" => {
            let a = weft::ones::<f64>(&[N]);
            for round in 0.. {
                a.assign(&(&a + 1.0));
                if a.sum().try_item()? > 20.0 * N as f64 && is_odd {
                    // SAFETY: the call takes no addresses, and ends the process.
                    unsafe { libc::raise(libc::SIGKILL) };
                }
                if round == 10_000 {
                    break;
                }
            }
        }
        _ => {
            eprintln!(
                "usage: ranks operation|values|end|axis|long-axis|sort|order|value|slow|unfinished|index|memory|caught|unread|caught-task|panic|kill"
            );
            return Ok(ExitCode::from(2));
        }
    }
    weft::finish()?;
    Ok(ExitCode::SUCCESS)
}

/// Returns a task whose last tile fails while the others wait for it.
#[weft::task(align(x, y), concurrent)]
fn refused(x: In<f64, 1>, mut y: Out<f64, 1>, all: Communicator) -> Result<(), String> {
    y.assign(&x.view());
    match x.iter().any(|x| *x == N as f64 - 1.0) {
        true => Err("refused".to_owned()),
        false => all.barrier().map_err(|error| error.to_string()),
    }
}

/// Returns the error of reading an array that failed.
fn caught(array: &weft::Array<f64>) -> String {
    match array.to_vec() {
        Ok(_) => "nothing failed".to_owned(),
        Err(error) => format!("caught {error}"),
    }
}

/// Gives one rank less memory than the others.
fn memory(is_odd: bool) -> Result<ExitCode, Error> {
    let sysmem = if is_odd { "5" } else { "100" };
    let flags = format!("--cpus 1 --gpus 0 --sysmem {sysmem}");
    let words: Vec<String> = flags.split(' ').map(str::to_owned).collect();
    let plan = weft::Plan::from_words(&words, &weft_config::Machine::probe())?;
    let running = weft::start_with(plan)?;
    std::mem::forget(running);
    let a = weft::ones::<f64>(&[N]);
    // Each is one operation, so that no intermediate result takes memory if the machine is too slow
    // to fuse them.
    let many: Vec<_> = (0..10).map(|at| &a + f64::from(at)).collect();
    match many[9].sum().try_item() {
        Ok(sum) => println!("sum {sum}"),
        Err(error) => {
            let text = error.to_string();
            let first = text.lines().next().unwrap_or_default();
            println!("error {} {first}", error.is_out_of_memory());
        }
    }
    drop(many);
    println!("sum {}", a.sum().try_item()?);
    // The error was reported already.
    Ok(match weft::finish() {
        Err(_) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
    })
}
