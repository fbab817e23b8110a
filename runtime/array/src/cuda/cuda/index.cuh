// Elements read and written by index.

namespace weft {

// Reports an index outside of its axis: the index, and the length plus 1. If there are several, any
// of them is reported.
WEFT_INLINE void report(long long index, long long length, long long *fault) {
    fault[0] = index;
    fault[1] = length + 1;
}

// Returns the place of an index on an axis of this length; -1 if it is outside.
WEFT_INLINE long long place_of(long long index, long long length) {
    const long long place = index < 0 ? index + length : index;
    return place < 0 || place >= length ? -1 : place;
}

// Computes `out = input[index]`. Operands of the loops are the input at position 0 of the axis, the
// indices, and the output.
template <int E, typename T, int D, typename I>
WEFT_INLINE void take(const T *in, const long long *indices, T *out, long long step, long long length,
                      const Walk<E, 3, D, I> &walk, long long *fault) {
    walk.each([&](I first, const I(&row)[3]) {
        const I pace = (I)blockDim.x;
        const I(&steps)[3] = walk.loops.step[0];
        const auto copy = [&](I i, long long index) {
            const long long place = place_of(index, length);
            if (place < 0) report(index, length, fault);
            else out[row[2] + i * steps[2]] = in[row[0] + i * steps[0] + place * step];
        };
        if (first + (E - 1) * pace < walk.loops.count[0]) {
            // All indices are loaded before the first one is used.
            long long index[E];
#pragma unroll
            for (int k = 0; k < E; ++k) index[k] = indices[row[1] + (first + k * pace) * steps[1]];
#pragma unroll
            for (int k = 0; k < E; ++k) copy(first + k * pace, index[k]);
            return;
        }
#pragma unroll
        for (int k = 0; k < E; ++k) {
            const I i = first + k * pace;
            if (i < walk.loops.count[0]) copy(i, indices[row[1] + i * steps[1]]);
        }
    });
}

// Finds, for each place, the number of the last index that refers to it, plus 1. `winners` must
// initially be 0.
template <typename W>
WEFT_INLINE void find_winners(const long long *indices, long long step, long long count, long long length,
                              W *winners, long long *fault) {
    for (long long j = blockIdx.x * (long long)blockDim.x + threadIdx.x; j < count;
         j += (long long)gridDim.x * blockDim.x) {
        const long long place = place_of(indices[j * step], length);
        if (place < 0) report(indices[j * step], length, fault);
        else atomicMax(&winners[place], (W)(j + 1));
    }
}

// Writes `out[index] = value` if the index is the last that refers to its place. Operands of the
// loops are the values, the number of the index, and the output at position 0 of the axis.
template <int E, typename Source, typename T, typename W, int D, typename I>
WEFT_INLINE void put(const Source values, T *out, const long long *indices, long long indices_step, long long step,
                     long long length, const Walk<E, 3, D, I> &walk, const W *winners) {
    walk.each([&](I first, const I(&row)[3]) {
#pragma unroll
        for (int k = 0; k < E; ++k) {
            const I i = first + (I)(k * blockDim.x);
            if (i >= walk.loops.count[0]) continue;
            const long long j = row[1] + i * walk.loops.step[0][1];
            const long long place = place_of(indices[j * indices_step], length);
            if (place < 0 || winners[place] != (W)(j + 1)) continue;
            out[row[2] + i * walk.loops.step[0][2] + place * step] = values.get(row[0] + i * walk.loops.step[0][0]);
        }
    });
}

// The values to write: elements, or one for all.
template <typename T> struct Each {
    const T *array;
    template <typename I> __device__ __forceinline__ T get(I at) const { return array[at]; }
};
template <typename T> struct One {
    T value;
    template <typename I> __device__ __forceinline__ T get(I) const { return value; }
};

}  // namespace weft
