//! The time to exchange a mebibyte between two ranks, compared with the same exchange by MPI alone;
//! for tests/benches/ranks.py.
//!
//! `WEFT_CONFIG=--fusion=false mpirun -n 2 exchange [ROUNDS]` prints the microseconds of a round on
//! the first rank: of MPI, of a program that exchanges rows, and of the same program without an
//! exchange. With fusion the last one would copy only in the last round.
#![allow(clippy::print_stdout, reason = "this is its purpose")]

use std::time::Instant;

use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, Destination, Source};
use ndarray::s;
use weft::Error;

/// The elements of a row: one mebibyte.
const ROW: usize = 1 << 17;
/// The number of rounds in one measurement; the least of several counts.
const AT_ONCE: usize = 10;

fn main() -> Result<(), Error> {
    let rounds = std::env::args().nth(1).and_then(|text| text.parse().ok());
    let measurements = rounds.unwrap_or(200) / AT_ONCE;
    let _running = weft::start()?;
    // This starts MPI, and gives each rank a row.
    let (a, b) = (weft::ones::<f64>(&[2, ROW]), weft::zeros::<f64>(&[2, ROW]));
    println!("sum {}", (&a + &b).sum().try_item()?);

    let world = SimpleCommunicator::world();
    let (own, other) = (world.rank(), 1 - world.rank());
    let (sent, mut came) = (vec![1.0_f64; ROW], vec![0.0_f64; ROW]);
    let mut bare = f64::MAX;
    for _ in 0..measurements {
        let start = Instant::now();
        for _ in 0..AT_ONCE {
            mpi::request::scope(|scope| {
                let receiving = world.process_at_rank(other);
                let receiving = receiving.immediate_receive_into(scope, &mut came[..]);
                let sending = world
                    .process_at_rank(other)
                    .immediate_send(scope, &sent[..]);
                sending.wait();
                receiving.wait();
            });
        }
        bare = bare.min(start.elapsed().as_secs_f64());
    }

    let measure = |exchanges: bool| -> Result<f64, Error> {
        let mut least = f64::MAX;
        for _ in 0..measurements {
            let start = Instant::now();
            for _ in 0..AT_ONCE / 2 {
                match exchanges {
                    true => {
                        b.assign(a.slice(s![..;-1, ..]));
                        a.assign(b.slice(s![..;-1, ..]));
                    }
                    false => {
                        b.assign(&a);
                        a.assign(&b);
                    }
                }
            }
            // Waits for the last round.
            a.slice(s![0, 0]).try_item()?;
            least = least.min(start.elapsed().as_secs_f64());
        }
        Ok(least)
    };
    let with = measure(true)?;
    let without = measure(false)?;
    if own == 0 {
        let micros = |seconds: f64| seconds * 1e6 / AT_ONCE as f64;
        println!("mpi {:.1}", micros(bare));
        println!("exchange {:.1}", micros(with));
        println!("copy {:.1}", micros(without));
    }
    Ok(())
}
