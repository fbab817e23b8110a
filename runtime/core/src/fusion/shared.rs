//! Groups whose tasks go to devices one by one, and the kernels that they share.

use std::hash::{BuildHasher, Hash};
use std::sync::Arc;

use rustc_hash::FxBuildHasher;
use smallvec::SmallVec;
use weft_trace::id::OperationUid;

use super::group::{Group, MAX_STEPS};
use super::whole::{Whole, fold_of};
use crate::operation::Operation;

/// A kernel that runs the tasks of several operations on one tile. It depends on the program alone,
/// so that another run of the program needs the same kernels, however fast its threads are.
#[derive(Debug)]
pub(crate) struct SharedKernel {
    /// The number of operations that share it.
    pub(crate) operations: usize,
    /// Whether the last operation reduces a result of the others to one value a tile. Then all are
    /// cut as the reduction is.
    pub(crate) is_cut_as_fold: bool,
    /// Bit `i`: the result of the operation with the number `i` is not written to memory.
    pub(crate) hidden: u64,
}

// One bit for each step.
const _: () = assert!(MAX_STEPS <= u64::BITS as usize);

/// The reason for closing a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Closing {
    /// The program's next operation is this one, which does not join.
    Before(OperationUid),
    /// The program waits for operations that it submitted.
    Awaited,
    /// No operation came for a while. In another run the next one may come in time.
    Late,
}

/// Returns the kernel that a group shares. Returns `None` if the group could differ in another run
/// of the program, or is a single operation.
pub(crate) fn shared_kernel(group: &Group<Whole>, closing: Closing) -> Option<Arc<SharedKernel>> {
    let next = match closing {
        Closing::Before(next) => Some(next),
        Closing::Awaited => None,
        Closing::Late => return None,
    };
    if group.members.len() < 2 {
        return None;
    }
    let visible = group.visible_at(next);
    let written = visible.iter().map(|at| 1 << group.written[*at].step);
    let written = written.fold(0, |all, one: u64| all | one);
    Some(Arc::new(SharedKernel {
        operations: group.members.len(),
        is_cut_as_fold: group
            .members
            .last()
            .is_some_and(|last| fold_of(&last.0).is_some()),
        hidden: !written,
    }))
}

/// Returns the number of members of a full group that share a kernel. The others begin the next
/// group.
///
/// The split depends on the operations, not on where the group began. So the groups of a loop that
/// continues without a break end at the same place of its body, and need one kernel. They end after
/// the rarest call among them; of several, after the one with the least hash.
pub(crate) fn split(members: &[Whole]) -> usize {
    let hashes: SmallVec<[u64; MAX_STEPS]> = members
        .iter()
        .map(|Whole(operation)| FxBuildHasher.hash_one(Call::new(operation)))
        .collect();
    let rarity = |at: &usize| {
        let count = hashes.iter().filter(|hash| **hash == hashes[*at]).count();
        (count, hashes[*at])
    };
    // Of equal calls, the last one: it is found first from the end. The first half stays together.
    let candidates = (hashes.len() / 2..hashes.len()).rev();
    candidates
        .min_by_key(rarity)
        .map_or(hashes.len(), |at| at + 1)
}

/// The properties of an operation that do not change between iterations of a loop, or between runs
/// of the program.
#[derive(Hash)]
struct Call {
    name: &'static str,
    line: u32,
    dtypes: SmallVec<[u8; 4]>,
}

impl Call {
    fn new(operation: &Operation) -> Call {
        Call {
            name: operation.name(),
            line: operation.call().line(),
            dtypes: operation
                .arrays()
                .map(|array| array.store.dtype as u8)
                .collect(),
        }
    }
}
