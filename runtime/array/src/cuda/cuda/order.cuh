// Words in the order of the elements: numbers from the smallest to the largest, then NaN.

namespace weft {

// An unsigned integer is its own word.
template <typename T> struct Order {
    typedef T Word;
    WEFT_INLINE Word key(T value) { return value; }
    WEFT_INLINE T value(Word key) { return key; }
    WEFT_INLINE Word rank(T value) { return value; }
};

template <> struct Order<bool> {
    typedef unsigned char Word;
    WEFT_INLINE Word key(bool value) { return value ? 1 : 0; }
    WEFT_INLINE bool value(Word key) { return key != 0; }
    WEFT_INLINE Word rank(bool value) { return key(value); }
};

// Signed integers: the sign bit is flipped.
template <typename T, typename W> struct SignedOrder {
    typedef W Word;
    static constexpr W SIGN = (W)((W)1 << (8 * sizeof(W) - 1));
    WEFT_INLINE Word key(T value) { return (W)((W)value ^ SIGN); }
    WEFT_INLINE T value(Word key) { return (T)(W)(key ^ SIGN); }
    WEFT_INLINE Word rank(T value) { return key(value); }
};
template <> struct Order<signed char> : SignedOrder<signed char, unsigned char> {};
template <> struct Order<short> : SignedOrder<short, unsigned short> {};
template <> struct Order<int> : SignedOrder<int, unsigned int> {};
template <> struct Order<long long> : SignedOrder<long long, unsigned long long> {};

// IEEE 754's total order of bits: all bits of a negative number are flipped, otherwise the sign
// bit. NaN loses its sign. `key` distinguishes -0.0 from 0.0. `rank` returns the same word for
// both, and for all NaN.
template <> struct Order<float> {
    typedef unsigned int Word;
    static constexpr Word SIGN = 0x80000000u;
    WEFT_INLINE Word key(float value) {
        Word bits = __float_as_uint(value);
        if (value != value) bits &= ~SIGN;
        return bits & SIGN ? ~bits : bits | SIGN;
    }
    WEFT_INLINE float value(Word key) { return __uint_as_float(key & SIGN ? key ^ SIGN : ~key); }
    WEFT_INLINE Word rank(float value) { return value != value ? ~(Word)0 : value == 0.0f ? SIGN : key(value); }
};
template <> struct Order<double> {
    typedef unsigned long long Word;
    static constexpr Word SIGN = 0x8000000000000000ull;
    WEFT_INLINE Word key(double value) {
        Word bits = (Word)__double_as_longlong(value);
        if (value != value) bits &= ~SIGN;
        return bits & SIGN ? ~bits : bits | SIGN;
    }
    WEFT_INLINE double value(Word key) { return __longlong_as_double((long long)(key & SIGN ? key ^ SIGN : ~key)); }
    WEFT_INLINE Word rank(double value) { return value != value ? ~(Word)0 : value == 0.0 ? SIGN : key(value); }
};

// The word by which elements are compared: the rank in sorts that return the numbers of elements,
// so that equal ones keep their order.
template <bool by_rank, typename T> WEFT_INLINE typename Order<T>::Word word_of(T value) {
    return by_rank ? Order<T>::rank(value) : Order<T>::key(value);
}

}  // namespace weft
