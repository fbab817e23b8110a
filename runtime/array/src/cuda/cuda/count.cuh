// Counts of numbers, and row-major numbers of indices.

namespace weft {

// Computes `out = so_far * length + index`. Operands of the loops are `so_far`, the indices and the
// output. If `so_far` is null, `start` is used for all.
template <int E, int D, typename I>
WEFT_INLINE void ravel(const long long *so_far, long long start, const long long *indices, long long *out,
                       long long length, const Walk<E, 3, D, I> &walk, long long *fault) {
    walk.each([&](I first, const I(&row)[3]) {
        const I(&steps)[3] = walk.loops.step[0];
#pragma unroll
        for (int k = 0; k < E; ++k) {
            const I i = first + (I)(k * blockDim.x);
            if (i >= walk.loops.count[0]) continue;
            const long long index = indices[row[1] + i * steps[1]];
            const long long place = place_of(index, length);
            if (place < 0) report(index, length, fault);
            else out[row[2] + i * steps[2]] = (so_far ? so_far[row[0] + i * steps[0]] : start) * length + place;
        }
    });
}

// The number of bins for which a block has its own counters.
static constexpr int OWN_BINS = 4096;

// Adds to `out[n]` the number of elements that are `n`, for all `n` below `bins`. The output must
// be dense, and initially 0.
WEFT_INLINE void count_numbers(const long long *numbers, unsigned long long *out, long long count, long long step,
                               long long bins, long long *fault) {
    __shared__ unsigned own[OWN_BINS];
    const bool is_own = bins <= OWN_BINS;
    if (is_own) {
        for (int bin = (int)threadIdx.x; bin < (int)bins; bin += (int)blockDim.x) own[bin] = 0;
        __syncthreads();
    }
    const long long pace = (long long)gridDim.x * blockDim.x;
    for (long long at = blockIdx.x * (long long)blockDim.x + threadIdx.x; at < count; at += pace) {
        const long long number = numbers[at * step];
        if (number < 0 || number >= bins) report(number, bins, fault);
        else if (is_own) atomicAdd(&own[number], 1u);
        else atomicAdd(&out[number], 1ull);
    }
    if (!is_own) return;
    __syncthreads();
    for (int bin = (int)threadIdx.x; bin < (int)bins; bin += (int)blockDim.x) {
        if (own[bin] > 0) atomicAdd(&out[bin], (unsigned long long)own[bin]);
    }
}

}  // namespace weft
