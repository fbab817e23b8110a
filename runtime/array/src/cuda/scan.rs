//! Running sums, products and extremes along an axis.
//!
//! A line is cut into parts by its length alone. The terms before each part are folded first, and
//! the part continues from there. So the error of a float is less than that of terms added up one
//! after the other. Running results that are rounded to `f16` depend on the order of all terms, so
//! a thread walks each line.

use smallvec::{SmallVec, smallvec};

use super::c::{type_name, types};
use super::fold::{self, FOLD, Fold};
use super::loops::{Form, LOOPS, THREADS, arguments, blocks, entry};
use super::nest::{Nest, Strided};
use super::reduce::lines::{is_wide, without};
use super::{DeviceTile, Kernel};
use crate::dtype::DType;
use crate::kernel::ScanOp;
use weft_core::cuda::{Address, Args, Launch, Work};

const SCAN: &str = include_str!("cuda/scan.cuh");

/// The CUDA C of running results of complex numbers.
const COMPLEX: &str = include_str!("cuda/scan_complex.cuh");

/// The CUDA C of running results that are rounded to `f16`.
const HALF: &str = include_str!("cuda/scan_half.cuh");

/// The number of terms of a part that a block of threads shares: `SCAN_PART` in `scan.cuh`.
const PART: usize = 256 * 7;

/// The number of terms below which a thread walks each line.
const SHORT: usize = 64;

/// The number of threads that keep a GPU busy.
const BUSY: usize = 1 << 17;

/// A kernel that scans.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ScanKernelKey {
    scan: ScanOp,
    dtype: DType,
    /// Whether each running result is rounded to `f16`.
    is_half: bool,
    /// Whether a thread walks a part of a line, instead of a block sharing it.
    is_across: bool,
    stage: Stage,
}

/// A stage of the scan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Stage {
    /// The result of each part of a line.
    Totals(Form),
    /// The result of all terms before each part.
    Carries,
    /// The running results of each part.
    Parts(Form),
}

impl ScanKernelKey {
    /// Returns the same kernel with 64-bit indices.
    #[cfg(test)]
    pub(crate) fn widened(self) -> ScanKernelKey {
        let stage = match self.stage {
            Stage::Totals(form) => Stage::Totals(form.widened()),
            Stage::Carries => Stage::Carries,
            Stage::Parts(form) => Stage::Parts(form.widened()),
        };
        ScanKernelKey { stage, ..self }
    }

    pub(crate) fn name(&self) -> String {
        let (stage, form) = match &self.stage {
            Stage::Totals(form) => ("_totals", form.suffix()),
            Stage::Carries => ("_carries", String::new()),
            Stage::Parts(form) => ("", form.suffix()),
        };
        let way = match (self.is_half, self.is_across) {
            (true, _) => "_half",
            (false, true) => "_across",
            (false, false) => "",
        };
        format!("weft_{}_{}{way}{stage}{form}", self.scan, self.dtype)
    }

    fn fold(&self) -> Fold {
        Fold::reduce(self.scan.reduce(), self.dtype)
    }

    pub(crate) fn source(&self) -> String {
        let (term, value) = (type_name(self.dtype), self.fold().value());
        let fold = match self.scan {
            ScanOp::CumSum => format!("weft::CumSum<{term}, {value}>"),
            ScanOp::CumProd if self.dtype.is_complex() => format!("weft::CumProd<{term}>"),
            ScanOp::CumProd | ScanOp::CumMax | ScanOp::CumMin => self.fold().c(),
        };
        let fold = match self.is_half {
            true => format!("weft::Halved<{fold}>"),
            false => fold,
        };
        let way = if self.is_across { "across" } else { "scan" };
        let input = format!("const {term} *in");
        let totals = format!("{value} *totals");
        let numbers = |names: &[&str]| -> Vec<String> {
            names
                .iter()
                .map(|name| format!("long long {name}"))
                .collect()
        };
        let (parameters, body) = match self.stage {
            Stage::Totals(form) => {
                let index = form.index();
                let mut parameters = vec![input, totals];
                parameters.extend(numbers(&["lines", "length", "step", "parts"]));
                parameters.extend(form.parameters());
                let counts = if self.is_across {
                    format!("({index})lines, ({index})length")
                } else {
                    format!("({index})length")
                };
                let body = format!(
                    "{}    weft::{way}_totals<{fold}>(in, loops, {counts}, ({index})step, ({index})parts, totals);\n",
                    form.declare()
                );
                (parameters, body)
            }
            Stage::Carries => {
                let mut parameters = vec![totals];
                parameters.extend(numbers(&["lines", "parts"]));
                let lines = if self.is_across { "lines, " } else { "" };
                let body = format!("    weft::{way}_carries<{fold}>({lines}parts, totals);\n");
                (parameters, body)
            }
            Stage::Parts(form) => {
                let index = form.index();
                let mut parameters = vec![input, format!("{value} *out"), totals];
                let names = ["lines", "count", "length", "in_step", "out_step", "parts"];
                parameters.extend(numbers(&names));
                parameters.extend(form.parameters());
                let counts = if self.is_across {
                    format!("({index})lines, ({index})count, ({index})length")
                } else {
                    format!("({index})count")
                };
                let body = format!(
                    "{}    weft::{way}_parts<{fold}>(in, out, loops, {counts}, ({index})in_step, ({index})out_step, \
                     ({index})parts, totals);\n",
                    form.declare()
                );
                (parameters, body)
            }
        };
        let entry = entry(&self.name(), parameters, &body);
        let (types, more) = match self.dtype {
            complex if complex.is_complex() => (types(&[complex]), COMPLEX),
            _ if self.is_half => (types(&[DType::F16]), HALF),
            dtype => (types(&[dtype]), ""),
        };
        let half = if self.dtype == DType::F16 {
            fold::HALF
        } else {
            ""
        };
        format!("{types}{LOOPS}\n{FOLD}\n{half}{SCAN}{more}\n{entry}")
    }
}

/// Running results along an axis.
pub(crate) struct Scan {
    scan: ScanOp,
    dtype: DType,
    is_half: bool,
    nest: Nest,
    is_wide: bool,
    lines: usize,
    /// The number of terms of a line. Their steps in input and output, in elements, follow.
    count: usize,
    steps: [isize; 2],
    is_across: bool,
    parts: usize,
    length: usize,
}

impl Scan {
    /// Plans a scan; `None` if there are no elements. With `is_half` each result is rounded to
    /// `f16` before the next term is added.
    pub(super) fn new(
        scan: ScanOp,
        axis: usize,
        is_half: bool,
        input: &DeviceTile,
        out: &DeviceTile,
    ) -> Option<Scan> {
        let shape = input.layout.shape;
        let count = shape.dims()[axis];
        if count == 0 {
            return None;
        }
        let nest = Nest::new(
            shape.without(axis),
            &[without(input, axis), without(out, axis)].map(|tile| Strided::from_tile(&tile)),
        )?;
        let steps = [input, out].map(|tile| tile.layout.strides[axis]);
        let lines = shape.len() / count;
        let is_denser = nest.step(0, 1).unsigned_abs() < steps[1].unsigned_abs();
        let is_across = is_half || lines > 1 && (count <= SHORT || is_denser);
        let length = if is_half {
            count
        } else if is_across {
            let parts = BUSY.div_ceil(lines).min(count.div_ceil(SHORT));
            count.div_ceil(parts)
        } else {
            PART
        };
        Some(Scan {
            scan,
            dtype: input.dtype,
            is_half,
            is_wide: is_wide(shape, &[input, out].map(Strided::from_tile)),
            nest,
            lines,
            count,
            steps,
            is_across,
            parts: count.div_ceil(length),
            length,
        })
    }

    /// Returns the number of bytes of device memory for the results before parts.
    pub(super) fn scratch(&self) -> usize {
        if self.parts == 1 {
            0
        } else {
            let results = self.scan.output_dtype(self.dtype).size();
            self.lines * self.parts * results
        }
    }

    /// Returns the work.
    pub(super) fn work(&self, scratch: Address) -> SmallVec<[Work; 2]> {
        let [lines, count, length, parts] =
            [self.lines, self.count, self.length, self.parts].map(|count| count as u64);
        let [in_step, out_step] = self.steps.map(|step| step as u64);
        let (grid, block) = self.threads();
        let mut works = smallvec![];
        if self.parts > 1 {
            let mut args: Args = smallvec![self.nest.first[0], scratch];
            args.extend([lines, length, in_step, parts]);
            args.extend(arguments(&self.nest, &[0, 1]));
            works.push(self.launch(Stage::Totals(self.form()), grid, block, args));
            let args = smallvec![scratch, lines, parts];
            let grid = if self.is_across {
                self.lines.div_ceil(THREADS)
            } else {
                self.lines
            };
            works.push(self.launch(Stage::Carries, blocks(grid), blocks(THREADS), args));
        }
        let mut args: Args = smallvec![self.nest.first[0], self.nest.first[1], scratch];
        args.extend([lines, count, length, in_step, out_step, parts]);
        args.extend(arguments(&self.nest, &[0, 1]));
        works.push(self.launch(Stage::Parts(self.form()), grid, block, args));
        works
    }

    fn form(&self) -> Form {
        Form::new(&self.nest, &[0, 1], self.is_wide)
    }

    /// Returns the numbers of blocks, and of threads of a block.
    fn threads(&self) -> ([u32; 3], [u32; 3]) {
        if !self.is_across {
            return (blocks(self.lines * self.parts), blocks(THREADS));
        }
        let x = self.lines.next_power_of_two().min(THREADS);
        let y = (THREADS / x).min(self.parts.next_power_of_two());
        let grid = [self.lines.div_ceil(x), self.parts.div_ceil(y), 1];
        (grid.map(|n| n as u32), [x as u32, y as u32, 1])
    }

    fn launch(&self, stage: Stage, grid: [u32; 3], block: [u32; 3], args: Args) -> Work {
        let kernel = Kernel::from_source(ScanKernelKey {
            scan: self.scan,
            dtype: self.dtype,
            is_half: self.is_half,
            is_across: self.is_across,
            stage,
        });
        Work::Kernel(Launch {
            kernel,
            grid,
            block,
            args,
        })
    }
}
