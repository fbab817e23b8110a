// Elements selected by a mask, by blocks of the mask with known running counts.

namespace weft {

// The number of elements of a block of the mask: `BLOCK` of the CPU's kernels.
static constexpr int PACK_BLOCK = 4096;
static constexpr int PACK_THREADS = 256;
static constexpr int PACK_TERMS = PACK_BLOCK / PACK_THREADS;

// Returns the sum over the threads before this one; `total` is that of all.
WEFT_INLINE int count_before(int own, int &total) {
    __shared__ int warps[PACK_THREADS / 32];
    const int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;
    int up_to = own;
#pragma unroll
    for (int reach = 1; reach < 32; reach *= 2) {
        const int other = __shfl_up_sync(0xffffffffu, up_to, reach);
        if (lane >= reach) up_to += other;
    }
    if (lane == 31) warps[warp] = up_to;
    __syncthreads();
    int before = 0;
    total = 0;
#pragma unroll
    for (int w = 0; w < PACK_THREADS / 32; ++w) {
        if (w < warp) before += warps[w];
        total += warps[w];
    }
    __syncthreads();
    return before + up_to - own;
}

// The elements of a block of the mask for this thread: contiguous ones, with one bit each.
WEFT_INLINE unsigned own_bits(const bool *mask, long long step, long long count, long long block) {
    const long long low = block * PACK_BLOCK + (long long)threadIdx.x * PACK_TERMS;
    unsigned bits = 0;
#pragma unroll
    for (int k = 0; k < PACK_TERMS; ++k) {
        if (low + k < count && mask[(low + k) * step]) bits |= 1u << k;
    }
    return bits;
}

// Sets `counts` to the number of set elements of each block, with a block of threads for each.
WEFT_INLINE void count_blocks(const bool *mask, long long *counts, long long step, long long count,
                              long long counts_step) {
    int total;
    count_before(__popc(own_bits(mask, step, count, blockIdx.x)), total);
    if (threadIdx.x == 0) counts[blockIdx.x * counts_step] = total;
}

// A mask with the running counts of its blocks.
struct Mask {
    const bool *elements;
    const long long *ends;
    long long step;
    long long ends_step;
    long long count;
    __device__ __forceinline__ long long start(long long block) const {
        return block == 0 ? 0 : ends[(block - 1) * ends_step];
    }
};

// Calls `body(rank, place)` for the selected elements of this block of the mask whose ranks are in
// [first, first + count).
template <typename Body>
WEFT_INLINE void each_selected(const Mask &mask, long long first, long long count, Body body) {
    __shared__ unsigned short places[PACK_BLOCK];
    const long long start = mask.start(blockIdx.x);
    const long long end = mask.ends[blockIdx.x * mask.ends_step];
    // This is the same for all threads of the block.
    if (start == end || end <= first || start >= first + count) return;
    unsigned bits = own_bits(mask.elements, mask.step, mask.count, blockIdx.x);
    int total;
    int rank = count_before(__popc(bits), total);
    for (int k = 0; k < PACK_TERMS; ++k, bits >>= 1) {
        if (bits & 1) places[rank++] = (unsigned short)(threadIdx.x * PACK_TERMS + k);
    }
    __syncthreads();
    for (int i = (int)threadIdx.x; i < total; i += PACK_THREADS) {
        const long long of_all = start + i;
        if (of_all >= first && of_all < first + count) body(of_all - first, (long long)blockIdx.x * PACK_BLOCK + places[i]);
    }
}

// Sets `out` to the selected values starting at number `first`.
template <typename T>
WEFT_INLINE void pack(const Mask &mask, const T *values, T *out, long long values_step, long long out_step,
                      long long first, long long count) {
    each_selected(mask, first, count,
                  [&](long long rank, long long at) { out[rank * out_step] = values[at * values_step]; });
}

// Sets `out` to the numbers of the selected elements starting at number `first`.
WEFT_INLINE void positions(const Mask &mask, long long *out, long long out_step, long long first, long long count) {
    each_selected(mask, first, count, [&](long long rank, long long at) { out[rank * out_step] = at; });
}

// Sets `out` to the elements starting at `first` of a vector with the values, one after the other,
// where the mask is set, and 0 elsewhere. The grid begins with the block of the mask that contains
// the first element.
template <typename T>
WEFT_INLINE void unpack(const Mask &mask, const T *values, T *out, long long values_step, long long out_step,
                        long long first, long long count) {
    __shared__ int ranks[PACK_BLOCK];
    const long long block = first / PACK_BLOCK + blockIdx.x;
    unsigned bits = own_bits(mask.elements, mask.step, mask.count, block);
    int total;
    int rank = count_before(__popc(bits), total);
#pragma unroll
    for (int k = 0; k < PACK_TERMS; ++k, bits >>= 1) {
        ranks[threadIdx.x * PACK_TERMS + k] = bits & 1 ? rank++ : -1;
    }
    __syncthreads();
    const long long start = mask.start(block);
    for (int i = (int)threadIdx.x; i < PACK_BLOCK; i += PACK_THREADS) {
        const long long at = block * PACK_BLOCK + i - first;
        if (at < 0 || at >= count) continue;
        out[at * out_step] = ranks[i] < 0 ? (T)0 : values[(start + ranks[i]) * values_step];
    }
}

}  // namespace weft
