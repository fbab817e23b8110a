//! The stream of a program's operations, in a form that tells whether two ranks run the same
//! program.
//!
//! Every operation is mixed into a hash. If the hashes of two ranks agree after the same number of
//! operations, both submitted the same ones: with the same parameters, of the same arrays, with the
//! same values. The names and lines of the last operations are kept to report the first difference.

use std::collections::VecDeque;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustc_hash::FxHasher;

use crate::operation::{Operand, Request};
use crate::site::Site;

/// Number of operations whose lines are kept: more than a program can be ahead of another rank's
/// between two waits.
const KEPT: usize = 2048;

/// An operation that the program submitted.
#[derive(Clone, Copy)]
struct SubmittedOperation {
    /// The hash of all operations up to this one.
    hash: u64,
    name: &'static str,
    /// The call; `None` for the end of the program.
    call: Option<Site>,
}

/// All operations that a program submitted.
#[derive(Default)]
pub(crate) struct ProgramStream {
    /// Whether operations are added on a single rank, too.
    pub(crate) is_noted: bool,
    count: u64,
    hash: u64,
    /// Number of stores used so far.
    stores: u64,
    last: VecDeque<SubmittedOperation>,
}

/// The last operations of one rank, as sent to another.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Tail {
    rank: u16,
    /// Number of operations so far.
    count: u64,
    /// The last operations: for each, the hash of all up to it, and its name and line.
    last: Vec<(u64, String)>,
}

/// The first operation that differs between two ranks.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Divergence {
    number: u64,
    /// Whether an earlier operation, which is no longer kept, may differ already.
    is_late: bool,
    asked: [(u16, String); 2],
}

/// The stream, shared by threads of the program: only the holder of the lock may submit operations.
#[derive(Default)]
pub(crate) struct ProgramLock(Mutex<ProgramStream>);

impl ProgramLock {
    /// Locks the stream: no other thread can submit operations.
    #[inline]
    pub(crate) fn lock(&self) -> MutexGuard<'_, ProgramStream> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ProgramStream {
    /// Adds an operation; returns the hash of all up to it.
    pub(crate) fn add(&mut self, request: &Request) -> u64 {
        // Destructured field by field: a new field must be hashed, or be left out here with a
        // reason.
        let Request {
            call,
            body,
            shape,
            operands,
            // Only recorded.
            scope: _,
            // A number of this rank only.
            parent: _,
            // Whether the program waits for it immediately.
            latch: _,
        } = request;
        let mut hasher = FxHasher::default();
        self.hash.hash(&mut hasher);
        place(*call).hash(&mut hasher);
        body.mix(&mut hasher);
        shape.hash(&mut hasher);
        for operand in operands {
            std::mem::discriminant(operand).hash(&mut hasher);
            match operand {
                Operand::Array {
                    store,
                    layout,
                    // All ranks make the same choice.
                    slot: _,
                } => {
                    let known = &mut self.stores;
                    let number = store.number(|| {
                        *known += 1;
                        *known
                    });
                    number.hash(&mut hasher);
                    store.dtype.hash(&mut hasher);
                    store.shape.hash(&mut hasher);
                    layout.hash(&mut hasher);
                }
                Operand::Scalar(scalar) => scalar.hash(&mut hasher),
                Operand::Host(data) => data.hash(shape.len(), &mut hasher),
            }
        }
        self.put(hasher.finish(), body.name, Some(*call));
        self.hash
    }

    /// Adds the end of the program.
    pub(crate) fn end(&mut self) {
        self.put(!self.hash, "the end of the program", None);
    }

    fn put(&mut self, hash: u64, name: &'static str, call: Option<Site>) {
        self.hash = hash;
        self.count += 1;
        if self.last.len() == KEPT {
            self.last.pop_front();
        }
        self.last.push_back(SubmittedOperation { hash, name, call });
    }

    /// Returns the hash of all operations.
    #[cfg_attr(
        not(feature = "mpi"),
        allow(dead_code, reason = "used by builds with ranks")
    )]
    pub(crate) fn hash(&self) -> u64 {
        self.hash
    }

    /// Returns the message for another rank.
    #[cfg_attr(
        not(feature = "mpi"),
        allow(dead_code, reason = "used by builds with ranks")
    )]
    pub(crate) fn tail(&self, rank: u16) -> Tail {
        let text = |asked: &SubmittedOperation| match asked.call {
            Some(call) => format!("{} at {call:#}", asked.name),
            None => asked.name.to_owned(),
        };
        Tail {
            rank,
            count: self.count,
            last: self
                .last
                .iter()
                .map(|asked| (asked.hash, text(asked)))
                .collect(),
        }
    }
}

/// Returns the place of a call, the same in every process.
fn place(call: Site) -> (&'static str, u32, u32) {
    (call.file(), call.line(), call.column())
}

#[cfg_attr(
    not(feature = "mpi"),
    allow(dead_code, reason = "used by builds with ranks")
)]
impl Tail {
    /// Encodes as bytes for another rank: numbers of eight bytes, and texts preceded by their
    /// lengths.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        bytes.extend(u64::from(self.rank).to_le_bytes());
        bytes.extend(self.count.to_le_bytes());
        for (hash, text) in &self.last {
            bytes.extend(hash.to_le_bytes());
            bytes.extend((text.len() as u64).to_le_bytes());
            bytes.extend(text.as_bytes());
        }
        bytes
    }

    /// Decodes the bytes of `encode`; `None` if they are invalid.
    pub(crate) fn decode(mut bytes: &[u8]) -> Option<Tail> {
        let number = |bytes: &mut &[u8]| {
            let (number, rest) = bytes.split_first_chunk()?;
            *bytes = rest;
            Some(u64::from_le_bytes(*number))
        };
        let rank = u16::try_from(number(&mut bytes)?).ok()?;
        let count = number(&mut bytes)?;
        let mut last = Vec::new();
        while !bytes.is_empty() {
            let hash = number(&mut bytes)?;
            let length = usize::try_from(number(&mut bytes)?).ok()?;
            let (text, rest) = bytes.split_at_checked(length)?;
            bytes = rest;
            last.push((hash, String::from_utf8_lossy(text).into_owned()));
        }
        Some(Tail { rank, count, last })
    }

    /// Returns the number of the first operation that is kept.
    fn first(&self) -> u64 {
        self.count - self.last.len() as u64
    }

    fn get(&self, number: u64) -> Option<&(u64, String)> {
        let at = number.checked_sub(self.first())?;
        self.last.get(usize::try_from(at).ok()?)
    }

    /// Returns the first difference between the operations submitted so far, if any.
    pub(crate) fn differs(&self, other: &Tail) -> Option<Divergence> {
        let first = self.first().max(other.first());
        let end = self.count.min(other.count);
        (first..end).find_map(|number| {
            let (own, its) = (self.get(number)?, other.get(number)?);
            (own.0 != its.0).then(|| Divergence {
                number: number + 1,
                is_late: number == first && first > 0,
                asked: [(self.rank, own.1.clone()), (other.rank, its.1.clone())],
            })
        })
    }
}

impl fmt::Display for Divergence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [(one, its), (other, others)] = &self.asked;
        let earlier = match self.is_late {
            true => " (or one before it)",
            false => "",
        };
        let number = self.number;
        write!(
            f,
            "ranks {one} and {other} do not run the same program: operation {number}{earlier} is "
        )?;
        match its == others {
            true => write!(
                f,
                "{its} on each, with different parameters, arrays or values"
            )?,
            false => write!(f, "{its} on rank {one}, and {others} on rank {other}")?,
        }
        write!(
            f,
            "; every rank must call the same operations with the same parameters and values, independent of its rank, clock, files and \
             arguments"
        )
    }
}

#[cfg(test)]
mod tests;
