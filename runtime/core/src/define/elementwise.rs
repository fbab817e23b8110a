//! Users' functions of the elements at one index, which fuse with all other elementwise functions.

use std::fmt;
use std::sync::Arc;

use smallvec::SmallVec;
use weft_elements::chain::{self, StepKind};
use weft_elements::{Handle, Map, MapFunction, Tile, apply};

use super::BodyError;
use crate::dtype::DType;
use crate::error::Cause;
use crate::operation::{Body, CpuTask, Declared, Descriptor, Kernels};
use crate::site;
use crate::words;

/// A user's function of the elements at one index.
#[derive(Clone)]
pub struct Elementwise {
    function: StepKind,
    body: Body,
}

/// A function that runs unfused.
struct Alone(StepKind);

impl std::hash::Hash for Alone {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.0.name().hash(state);
    }
}

impl fmt::Debug for Alone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.name())
    }
}

impl Kernels for Alone {
    fn cpu(&self, task: &mut CpuTask<'_, '_>) -> Result<(), Cause> {
        let dtypes: SmallVec<[DType; 4]> = {
            let tiles = task.operands();
            let inputs = tiles.len() - 1;
            tiles[..inputs].iter().map(|tile| tile.dtype()).collect()
        };
        let body: Option<chain::Body> = self.0.body(&dtypes);
        let tiles: &mut [Tile<'_>] = task.operands();
        match (body, tiles.split_last_mut()) {
            (Some(body), Some((out, inputs))) => {
                apply(&body, inputs, out);
                Ok(())
            }
            _ => {
                let why = format!(
                    "{} is not defined for {}",
                    self.0.name(),
                    words::dtypes(&dtypes)
                );
                Err(Cause::Body(Arc::from(BodyError::from(why))))
            }
        }
    }
}

impl Elementwise {
    /// Creates an elementwise function from a Rust function of up to six elements, with a name for
    /// outputs.
    pub fn new<Args: 'static>(name: &str, function: impl MapFunction<Args>) -> Elementwise {
        let name = site::kept_name(name);
        Elementwise::from_step(Map::new(name, function).step())
    }

    /// Adds code for GPUs: `definitions` in CUDA C, which contain a `__device__` function named
    /// `function` that takes the elements and returns the result. Without such code the function
    /// runs on CPUs, and does not fuse with operations on GPUs.
    pub fn with_cuda<Args: 'static>(
        name: &str,
        rust: impl MapFunction<Args>,
        definitions: &str,
        function: &str,
    ) -> Elementwise {
        let name = site::kept_name(name);
        // Errors show the line numbers of the user's text.
        let file = format!("{name}.cu").escape_default().to_string();
        let definitions = format!("#line 1 \"{file}\"\n{definitions}\n#line 1 \"chain.cu\"\n");
        Elementwise::from_step(
            Map::new(name, rust)
                .with_cuda(definitions, function.to_owned())
                .step(),
        )
    }

    /// Creates an elementwise function from any function that chains accept.
    pub fn from_step(function: StepKind) -> Elementwise {
        let name = site::kept_name(function.name());
        let mut operands = vec![Declared::READ; function.inputs()];
        operands.push(Declared::WRITE);
        let descriptor = Descriptor::new(name, operands, Alone(function.clone()));
        Elementwise {
            body: Handle::shared(Arc::new(descriptor.step(function.clone()))),
            function,
        }
    }

    /// Returns the name in outputs.
    pub fn name(&self) -> &'static str {
        self.body.name
    }

    /// Returns the descriptor of its operations [inputs, out].
    pub fn body(&self) -> &Body {
        &self.body
    }

    /// Returns the number of inputs.
    pub fn inputs(&self) -> usize {
        self.function.inputs()
    }

    /// Returns the dtype of the result for inputs of these dtypes; `None` if the function is not
    /// defined for them.
    pub fn output(&self, inputs: &[DType]) -> Option<DType> {
        self.function.output(inputs)
    }
}

impl fmt::Debug for Elementwise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
