
namespace weft {

// Adding a complex number to -0.0 in both parts does not change it.
template <typename P> struct CumSum<Complex<P>, Complex<P>> : Sum<Complex<P>, Complex<P>> {
    WEFT_INLINE Complex<P> start() { return Complex<P>((P)-0.0, (P)-0.0); }
};

// The factor 1 is left out: the product of infinity and its imaginary part is NaN.
template <typename C> struct CumProd {
    typedef C Acc;
    WEFT_INLINE bool is_one(C a) { return a.re == 1 && a.im == 0; }
    WEFT_INLINE C start() { return C(1); }
    WEFT_INLINE C join(C a, C b) { return is_one(a) ? b : is_one(b) ? a : a * b; }
    WEFT_INLINE C step(C acc, C term, long long) { return join(acc, term); }
};

}  // namespace weft
