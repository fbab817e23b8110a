// Reductions along lines of an array: the elements along one axis, one line for each output.

namespace weft {

// The elements of a line.
template <typename T, typename I> struct Line {
    typedef T Term;
    const T *array;
    I step;
    __device__ __forceinline__ T term(I line, I i) const { return array[line + i * step]; }
};

// The products of the elements of a line with a vector.
template <typename T, typename I> struct Weighted {
    typedef T Term;
    const T *array;
    I step;
    const T *weights;
    I weights_step;
    __device__ __forceinline__ T term(I line, I i) const {
        return product(array[line + i * step], weights[i * weights_step]);
    }
};

// The part of a result that is written.
template <typename A> WEFT_INLINE A result_of(A acc) { return acc; }
template <typename T> WEFT_INLINE long long result_of(Place<T> place) { return place.at; }

// Folds lines of `count` terms, in parts of `length` terms; `loops` are over the lines and the
// outputs. Threads of a block are along the line in x and across lines in y, or the other way round
// if `is_across`. Blocks are along the lines in x, and along the parts in y. If there are several
// parts, a result goes to `parts`, number `part * lines + line`, and the last block of some lines
// joins those of its lines.
template <typename F, int E, bool is_across, typename Source, int D, typename I, typename Out>
WEFT_INLINE void fold_lines(const Source source, const Loops<2, D, I> &loops, I lines, I count, I length,
                            const Results<typename F::Acc> parts, Out *out, unsigned *tickets) {
    const int lane = (int)(is_across ? threadIdx.y : threadIdx.x);
    const int lanes = (int)(is_across ? blockDim.y : blockDim.x);
    const I line = is_across ? (I)(blockIdx.x * (long long)blockDim.x) + (I)threadIdx.x
                             : (I)(blockIdx.x * (long long)blockDim.y) + (I)threadIdx.y;
    I at[2];
    loops.template find<0>(line < lines ? line : 0, at);
    const I low = (I)blockIdx.y * length;
    const I end = line >= lines ? low : count - low < length ? count : low + length;
    typename F::Acc acc[E];
#pragma unroll
    for (int k = 0; k < E; ++k) acc[k] = F::start();
    I i = low + lane;
    for (; i + (E - 1) * lanes < end; i += E * lanes) {
        // All terms are loaded before the first one is used.
        typename Source::Term term[E];
#pragma unroll
        for (int k = 0; k < E; ++k) term[k] = source.term(at[0], i + k * lanes);
#pragma unroll
        for (int k = 0; k < E; ++k) acc[k] = F::step(acc[k], term[k], i + k * lanes);
    }
#pragma unroll
    for (int k = 0; k < E - 1; ++k) {
        if (i + k * lanes < end) acc[k] = F::step(acc[k], source.term(at[0], i + k * lanes), i + k * lanes);
    }
    const int apart = is_across ? (int)blockDim.x : 1;
    typename F::Acc result = fold_lanes<F>(fold_own<F>(acc), lane, lanes, apart);
    const bool writes = lane == 0 && line < lines;
    if (gridDim.y > 1) {
        if (writes) parts.put(blockIdx.y * (long long)lines + line, result);
        if (!is_last(tickets + blockIdx.x, gridDim.y)) return;
        result = F::start();
        for (unsigned part = lane; line < lines && part < gridDim.y; part += lanes) {
            result = F::join(result, parts.get(part * (long long)lines + line));
        }
        result = fold_lanes<F>(result, lane, lanes, apart);
    }
    if (writes) out[at[1]] = result_of(result);
}

}  // namespace weft
