//! A task that a user defined.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use super::cuda::CudaBody;
use super::image::Images;
use super::plan::Planned;
use super::{Builder, Constraint, CpuBody, Kind, Parameter};
use crate::shape::Shape;

/// Plans that a definition keeps: calls in a loop have the same few shapes.
const KEPT: usize = 16;

/// A task that a user defined. Clones are the same one.
#[derive(Clone)]
pub struct Definition(pub(super) Arc<Inner>);

/// The bodies of a task: on a CPU, and on a GPU.
pub(super) type Bodies = (Option<Arc<dyn CpuBody>>, Option<CudaBody>);

/// What makes up a definition.
pub(super) struct Inner {
    /// Its name in outputs.
    pub(super) name: &'static str,
    pub(super) parameters: Vec<Parameter>,
    pub(super) constraints: Vec<Constraint>,
    /// What does it on a CPU.
    pub(super) cpu: Option<Arc<dyn CpuBody>>,
    /// What does it on a GPU; there is one of the two at least.
    pub(super) cuda: Option<Arc<CudaBody>>,
    pub(super) options: Options,
    /// Whether each argument is a part of an array that exists, or a value, and a body of Rust does it alone: small calls can run at once.
    pub(super) is_plain: bool,
    /// Plans of the last calls, by the shapes of their arrays.
    plans: Mutex<Vec<Arc<Planned>>>,
    /// Images that calls have found.
    pub(super) images: Images,
}

/// What else there is to know of a task.
#[derive(Clone, Copy, Debug)]
pub(super) struct Options {
    /// Elements touched for each index of the task's shape: how much work an index is.
    pub(super) work: u32,
    /// Floating-point operations for each index of the task's shape, where they are declared.
    pub(super) flops: Option<u32>,
    /// Whether contributions may be combined in any order.
    pub(super) unordered: bool,
    /// Whether it is never cut.
    pub(super) whole: bool,
    /// Whether its tiles run at the same time.
    pub(super) concurrent: bool,
    /// Whether its bodies make calls on arrays.
    pub(super) nested: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            work: 1,
            flops: None,
            unordered: false,
            whole: false,
            concurrent: false,
            nested: false,
        }
    }
}

impl Definition {
    /// Begins the definition of a task with this name, which outputs have.
    pub fn builder(name: &str) -> Builder {
        Builder::new(name)
    }

    /// Its name in outputs.
    pub fn name(&self) -> &'static str {
        self.0.name
    }

    /// What it is given, in the order of its arguments.
    pub fn parameters(&self) -> &[Parameter] {
        &self.0.parameters
    }
}

impl Inner {
    pub(super) fn new(
        name: &'static str,
        parameters: Vec<Parameter>,
        constraints: Vec<Constraint>,
        (cpu, cuda): Bodies,
        options: Options,
    ) -> Inner {
        let is_simple = |one: &Parameter| !matches!(one.kind, Kind::Unbound | Kind::Reduce(_));
        let is_image = |one: &Constraint| matches!(one, Constraint::Image { .. });
        let waits = options.nested || options.concurrent;
        Inner {
            name,
            is_plain: cpu.as_ref().is_some_and(|cpu| !cpu.is_foreign())
                && !waits
                && parameters.iter().all(is_simple)
                && !constraints.iter().any(is_image),
            parameters,
            constraints,
            cpu,
            cuda: cuda.map(Arc::new),
            options,
            plans: Mutex::default(),
            images: Images::default(),
        }
    }

    /// The plan of an earlier call with arrays of these shapes; otherwise that of `make`.
    pub(super) fn plan(
        &self,
        shapes: &[Option<Shape>],
        make: impl FnOnce() -> Result<Planned, String>,
    ) -> Result<Arc<Planned>, String> {
        let mut plans = self.plans.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = plans.iter().find(|plan| *plan.shapes == *shapes) {
            return Ok(known.clone());
        }
        let made = Arc::new(make()?);
        if plans.len() == KEPT {
            plans.remove(0);
        }
        plans.push(made.clone());
        Ok(made)
    }
}

impl fmt::Debug for Definition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Definition")
            .field("name", &self.0.name)
            .field("parameters", &self.0.parameters)
            .field("constraints", &self.0.constraints)
            .finish_non_exhaustive()
    }
}
