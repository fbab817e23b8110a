// The last block of a launch that finishes, which combines the results of the others.

#define WEFT_INLINE static __device__ __forceinline__

namespace weft {

// Returns whether this block is the last of `blocks` that call this with the same ticket, which is
// 0 before and after. It then sees what the other blocks wrote before. All threads of the block
// must call this.
WEFT_INLINE bool is_last(unsigned *ticket, unsigned blocks) {
    __shared__ bool last;
    // Without this a thread could still read `last` of an earlier call, or write its results.
    __syncthreads();
    if (threadIdx.x == 0 && threadIdx.y == 0) {
        __threadfence();
        last = atomicInc(ticket, blocks - 1) == blocks - 1;
        __threadfence();
    }
    __syncthreads();
    return last;
}

}  // namespace weft
