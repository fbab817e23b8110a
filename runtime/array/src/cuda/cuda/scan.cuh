// Running results along lines. Long lines are cut into parts. The kernels compute the result of
// each part, the result of all terms before each part, and the running results of each part from
// there.

namespace weft {

// Adding a float to -0.0 does not change it.
template <typename T, typename A> struct CumSum : Sum<T, A> {
    WEFT_INLINE A start() { return (A)-0.0; }
};

// The number of threads of a block, and the number of terms of each, if the block shares a part.
// The latter is odd, so that the threads of a warp find their terms in different banks of shared
// memory.
static constexpr int SCAN_THREADS = 256;
static constexpr int SCAN_TERMS = 7;
static constexpr int SCAN_PART = SCAN_THREADS * SCAN_TERMS;

// Returns, for each thread of the block, the result of the threads before it; `total` is that of
// all.
template <typename F> WEFT_INLINE typename F::Acc before_thread(typename F::Acc own, typename F::Acc &total) {
    __shared__ typename F::Acc sums[2][SCAN_THREADS];
    const int thread = (int)threadIdx.x;
    int from = 0;
    sums[from][thread] = own;
    __syncthreads();
    for (int reach = 1; reach < SCAN_THREADS; reach *= 2, from ^= 1) {
        const typename F::Acc here = sums[from][thread];
        sums[from ^ 1][thread] = thread >= reach ? F::join(sums[from][thread - reach], here) : here;
        __syncthreads();
    }
    total = sums[from][SCAN_THREADS - 1];
    const typename F::Acc before = thread > 0 ? sums[from][thread - 1] : F::start();
    __syncthreads();
    return before;
}

// Computes the result of each part of a line except the last, with a block of threads for each, in
// `totals[line * parts + part]`.
template <typename F, typename T, int D, typename I>
WEFT_INLINE void scan_totals(const T *in, const Loops<2, D, I> &loops, I count, I step, I parts,
                             typename F::Acc *totals) {
    const I line = (I)(blockIdx.x / parts);
    const I part = (I)(blockIdx.x % parts);
    if (part + 1 == parts) return;
    I at[2];
    loops.template find<0>(line, at);
    const I low = part * SCAN_PART + (I)threadIdx.x;
    T term[SCAN_TERMS];
#pragma unroll
    for (int k = 0; k < SCAN_TERMS; ++k) term[k] = in[at[0] + (low + k * SCAN_THREADS) * step];
    typename F::Acc acc = F::start();
#pragma unroll
    for (int k = 0; k < SCAN_TERMS; ++k) acc = F::step(acc, term[k], 0);
    acc = fold_lanes<F>(acc, (int)threadIdx.x, SCAN_THREADS, 1);
    if (threadIdx.x == 0) totals[blockIdx.x] = acc;
}

// Replaces the totals of a line's parts by the results of all terms before each part, with a block
// of threads for each line.
template <typename F> WEFT_INLINE void scan_carries(long long parts, typename F::Acc *totals) {
    typename F::Acc *own = totals + blockIdx.x * parts;
    typename F::Acc carry = F::start();
    for (long long first = 0; first < parts; first += SCAN_THREADS) {
        const long long at = first + threadIdx.x;
        // The last part has no total, and no part follows it.
        const typename F::Acc here = at + 1 < parts ? own[at] : F::start();
        typename F::Acc total;
        const typename F::Acc before = before_thread<F>(here, total);
        if (at < parts) own[at] = F::join(carry, before);
        carry = F::join(carry, total);
    }
}

// Computes the running results of each part, with a block of threads for each.
template <typename F, typename T, int D, typename I>
WEFT_INLINE void scan_parts(const T *in, typename F::Acc *out, const Loops<2, D, I> &loops, I count, I in_step,
                            I out_step, I parts, const typename F::Acc *carries) {
    __shared__ typename F::Acc terms[SCAN_PART];
    const I line = (I)(blockIdx.x / parts);
    const I part = (I)(blockIdx.x % parts);
    const int thread = (int)threadIdx.x;
    I at[2];
    loops.template find<0>(line, at);
    const I low = part * SCAN_PART;
    const int here = count - low < SCAN_PART ? (int)(count - low) : SCAN_PART;
#pragma unroll
    for (int k = 0; k < SCAN_TERMS; ++k) {
        const int i = k * SCAN_THREADS + thread;
        terms[i] = i < here ? F::step(F::start(), in[at[0] + (low + i) * in_step], 0) : F::start();
    }
    __syncthreads();
    typename F::Acc acc = F::start();
#pragma unroll
    for (int k = 0; k < SCAN_TERMS; ++k) {
        acc = F::join(acc, terms[thread * SCAN_TERMS + k]);
        terms[thread * SCAN_TERMS + k] = acc;
    }
    typename F::Acc total;
    typename F::Acc before = before_thread<F>(acc, total);
    if (parts > 1) before = F::join(carries[blockIdx.x], before);
#pragma unroll
    for (int k = 0; k < SCAN_TERMS; ++k) {
        terms[thread * SCAN_TERMS + k] = F::join(before, terms[thread * SCAN_TERMS + k]);
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < SCAN_TERMS; ++k) {
        const int i = k * SCAN_THREADS + thread;
        if (i < here) out[at[1] + (low + i) * out_step] = terms[i];
    }
}

// For neighbouring lines that are denser than the terms of one: a thread for each part of a line,
// with threads of a block along lines in x and along parts in y. Computes the result of each part
// except the last, in `totals[part * lines + line]`.
template <typename F, typename T, int D, typename I>
WEFT_INLINE void across_totals(const T *in, const Loops<2, D, I> &loops, I lines, I length, I step, I parts,
                               typename F::Acc *totals) {
    const I line = (I)(blockIdx.x * (long long)blockDim.x) + (I)threadIdx.x;
    const I part = (I)(blockIdx.y * blockDim.y + threadIdx.y);
    if (line >= lines || part + 1 >= parts) return;
    I at[2];
    loops.template find<0>(line, at);
    typename F::Acc acc = F::start();
    at[0] += part * length * step;
#pragma unroll 8
    for (I i = 0; i < length; ++i) acc = F::step(acc, in[at[0] + i * step], 0);
    totals[part * (long long)lines + line] = acc;
}

// Replaces the totals of a line's parts by the results of all terms before each part, with a thread
// for each line.
template <typename F> WEFT_INLINE void across_carries(long long lines, long long parts, typename F::Acc *totals) {
    const long long line = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (line >= lines) return;
    typename F::Acc carry = F::start();
    for (long long part = 0; part < parts; ++part) {
        const typename F::Acc total = part + 1 < parts ? totals[part * lines + line] : F::start();
        totals[part * lines + line] = carry;
        carry = F::join(carry, total);
    }
}

// Computes the running results of each part.
template <typename F, typename T, int D, typename I>
WEFT_INLINE void across_parts(const T *in, typename F::Acc *out, const Loops<2, D, I> &loops, I lines, I count,
                              I length, I in_step, I out_step, I parts, const typename F::Acc *carries) {
    const I line = (I)(blockIdx.x * (long long)blockDim.x) + (I)threadIdx.x;
    const I part = (I)(blockIdx.y * blockDim.y + threadIdx.y);
    if (line >= lines || part >= parts) return;
    I at[2];
    loops.template find<0>(line, at);
    const I low = part * length;
    const I end = count - low < length ? count : low + length;
    typename F::Acc acc = parts > 1 ? carries[part * (long long)lines + line] : F::start();
    I i = low;
    for (; i + 7 < end; i += 8) {
        T term[8];
#pragma unroll
        for (int k = 0; k < 8; ++k) term[k] = in[at[0] + (i + k) * in_step];
#pragma unroll
        for (int k = 0; k < 8; ++k) {
            acc = F::step(acc, term[k], 0);
            out[at[1] + (i + k) * out_step] = acc;
        }
    }
    for (; i < end; ++i) {
        acc = F::step(acc, in[at[0] + i * in_step], 0);
        out[at[1] + i * out_step] = acc;
    }
}

}  // namespace weft
