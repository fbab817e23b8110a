//! Sums of a row.

use super::UNKNOWN;
use super::limits::Limits;
use crate::stats::flow::{Span, covered};
use weft_model::Floats;
use weft_model::table::Cell;

/// The sum of the kernels in a row.
#[derive(Debug, Default)]
pub(super) struct Sum {
    /// The times of kernels with known bytes and arithmetic.
    known: Vec<Span>,
    /// The times of other kernels.
    unknown: Vec<Span>,
    /// The bytes of the known kernels.
    bytes: f64,
    floats: Floats,
    /// The part of the time that is estimated; `None` if all of it was measured.
    estimated: Option<i64>,
}

/// The values of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Roofline {
    /// The time in which any of its kernels ran, in ns.
    pub(super) time: i64,
    /// The rates of known kernels; `None` if there are none.
    rates: Option<Rates>,
    /// The part of the kernels' time that belongs to unknown kernels.
    unknown: f64,
    estimated: Option<i64>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Rates {
    /// The time in which any of them ran, in ns.
    time: i64,
    bytes: f64,
    operations: u64,
    /// The limit, and the part of it that they reached; `None` if a speed is unknown.
    limit: Option<(&'static str, f64)>,
}

impl Sum {
    /// Adds a kernel, or a task's share of one, with its bytes and arithmetic if both are known.
    pub(super) fn add(&mut self, span: Span, known: Option<(f64, Floats)>) {
        match known {
            Some((bytes, floats)) => {
                self.bytes += bytes;
                self.floats += floats;
                self.known.push(span);
            }
            None => self.unknown.push(span),
        }
    }

    /// Adds to the part of the time that is estimated.
    pub(super) fn estimate(&mut self, time: i64) {
        let known = self.estimated.get_or_insert(0);
        *known = known.saturating_add(time);
    }

    pub(super) fn evaluate(&mut self, limits: &Limits) -> Roofline {
        let mut all = [self.known.as_slice(), &self.unknown].concat();
        let lasted = |spans: &[Span]| -> f64 {
            let times = spans.iter().map(|span| span.end.saturating_sub(span.start));
            times.map(|time| time as f64).sum()
        };
        let (unknown, whole) = (lasted(&self.unknown), lasted(&all));
        Roofline {
            time: busy(&mut all),
            rates: (!self.known.is_empty()).then(|| Rates {
                time: busy(&mut self.known),
                bytes: self.bytes,
                operations: self.floats.total(),
                limit: self.limit(limits),
            }),
            unknown: if whole > 0.0 { unknown / whole } else { 0.0 },
            estimated: self.estimated,
        }
    }

    /// Returns the greater of two fractions of what was possible while kernels of the row ran: that
    /// of the memories, and that of the processors.
    fn limit(&mut self, limits: &Limits) -> Option<(&'static str, f64)> {
        self.known
            .sort_unstable_by_key(|span| (span.memory, span.start, span.end));
        let (mut bytes, mut double, mut single) = (Some(0.0), Some(0.0), Some(0.0));
        for spans in self.known.chunk_by(|a, b| a.memory == b.memory) {
            let limit = limits.get(spans.first()?.memory);
            let time = covered(spans.iter()) as f64;
            let with = |sum: Option<f64>, speed: Option<f64>| Some(sum? + time * speed?);
            bytes = with(bytes, limit.bytes);
            double = with(double, limit.double);
            single = with(single, limit.single);
        }
        // An unused resource may have an unknown speed.
        let part = |used: f64, possible: Option<f64>| match used > 0.0 {
            false => Some(0.0),
            true => possible
                .filter(|possible| *possible > 0.0)
                .map(|possible| used / possible),
        };
        let memory = part(self.bytes, bytes)?;
        let compute =
            part(self.floats.double as f64, double)? + part(self.floats.single as f64, single)?;
        match (memory, compute) {
            (memory, compute) if memory.max(compute) <= 0.0 => None,
            (memory, compute) if compute > memory => Some(("compute", compute)),
            (memory, _) => Some(("memory", memory)),
        }
    }
}

/// Returns the time in which at least one of the spans lasted, in ns.
fn busy(spans: &mut [Span]) -> i64 {
    spans.sort_unstable_by_key(|span| (span.start, span.end));
    covered(spans.iter())
}

impl Roofline {
    /// Returns the cells after those that name the row.
    pub(super) fn cells(&self) -> [Cell; 10] {
        let rates = self.rates;
        let real = |number: Option<f64>| {
            number.map_or(Cell::Null, |number| {
                Cell::Real((number * 1000.0).round() / 1000.0)
            })
        };
        let limit = rates.and_then(|rates| rates.limit);
        let count = |number: u64| Cell::Integer(i64::try_from(number).unwrap_or(i64::MAX));
        let known = |cell: fn(&Rates) -> Option<f64>| real(rates.as_ref().and_then(cell));
        [
            Cell::Integer(self.time),
            known(|rates| per_ns(rates.operations as f64, rates.time)),
            known(|rates| per_ns(rates.bytes, rates.time)),
            known(|rates| (rates.bytes > 0.0).then(|| rates.operations as f64 / rates.bytes)),
            Cell::Text(limit.map_or(UNKNOWN, |(name, _)| name).to_owned()),
            limit.map_or(Cell::Null, |(_, part)| Cell::Real(part)),
            match self.unknown > 0.0 {
                true => Cell::Real(self.unknown),
                false => Cell::Null,
            },
            rates.map_or(Cell::Null, |rates| count(rates.operations)),
            rates.map_or(
                Cell::Null,
                |rates| Cell::Integer(rates.bytes.round() as i64),
            ),
            self.estimated.map_or(Cell::Null, Cell::Integer),
        ]
    }
}

/// Returns the rate per ns; `None` if no time passed.
fn per_ns(what: f64, time: i64) -> Option<f64> {
    (time > 0).then(|| what / time as f64)
}
