//! Work on devices that may still be using a block of memory.

use smallvec::SmallVec;

/// A point in a stream of a device: reached when everything issued to the stream up to it has run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Point {
    /// The stream's number among all streams of this rank.
    pub(crate) stream: u16,
    /// Number of items issued to the stream, including this one.
    pub(crate) at: u64,
}

/// The latest use on each stream. Waiting for all of these means waiting for every use.
#[derive(Clone, Debug, Default)]
pub(crate) struct Uses(SmallVec<[Point; 2]>);

impl Uses {
    /// Adds a use.
    pub(crate) fn add(&mut self, point: Point) {
        match self.0.iter_mut().find(|known| known.stream == point.stream) {
            Some(known) => known.at = known.at.max(point.at),
            None => self.0.push(point),
        }
    }

    /// Adds all uses of `other`.
    pub(crate) fn merge(&mut self, other: &Uses) {
        other.iter().for_each(|point| self.add(point));
    }

    /// Iterates over the uses, one for each stream.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Point> + '_ {
        self.0.iter().copied()
    }

    /// Removes and returns all uses.
    pub(crate) fn take(&mut self) -> Uses {
        Uses(std::mem::take(&mut self.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_the_latest_point_of_each_stream() {
        let mut uses = Uses::default();
        for (stream, at) in [(1, 5), (2, 1), (1, 3), (2, 7)] {
            uses.add(Point { stream, at });
        }
        let mut points: Vec<_> = uses.iter().map(|point| (point.stream, point.at)).collect();
        points.sort_unstable();
        assert_eq!(points, [(1, 5), (2, 7)]);
    }
}
