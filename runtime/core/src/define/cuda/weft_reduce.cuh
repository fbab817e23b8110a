// Arrays that all tiles contribute to: `total.add(value)` for an array without axes,
// `histogram.add(i, value)` for others, and `combine` for any reduction. The type gives the
// reduction: `weft::Reduce<float, 0, weft::Max>`; the default is the sum.

namespace weft {

// Equal values are ordered by their sign bit, and there is only one NaN, so that no order of
// threads changes a result.
template <typename T> WEFT_INLINE bool is_below_zero(T value) { return value < (T)0; }
WEFT_INLINE bool is_below_zero(float value) { return __float_as_int(value) < 0; }
WEFT_INLINE bool is_below_zero(double value) { return __double_as_longlong(value) < 0; }
template <typename T> WEFT_INLINE T no_number(T value) { return value; }
WEFT_INLINE float no_number(float) { return __int_as_float(0x7fc00000); }
WEFT_INLINE double no_number(double) { return __longlong_as_double(0x7ff8000000000000LL); }

struct Add {
    static constexpr bool is_sum = true;
    template <typename T> WEFT_INLINE T join(T a, T b) { return add(a, b); }
    WEFT_INLINE float join(float a, float b) { return a + b; }
    WEFT_INLINE double join(double a, double b) { return a + b; }
};
struct Mul {
    static constexpr bool is_sum = false;
    template <typename T> WEFT_INLINE T join(T a, T b) { return multiply(a, b); }
    WEFT_INLINE float join(float a, float b) { return a * b; }
    WEFT_INLINE double join(double a, double b) { return a * b; }
};
struct Min {
    static constexpr bool is_sum = false;
    template <typename T> WEFT_INLINE T join(T a, T b) {
        if (a != a || b != b) return no_number(a);
        return a < b || (a == b && is_below_zero(a)) ? a : b;
    }
};
struct Max {
    static constexpr bool is_sum = false;
    template <typename T> WEFT_INLINE T join(T a, T b) {
        if (a != a || b != b) return no_number(a);
        return a > b || (a == b && !is_below_zero(a)) ? a : b;
    }
};

// Combines a value with the value in memory: exchanges words of 4 or 8 bytes until no other thread
// has changed the word in between.
template <typename Op, typename T, int BYTES> struct Atomic {
    // A word has several elements.
    WEFT_INLINE void combine(T *place, T value) {
        unsigned int *word = reinterpret_cast<unsigned int *>(reinterpret_cast<unsigned long long>(place) & ~3ULL);
        const int shift = (int)(reinterpret_cast<unsigned long long>(place) & 3) * 8;
        const unsigned int mask = (BYTES == 1 ? 0xffu : 0xffffu) << shift;
        unsigned int old = *(volatile unsigned int *)word;
        for (;;) {
            const unsigned int bits = (unsigned int)(of_bits(Op::join(to_element((old & mask) >> shift), value))) << shift;
            const unsigned int wanted = (old & ~mask) | (bits & mask);
            const unsigned int found = atomicCAS(word, old, wanted);
            if (found == old) return;
            old = found;
        }
    }
    WEFT_INLINE T to_element(unsigned int bits) { return (T)bits; }
    WEFT_INLINE unsigned int of_bits(T value) { return (unsigned int)value; }
};
template <typename Op, typename T> struct Atomic<Op, T, 4> {
    union Bits {
        T value;
        unsigned int word;
    };
    WEFT_INLINE void combine(T *place, T value) {
        unsigned int *word = reinterpret_cast<unsigned int *>(place);
        Bits old, wanted;
        old.word = *(volatile unsigned int *)word;
        for (;;) {
            wanted.value = Op::join(old.value, value);
            if (wanted.word == old.word) return;
            const unsigned int found = atomicCAS(word, old.word, wanted.word);
            if (found == old.word) return;
            old.word = found;
        }
    }
};
template <typename Op, typename T> struct Atomic<Op, T, 8> {
    union Bits {
        T value;
        unsigned long long word;
    };
    WEFT_INLINE void combine(T *place, T value) {
        unsigned long long *word = reinterpret_cast<unsigned long long *>(place);
        Bits old, wanted;
        old.word = *(volatile unsigned long long *)word;
        for (;;) {
            wanted.value = Op::join(old.value, value);
            if (wanted.word == old.word) return;
            const unsigned long long found = atomicCAS(word, old.word, wanted.word);
            if (found == old.word) return;
            old.word = found;
        }
    }
};
template <typename Op, typename T> WEFT_INLINE void combine_at(Op, T *place, T value) {
    Atomic<Op, T, sizeof(T)>::combine(place, value);
}
WEFT_INLINE void combine_at(Add, int *place, int value) { atomicAdd(place, value); }
WEFT_INLINE void combine_at(Add, unsigned int *place, unsigned int value) { atomicAdd(place, value); }
WEFT_INLINE void combine_at(Add, unsigned long long *place, unsigned long long value) { atomicAdd(place, value); }
WEFT_INLINE void combine_at(Add, long long *place, long long value) {
    atomicAdd(reinterpret_cast<unsigned long long *>(place), (unsigned long long)value);
}

// A tile's contribution to an array. Threads change its elements one by one.
template <typename T, int D, typename Op = Add> struct Reduce : View<T, D> {
    __device__ __forceinline__ void combine(const Index<D> &i, T value) const {
#ifdef WEFT_VERIFY
        const Finding found = find<T, D>(*this, i, WRITES, WRITES_BEYOND);
        if (found.fault != NONE) {
            tell(this->watch, found.fault, found.detail);
            return;
        }
#endif
        combine_at(Op(), this->place(i), value);
    }
    __device__ __forceinline__ void combine(Int i, T value) const { combine(View<T, D>::indices(i), value); }
    __device__ __forceinline__ void add(const Index<D> &i, T value) const {
        static_assert(Op::is_sum, "this array has another reduction: use combine");
        combine(i, value);
    }
    __device__ __forceinline__ void add(Int i, T value) const { add(View<T, D>::indices(i), value); }
};

// A contribution to an array without axes. Each thread has its own value, and the values of all
// threads are combined in a fixed order.
template <typename T, typename Op> struct Reduce<T, 0, Op> {
    T *own;
    __device__ __forceinline__ void combine(T value) const { *own = Op::join(*own, value); }
    __device__ __forceinline__ void add(T value) const {
        static_assert(Op::is_sum, "this array has another reduction: use combine");
        combine(value);
    }
};

// Combines the values of all threads of a block as a tree, and returns the result in thread 0. All
// threads of the block must call it.
template <typename Op, typename T> WEFT_INLINE T of_block(T own) {
    __shared__ T values[1024];
    const unsigned count = blockDim.x * blockDim.y * blockDim.z;
    const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    __syncthreads();
    values[thread] = own;
    unsigned width = 1;
    while (width * 2 < count) width *= 2;
    for (; width > 0; width /= 2) {
        __syncthreads();
        if (thread < width && thread + width < count) values[thread] = Op::join(values[thread], values[thread + width]);
    }
    return values[0];
}

} // namespace weft
