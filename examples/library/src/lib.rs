//! Banded matrices on Weft: an example of a library with its own tasks.
//!
//! A matrix of `n` rows has a few diagonals, each a row of an array of `bands` by `n`: element `(k, i)` stands in row `i` and column
//! `i + offset[k]`. Rows are cut into tiles; a tile reads a halo of the vector as wide as the outermost diagonals reach.

use ndarray::s;
use weft::task::{Argument, Context, Definition, DefinitionError, In, InOut, Out, Reduce};
use weft::{Array, Error, dtype::DType};

/// A square matrix with few diagonals.
pub struct Banded {
    /// The offset of each diagonal from the main one; positive above it.
    offsets: Vec<isize>,
    /// Elements by diagonal and row.
    bands: Array<f64>,
    /// The product with a vector: made once, since it depends on the offsets.
    product: Definition,
}

/// The errors of banded matrices.
#[derive(Debug)]
pub enum BandedError {
    /// The bands are not a matrix, or their number differs from that of the offsets.
    Shape(Vec<usize>),
    /// The task of the product cannot be defined.
    Task(DefinitionError),
    /// Weft's own error, with line and UID.
    Weft(Error),
}

impl std::fmt::Display for BandedError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            BandedError::Shape(shape) => {
                write!(f, "bands of shape {shape:?} have not a row for each offset")
            }
            BandedError::Task(error) => error.fmt(f),
            BandedError::Weft(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for BandedError {}

impl From<Error> for BandedError {
    fn from(error: Error) -> BandedError {
        BandedError::Weft(error)
    }
}

impl From<DefinitionError> for BandedError {
    fn from(error: DefinitionError) -> BandedError {
        BandedError::Task(error)
    }
}

impl Banded {
    /// Creates the matrix with these diagonals.
    ///
    /// # Errors
    /// The bands do not have one row for each offset.
    pub fn new(offsets: &[isize], bands: Array<f64>) -> Result<Banded, BandedError> {
        if bands.ndim() != 2 || bands.shape()[0] != offsets.len() {
            return Err(BandedError::Shape(bands.shape().to_vec()));
        }
        Ok(Banded {
            offsets: offsets.to_vec(),
            bands,
            product: product(offsets)?,
        })
    }

    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        self.bands.shape()[1]
    }

    /// Returns the product with a vector, at once.
    ///
    /// # Errors
    /// The vector has another length.
    #[track_caller]
    pub fn times(&self, x: &Array<f64>) -> Result<Array<f64>, Error> {
        let y = weft::zeros(&[self.rows()]);
        self.product.launch(&[
            Argument::from(&self.bands),
            Argument::from(x),
            Argument::from(&y),
        ])?;
        Ok(y)
    }

    /// Solves `a x = b` by `steps` Jacobi steps from 0. Also returns the residual's sum of squares.
    ///
    /// # Errors
    /// There is no main diagonal, or `b` has another length.
    #[track_caller]
    pub fn jacobi(
        &self,
        b: &Array<f64>,
        steps: usize,
    ) -> Result<(Array<f64>, Array<f64>), BandedError> {
        let Some(main) = self.offsets.iter().position(|offset| *offset == 0) else {
            return Err(BandedError::Shape(self.bands.shape().to_vec()));
        };
        let diagonal = self.bands.slice(s![main, ..]);
        let x = weft::zeros::<f64>(&[self.rows()]);
        let left = weft::zeros::<f64>(&[]);
        for step in 0..=steps {
            let product = self.times(&x)?;
            if step == steps {
                residual(b, &product, &left)?;
            } else {
                relax(&diagonal, b, &product, &x)?;
            }
        }
        Ok((x, left))
    }
}

/// Defines the task of the product. Rows are cut, diagonals are not. A tile of rows also reads as
/// many neighbours of its own part of the vector as the outermost diagonals reach.
fn product(offsets: &[isize]) -> Result<Definition, DefinitionError> {
    let reach = |sign: isize| offsets.iter().map(|offset| (sign * offset).max(0)).max();
    let [low, high] = [-1, 1].map(|sign| reach(sign).unwrap_or(0) as u32);
    let flops = 2 * offsets.len() as u32;
    let offsets = offsets.to_vec();
    let body = move |context: &mut Context<'_, '_>| {
        let [bands, x, y] = context.take_all()?;
        let (bands, x) = (bands.into_in::<f64, 2>()?, x.into_in::<f64, 1>()?);
        let mut y: Out<'_, f64, 1> = y.into_out()?;
        let rows = y.range(0);
        y.fill(0.0);
        for (band, offset) in bands.outer_iter().zip(&offsets) {
            for (at, row) in rows.clone().enumerate() {
                let column = row.checked_add_signed(*offset);
                if let Some(x) = column.and_then(|column| x.at([column])) {
                    y[at] += band[at] * x;
                }
            }
        }
        Ok(())
    };
    Definition::builder("banded_times")
        .input("bands", DType::F64, 2)
        .input("x", DType::F64, 1)
        .output("y", DType::F64, 1)
        .align(&["y"])
        .project_text("bands", "[*, i0, ..*]")
        .halo("x", &[low], &[high])
        .flops(flops)
        .cpu(body)
        .finish()
}

/// One step: `x += (b - a x) / d`.
#[weft::task(align(x, diagonal, b, product), flops = 3)]
fn relax(diagonal: In<f64, 1>, b: In<f64, 1>, product: In<f64, 1>, mut x: InOut<f64, 1>) {
    for (at, x) in x.iter_mut().enumerate() {
        *x += (b[at] - product[at]) / diagonal[at];
    }
}

/// The sum of squares of `b - a x`.
#[weft::task(align(b, product), reduce(left, Add), flops = 3)]
fn residual(b: In<f64, 1>, product: In<f64, 1>, mut left: Reduce<f64, 0>) {
    for (b, product) in b.iter().zip(product.iter()) {
        left[[]] += (b - product).powi(2);
    }
}
