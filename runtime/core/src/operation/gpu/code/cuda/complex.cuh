// Complex numbers: the real part, then the imaginary part.

#define WEFT_INLINE static __device__ __forceinline__

namespace weft {

// Elements are aligned to their size, up to 8 bytes.
template <typename P> struct __align__(8) Complex {
    P re;
    P im;
    Complex() = default;
    __device__ __forceinline__ Complex(P re, P im) : re(re), im(im) {}
    // Converts a real number.
    __device__ __forceinline__ Complex(P re) : re(re), im((P)0) {}
};

template <typename P> WEFT_INLINE Complex<P> operator+(Complex<P> a, Complex<P> b) {
    return Complex<P>(a.re + b.re, a.im + b.im);
}
template <typename P> WEFT_INLINE Complex<P> operator-(Complex<P> a, Complex<P> b) {
    return Complex<P>(a.re - b.re, a.im - b.im);
}
template <typename P> WEFT_INLINE Complex<P> operator*(Complex<P> a, Complex<P> b) {
    return Complex<P>(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re);
}
template <typename P> WEFT_INLINE bool operator==(Complex<P> a, Complex<P> b) { return (a.re == b.re) & (a.im == b.im); }
template <typename P> WEFT_INLINE bool operator!=(Complex<P> a, Complex<P> b) { return (a.re != b.re) | (a.im != b.im); }

}  // namespace weft
