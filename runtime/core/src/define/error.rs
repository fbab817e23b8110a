//! Errors in the definition of a task.

/// An error in the definition of a task.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DefinitionError {
    /// A constraint names a parameter that does not exist.
    #[error("task {task}: unknown parameter {name:?}; it has {known}")]
    Unknown {
        /// Name of the task.
        task: String,
        /// The unknown name.
        name: String,
        /// Names of the parameters.
        known: String,
    },
    /// Two parameters have one name.
    #[error("task {task}: two parameters have the name {name:?}")]
    Twice {
        /// Name of the task.
        task: String,
        /// Name of the parameters.
        name: String,
    },
    /// A parameter does not support a constraint.
    #[error("task {task}: {why}")]
    Constraint {
        /// Name of the task.
        task: String,
        /// The conflict, and a remedy.
        why: String,
    },
    /// The task has no array.
    #[error("task {task}: a task needs at least one array, which its tiles cut")]
    NoArray {
        /// Name of the task.
        task: String,
    },
    /// The task has no body.
    #[error("task {task}: a task needs a body")]
    NoBody {
        /// Name of the task.
        task: String,
    },
}
