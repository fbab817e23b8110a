//! Bodies of tasks in CUDA C.
//!
//! A body is a function with the task's name, of one index or of a block of threads (`cuda/weft_task.cuh`). Around it stands an entry made for
//! the dtypes and numbers of axes of a call, which takes words and makes accessors of them; addresses, extents and steps are arguments.
//!
//! What tiles contribute to an array without axes is combined block by block in a fixed order; to an array with axes by atomic operations on
//! the tile's own row, which give the same bits in every run only where neither order nor rounding counts.

mod fault;
mod helper;
mod key;
mod work;

use std::hash::{Hash, Hasher};

use super::{Kind, Parameter, Reduction};
use crate::cuda::name::digits;

/// What CUDA C bodies can use, with its documentation.
pub const CUDA_HEADER: &str = include_str!("cuda/weft_task.cuh");

/// What they can use besides where a task reduces.
pub(super) const REDUCE_HEADER: &str = include_str!("cuda/weft_reduce.cuh");

/// Threads of a block where the user does not say.
const THREADS: u32 = 256;

/// The most threads of a block.
const MOST_THREADS: u32 = 1024;

/// A body in CUDA C.
#[derive(Debug)]
pub(super) struct CudaBody {
    /// The name of the task.
    task: &'static str,
    /// The name of its function, and of its kernels: the task's, of letters, digits and underscores.
    function: String,
    /// Where the text is from, which the compiler's errors name.
    file: String,
    source: String,
    /// Whether threads of a block run it, and not each index.
    is_of_blocks: bool,
    /// Threads of a block along the last axes; one number for blocks that count through the tile.
    block: Vec<u32>,
    /// Digits for all of the above.
    digits: String,
}

/// What a builder knows of such a body.
#[derive(Clone, Default)]
pub(super) struct Given {
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
    /// The body that was given for a task of this name, if there is one; otherwise what is wrong with it.
    pub(super) fn new(task: &'static str, given: Given) -> Result<Option<CudaBody>, String> {
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

    /// Threads of a block.
    fn threads(&self) -> u32 {
        self.block.iter().product()
    }
}

/// A name as C has it.
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

/// Whether a text has a word that is no part of a longer one.
fn has_word(text: &str, word: &str) -> bool {
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    text.match_indices(word).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let behind = text[at + word.len()..].chars().next();
        !before.is_some_and(is_part) && !behind.is_some_and(is_part)
    })
}

/// Why a GPU cannot combine what tiles contribute to a parameter so that each run gives the same bits; `None` where it can.
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
