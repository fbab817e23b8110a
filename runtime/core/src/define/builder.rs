//! The step-by-step definition of a task.

use std::sync::Arc;

use weft_geometry::Projection;

use super::cuda::{self, CudaBody};
use super::definition::{Bodies, Inner, Options};
use super::{
    Constraint, CpuBody, Definition, DefinitionError, Extent, GpuBody, Kind, Names, Parameter,
    Reduction, gpu,
};
use crate::dtype::DType;
use crate::site;

/// The definition of a task in progress: parameters in the order of the arguments, constraints, and
/// bodies.
///
/// [`finish`](Builder::finish) reports mistakes.
pub struct Builder {
    name: String,
    parameters: Vec<Parameter>,
    constraints: Vec<NamedConstraint>,
    cpu: Option<Arc<dyn CpuBody>>,
    cuda: cuda::CudaSource,
    gpu: Option<Arc<dyn GpuBody>>,
    options: Options,
}

/// A constraint that refers to parameters by name.
enum NamedConstraint {
    Align(Vec<String>),
    Broadcast(String, Vec<usize>),
    Halo(String, Vec<u32>, Vec<u32>),
    Scale(Vec<u32>, String, String),
    Image(String, String, Names, Extent),
    Project(String, Projection),
    /// A text that is not a projection.
    NoProjection(String, String),
}

impl Builder {
    pub(super) fn new(name: &str) -> Builder {
        Builder {
            name: name.to_owned(),
            parameters: Vec::new(),
            constraints: Vec::new(),
            cpu: None,
            cuda: cuda::CudaSource::default(),
            gpu: None,
            options: Options::default(),
        }
    }

    /// Adds a parameter.
    #[must_use]
    pub fn parameter(
        mut self,
        name: &str,
        kind: Kind,
        dtype: Option<DType>,
        rank: Option<usize>,
    ) -> Builder {
        self.parameters.push(Parameter {
            name: name.to_owned(),
            kind,
            dtype,
            rank,
        });
        self
    }

    /// Adds an array that is read, with this dtype and number of axes.
    #[must_use]
    pub fn input(self, name: &str, dtype: DType, rank: usize) -> Builder {
        self.parameter(name, Kind::In, Some(dtype), Some(rank))
    }

    /// Adds an array that is written.
    #[must_use]
    pub fn output(self, name: &str, dtype: DType, rank: usize) -> Builder {
        self.parameter(name, Kind::Out, Some(dtype), Some(rank))
    }

    /// Adds an array that is read and written.
    #[must_use]
    pub fn inout(self, name: &str, dtype: DType, rank: usize) -> Builder {
        self.parameter(name, Kind::InOut, Some(dtype), Some(rank))
    }

    /// Adds an array that all tiles contribute to.
    #[must_use]
    pub fn reduce(self, name: &str, reduction: Reduction, dtype: DType, rank: usize) -> Builder {
        self.parameter(name, Kind::Reduce(reduction), Some(dtype), Some(rank))
    }

    /// Adds a result of unknown length, with elements of this dtype.
    #[must_use]
    pub fn unbound(self, name: &str, dtype: DType) -> Builder {
        self.parameter(name, Kind::Unbound, Some(dtype), Some(1))
    }

    /// Adds a single value.
    #[must_use]
    pub fn scalar(self, name: &str, dtype: DType) -> Builder {
        self.parameter(name, Kind::Scalar, Some(dtype), None)
    }

    /// Returns the name that outputs show, which lives as long as the process.
    pub fn kept_name(&self) -> &'static str {
        site::kept_name(&self.name)
    }

    fn with(mut self, constraint: NamedConstraint) -> Builder {
        self.constraints.push(constraint);
        self
    }

    /// Requires that these arrays have one shape, and cuts them in the same way.
    #[must_use]
    pub fn align(self, names: &[&str]) -> Builder {
        let names = names.iter().map(|name| (*name).to_owned());
        self.with(NamedConstraint::Align(names.collect()))
    }

    /// Gives every tile the whole array.
    #[must_use]
    pub fn broadcast(self, name: &str) -> Builder {
        self.broadcast_axes(name, &[])
    }

    /// Gives every tile all indices along these axes.
    #[must_use]
    pub fn broadcast_axes(self, name: &str, axes: &[usize]) -> Builder {
        self.with(NamedConstraint::Broadcast(name.to_owned(), axes.to_vec()))
    }

    /// Adds neighbours to a tile's part: `low` below and `high` above along each axis. The last
    /// number also applies to further axes.
    #[must_use]
    pub fn halo(self, name: &str, low: &[u32], high: &[u32]) -> Builder {
        self.with(NamedConstraint::Halo(
            name.to_owned(),
            low.to_vec(),
            high.to_vec(),
        ))
    }

    /// Sets the number of indices of `large` for each index of `small`, along each axis.
    #[must_use]
    pub fn scale(self, factors: &[u32], small: &str, large: &str) -> Builder {
        let (small, large) = (small.to_owned(), large.to_owned());
        self.with(NamedConstraint::Scale(factors.to_vec(), small, large))
    }

    /// Gives a tile a range of the array `of` along its first axis: from the lowest to the highest
    /// index that its values of `through` name.
    #[must_use]
    pub fn image(self, through: &str, of: &str, names: Names) -> Builder {
        self.with_image(through, of, names, Extent::Bounds)
    }

    /// Like [`image`](Self::image), for tiles that access only the named indices. Only these are
    /// fetched from other ranks; the elements between them are undefined. This pays off if few of
    /// many indices are named.
    #[must_use]
    pub fn exact_image(self, through: &str, of: &str, names: Names) -> Builder {
        self.with_image(through, of, names, Extent::Exact)
    }

    fn with_image(self, through: &str, of: &str, names: Names, extent: Extent) -> Builder {
        let (through, of) = (through.to_owned(), of.to_owned());
        self.with(NamedConstraint::Image(through, of, names, extent))
    }

    /// Sets the projection by which an array follows the tiles.
    #[must_use]
    pub fn project(self, name: &str, projection: Projection) -> Builder {
        self.with(NamedConstraint::Project(name.to_owned(), projection))
    }

    /// Sets a projection given as [text](Projection#impl-FromStr-for-Projection).
    #[must_use]
    pub fn project_text(self, name: &str, projection: &str) -> Builder {
        let named = match projection.parse() {
            Ok(projection) => NamedConstraint::Project(name.to_owned(), projection),
            Err(_) => NamedConstraint::NoProjection(name.to_owned(), projection.to_owned()),
        };
        self.with(named)
    }

    /// Sets the approximate number of elements accessed per index of the task's shape; the default
    /// is 1.
    #[must_use]
    pub fn work(mut self, elements: u32) -> Builder {
        self.options.work = elements.max(1);
        self
    }

    /// Sets the number of floating-point operations per index of the task's shape, for `weft stats
    /// --roofline`.
    #[must_use]
    pub fn flops(mut self, operations: u32) -> Builder {
        self.options.flops = Some(operations);
        self
    }

    /// Allows combining contributions in any order. Results may then differ with the number of
    /// processors.
    #[must_use]
    pub fn unordered(mut self) -> Builder {
        self.options.unordered = true;
        self
    }

    /// Prevents cutting: one task computes the whole shape.
    #[must_use]
    pub fn whole(mut self) -> Builder {
        self.options.whole = true;
        self
    }

    /// Runs all tiles of a call at the same time, each on a thread. They exchange values by a
    /// [`Communicator`](super::Communicator). There are at most as many tiles as processors.
    #[must_use]
    pub fn concurrent(mut self) -> Builder {
        self.options.concurrent = true;
        self
    }

    /// Lets bodies start tasks. They make arrays of their parts, call functions and tasks on these,
    /// read the results, and copy them to their outputs. These calls run on CPUs of the same rank,
    /// as part of the body's operation.
    #[must_use]
    pub fn nested(mut self) -> Builder {
        self.options.nested = true;
        self
    }

    /// Sets the body for CPUs.
    #[must_use]
    pub fn cpu(mut self, body: impl CpuBody + 'static) -> Builder {
        self.cpu = Some(Arc::new(body));
        self
    }

    /// Sets the body for GPUs in CUDA C. It is a `__device__` function for one index with the
    /// task's name, or for a block of threads with the name and the suffix `_block`;
    /// [`CUDA_HEADER`](super::CUDA_HEADER) documents it. It is compiled at the first call that runs
    /// on a GPU.
    #[must_use]
    pub fn cuda(mut self, source: &str) -> Builder {
        self.cuda.source = Some((None, source.to_owned()));
        self
    }

    /// Sets the body for GPUs in CUDA C from the text of a file. The compiler's errors name the
    /// file.
    #[must_use]
    pub fn cuda_file(mut self, file: &str, source: &str) -> Builder {
        self.cuda.source = Some((Some(file.to_owned()), source.to_owned()));
        self
    }

    /// Sets the threads of a block for the body in CUDA C: one number for blocks that count through
    /// a tile, or sizes along the last two or three axes. The default is 256.
    #[must_use]
    pub fn cuda_block(mut self, threads: &[u32]) -> Builder {
        self.cuda.block = threads.to_vec();
        self
    }

    /// Sets the body for GPUs: a function that puts work into a stream.
    #[must_use]
    pub fn gpu(mut self, body: impl GpuBody + 'static) -> Builder {
        self.gpu = Some(Arc::new(body));
        self
    }

    /// Returns the bodies, after checking them.
    fn bodies(&self, name: &'static str) -> Result<Bodies, DefinitionError> {
        let cuda = CudaBody::new(name, self.cuda.clone()).map_err(|why| self.wrong(why))?;
        let bodies = Bodies {
            cpu: self.cpu.clone(),
            cuda: cuda.map(Arc::new),
            gpu: self.gpu.clone(),
        };
        let unordered = self.options.unordered;
        let mut parameters = self.parameters.iter();
        let refused = match (&bodies.cpu, &bodies.cuda, &bodies.gpu) {
            (_, Some(_), Some(_)) => {
                Some("it has two bodies for GPUs, one of them in CUDA C; give it one".to_owned())
            }
            (_, None, Some(_)) => parameters.find_map(gpu::refusal),
            (Some(_), ..) => None,
            (None, Some(_), None) => parameters.find_map(|one| cuda::refusal(one, unordered)),
            (None, None, None) => {
                let task = self.name.clone();
                return Err(DefinitionError::NoBody { task });
            }
        };
        refused.map_or(Ok(bodies), |why| Err(self.wrong(why)))
    }

    /// Checks the definition and returns the task.
    ///
    /// # Errors
    /// Returns an error if parameters, constraints and bodies do not fit together.
    pub fn finish(self) -> Result<Definition, DefinitionError> {
        let task = || self.name.clone();
        for (at, parameter) in self.parameters.iter().enumerate() {
            let mut before = self.parameters[..at].iter();
            if before.any(|other| other.name == parameter.name) {
                let name = parameter.name.clone();
                return Err(DefinitionError::Twice { task: task(), name });
            }
        }
        if !self.parameters.iter().any(Parameter::is_array) {
            return Err(DefinitionError::NoArray { task: task() });
        }
        let constraints = self.constraints.iter();
        let constraints = constraints
            .map(|named| self.resolve(named))
            .collect::<Result<Vec<_>, _>>()?;
        let mut unbound = self
            .parameters
            .iter()
            .filter(|one| one.kind == Kind::Unbound);
        if let Some(untyped) = unbound.find(|one| one.dtype.is_none()) {
            let name = &untyped.name;
            return Err(self.wrong(format!(
                "{name}: a result of unknown length needs a dtype, since no argument determines it"
            )));
        }
        let cpu = self.cpu.as_deref();
        if let Some(why) = cpu.and_then(|body| super::body::refusal(&self.parameters, body)) {
            return Err(self.wrong(why));
        }
        let name = site::kept_name(&self.name);
        let bodies = self.bodies(name)?;
        if let Some(why) = self.options.refusal(&bodies) {
            return Err(self.wrong(why));
        }
        let inner = Inner::new(name, self.parameters, constraints, bodies, self.options);
        Ok(Definition::from_inner(inner))
    }

    /// Returns the position of an array parameter.
    fn array(&self, name: &str) -> Result<usize, DefinitionError> {
        let at = self.parameters.iter().position(|one| one.name == name);
        let Some(at) = at else {
            let known: Vec<&str> = self
                .parameters
                .iter()
                .map(|one| one.name.as_str())
                .collect();
            return Err(DefinitionError::Unknown {
                task: self.name.clone(),
                name: name.to_owned(),
                known: known.join(", "),
            });
        };
        let what = match self.parameters[at].kind {
            Kind::Scalar => "a single value",
            Kind::Unbound => "a result of unknown length",
            _ => return Ok(at),
        };
        Err(self.wrong(format!(
            "{name} is {what}, which is not cut: it has no constraints"
        )))
    }

    fn wrong(&self, why: String) -> DefinitionError {
        DefinitionError::Constraint {
            task: self.name.clone(),
            why,
        }
    }

    fn resolve(&self, named: &NamedConstraint) -> Result<Constraint, DefinitionError> {
        let follower = |name: &str, what: &str| {
            let at = self.array(name)?;
            match self.parameters[at].kind {
                Kind::Reduce(_) => Err(self.wrong(format!(
                    "every tile contributes to all of {name}: it cannot have {what}; leave that out"
                ))),
                _ => Ok(at),
            }
        };
        Ok(match named {
            NamedConstraint::Align(names) => {
                let all = names.iter().map(|name| follower(name, "align"));
                Constraint::Align(all.collect::<Result<_, _>>()?)
            }
            NamedConstraint::Broadcast(name, axes) => Constraint::Broadcast {
                parameter: follower(name, "broadcast")?,
                axes: axes.clone(),
            },
            NamedConstraint::Halo(name, low, high) => {
                let parameter = follower(name, "halo")?;
                if self.parameters[parameter].kind != Kind::In {
                    return Err(self.wrong(format!(
                        "{name} is written: two tiles would write each other's halo; give the halo to an input"
                    )));
                }
                Constraint::Halo {
                    parameter,
                    low: low.clone(),
                    high: high.clone(),
                }
            }
            NamedConstraint::Scale(factors, small, large) => {
                if factors.is_empty() || factors.contains(&0) {
                    return Err(self.wrong("scale needs factors of at least 1".to_owned()));
                }
                Constraint::Scale {
                    factors: factors.clone(),
                    small: follower(small, "scale")?,
                    large: follower(large, "scale")?,
                }
            }
            NamedConstraint::Image(through, of, names, extent) => {
                let (through, of) = (follower(through, "image")?, follower(of, "image")?);
                if self.parameters[of].is_written() {
                    let name = &self.parameters[of].name;
                    return Err(self.wrong(format!(
                        "{name} is written: images of two tiles may meet; read it, or reduce to it"
                    )));
                }
                Constraint::Image {
                    through,
                    of,
                    names: *names,
                    extent: *extent,
                }
            }
            NamedConstraint::NoProjection(name, text) => {
                return Err(self.wrong(format!(
                    "invalid projection {text:?} for {name}; write one like [i0, *, ..*]: axes are i0 and so on, * or t, and ..* or .. stands for the others"
                )));
            }
            NamedConstraint::Project(name, projection) => Constraint::Project {
                parameter: follower(name, "a projection")?,
                projection: projection.clone(),
            },
        })
    }
}
