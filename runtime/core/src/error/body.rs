//! Errors of bodies of tasks.

/// The error of a failed body: any error.
pub type BodyError = Box<dyn std::error::Error + Send + Sync>;
