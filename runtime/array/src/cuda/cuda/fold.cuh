// Reductions of terms. A fold has a type `Acc` of running results, the result `start()` of no
// terms, `step(acc, term, at)`, where `at` is the number of the term, and `join(a, b)`, in any
// order.

namespace weft {

template <typename T> struct Limits;
template <> struct Limits<bool> {
    WEFT_INLINE bool lowest() { return false; }
    WEFT_INLINE bool highest() { return true; }
};
template <> struct Limits<signed char> {
    WEFT_INLINE signed char lowest() { return -128; }
    WEFT_INLINE signed char highest() { return 127; }
};
template <> struct Limits<short> {
    WEFT_INLINE short lowest() { return -32768; }
    WEFT_INLINE short highest() { return 32767; }
};
template <> struct Limits<int> {
    WEFT_INLINE int lowest() { return -2147483647 - 1; }
    WEFT_INLINE int highest() { return 2147483647; }
};
template <> struct Limits<long long> {
    WEFT_INLINE long long lowest() { return -9223372036854775807LL - 1; }
    WEFT_INLINE long long highest() { return 9223372036854775807LL; }
};
template <> struct Limits<unsigned char> {
    WEFT_INLINE unsigned char lowest() { return 0; }
    WEFT_INLINE unsigned char highest() { return 255; }
};
template <> struct Limits<unsigned short> {
    WEFT_INLINE unsigned short lowest() { return 0; }
    WEFT_INLINE unsigned short highest() { return 65535; }
};
template <> struct Limits<unsigned int> {
    WEFT_INLINE unsigned int lowest() { return 0; }
    WEFT_INLINE unsigned int highest() { return 4294967295u; }
};
template <> struct Limits<unsigned long long> {
    WEFT_INLINE unsigned long long lowest() { return 0; }
    WEFT_INLINE unsigned long long highest() { return 18446744073709551615ULL; }
};
template <> struct Limits<float> {
    WEFT_INLINE float lowest() { return __int_as_float((int)0xff800000u); }
    WEFT_INLINE float highest() { return __int_as_float(0x7f800000); }
};
template <> struct Limits<double> {
    WEFT_INLINE double lowest() { return __longlong_as_double((long long)0xfff0000000000000ULL); }
    WEFT_INLINE double highest() { return __longlong_as_double(0x7ff0000000000000LL); }
};

template <typename T> WEFT_INLINE bool is_nan(T value) { return value != value; }

// Returns the product of two elements. C would multiply 16 bits as `int`, which overflows.
template <typename T> WEFT_INLINE T product(T a, T b) { return a * b; }
WEFT_INLINE unsigned short product(unsigned short a, unsigned short b) {
    return (unsigned short)((unsigned int)a * b);
}

// Integers are added and multiplied as unsigned ones, which wrap.
template <typename T, typename A> struct Sum {
    typedef A Acc;
    WEFT_INLINE A start() { return (A)0; }
    WEFT_INLINE A step(A acc, T term, long long) { return acc + (A)term; }
    WEFT_INLINE A join(A a, A b) { return a + b; }
};

template <typename T, typename A> struct Prod {
    typedef A Acc;
    WEFT_INLINE A start() { return (A)1; }
    WEFT_INLINE A step(A acc, T term, long long) { return acc * (A)term; }
    WEFT_INLINE A join(A a, A b) { return a * b; }
};

// The smallest or the largest term; NaN if one is NaN.
template <typename T, bool is_max> struct Extreme {
    typedef T Acc;
    WEFT_INLINE T start() { return is_max ? Limits<T>::lowest() : Limits<T>::highest(); }
    WEFT_INLINE T join(T a, T b) {
        if (is_nan(a)) return a;
        if (is_nan(b)) return b;
        return (is_max ? a < b : b < a) ? b : a;
    }
    WEFT_INLINE T step(T acc, T term, long long) { return join(acc, term); }
};

// The smallest or the largest term that is not NaN; NaN without any.
template <typename T, bool is_max> struct ExtremeNumber {
    typedef T Acc;
    WEFT_INLINE T start() { return (T)__int_as_float(0x7fc00000); }
    WEFT_INLINE T join(T a, T b) {
        if (is_nan(a)) return b;
        return (is_max ? a < b : b < a) ? b : a;
    }
    WEFT_INLINE T step(T acc, T term, long long) { return join(acc, term); }
};

template <typename T> struct Any {
    typedef bool Acc;
    WEFT_INLINE bool start() { return false; }
    WEFT_INLINE bool step(bool acc, T term, long long) { return acc | (term != (T)0); }
    WEFT_INLINE bool join(bool a, bool b) { return a | b; }
};

template <typename T> struct All {
    typedef bool Acc;
    WEFT_INLINE bool start() { return true; }
    WEFT_INLINE bool step(bool acc, T term, long long) { return acc & (term != (T)0); }
    WEFT_INLINE bool join(bool a, bool b) { return a & b; }
};

template <typename T> struct Count {
    typedef long long Acc;
    WEFT_INLINE long long start() { return 0; }
    WEFT_INLINE long long step(long long acc, T term, long long) { return acc + (term != (T)0); }
    WEFT_INLINE long long join(long long a, long long b) { return a + b; }
};

// A value and its number.
template <typename T> struct Place {
    T value;
    long long at;
};

// The first smallest or largest term, or the first NaN: of equal ones, and of NaNs, the one with
// the smallest number.
template <typename T, bool is_max> struct Arg {
    typedef Place<T> Acc;
    WEFT_INLINE Acc start() {
        Acc none = {is_max ? Limits<T>::lowest() : Limits<T>::highest(), 9223372036854775807LL};
        return none;
    }
    WEFT_INLINE bool beats(Acc a, Acc b) {
        if (is_nan(b.value)) return is_nan(a.value) && a.at < b.at;
        if (is_nan(a.value)) return true;
        if (a.value == b.value) return a.at < b.at;
        return is_max ? b.value < a.value : a.value < b.value;
    }
    WEFT_INLINE Acc join(Acc a, Acc b) { return beats(b, a) ? b : a; }
    WEFT_INLINE Acc step(Acc acc, T term, long long at) {
        Acc one = {term, at};
        return join(acc, one);
    }
};

// Results that threads put into memory; for places, value and number are separate.
template <typename A> struct Results {
    A *value;
    __device__ __forceinline__ A get(long long at) const { return value[at]; }
    __device__ __forceinline__ void put(long long at, A result) const { value[at] = result; }
};
template <typename T> struct Results<Place<T>> {
    T *value;
    long long *number;
    __device__ __forceinline__ Place<T> get(long long at) const {
        Place<T> place = {value[at], number[at]};
        return place;
    }
    __device__ __forceinline__ void put(long long at, Place<T> result) const {
        value[at] = result.value;
        number[at] = result.at;
    }
};

// Joins the `E` running results of a thread as a tree, in the first.
template <typename F, int E> WEFT_INLINE typename F::Acc fold_own(typename F::Acc (&acc)[E]) {
#pragma unroll
    for (int half = E / 2; half > 0; half /= 2) {
#pragma unroll
        for (int k = 0; k < half; ++k) acc[k] = F::join(acc[k], acc[k + half]);
    }
    return acc[0];
}

// Joins the results of `lanes` threads of a block of at most 256, a power of two, as a tree, for
// the thread with lane 0. The threads of consecutive lanes are `apart` threads apart in the block.
// All threads of the block must call this, once.
template <typename F> WEFT_INLINE typename F::Acc fold_lanes(typename F::Acc acc, int lane, int lanes, int apart) {
    __shared__ typename F::Acc shared[256];
    const int own = (int)(threadIdx.y * blockDim.x + threadIdx.x);
    shared[own] = acc;
    for (int half = lanes / 2; half > 0; half /= 2) {
        __syncthreads();
        if (lane < half) shared[own] = F::join(shared[own], shared[own + half * apart]);
    }
    return shared[own];
}

}  // namespace weft
