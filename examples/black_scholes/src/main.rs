//! Prices of European options by the formula of Black and Scholes: 61 elementwise operations and two sums.
//!
//! `black_scholes -n 10000000 -t` prices that number of calls and puts and prints the time.
//! `--check` compares the prices with the same formula for single options.

#![allow(clippy::print_stdout, reason = "prints its results")]

use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;
use weft::Array;

/// Calls and puts on random shares.
#[derive(Parser)]
struct Arguments {
    /// Number of options.
    #[arg(short = 'n', long, default_value_t = 1_000_000)]
    size: usize,
    /// Print the elapsed time.
    #[arg(short, long)]
    time: bool,
    /// Compare the prices with an eager reference.
    #[arg(long)]
    check: bool,
}

/// The risk-free interest rate per year.
const RATE: f64 = 0.02;
/// Standard deviation of the share's logarithm over a year.
const VOLATILITY: f64 = 0.3;
/// Coefficients of the powers of the normal distribution's approximation; Abramowitz and Stegun, 26.2.17, with an error
/// below 7.5e-8.
const POWERS: [f64; 5] = [
    0.319_381_530,
    -0.356_563_782,
    1.781_477_937,
    -1.821_255_978,
    1.330_274_429,
];
/// The factor of `d` in the variable of those powers.
const FALL: f64 = 0.231_641_9;
/// One over the square root of two pi.
const PEAK: f64 = 0.398_942_280_401_432_7;

/// Market data of each option: the share's price, the strike price, and the years left.
struct Market {
    share: Array<f64>,
    strike: Array<f64>,
    years: Array<f64>,
}

fn market(n: usize) -> Market {
    let random = weft::random::seeded(0);
    let between = |low: f64, high: f64| low + random.uniform::<f64>(&[n]) * (high - low);
    Market {
        share: between(5.0, 30.0),
        strike: between(1.0, 100.0),
        years: between(0.25, 10.0),
    }
}

/// Returns the probability of a normally distributed value below `d`.
fn normal(d: &Array<f64>) -> Array<f64> {
    let k = (1.0 + FALL * d.abs()).reciprocal();
    let [a1, a2, a3, a4, a5] = POWERS;
    let powers = (((((a5 * &k) + a4) * &k + a3) * &k + a2) * &k + a1) * &k;
    let above = PEAK * (-0.5 * (d * d)).exp() * powers;
    weft::select(&d.greater(0.0), 1.0 - &above, &above)
}

/// Returns the prices of the calls and of the puts.
fn price(market: &Market) -> [Array<f64>; 2] {
    let Market {
        share,
        strike,
        years,
    } = market;
    let spread = VOLATILITY * years.sqrt();
    let drift = RATE + 0.5 * VOLATILITY * VOLATILITY;
    let d1 = ((share / strike).log() + drift * years) / &spread;
    let d2 = &d1 - spread;
    let (n1, n2) = (normal(&d1), normal(&d2));
    let discounted = strike * (-RATE * years).exp();
    let call = share * &n1 - &discounted * &n2;
    let put = discounted * (1.0 - n2) - share * (1.0 - n1);
    [call, put]
}

/// Computes the prices of one option.
fn reference(share: f64, strike: f64, years: f64) -> [f64; 2] {
    let normal = |d: f64| {
        let k = 1.0 / (1.0 + FALL * d.abs());
        let powers = POWERS.iter().rev().fold(0.0, |sum, a| (sum + a) * k);
        let above = PEAK * (-0.5 * d * d).exp() * powers;
        if d > 0.0 { 1.0 - above } else { above }
    };
    let spread = VOLATILITY * years.sqrt();
    let drift = RATE + 0.5 * VOLATILITY * VOLATILITY;
    let d1 = ((share / strike).ln() + drift * years) / spread;
    let (n1, n2) = (normal(d1), normal(d1 - spread));
    let discounted = strike * (-RATE * years).exp();
    [
        share * n1 - discounted * n2,
        discounted * (1.0 - n2) - share * (1.0 - n1),
    ]
}

fn main() -> Result<ExitCode, weft::Error> {
    let arguments = Arguments::parse();
    let runtime = weft::start()?;
    let market = market(arguments.size);
    // The market is input: the time to create it does not count.
    weft::runtime::current()?.wait()?;

    let start = Instant::now();
    let [call, put] = price(&market);
    let (calls, puts) = (call.sum().item(), put.sum().item());
    let elapsed = start.elapsed();

    println!("Calls: {calls:.3}, puts: {puts:.3}");
    if arguments.time {
        println!("Elapsed Time: {:.3} ms", elapsed.as_secs_f64() * 1e3);
    }
    if arguments.check {
        let [share, strike, years] = [&market.share, &market.strike, &market.years];
        let (share, strike, years) = (share.to_vec()?, strike.to_vec()?, years.to_vec()?);
        let (call, put) = (call.to_vec()?, put.to_vec()?);
        for at in 0..share.len() {
            let expected = reference(share[at], strike[at], years[at]);
            // Rounding errors of numbers of the prices' size, and of the last digits of functions.
            let most = 1e-12 * (share[at] + strike[at]);
            for (found, expected) in [call[at], put[at]].into_iter().zip(expected) {
                let apart = (found - expected).abs();
                if apart.is_nan() || apart > most {
                    eprintln!("black_scholes: option {at} has {found}, and not {expected}");
                    return Ok(ExitCode::FAILURE);
                }
            }
        }
    }
    drop(runtime);
    Ok(ExitCode::SUCCESS)
}
