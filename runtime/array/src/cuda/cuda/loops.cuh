// Loops over operands of one shape, starting with the innermost one, and their threads.

#define WEFT_INLINE static __device__ __forceinline__

namespace weft {

// `D` loops over `N` operands. `I` is the type of indices, which all places of elements fit.
template <int N, int D, typename I> struct Loops {
    I count[D];
    I step[D][N];

    // Returns the places of the operands in round `row` of the loops starting at number `inner`,
    // taken as one.
    template <int inner> __device__ __forceinline__ void find(I row, I (&at)[N]) const {
#pragma unroll
        for (int n = 0; n < N; ++n) at[n] = 0;
#pragma unroll
        for (int d = inner; d < D; ++d) {
            const I round = d + 1 < D ? row % count[d] : row;
            if (d + 1 < D) row /= count[d];
#pragma unroll
            for (int n = 0; n < N; ++n) at[n] += round * step[d][n];
        }
    }
};

// Blocks of threads walk over units: some rows, which are rounds of the loops outside of the
// innermost one, by a part of the innermost loop. The threads of a block are along that loop (x)
// and along rows (y), and each does `E` rounds of the loop.
template <int E, int N, int D, typename I> struct Walk {
    Loops<N, D, I> loops;
    I rows;
    // The parts of the innermost loop, and all units.
    I parts;
    I units;

    // Calls `body(first, at)` for each unit with the thread's first round, and the places of the
    // operands in its row.
    template <typename Body> __device__ __forceinline__ void each(Body body) const {
        for (I unit = blockIdx.x; unit < units; unit += gridDim.x) {
            const I row = unit / parts * (I)blockDim.y + (I)threadIdx.y;
            const I first = unit % parts * (I)(E * blockDim.x) + (I)threadIdx.x;
            if (row >= rows) continue;
            I at[N];
            loops.template find<1>(row, at);
            body(first, at);
        }
    }
};

}  // namespace weft
