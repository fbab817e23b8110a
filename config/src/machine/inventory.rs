//! All that Weft can make use of on this machine, and what is missing.

use super::library::CudaLibrary;
use super::{Machine, gpu, tool};

/// What the machine has.
#[derive(Clone, Debug)]
pub struct Inventory {
    /// What programs run on.
    pub machine: Machine,
    /// Its GPUs.
    pub gpus: Vec<gpu::Gpu>,
    /// Libraries and tools, present or not.
    pub components: Vec<Component>,
}

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

impl Inventory {
    pub(super) fn probe(machine: Machine) -> Inventory {
        let (gpus, cuda) = gpu::probe();
        let components = vec![
            cuda,
            CudaLibrary::Nvrtc.component(),
            CudaLibrary::Cublas.component(),
            CudaLibrary::Cupti.component(),
            tool::nsys(),
            tool::mpi(),
        ];
        Inventory {
            machine,
            gpus,
            components,
        }
    }
}
