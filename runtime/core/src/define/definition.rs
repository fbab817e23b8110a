//! A task that a user defined.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use super::cuda::CudaBody;
use super::image::Images;
use super::plan::Planned;
use super::{Builder, Constraint, CpuBody, DefinitionError, GpuBody, Kind, Parameter, gpu};
use crate::shape::Shape;

/// Plans that a definition keeps: calls in a loop have the same few shapes.
const KEPT: usize = 16;

/// A task that a user defined. Clones are the same one.
#[derive(Clone)]
pub struct Definition(pub(super) Arc<Inner>, Arc<Plans>);

/// Plans of the last calls, by the shapes of their arrays. They hold what makes up the definition, which therefore does not hold them.
#[derive(Default)]
struct Plans(Mutex<Vec<Arc<Planned>>>);

/// The bodies of a task; there is one at least.
#[derive(Clone, Default)]
pub(super) struct Bodies {
    /// On a CPU.
    pub(super) cpu: Option<Arc<dyn CpuBody>>,
    /// On a GPU, in CUDA C.
    pub(super) cuda: Option<Arc<CudaBody>>,
    /// On a GPU, by putting work into a stream; then there is none in CUDA C.
    pub(super) gpu: Option<Arc<dyn GpuBody>>,
}

/// What makes up a definition.
pub(super) struct Inner {
    /// Its name in outputs.
    pub(super) name: &'static str,
    pub(super) parameters: Vec<Parameter>,
    pub(super) constraints: Vec<Constraint>,
    /// What does it on a CPU.
    pub(super) cpu: Option<Arc<dyn CpuBody>>,
    /// What does it on a GPU, in CUDA C.
    pub(super) cuda: Option<Arc<CudaBody>>,
    /// What does it on a GPU by putting work into a stream.
    pub(super) gpu: Option<Arc<dyn GpuBody>>,
    pub(super) options: Options,
    /// Whether each argument is an array that exists, or a value, and a body of Rust does it alone: nothing must be found out before a call.
    pub(super) is_plain: bool,
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

impl Options {
    /// Why a task with these options cannot have these bodies.
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
    pub(super) fn of(inner: Inner) -> Definition {
        Definition(Arc::new(inner), Arc::default())
    }

    /// The plan of an earlier call with arrays of these shapes; otherwise that of `make`.
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

    /// Begins the definition of a task with this name, which outputs have.
    pub fn builder(name: &str) -> Builder {
        Builder::new(name)
    }

    /// Its name in outputs.
    pub fn name(&self) -> &'static str {
        self.0.name
    }

    /// Whether it has a body for CPUs.
    pub fn has_cpu(&self) -> bool {
        self.0.cpu.is_some()
    }

    /// The same task with another body for CPUs.
    ///
    /// # Errors
    /// The body cannot do what a parameter asks for.
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

    /// The same task with another body for GPUs, in the place of the one that it has.
    ///
    /// # Errors
    /// The body cannot do what a parameter asks for.
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

    /// The same with other bodies.
    fn with(&self, bodies: Bodies) -> Definition {
        let (parameters, constraints) = (self.parameters.clone(), self.constraints.clone());
        let inner = Inner::new(self.name, parameters, constraints, bodies, self.options);
        Definition::of(inner)
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
