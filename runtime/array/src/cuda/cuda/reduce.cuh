// Reductions of whole arrays: each block folds its part to one result, and the last block folds
// these.

namespace weft {

// The elements of an array, without numbers.
template <typename T> struct Elements {
    typedef T Term;
    static constexpr int N = 1;
    const T *array;
    template <typename I> __device__ __forceinline__ T term(const I (&at)[1]) const { return array[at[0]]; }
    template <typename I> __device__ __forceinline__ long long number(const I (&)[1]) const { return 0; }
};

// The elements with their numbers, which the last operand of the loops counts.
template <typename T> struct Numbered {
    typedef T Term;
    static constexpr int N = 2;
    const T *array;
    long long first;
    template <typename I> __device__ __forceinline__ T term(const I (&at)[2]) const { return array[at[0]]; }
    template <typename I> __device__ __forceinline__ long long number(const I (&at)[2]) const { return first + at[1]; }
};

// The products of the elements of two arrays.
template <typename T> struct Products {
    typedef T Term;
    static constexpr int N = 2;
    const T *left;
    const T *right;
    template <typename I> __device__ __forceinline__ T term(const I (&at)[2]) const {
        return product(left[at[0]], right[at[1]]);
    }
    template <typename I> __device__ __forceinline__ long long number(const I (&)[2]) const { return 0; }
};

// Joins `count` results with the threads of one block; `get(i)` is number i. The result is for
// thread 0.
template <typename F, typename Get> WEFT_INLINE typename F::Acc combine(long long count, Get get) {
    const int threads = (int)(blockDim.x * blockDim.y);
    const int own = (int)(threadIdx.y * blockDim.x + threadIdx.x);
    typename F::Acc acc = F::start();
    for (long long i = own; i < count; i += threads) acc = F::join(acc, get(i));
    return fold_lanes<F>(acc, own, threads, 1);
}

// Folds all terms to `out`. Each block folds its units, and puts its result in `results` if there
// are several.
template <typename F, int E, typename Source, int D, typename I>
WEFT_INLINE void fold_all(const Source source, const Walk<E, Source::N, D, I> &walk,
                          const Results<typename F::Acc> results, const Results<typename F::Acc> out,
                          unsigned *tickets) {
    typename F::Acc acc[E];
#pragma unroll
    for (int k = 0; k < E; ++k) acc[k] = F::start();
    walk.each([&](I first, const I(&row)[Source::N]) {
        const I step = (I)blockDim.x;
        const auto place = [&](I i, I(&at)[Source::N]) {
#pragma unroll
            for (int n = 0; n < Source::N; ++n) at[n] = row[n] + i * walk.loops.step[0][n];
        };
        if (first + (E - 1) * step < walk.loops.count[0]) {
            // All terms are loaded before the first one is used.
            typename Source::Term term[E];
            long long number[E];
#pragma unroll
            for (int k = 0; k < E; ++k) {
                I at[Source::N];
                place(first + k * step, at);
                term[k] = source.term(at);
                number[k] = source.number(at);
            }
#pragma unroll
            for (int k = 0; k < E; ++k) acc[k] = F::step(acc[k], term[k], number[k]);
            return;
        }
#pragma unroll
        for (int k = 0; k < E; ++k) {
            if (first + k * step >= walk.loops.count[0]) continue;
            I at[Source::N];
            place(first + k * step, at);
            acc[k] = F::step(acc[k], source.term(at), source.number(at));
        }
    });
    const int threads = (int)(blockDim.x * blockDim.y);
    const int own = (int)(threadIdx.y * blockDim.x + threadIdx.x);
    const typename F::Acc result = fold_lanes<F>(fold_own<F>(acc), own, threads, 1);
    if (gridDim.x == 1) {
        if (own == 0) out.put(0, result);
        return;
    }
    if (own == 0) results.put(blockIdx.x, result);
    if (!is_last(tickets, gridDim.x)) return;
    const typename F::Acc all = combine<F>(gridDim.x, [&](long long i) { return results.get(i); });
    if (own == 0) out.put(0, all);
}

}  // namespace weft
