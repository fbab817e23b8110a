//! The writer of files, on Linux: a [`ProfWriter`], a [`Lane`] for each thread, and a keeper that
//! reserves space.

mod encode;
mod keeper;
mod lane;
mod life;
mod map;
mod options;
mod place;
mod protocol;
mod shared;
mod sys;
mod writer;

pub use lane::Lane;
pub use life::{generation as process_generation, watch as watch_process};
pub use options::WriterOptions;
pub use writer::ProfWriter;

#[cfg(test)]
pub(crate) use encode::{encode, text_with};
