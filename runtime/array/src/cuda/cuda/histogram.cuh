// Counts of values between edges.

namespace weft {

// The number of bins for which a block has its own counters and its own copy of the edges.
static constexpr int OWN_EDGES = 2048;

// The number of values that a thread searches at once, so that their loads are in flight together.
static constexpr int EACH_VALUE = 4;

// Adds to each bin of `out` the number of values from its edge up to the next one. The last bin
// includes both edges. Values outside of the edges are not counted. NaN is above all numbers. The
// output must be dense, and initially 0.
template <typename T>
WEFT_INLINE void count_values(const Sorted<T> &edges, const T *values, long long count, long long step,
                              unsigned long long *out) {
    typedef typename Order<T>::Word Word;
    __shared__ unsigned own[OWN_EDGES];
    __shared__ Word ranks[OWN_EDGES + 1];
    const long long bins = edges.length - 1;
    const bool is_own = bins <= OWN_EDGES;
    if (is_own) {
        for (int at = (int)threadIdx.x; at <= (int)bins; at += (int)blockDim.x) {
            if (at < (int)bins) own[at] = 0;
            ranks[at] = Order<T>::rank(edges[at]);
        }
        __syncthreads();
    }
    const auto edge = [&](long long at) { return is_own ? ranks[at] : Order<T>::rank(edges[at]); };
    const long long pace = (long long)gridDim.x * blockDim.x;
    for (long long first = blockIdx.x * (long long)blockDim.x + threadIdx.x; first < count; first += EACH_VALUE * pace) {
        Word word[EACH_VALUE];
        long long low[EACH_VALUE];
#pragma unroll
        for (int k = 0; k < EACH_VALUE; ++k) {
            const long long at = first + k * pace;
            word[k] = at < count ? Order<T>::rank(values[at * step]) : 0;
            low[k] = 0;
        }
        for (long long left = edges.length; left > 0;) {
            const long long half = left / 2;
#pragma unroll
            for (int k = 0; k < EACH_VALUE; ++k) {
                const long long at = low[k] + half;
                if (at < edges.length && edge(at) <= word[k]) low[k] = at + 1;
            }
            left = half;
        }
#pragma unroll
        for (int k = 0; k < EACH_VALUE; ++k) {
            if (first + k * pace >= count) continue;
            const bool is_last = low[k] == edges.length && word[k] == edge(bins);
            const long long bin = low[k] - 1 - (is_last ? 1 : 0);
            if (bin < 0 || bin >= bins) continue;
            if (is_own) atomicAdd(&own[bin], 1u);
            else atomicAdd(&out[bin], 1ull);
        }
    }
    if (!is_own) return;
    __syncthreads();
    for (int bin = (int)threadIdx.x; bin < (int)bins; bin += (int)blockDim.x) {
        if (own[bin] > 0) atomicAdd(&out[bin], (unsigned long long)own[bin]);
    }
}

}  // namespace weft
