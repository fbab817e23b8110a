//! A memory without room for a request: the request, the holders of the memory, and remedies.

use std::fmt;
use std::ops::Range;

use crate::site::Site;
use weft_config::Bytes;
use weft_trace::id::{InstanceUid, OperationUid, StoreUid};

/// A memory that had no room for what an operation needed. All sizes are bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Shortage {
    /// Size of the request.
    pub asked: u64,
    /// The kind of the memory, such as `SYSTEM_MEM`.
    pub memory: &'static str,
    /// Number of the memory among those of this kind, if there are several.
    pub number: Option<usize>,
    /// The array that needed memory: the call that made it, and its store.
    pub array: (Site, StoreUid),
    /// The elements to be placed in the memory, by row-major index; `None` for temporary memory of
    /// a kernel.
    pub elements: Option<Range<usize>>,
    /// Capacity of the memory.
    pub capacity: u64,
    /// Size of all held blocks.
    pub used: u64,
    /// Size of the largest block that could be allocated.
    pub largest_free: u64,
    /// Whether the machine or the device refused, below the capacity.
    pub is_refused: bool,
    /// Holders of the memory, largest first.
    pub holders: Vec<HeldStore>,
    /// Remedies, each of which would be enough for this request.
    pub help: Vec<Help>,
}

/// A store that holds part of a memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeldStore {
    /// Its UID.
    pub store: StoreUid,
    /// The call that made the array.
    pub location: Site,
    /// Size of all its instances there.
    pub bytes: u64,
    /// Whether only the program holds it: no operation that uses it is under way.
    pub is_idle: bool,
    /// Its instances there, largest first.
    pub instances: Vec<HeldInstance>,
}

/// A block of a memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeldInstance {
    /// UID of the instance; `None` for temporary memory of a kernel.
    pub instance: Option<InstanceUid>,
    /// Size of the block.
    pub bytes: u64,
    /// Size with all elements of the store. It is larger if only the parts that this rank works on
    /// are held.
    pub whole: u64,
    /// The range from the first to the last element of the store in the block, by row-major index.
    pub elements: Option<Range<usize>>,
    /// The operation for which the block was allocated.
    pub operation: &'static str,
    /// UID of that operation.
    pub uid: OperationUid,
    /// The call of that operation in the program.
    pub location: Site,
}

/// A remedy that would have made room.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Help {
    /// A larger memory, by this flag.
    Resize {
        /// The flag.
        flag: &'static str,
        /// Minimum value of the flag, in MiB.
        mib: u64,
        /// Whether this is enough for all arrays created so far, and not only for this request.
        is_for_all: bool,
    },
    /// Room for a store's halo from the start, so that no instance has to grow while the smaller
    /// one is held.
    StencilHint {
        /// The array.
        array: Site,
        /// Saved size in MiB.
        mib: u64,
    },
    /// Dropping arrays that only the program holds.
    Drop {
        /// The arrays.
        arrays: Vec<Site>,
        /// Freed size in MiB.
        mib: u64,
    },
    /// Moving arrays to another memory, which has room for them.
    Offload {
        /// The arrays.
        arrays: Vec<Site>,
        /// The other memory.
        to: &'static str,
        /// Freed size in MiB.
        mib: u64,
    },
    /// Spilling: letting the runtime move the least recently used arrays.
    Spill {
        /// The target memory.
        to: &'static str,
        /// Size in MiB that this could free.
        mib: u64,
    },
}

/// Maximum number of stores, and of instances of each, that the message lists.
const NAMED: usize = 8;

/// A number of bytes, displayed as in `16,777,216 bytes (16.0 MiB)`; MiB are added if it is at
/// least one MiB.
pub(crate) struct Size(pub(crate) u64);

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = Bytes(self.0).to_string();
        let digits = shown.split(' ').next().unwrap_or_default();
        write!(f, "{digits} bytes")?;
        match self.0 >> 20 {
            0 => Ok(()),
            _ => write!(f, " ({:.1} MiB)", self.0 as f64 / (1 << 20) as f64),
        }
    }
}

fn listed(arrays: &[Site]) -> String {
    let mut text = String::from(if arrays.len() == 1 {
        "the array of "
    } else {
        "the arrays of "
    });
    for (at, array) in arrays.iter().take(NAMED).enumerate() {
        if at > 0 {
            text.push_str(if at + 1 == arrays.len() {
                " and "
            } else {
                ", "
            });
        }
        text.push_str(&array.to_string());
    }
    if arrays.len() > NAMED {
        text.push_str(&format!(" and {} more", arrays.len() - NAMED));
    }
    text
}

impl fmt::Display for Help {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Help::Resize {
                flag,
                mib,
                is_for_all,
            } => {
                write!(f, "resize: --{flag} {mib} or more")?;
                match is_for_all {
                    true => write!(
                        f,
                        ", enough for all arrays created so far; what the program creates later needs more"
                    ),
                    false => Ok(()),
                }
            }
            Help::StencilHint { array, mib } => write!(
                f,
                "stencil_hint or prefetch: allocate the array of {} whole before it is used, which saves {mib} MiB",
                array
            ),
            Help::Drop { arrays, mib } => write!(
                f,
                "drop: no pending operation needs {}; dropping it frees {mib} MiB",
                listed(arrays)
            ),
            Help::Offload { arrays, to, mib } => write!(
                f,
                "offload: moving {} to {to} (`offload_to`) frees {mib} MiB",
                listed(arrays)
            ),
            Help::Spill { to, mib } => write!(
                f,
                "spill: --spill would move up to {mib} MiB to {to} automatically"
            ),
        }
    }
}

impl fmt::Display for Shortage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = self.number.map_or_else(String::new, |n| format!(" {n}"));
        write!(
            f,
            "out of memory: {} requested from {}{number} for ",
            Size(self.asked),
            self.memory
        )?;
        match &self.elements {
            Some(elements) => write!(f, "elements {}..{} of ", elements.start, elements.end)?,
            None => write!(f, "a kernel's own use on ")?,
        }
        let (location, store) = &self.array;
        writeln!(f, "the array of {} (store {store})", location)?;
        let free = self.capacity.saturating_sub(self.used);
        write!(
            f,
            "  {} of its {} are in use, {} free",
            Size(self.used),
            Size(self.capacity),
            Size(free)
        )?;
        if self.is_refused {
            write!(f, ", but the machine has no more memory")?;
        } else if self.largest_free < free {
            write!(f, ", at most {} in one block", Size(self.largest_free))?;
        }
        if !self.holders.is_empty() {
            write!(f, "\n  held by")?;
        }
        for held in self.holders.iter().take(NAMED) {
            write!(
                f,
                "\n    the array of {} (store {}): {}{}",
                held.location,
                held.store,
                Size(held.bytes),
                if held.is_idle { "" } else { ", in use" }
            )?;
            for instance in held.instances.iter().take(NAMED) {
                write!(f, "\n      {}", Size(instance.bytes))?;
                if instance.bytes < instance.whole {
                    write!(f, " of {} on this rank", Size(instance.whole))?;
                }
                match &instance.elements {
                    Some(elements) => {
                        write!(f, " with elements {}..{}", elements.start, elements.end)?
                    }
                    None => write!(f, " for a kernel")?,
                }
                write!(
                    f,
                    ", made for {} at {} (operation {})",
                    instance.operation, instance.location, instance.uid
                )?;
            }
            if held.instances.len() > NAMED {
                write!(f, "\n      and {} more", held.instances.len() - NAMED)?;
            }
        }
        if self.holders.len() > NAMED {
            let rest = self.holders.get(NAMED..).unwrap_or_default();
            let bytes = rest.iter().map(|held| held.bytes).sum();
            write!(f, "\n    and {} more arrays: {}", rest.len(), Size(bytes))?;
        }
        if self.help.is_empty() {
            return write!(f, "\n  Weft cannot free enough memory for it");
        }
        write!(f, "\n  what would help")?;
        for help in &self.help {
            write!(f, "\n    {help}")?;
        }
        Ok(())
    }
}
