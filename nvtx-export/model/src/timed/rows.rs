//! Tables of records with possible times.

use super::{Flaw, SourceIndex, Timed, Untimed, check};
use std::collections::BTreeMap;
use std::ops::{Deref, DerefMut};

/// A table of records with times. A record with impossible times does not become a row.
#[derive(Clone, Debug)]
pub struct Rows<R> {
    rows: Vec<R>,
    untimed: Vec<Refused<R>>,
    mended: BTreeMap<SourceIndex, u64>,
}

/// A record that did not become a row.
#[derive(Clone, Debug)]
struct Refused<R> {
    /// The number of rows before it.
    before: usize,
    record: R,
    flaw: Flaw,
}

impl<R> Default for Rows<R> {
    fn default() -> Self {
        Rows {
            rows: Vec::new(),
            untimed: Vec::new(),
            mended: BTreeMap::new(),
        }
    }
}

impl<R: Timed> Rows<R> {
    /// Appends a record if its times are possible.
    pub fn push(&mut self, record: R) {
        self.try_push(record);
    }

    /// Appends a record if its times are possible. Returns whether it is a row now.
    pub fn try_push(&mut self, mut record: R) -> bool {
        let (start, end) = record.times();
        match check(start, end) {
            Ok(()) => {
                let moments = record.mend();
                if moments > 0 {
                    *self.mended.entry(record.source()).or_default() += moments;
                }
                self.rows.push(record);
                true
            }
            Err(flaw) => {
                self.untimed.push(Refused {
                    before: self.rows.len(),
                    record,
                    flaw,
                });
                false
            }
        }
    }

    /// Removes and returns the records with impossible times.
    pub(super) fn take_untimed(&mut self) -> Vec<Untimed> {
        let untimed = std::mem::take(&mut self.untimed).into_iter();
        untimed
            .map(|refused| refused.record.untimed(refused.flaw))
            .collect()
    }

    /// Removes and returns the numbers of replaced times.
    pub(super) fn take_mended(&mut self) -> BTreeMap<SourceIndex, u64> {
        std::mem::take(&mut self.mended)
    }
}

impl<R> Rows<R> {
    /// Returns all appended records, in order, with the index of the row, or `None` for a record
    /// with impossible times.
    pub fn appended(&self) -> impl Iterator<Item = (Option<usize>, &R)> {
        let mut untimed = self.untimed.iter().peekable();
        let mut rows = self.rows.iter().enumerate().peekable();
        std::iter::from_fn(move || {
            let at = rows.peek().map(|(at, _)| *at);
            let next = untimed.next_if(|refused| at.is_none_or(|at| refused.before <= at));
            match next {
                Some(refused) => Some((None, &refused.record)),
                None => rows.next().map(|(at, row)| (Some(at), row)),
            }
        })
    }

    /// Removes and returns the rows. Records with impossible times are kept.
    pub fn take_rows(&mut self) -> Vec<R> {
        std::mem::take(&mut self.rows)
    }

    /// Returns the rows.
    pub fn as_slice(&self) -> &[R] {
        &self.rows
    }

    /// Reserves space for more rows, and for some beyond them.
    pub fn reserve(&mut self, rows: usize) {
        self.rows.reserve(rows);
    }

    /// Reserves space for more rows.
    pub fn reserve_exact(&mut self, rows: usize) {
        self.rows.reserve_exact(rows);
    }

    /// Keeps the rows for which `keep` returns true.
    pub fn retain(&mut self, keep: impl FnMut(&R) -> bool) {
        self.rows.retain(keep);
    }

    /// Keeps the rows for which `keep`, which may change them, returns true.
    pub fn retain_mut(&mut self, keep: impl FnMut(&mut R) -> bool) {
        self.rows.retain_mut(keep);
    }

    /// Removes the row at this index.
    pub fn remove(&mut self, row: usize) -> R {
        self.rows.remove(row)
    }

    /// Removes all rows.
    pub fn clear(&mut self) {
        self.rows.clear();
    }

    /// Keeps only the first rows.
    pub fn truncate(&mut self, rows: usize) {
        self.rows.truncate(rows);
    }

    /// Removes the last row.
    pub fn pop(&mut self) -> Option<R> {
        self.rows.pop()
    }
}

impl<R: PartialEq> PartialEq for Rows<R> {
    fn eq(&self, other: &Self) -> bool {
        self.rows == other.rows
    }
}

impl<R> Deref for Rows<R> {
    type Target = [R];

    fn deref(&self) -> &[R] {
        &self.rows
    }
}

impl<R> DerefMut for Rows<R> {
    fn deref_mut(&mut self) -> &mut [R] {
        &mut self.rows
    }
}

impl<R: Timed> Extend<R> for Rows<R> {
    fn extend<I: IntoIterator<Item = R>>(&mut self, records: I) {
        for record in records {
            self.push(record);
        }
    }
}

impl<R: Timed> FromIterator<R> for Rows<R> {
    fn from_iter<I: IntoIterator<Item = R>>(records: I) -> Self {
        let mut rows = Rows::default();
        rows.extend(records);
        rows
    }
}

impl<R: Timed> From<Vec<R>> for Rows<R> {
    fn from(records: Vec<R>) -> Self {
        records.into_iter().collect()
    }
}

impl<R: Timed, const N: usize> From<[R; N]> for Rows<R> {
    fn from(records: [R; N]) -> Self {
        records.into_iter().collect()
    }
}

impl<'r, R> IntoIterator for &'r Rows<R> {
    type Item = &'r R;
    type IntoIter = std::slice::Iter<'r, R>;

    fn into_iter(self) -> Self::IntoIter {
        self.rows.iter()
    }
}

impl<'r, R> IntoIterator for &'r mut Rows<R> {
    type Item = &'r mut R;
    type IntoIter = std::slice::IterMut<'r, R>;

    fn into_iter(self) -> Self::IntoIter {
        self.rows.iter_mut()
    }
}
