//! Libraries and tools, present or not.

/// A library or tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Component {
    /// Its name, as users know it.
    pub name: &'static str,
    /// What it gives.
    pub gives: &'static str,
    /// Whether it is there.
    pub state: State,
}

/// Whether a component is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// It is, with its version, or where it is.
    Found(String),
    /// It is not.
    Missing {
        /// What was looked for.
        why: String,
        /// How to get it.
        get: &'static str,
    },
}

impl Component {
    /// Whether it is there.
    pub fn is_found(&self) -> bool {
        matches!(self.state, State::Found(_))
    }

    /// Its version, or why it is missing.
    pub fn reason(&self) -> &str {
        match &self.state {
            State::Found(what) => what,
            State::Missing { why, .. } => why,
        }
    }

    /// How to get it; empty where it is there.
    pub fn remedy(&self) -> &'static str {
        match &self.state {
            State::Found(_) => "",
            State::Missing { get, .. } => get,
        }
    }
}

/// A component that is there, with what is known of it, or is not, with the reason.
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
