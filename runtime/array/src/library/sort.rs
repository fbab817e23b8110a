//! Sorted lines along an axis, and sorted runs of a vector, which are merged.

use weft_geometry::{Projection, Tiling};
use weft_trace::record::Arithmetic;

use crate::cuda::{Plan, Planned, planned};
use crate::kernel::sort;
use weft_core::cuda::Job;
use weft_core::error::Cause;
use weft_core::operation::{Body, Computed, CpuTask, Declared, Descriptor, GpuKernels, Kernels};

/// The cost of sorting an element of a tile, in units of copying one.
const SORTING: usize = 4;

/// The cost of merging an element, in units of copying one.
const MERGING: usize = 4;

/// Sorts lines.
#[derive(Debug, Hash)]
struct Sort {
    axis: u8,
    /// Whether the numbers of elements are written instead of the elements.
    numbers: bool,
}

const LINES: &[Declared] = &[Declared::READ, Declared::WRITE];

/// Sorts each line along one axis [input, out].
pub(crate) fn sort(axis: u8) -> Body {
    let kernels = Sort {
        axis,
        numbers: false,
    };
    Descriptor::new("sort", LINES, kernels)
        .tiled(Tiling::Across { axis })
        .shared()
}

/// Computes the numbers of each line's elements in sorted order [input, out].
pub(crate) fn argsort(axis: u8) -> Body {
    let kernels = Sort {
        axis,
        numbers: true,
    };
    Descriptor::new("argsort", LINES, kernels)
        .tiled(Tiling::Across { axis })
        .shared()
}

impl Kernels for Sort {
    fn arithmetic(&self, of: &Computed<'_>) -> Option<Arithmetic> {
        of.nothing()
    }

    fn cpu(&self, task: &mut CpuTask<'_, '_>) -> Result<(), Cause> {
        let axis = usize::from(self.axis);
        let [input, out] = task.expect();
        match self.numbers {
            true => sort::argsort(axis, input, out),
            false => sort::sort(axis, input, out),
        }
        Ok(())
    }

    fn gpu(&self) -> Option<&dyn GpuKernels> {
        Some(self)
    }
}

impl Planned for Sort {
    fn plan<'a>(&self, job: &'a Job<'a>) -> Option<Plan<'a>> {
        let axis = usize::from(self.axis);
        match self.numbers {
            true => Plan::argsort(axis, job),
            false => Plan::sort(axis, job),
        }
    }
}

/// Sorts each tile of a vector.
#[derive(Debug, Hash)]
struct Runs;

/// Sorts each tile of a vector [input, out].
pub(crate) fn sort_runs() -> Body {
    Descriptor::new("sort", LINES, Runs)
        .tiled(Tiling::Few { work: SORTING })
        .shared()
}

impl Kernels for Runs {
    fn arithmetic(&self, of: &Computed<'_>) -> Option<Arithmetic> {
        of.nothing()
    }

    fn cpu(&self, task: &mut CpuTask<'_, '_>) -> Result<(), Cause> {
        let [input, out] = task.expect();
        sort::sort(0, input, out);
        Ok(())
    }

    fn gpu(&self) -> Option<&dyn GpuKernels> {
        Some(self)
    }
}

impl Planned for Runs {
    fn plan<'a>(&self, job: &'a Job<'a>) -> Option<Plan<'a>> {
        Plan::sort(0, job)
    }
}

/// Sorts each tile of a vector, with the numbers of elements.
#[derive(Debug, Hash)]
struct NumberedRuns;

/// Sorts each tile of a vector, with the elements' original places in the vector [input, values,
/// numbers].
pub(crate) fn argsort_runs() -> Body {
    const OPERANDS: &[Declared] = &[Declared::READ, Declared::WRITE, Declared::WRITE];
    Descriptor::new("argsort", OPERANDS, NumberedRuns)
        .tiled(Tiling::Few { work: SORTING })
        .shared()
}

impl Kernels for NumberedRuns {
    fn arithmetic(&self, of: &Computed<'_>) -> Option<Arithmetic> {
        of.nothing()
    }

    fn cpu(&self, task: &mut CpuTask<'_, '_>) -> Result<(), Cause> {
        let first = task.cut().first();
        let [input, values, numbers] = task.expect();
        sort::sort_numbered(first, input, values, numbers);
        Ok(())
    }

    fn gpu(&self) -> Option<&dyn GpuKernels> {
        Some(self)
    }
}

impl Planned for NumberedRuns {
    fn plan<'a>(&self, job: &'a Job<'a>) -> Option<Plan<'a>> {
        Plan::sort_numbered(job)
    }
}

/// Merges each two runs.
#[derive(Debug, Hash)]
struct Merge {
    /// The number of runs that were sorted at first.
    runs: u32,
    /// The number of original runs in each run.
    width: u32,
    /// Whether the numbers of elements are moved with them.
    numbers: bool,
}

impl Merge {
    /// Returns the runs of a vector of this length.
    fn runs_of(&self, length: usize) -> sort::Runs {
        sort::Runs {
            length,
            runs: self.runs as usize,
            width: self.width as usize,
        }
    }

    fn body(self) -> Body {
        let count = if self.numbers { 2 } else { 1 };
        let mut operands = vec![Declared::read(Projection::Whole); count];
        // A search finds the places of elements.
        operands[0].is_led = true;
        operands.extend(vec![Declared::WRITE; count]);
        Descriptor::new("merge", operands, self)
            .tiled(Tiling::Processors { work: MERGING })
            .shared()
    }
}

/// Merges each two runs of a vector, which had `runs` runs at first, and has `width` of these in
/// each run [input, out].
pub(crate) fn merge(runs: u32, width: u32) -> Body {
    let numbers = false;
    Merge {
        runs,
        width,
        numbers,
    }
    .body()
}

/// Merges each two runs of a vector, with the numbers of elements [values, numbers, out values, out
/// numbers].
pub(crate) fn merge_numbered(runs: u32, width: u32) -> Body {
    let numbers = true;
    Merge {
        runs,
        width,
        numbers,
    }
    .body()
}

impl Kernels for Merge {
    fn arithmetic(&self, of: &Computed<'_>) -> Option<Arithmetic> {
        of.nothing()
    }

    fn cpu(&self, task: &mut CpuTask<'_, '_>) -> Result<(), Cause> {
        let runs = self.runs_of(task.shape().len());
        let first = task.cut().first();
        if self.numbers {
            let [values, numbers, out, out_numbers] = task.expect();
            sort::merge_numbered(runs, first, [values, numbers], [out, out_numbers]);
        } else {
            let [input, out] = task.expect();
            sort::merge(runs, first, input, out);
        }
        Ok(())
    }

    fn gpu(&self) -> Option<&dyn GpuKernels> {
        Some(self)
    }
}

impl Planned for Merge {
    fn plan<'a>(&self, job: &'a Job<'a>) -> Option<Plan<'a>> {
        let runs = self.runs_of(job.whole.len());
        match self.numbers {
            true => Plan::merge_numbered(runs, job),
            false => Plan::merge(runs, job),
        }
    }
}

planned! { Sort, Runs, NumberedRuns, Merge }
