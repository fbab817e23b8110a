
// Complex numbers are ordered by the real part, then by the imaginary part. Numbers without NaN
// come first, then those with NaN as the imaginary part, then as the real part, then as both. Words
// above that of infinity have room for the number of such a class.

namespace weft {

template <> struct Order<Complex<float>> {
    typedef unsigned long long Word;
    static constexpr Word LAST = 0xff800000ull;
    WEFT_INLINE Word rank(Complex<float> z) {
        const bool re = z.re != z.re, im = z.im != z.im;
        if (re & im) return (LAST + 3) << 32;
        if (re) return (LAST + 2) << 32 | Order<float>::rank(z.im);
        if (im) return (LAST + 1) << 32 | Order<float>::rank(z.re);
        return (Word)Order<float>::rank(z.re) << 32 | Order<float>::rank(z.im);
    }
    // Equal numbers keep their order and their bits.
    WEFT_INLINE Word key(Complex<float> z) { return rank(z); }
};

// A word of 16 bytes.
struct Wide {
    unsigned long long high;
    unsigned long long low;
    Wide() = default;
    __device__ __forceinline__ Wide(int value) : high(0), low((unsigned long long)value) {}
    __device__ __forceinline__ Wide(unsigned long long high, unsigned long long low) : high(high), low(low) {}
    // The low bits.
    explicit __device__ __forceinline__ operator int() const { return (int)low; }
};
WEFT_INLINE Wide operator~(Wide a) { return Wide(~a.high, ~a.low); }
WEFT_INLINE Wide operator>>(Wide a, int bits) {
    if (bits == 0) return a;
    return bits < 64 ? Wide(a.high >> bits, a.low >> bits | a.high << (64 - bits)) : Wide(0ull, a.high >> (bits - 64));
}
WEFT_INLINE bool operator==(Wide a, Wide b) { return a.high == b.high && a.low == b.low; }
WEFT_INLINE bool operator<(Wide a, Wide b) { return a.high < b.high || (a.high == b.high && a.low < b.low); }
WEFT_INLINE bool operator>(Wide a, Wide b) { return b < a; }
WEFT_INLINE bool operator<=(Wide a, Wide b) { return !(b < a); }

template <> struct Order<Complex<double>> {
    typedef Wide Word;
    static constexpr unsigned long long LAST = 0xfff0000000000000ull;
    WEFT_INLINE Word rank(Complex<double> z) {
        const bool re = z.re != z.re, im = z.im != z.im;
        if (re & im) return Wide(LAST + 3, 0ull);
        if (re) return Wide(LAST + 2, Order<double>::rank(z.im));
        if (im) return Wide(LAST + 1, Order<double>::rank(z.re));
        return Wide(Order<double>::rank(z.re), Order<double>::rank(z.im));
    }
    WEFT_INLINE Word key(Complex<double> z) { return rank(z); }
};

}  // namespace weft
