// Parts of the kernels of factor.cuh for complex numbers.

namespace weft {

template <typename P> WEFT_INLINE Complex<P> mirrored(Complex<P> value, bool is_on_diagonal) {
    return Complex<P>(value.re, is_on_diagonal ? (P)0 : -value.im);
}

template <typename P> struct Pivot<Complex<P>> {
    typedef P Real;
    typedef Complex<double> Wide;
    WEFT_INLINE Wide wide(Complex<P> value) { return Wide((double)value.re, (double)value.im); }
    WEFT_INLINE Complex<P> narrow(Wide value) { return Complex<P>((P)value.re, (P)value.im); }
    WEFT_INLINE double size(Wide value) { return weft_c_hypot(value.re, value.im); }
    WEFT_INLINE Wide times(Wide value, double factor) { return Wide(value.re * factor, value.im * factor); }
    WEFT_INLINE Wide over(Wide value, double divisor) { return Wide(value.re / divisor, value.im / divisor); }
};

// Scales the value so that its larger part is in [1, 4), if it is a normal number.
WEFT_INLINE Scaled<Complex<double>> normal(Scaled<Complex<double>> scaled) {
    const Scaled<double> re = normal(Scaled<double>{scaled.value.re, 0}), im = normal(Scaled<double>{scaled.value.im, 0});
    const bool is_re = Pivot<double>::size(scaled.value.re) >= Pivot<double>::size(scaled.value.im);
    const long long power = is_re ? re.power : im.power;
    const long long taken = power > 1022 ? 1022 : power;
    return {Pivot<Complex<double>>::times(scaled.value, power_of_two(-taken)), scaled.power + taken};
}

// Sets the imaginary parts on the diagonals of matrices of `n` by `n` to 0.
template <typename P> WEFT_INLINE void make_diagonal_real(Complex<P> *array, long long n, long long elements) {
    for (long long i = first_of_grid(); i < elements; i += step_of_grid()) {
        array[i / n * n * n + i % n * (n + 1)].im = (P)0;
    }
}

template <typename P> WEFT_INLINE void conjugate_all(Complex<P> *array, long long elements) {
    for (long long i = first_of_grid(); i < elements; i += step_of_grid()) array[i].im = -array[i].im;
}

// Writes the eigenvectors of real matrices of `n` by `n` by rows. `in` has them by columns: of two
// conjugate ones, the real parts in the column of the first value, whose imaginary part is
// positive, and its imaginary parts in the next column.
template <typename P>
WEFT_INLINE void unpack_vectors(const P *in, const Complex<P> *values, Complex<P> *out, long long n, long long elements) {
    for (long long i = first_of_grid(); i < elements; i += step_of_grid()) {
        const long long matrix = i / (n * n), row = i % (n * n) / n, column = i % n;
        const P *own = in + matrix * n * n + row;
        const P imaginary = values[matrix * n + column].im;
        // The values of a matrix without a result may be any.
        if (imaginary > 0 && column + 1 < n) {
            out[i] = Complex<P>(own[column * n], own[(column + 1) * n]);
        } else if (imaginary < 0 && column > 0) {
            out[i] = Complex<P>(own[(column - 1) * n], -own[column * n]);
        } else {
            out[i] = Complex<P>(own[column * n]);
        }
    }
}

}  // namespace weft
