//! The definition of a user's task.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use super::cuda::CudaBody;
use super::image::Images;
use super::plan::Planned;
use super::{Builder, Constraint, CpuBody, DefinitionError, GpuBody, Kind, Parameter, gpu};
use crate::shape::Shape;

/// Maximum number of plans to keep: calls in a loop have the same few shapes.
const KEPT: usize = 16;

/// A task defined by a user. Clones refer to the same task.
#[derive(Clone)]
pub struct Definition(pub(super) Arc<Inner>, Arc<Plans>);

/// Plans of the latest calls, by the shapes of their arrays. Plans hold [`Inner`], so they are kept
/// outside of it.
#[derive(Default)]
struct Plans(Mutex<Vec<Arc<Planned>>>);

/// The bodies of a task, at least one.
#[derive(Clone, Default)]
pub(super) struct Bodies {
    /// The body for CPUs.
    pub(super) cpu: Option<Arc<dyn CpuBody>>,
    /// The body for GPUs in CUDA C.
    pub(super) cuda: Option<Arc<CudaBody>>,
    /// The body for GPUs that puts work into a stream, instead of one in CUDA C.
    pub(super) gpu: Option<Arc<dyn GpuBody>>,
}

/// The contents of a definition.
pub(super) struct Inner {
    /// Name in outputs.
    pub(super) name: &'static str,
    pub(super) parameters: Vec<Parameter>,
    pub(super) constraints: Vec<Constraint>,
    /// The body for CPUs.
    pub(super) cpu: Option<Arc<dyn CpuBody>>,
    /// The body for GPUs in CUDA C.
    pub(super) cuda: Option<Arc<CudaBody>>,
    /// The body for GPUs that puts work into a stream.
    pub(super) gpu: Option<Arc<dyn GpuBody>>,
    pub(super) options: Options,
    /// Whether a call needs no preparation: every argument is an existing array or a value, and
    /// there is a Rust body.
    pub(super) is_plain: bool,
    /// Images that calls have found.
    pub(super) images: Images,
}

/// Options of a task.
#[derive(Clone, Copy, Debug)]
pub(super) struct Options {
    /// Number of elements accessed per index of the task's shape: the amount of work of an index.
    pub(super) work: u32,
    /// Number of floating-point operations per index of the task's shape, if declared.
    pub(super) flops: Option<u32>,
    /// Whether contributions may be combined in any order.
    pub(super) unordered: bool,
    /// Whether the task is never cut.
    pub(super) whole: bool,
    /// Whether the tiles run at the same time.
    pub(super) concurrent: bool,
    /// Whether the bodies make calls on arrays.
    pub(super) nested: bool,
}

impl Options {
    /// Returns why a task with these options cannot have these bodies, if it cannot.
    pub(super) fn refusal(&self, bodies: &Bodies) -> Option<String> {
        let has_gpu = bodies.cuda.is_some() || bodies.gpu.is_some();
        let what = match (self.concurrent, self.nested) {
            (true, _) => "whose tiles run at the same time",
            (_, true) => "that starts tasks",
            _ => return None,
        };
        (bodies.cpu.is_none() || has_gpu)
            .then(|| format!("a task {what} has a body for CPUs alone"))
    }
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
    pub(super) fn from_inner(inner: Inner) -> Definition {
        Definition(Arc::new(inner), Arc::default())
    }

    /// Returns the plan of an earlier call with arrays of these shapes, or the one that `make`
    /// creates.
    pub(super) fn plan(
        &self,
        shapes: &[Option<Shape>],
        make: impl FnOnce() -> Result<Planned, String>,
    ) -> Result<Arc<Planned>, String> {
        let mut plans = self.1.0.lock().unwrap_or_else(PoisonError::into_inner);
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

    /// Starts the definition of a task with this name, which outputs show.
    pub fn builder(name: &str) -> Builder {
        Builder::new(name)
    }

    /// Returns the name in outputs.
    pub fn name(&self) -> &'static str {
        self.0.name
    }

    /// Returns whether the task has a body for CPUs.
    pub fn has_cpu(&self) -> bool {
        self.0.cpu.is_some()
    }

    /// Returns this task with another body for CPUs.
    ///
    /// # Errors
    /// Returns an error if the body does not support a parameter.
    pub fn with_cpu(&self, body: impl CpuBody + 'static) -> Result<Definition, DefinitionError> {
        let own = &*self.0;
        let body: Arc<dyn CpuBody> = Arc::new(body);
        if let Some(why) = super::body::refusal(&own.parameters, &*body) {
            return Err(own.wrong(why));
        }
        Ok(own.with(Bodies {
            cpu: Some(body),
            cuda: own.cuda.clone(),
            gpu: own.gpu.clone(),
        }))
    }

    /// Returns this task with another body for GPUs, which replaces the one it has.
    ///
    /// # Errors
    /// Returns an error if the body does not support a parameter.
    pub fn with_gpu(&self, body: impl GpuBody + 'static) -> Result<Definition, DefinitionError> {
        let own = &*self.0;
        if let Some(why) = own.parameters.iter().find_map(gpu::refusal) {
            return Err(own.wrong(why));
        }
        let bodies = Bodies {
            cpu: own.cpu.clone(),
            cuda: None,
            gpu: Some(Arc::new(body)),
        };
        match own.options.refusal(&bodies) {
            Some(why) => Err(own.wrong(why)),
            None => Ok(own.with(bodies)),
        }
    }

    /// Returns the parameters, in the order of the arguments.
    pub fn parameters(&self) -> &[Parameter] {
        &self.0.parameters
    }
}

impl Inner {
    pub(super) fn new(
        name: &'static str,
        parameters: Vec<Parameter>,
        constraints: Vec<Constraint>,
        bodies: Bodies,
        options: Options,
    ) -> Inner {
        let is_simple = |one: &Parameter| !matches!(one.kind, Kind::Unbound | Kind::Reduce(_));
        let is_image = |one: &Constraint| matches!(one, Constraint::Image { .. });
        let waits = options.nested || options.concurrent;
        Inner {
            name,
            is_plain: bodies.cpu.as_ref().is_some_and(|cpu| !cpu.is_foreign())
                && !waits
                && parameters.iter().all(is_simple)
                && !constraints.iter().any(is_image),
            parameters,
            constraints,
            cpu: bodies.cpu,
            cuda: bodies.cuda,
            gpu: bodies.gpu,
            options,
            images: Images::default(),
        }
    }

    /// Returns the definition with other bodies.
    fn with(&self, bodies: Bodies) -> Definition {
        let (parameters, constraints) = (self.parameters.clone(), self.constraints.clone());
        let inner = Inner::new(self.name, parameters, constraints, bodies, self.options);
        Definition::from_inner(inner)
    }

    fn wrong(&self, why: String) -> DefinitionError {
        DefinitionError::Constraint {
            task: self.name.to_owned(),
            why,
        }
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
