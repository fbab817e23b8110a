//! Reductions of the results of random chains, compared with those of values in memory.

use cuda_emulator::host::Memory;

use super::*;
use crate::cuda::chained;
use crate::cuda::fold::Fold;
use crate::cuda::reduce::lines::Lines;
use crate::cuda::reduce::whole::Whole;
use crate::kernel::ReduceOp;
use crate::shape::MAX_DIMS;
use weft_core::cuda::FoldedChain;

const OPS: [ReduceOp; 6] = [
    ReduceOp::Sum,
    ReduceOp::Max,
    ReduceOp::FMin,
    ReduceOp::Any,
    ReduceOp::CountNonzero,
    ReduceOp::Prod,
];

/// A reduction of the last result of a chain, of all elements or along an axis.
struct Case {
    drawn: RandomChain,
    op: ReduceOp,
    axis: Option<usize>,
    dtype: DType,
    /// The shape of the result.
    dims: Vec<usize>,
}

impl Case {
    /// Returns a random case; `None` if the chain has no elements.
    fn new(seed: u64) -> Option<Case> {
        let mut draw = Draw(seed);
        let drawn = RandomChain::new(&mut draw);
        let chain = drawn.chain();
        if chain.shape.is_empty() {
            return None;
        }
        let dtype = *drawn.dtypes().last().unwrap();
        let defined = OPS.into_iter().filter(|op| op.is_defined(dtype));
        let ops: Vec<ReduceOp> = defined.collect();
        let rank = chain.shape.rank();
        let axis = (rank > 0 && draw.below(2) == 0).then(|| draw.below(rank));
        let mut dims = chain.shape.dims().to_vec();
        match axis {
            Some(axis) => drop(dims.remove(axis)),
            None => dims.clear(),
        }
        Some(Case {
            op: ops[draw.below(ops.len())],
            drawn,
            axis,
            dtype,
            dims,
        })
    }

    fn out(&self) -> Operand {
        Operand::zeros(&self.dims, self.op.output_dtype(self.dtype))
    }

    /// Returns the work that reduces the results as they are computed, without its scratch memory.
    fn fused(&self, out: &DeviceTile, scratch: u64) -> Work {
        let folded = FoldedChain {
            chain: built(&self.drawn.chain()),
            step: self.drawn.steps.len() as u16 - 1,
            out: *out,
        };
        chained::work((self.op, self.axis), &folded, scratch)
    }

    fn scratch(&self, out: &DeviceTile) -> Memory {
        let shape = self.drawn.chain().shape;
        let fold = (self.op, self.axis);
        Memory::new(chained::scratch(fold, self.dtype, shape, out).max(1))
    }

    /// Reduces the results after they are in memory.
    fn reduce_apart(&self, out: &DeviceTile) {
        let mut chain = self.drawn.chain();
        let values = Operand::zeros(chain.shape.dims(), self.dtype);
        let tile = device_tile(&values);
        chain.outputs = smallvec![(self.drawn.steps.len() as u16 - 1, tile)];
        run(&Work::Kernel(launch(&chain).unwrap()));
        let fold = Fold::reduce(self.op, self.dtype);
        let memory = self.scratch(out);
        let scratch = memory.address();
        run(&match self.axis {
            Some(axis) => Lines::reduce(fold, axis, &tile, out).unwrap().work(scratch),
            None => Whole::reduce(fold, &tile, [0; MAX_DIMS], chain.shape)
                .unwrap()
                .work(scratch, &[out.start]),
        });
    }
}

#[test]
fn fused_reductions_have_the_bits_of_separate_kernels() {
    if !can_run() {
        return;
    }
    for case in (0..40).filter_map(Case::new) {
        let [apart, fused] = [case.out(), case.out()];
        case.reduce_apart(&device_tile(&apart));
        // The chain may write its inputs, so it is the second.
        let tile = device_tile(&fused);
        let scratch = case.scratch(&tile);
        run(&case.fused(&tile, scratch.address()));
        assert_same(
            &fused.values(),
            &apart.values(),
            &format_args!("{} along {:?} of {:?}", case.op, case.axis, case.drawn),
        );
    }
}

#[test]
fn every_fused_reduction_compiles() {
    let kernels = (0..150).filter_map(Case::new).map(|case| {
        let out = case.out();
        match case.fused(&device_tile(&out), 4096) {
            Work::Kernel(launch) => launch.kernel,
            other => panic!("{other:?} is not a kernel"),
        }
    });
    compile_all(kernels);
}
