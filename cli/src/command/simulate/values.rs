//! Times, rates and numbers of ranks as typed.

use std::path::Path;

use weft_analysis::simulate::Network;

use super::Counts;
use crate::error::CliError;

/// Maximum number of ranks: a rank has 15 bits.
const MAX_RANKS: u32 = 32_767;

/// Splits a number from its unit.
fn split(text: &str) -> Result<(f64, &str), String> {
    let end = text
        .find(|c: char| !(c.is_ascii_digit() || c == '.'))
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let number = number
        .parse::<f64>()
        .map_err(|_| format!("`{text}` does not begin with a number"))?;
    Ok((number, unit.trim()))
}

/// A time in nanoseconds: `2us`, `500ns`, `1.5ms`.
pub(super) fn duration(text: &str) -> Result<f64, String> {
    let (number, unit) = split(text)?;
    let scale = match unit {
        "ns" => 1.0,
        "us" | "µs" => 1e3,
        "ms" => 1e6,
        "s" => 1e9,
        _ => return Err("give a time such as 2us, 500ns or 1.5ms".into()),
    };
    Ok(number * scale)
}

/// A rate in bytes per nanosecond: `12GB/s`, `800MB/s`, `100Gb/s` (bits).
pub(super) fn bandwidth(text: &str) -> Result<f64, String> {
    let (number, unit) = split(text)?;
    let scale = match unit {
        "kB/s" => 1e-6,
        "MB/s" => 1e-3,
        "GB/s" => 1.0,
        "TB/s" => 1e3,
        "Mb/s" => 1e-3 / 8.0,
        "Gb/s" => 1.0 / 8.0,
        _ => return Err("give a rate such as 12GB/s, 800MB/s or 100Gb/s".into()),
    };
    match number > 0.0 {
        true => Ok(number * scale),
        false => Err("a rate must be above 0".into()),
    }
}

/// A time in nanoseconds as [`duration`] takes it, to the last digit.
pub(super) fn time(nanos: f64) -> String {
    let (scale, unit) = match nanos {
        ..1e3 => (1.0, "ns"),
        ..1e6 => (1e3, "us"),
        _ => (1e6, "ms"),
    };
    let short = format!("{}{unit}", nanos / scale);
    match duration(&short) == Ok(nanos) {
        true => short,
        false => format!("{nanos}ns"),
    }
}

/// A rate as [`bandwidth`] takes it.
pub(super) fn rate(rate: f64) -> String {
    format!("{rate}GB/s")
}

/// Numbers of ranks: `1,2,4`; `1,2,...,64` continues with the ratio of the two numbers before it.
pub(super) fn ranks(text: &str) -> Result<Counts, String> {
    let mut counts: Vec<u32> = Vec::new();
    let mut goes_on = false;
    for word in text.split(',') {
        if word.trim() == "..." {
            goes_on = true;
            continue;
        }
        let count: u32 = word
            .trim()
            .parse()
            .map_err(|_| format!("`{word}` is not a number of ranks"))?;
        if count == 0 || count > MAX_RANKS {
            return Err(format!("the number of ranks must be 1 to {MAX_RANKS}"));
        }
        if std::mem::take(&mut goes_on) {
            let [.., a, b] = counts[..] else {
                return Err("`...` needs two numbers before it".into());
            };
            let ratio = b / a;
            if ratio < 2 {
                return Err(
                    "the second number before `...` must be at least twice the first".into(),
                );
            }
            let mut next = b.saturating_mul(ratio);
            while next < count {
                counts.push(next);
                next = next.saturating_mul(ratio);
            }
        }
        if counts.last().is_some_and(|last| *last >= count) {
            return Err("numbers of ranks must increase".into());
        }
        counts.push(count);
    }
    match goes_on {
        true => Err("`...` needs a number after it".into()),
        false => Ok(Counts(
            counts.into_iter().map(|count| count as u16).collect(),
        )),
    }
}

/// Reads the description of a network from a file.
pub(super) fn network(path: &Path) -> Result<Network, CliError> {
    let text = std::fs::read_to_string(path).map_err(|error| {
        CliError::failed(
            format!("cannot read {}: {error}", path.display()),
            "check the path and its permissions",
        )
    })?;
    let remedy = "write `far` and `near`, each with `latency` (ns) and `bandwidth` (GB/s), and `overhead` (ns)";
    let network: Network = serde_json::from_str(&text).map_err(|error| {
        CliError::failed(
            format!("{} does not describe a network: {error}", path.display()),
            remedy,
        )
    })?;
    let bandwidths = [network.far.bandwidth, network.near.bandwidth];
    let times = [network.far.latency, network.near.latency, network.overhead];
    match bandwidths.iter().all(|b| *b > 0.0) && times.iter().all(|time| *time >= 0.0) {
        true => Ok(network),
        false => Err(CliError::failed(
            format!("{} has a bandwidth of 0 or a negative time", path.display()),
            remedy,
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_times_and_rates_with_units() {
        assert_eq!(duration("2us"), Ok(2000.0));
        assert_eq!(duration("1.5ms"), Ok(1.5e6));
        assert!(duration("2").is_err());
        assert_eq!(bandwidth("100Gb/s"), Ok(12.5));
        assert_eq!(bandwidth("800MB/s"), Ok(0.8));
        assert!(bandwidth("0GB/s").is_err() && bandwidth("fast").is_err());
    }

    #[test]
    fn printed_values_parse_back() {
        for nanos in [
            0.0,
            150.0,
            999.5,
            1000.0,
            2_000.0,
            3_333.3,
            1e6,
            0.1,
            123_456_789.0,
        ] {
            assert_eq!(duration(&time(nanos)), Ok(nanos), "{}", time(nanos));
        }
        assert_eq!(time(2000.0), "2us");
        for gigabytes in [12.0, 0.8, 0.1 + 0.2, 1234.5] {
            assert_eq!(bandwidth(&rate(gigabytes)), Ok(gigabytes));
        }
    }

    #[test]
    fn rank_counts_must_increase() {
        let counts = |text: &str| ranks(text).map(|counts| counts.0);
        assert_eq!(counts("1,2,...,16"), Ok(vec![1, 2, 4, 8, 16]));
        assert_eq!(counts("1, 3,...,20"), Ok(vec![1, 3, 9, 20]));
        for wrong in ["0", "2,1", "1,...,4", "1,2,...", "40000", "x"] {
            assert!(counts(wrong).is_err(), "{wrong}");
        }
    }
}
