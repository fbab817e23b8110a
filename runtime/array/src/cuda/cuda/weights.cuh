// Sums of weights by number. The numbers are sorted together with the places of their weights. So
// the weights of one number are consecutive, in the order in which they are added up.

namespace weft {

// Returns how many of the sorted numbers are below this one.
WEFT_INLINE long long numbers_below(const long long *sorted, long long count, long long number) {
    long long low = 0, high = count;
    while (low < high) {
        const long long middle = low + (high - low) / 2;
        if (sorted[middle] < number) low = middle + 1;
        else high = middle;
    }
    return low;
}

// Reports a number that is not a bin.
WEFT_INLINE void check_numbers(const long long *numbers, long long step, long long count, long long bins, long long *fault) {
    const long long pace = (long long)gridDim.x * blockDim.x;
    for (long long at = blockIdx.x * (long long)blockDim.x + threadIdx.x; at < count; at += pace) {
        const long long number = numbers[at * step];
        if (number < 0 || number >= bins) report(number, bins, fault);
    }
}

// A thread for each bin, if each number has few weights.
template <typename T>
WEFT_INLINE void sum_weights(const long long *sorted, const long long *places, long long count, const T *weights,
                             long long step, T *out, long long bins) {
    const long long pace = (long long)gridDim.x * blockDim.x;
    for (long long bin = blockIdx.x * (long long)blockDim.x + threadIdx.x; bin < bins; bin += pace) {
        T sum = (T)0;
        for (long long i = numbers_below(sorted, count, bin); i < count && sorted[i] == bin; ++i) {
            sum = sum + weights[places[i] * step];
        }
        out[bin] = sum;
    }
}

// A block for each bin: its threads fetch weights, and one of them computes the sum.
template <typename T>
WEFT_INLINE void sum_many_weights(const long long *sorted, const long long *places, long long count, const T *weights,
                                  long long step, T *out, long long bins) {
    static constexpr int STAGED = 1024;
    __shared__ T staged[STAGED];
    for (long long bin = blockIdx.x; bin < bins; bin += gridDim.x) {
        const long long end = numbers_below(sorted, count, bin + 1);
        T sum = (T)0;
        for (long long low = numbers_below(sorted, count, bin); low < end; low += STAGED) {
            const int here = end - low < STAGED ? (int)(end - low) : STAGED;
            for (int i = (int)threadIdx.x; i < here; i += (int)blockDim.x) staged[i] = weights[places[low + i] * step];
            __syncthreads();
            if (threadIdx.x == 0) {
#pragma unroll 8
                for (int i = 0; i < here; ++i) sum = sum + staged[i];
            }
            __syncthreads();
        }
        if (threadIdx.x == 0) out[bin] = sum;
    }
}

}  // namespace weft
