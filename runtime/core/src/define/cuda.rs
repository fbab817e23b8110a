//! Bodies of tasks in CUDA C.
//!
//! A body is a function with the task's name, for one index or for a block of threads
//! (`cuda/weft_task.cuh`). An entry point is generated around it for the dtypes and numbers of axes
//! of a call; it takes words and makes accessors of them. Addresses, extents and steps are
//! arguments.
//!
//! Contributions to an array without axes are combined block by block in a fixed order.
//! Contributions to an array with axes use atomic operations on the tile's own row. These give the
//! same bits in every run only if neither order nor rounding matters.

mod fault;
mod helper;
mod key;
mod work;

use std::hash::{Hash, Hasher};

use super::{Kind, Parameter, Reduction};
use crate::cuda::name::digits;

/// The header for CUDA C bodies, with its documentation.
pub const CUDA_HEADER: &str = include_str!("cuda/weft_task.cuh");

/// Additional header for tasks that reduce.
pub(super) const REDUCE_HEADER: &str = include_str!("cuda/weft_reduce.cuh");

/// Default number of threads of a block.
const THREADS: u32 = 256;

/// Maximum number of threads of a block.
const MOST_THREADS: u32 = 1024;

/// A body in CUDA C.
#[derive(Debug)]
pub(super) struct CudaBody {
    /// Name of the task.
    task: &'static str,
    /// Name of its function and of its kernels: the task's name in letters, digits and underscores.
    function: String,
    /// Name of the source file in the compiler's errors.
    file: String,
    source: String,
    /// Whether the function runs once per thread of a block, instead of once per index.
    is_of_blocks: bool,
    /// Threads of a block along the last axes; one number for blocks that count through the tile.
    block: Vec<u32>,
    /// Hash digits of all of the above.
    digits: String,
}

/// The builder's description of a body in CUDA C.
#[derive(Clone, Default)]
pub(super) struct CudaSource {
    pub(super) source: Option<(Option<String>, String)>,
    pub(super) block: Vec<u32>,
}

impl PartialEq for CudaBody {
    fn eq(&self, other: &CudaBody) -> bool {
        self.digits == other.digits
            && (self.task, &self.file, &self.source) == (other.task, &other.file, &other.source)
            && self.block == other.block
    }
}

impl Eq for CudaBody {}

impl Hash for CudaBody {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.digits.hash(state);
    }
}

impl CudaBody {
    /// Returns the body given for a task of this name, if any. Returns the error if it is wrong.
    pub(super) fn new(task: &'static str, given: CudaSource) -> Result<Option<CudaBody>, String> {
        let Some((file, source)) = given.source else {
            return match given.block.is_empty() {
                true => Ok(None),
                false => Err("a block of threads needs a body in CUDA C".to_owned()),
            };
        };
        let threads = given
            .block
            .iter()
            .try_fold(1_u32, |all, one| all.checked_mul(*one));
        if !threads.is_some_and(|all| (1..=MOST_THREADS).contains(&all)) || given.block.len() > 3 {
            return Err(format!(
                "a block has 1 to {MOST_THREADS} threads, along at most three axes, not {:?}",
                given.block
            ));
        }
        let function = identifier(task);
        let of_block = format!("{function}_block");
        let is_of_blocks = has_word(&source, &of_block);
        if !is_of_blocks && !has_word(&source, &function) {
            return Err(format!(
                "its CUDA C has neither a function {function}, of one index, nor {of_block}, of a block of threads"
            ));
        }
        let file = file.unwrap_or_else(|| format!("{task}.cu"));
        let block = match given.block.is_empty() {
            true => vec![THREADS],
            false => given.block,
        };
        let digits = digits(&(&file, &source, &block));
        Ok(Some(CudaBody {
            task,
            function,
            file,
            source,
            is_of_blocks,
            block,
            digits,
        }))
    }

    /// Returns the number of threads of a block.
    fn threads(&self) -> u32 {
        self.block.iter().product()
    }
}

/// Converts a name to an identifier of C.
fn identifier(name: &str) -> String {
    let letters = name.chars().map(|letter| match letter {
        'a'..='z' | 'A'..='Z' | '0'..='9' | '_' => letter,
        _ => '_',
    });
    let name: String = letters.collect();
    match name.starts_with(|first: char| first.is_ascii_digit()) {
        true => format!("_{name}"),
        false => name,
    }
}

/// Returns whether a text contains a word that is not part of a longer one.
fn has_word(text: &str, word: &str) -> bool {
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    text.match_indices(word).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let behind = text[at + word.len()..].chars().next();
        !before.is_some_and(is_part) && !behind.is_some_and(is_part)
    })
}

/// Returns why a GPU cannot combine contributions to a parameter with the same bits in every run;
/// `None` if it can.
pub(super) fn refusal(parameter: &Parameter, unordered: bool) -> Option<String> {
    let name = &parameter.name;
    let reduction = match parameter.kind {
        Kind::Reduce(reduction) => reduction,
        Kind::Unbound => {
            return Some(format!(
                "{name}: a result of unknown length needs a body for CPUs"
            ));
        }
        _ => return None,
    };
    let depends = match reduction {
        Reduction::Min | Reduction::Max => false,
        Reduction::Add | Reduction::Mul => parameter.dtype.is_none_or(|dtype| !dtype.is_integer()),
    };
    (depends && !unordered && parameter.rank != Some(0)).then(|| {
        format!(
            "{name}: on GPUs sums and products of floats are combined in a fixed order only for arrays without axes; declare the task unordered, \
             reduce integers, or give it a body for CPUs"
        )
    })
}

#[cfg(test)]
mod tests;
