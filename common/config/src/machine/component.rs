//! Libraries and tools, present or missing.

/// A library or tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Component {
    /// The name that users know.
    pub name: &'static str,
    /// The features that need it.
    pub gives: &'static str,
    /// Whether it is present.
    pub state: State,
}

/// Whether a component is present.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// Present, with its version or its path.
    Found(String),
    /// Missing.
    Missing {
        /// The reason.
        why: String,
        /// Instructions for installing it.
        get: &'static str,
    },
}

impl Component {
    /// Whether the component is present.
    pub fn is_found(&self) -> bool {
        matches!(self.state, State::Found(_))
    }

    /// Returns the version, or the reason why it is missing.
    pub fn reason(&self) -> &str {
        match &self.state {
            State::Found(what) => what,
            State::Missing { why, .. } => why,
        }
    }

    /// Returns how to get the component; empty if it is present.
    pub fn remedy(&self) -> &'static str {
        match &self.state {
            State::Found(_) => "",
            State::Missing { get, .. } => get,
        }
    }
}

/// Creates a component from its version, or from the reason why it is missing.
pub(super) fn component(
    name: &'static str,
    gives: &'static str,
    state: Result<String, String>,
    get: &'static str,
) -> Component {
    Component {
        name,
        gives,
        state: match state {
            Ok(what) => State::Found(what),
            Err(why) => State::Missing { why, get },
        },
    }
}
