//! Who holds the bytes of a memory, as levels over time that add up to what is in use.

use std::collections::BTreeMap;

/// What bytes in use belong to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Holder {
    /// Instances that an operation of this line needed first.
    Line(u32),
    /// Instances of which the trace does not say what needed them.
    NoOperation,
    /// Instances whose operation is not in the trace.
    MissingOperation,
    /// Instances whose operation has no line.
    NoLine,
    /// What the memory says that is in use, less its instances. Below 0 where its instances are more than that.
    NoInstance,
}

impl Holder {
    /// As the file has it: the line, and a code for what is not known to belong to one.
    pub(super) fn code(self) -> (u32, u8) {
        match self {
            Holder::Line(line) => (line, 0),
            Holder::NoOperation => (0, 1),
            Holder::MissingOperation => (0, 2),
            Holder::NoLine => (0, 3),
            Holder::NoInstance => (0, 4),
        }
    }

    /// What a file says; `None` where it is damaged.
    pub(super) fn from_code(line: u32, code: u8) -> Option<Self> {
        Some(match code {
            0 => Holder::Line(line),
            1 => Holder::NoOperation,
            2 => Holder::MissingOperation,
            3 => Holder::NoLine,
            4 => Holder::NoInstance,
            _ => return None,
        })
    }
}

/// The level of one holder over time.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Share {
    pub(super) holder: Holder,
    /// Moments, with bytes from then on. Below 0 where more was given back than taken.
    pub(super) samples: Vec<(i64, i64)>,
}

impl Share {
    /// The level at a moment.
    pub(super) fn at(&self, moment: i64) -> i64 {
        let after = self.samples.partition_point(|sample| sample.0 <= moment);
        let before = after.checked_sub(1).and_then(|at| self.samples.get(at));
        before.map_or(0, |sample| sample.1)
    }
}

/// Shares of a total, from changes in the order of time. Whatever the changes do not add up to is held by no instance.
pub(super) fn shares(changes: &[(i64, i64, Holder)], total: &[(i64, u64)]) -> Vec<Share> {
    let mut levels: BTreeMap<Holder, Levels> = BTreeMap::new();
    let mut rest = Levels::default();
    let (mut changes, mut total) = (changes.iter().peekable(), total.iter().peekable());
    let (mut sum, mut level) = (0_i64, 0_i64);
    loop {
        let next = [changes.peek().map(|c| c.0), total.peek().map(|t| t.0)];
        let Some(now) = next.into_iter().flatten().min() else {
            break;
        };
        while let Some((_, by, holder)) = changes.next_if(|change| change.0 == now) {
            sum = sum.saturating_add(*by);
            let of_holder = levels.entry(*holder).or_default();
            let before = of_holder.level;
            of_holder.set(now, before.saturating_add(*by));
        }
        while let Some((_, told)) = total.next_if(|sample| sample.0 == now) {
            level = i64::try_from(*told).unwrap_or(i64::MAX);
        }
        rest.set(now, level.saturating_sub(sum));
    }
    levels.insert(Holder::NoInstance, rest);
    let shares = levels.into_iter().map(|(holder, levels)| Share {
        holder,
        samples: levels.told(),
    });
    shares.filter(|share| !share.samples.is_empty()).collect()
}

/// A level that is followed.
#[derive(Debug, Default)]
struct Levels {
    level: i64,
    samples: Vec<(i64, i64)>,
}

impl Levels {
    fn set(&mut self, at: i64, level: i64) {
        self.level = level;
        match self.samples.last_mut().filter(|last| last.0 == at) {
            Some(last) => last.1 = level,
            None => self.samples.push((at, level)),
        }
    }

    /// Samples at which it becomes another.
    fn told(mut self) -> Vec<(i64, i64)> {
        let mut before = 0;
        self.samples
            .retain(|sample| std::mem::replace(&mut before, sample.1) != sample.1);
        self.samples
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_levels_of_holders_and_the_rest() {
        let changes = [
            (1, 10, Holder::Line(3)),
            (2, 5, Holder::NoLine),
            (4, -10, Holder::Line(3)),
            (4, 10, Holder::Line(3)),
            (6, -10, Holder::Line(3)),
        ];
        let found = shares(&changes, &[(1, 10), (3, 20), (6, 4)]);
        let expected = [
            (Holder::Line(3), vec![(1, 10), (6, 0)]),
            (Holder::NoLine, vec![(2, 5)]),
            // Between two figures of the memory its instances may be more than it says.
            (Holder::NoInstance, vec![(2, -5), (3, 5), (6, -1)]),
        ];
        let expected = expected.map(|(holder, samples)| Share { holder, samples });
        assert_eq!(found, expected);
        assert_eq!([0, 1, 5, 6].map(|at| found[0].at(at)), [0, 10, 10, 0]);
    }

    #[test]
    fn a_holder_is_what_its_code_says() {
        for code in 0..5 {
            let holder = Holder::from_code(0, code).unwrap();
            assert_eq!(holder.code(), (0, code));
        }
        assert_eq!(Holder::from_code(0, 5), None);
        assert_eq!(Holder::Line(7).code(), (7, 0));
    }
}
