//! What is wrong with the definition of a task.

/// What is wrong with the definition of a task.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DefinitionError {
    /// A constraint names what is no parameter.
    #[error("task {task}: {name:?} is no parameter; it has {known}")]
    Unknown {
        /// The task.
        task: String,
        /// What was named.
        name: String,
        /// Its parameters.
        known: String,
    },
    /// Two parameters of one name.
    #[error("task {task}: two parameters have the name {name:?}")]
    Twice {
        /// The task.
        task: String,
        /// The name.
        name: String,
    },
    /// A constraint that a parameter cannot have.
    #[error("task {task}: {why}")]
    Constraint {
        /// The task.
        task: String,
        /// What does not fit, and what to do.
        why: String,
    },
    /// It has no array.
    #[error("task {task}: a task needs an array at least, which its tiles are of")]
    NoArray {
        /// The task.
        task: String,
    },
    /// It has no body.
    #[error("task {task}: a task needs a body")]
    NoBody {
        /// The task.
        task: String,
    },
}
