// Functions of complex numbers, with the same steps as on the CPU, which are NumPy's.
// Transcendental functions are computed as `double` for all types, by the formulas of Python's
// `cmath`, and rounded. For infinities and NaN they follow the C standard.

namespace weft {

WEFT_INLINE Complex<float> complex64_of(unsigned long long word) {
    return Complex<float>(__int_as_float((int)word), __int_as_float((int)(word >> 32)));
}
WEFT_INLINE Complex<double> complex128_of(unsigned long long re, unsigned long long im) {
    return Complex<double>(__longlong_as_double((long long)re), __longlong_as_double((long long)im));
}
WEFT_INLINE Complex<float> complex(float re, float im) { return Complex<float>(re, im); }
WEFT_INLINE Complex<double> complex(double re, double im) { return Complex<double>(re, im); }

// Casts: to `bool` is "not zero", to any other real type by the real part.
template <typename T> WEFT_INLINE Complex<float> to_complex64(T a) { return Complex<float>(to_f32(a)); }
template <typename T> WEFT_INLINE Complex<double> to_complex128(T a) { return Complex<double>(to_f64(a)); }
template <typename P> WEFT_INLINE Complex<float> to_complex64(Complex<P> a) {
    return Complex<float>((float)a.re, (float)a.im);
}
template <typename P> WEFT_INLINE Complex<double> to_complex128(Complex<P> a) {
    return Complex<double>((double)a.re, (double)a.im);
}
#define WEFT_OF_REAL_PART(T, name) \
    template <typename P> WEFT_INLINE T name(Complex<P> a) { return name(a.re); }
WEFT_OF_REAL_PART(signed char, to_i8)
WEFT_OF_REAL_PART(short, to_i16)
WEFT_OF_REAL_PART(int, to_i32)
WEFT_OF_REAL_PART(long long, to_i64)
WEFT_OF_REAL_PART(unsigned char, to_u8)
WEFT_OF_REAL_PART(unsigned short, to_u16)
WEFT_OF_REAL_PART(unsigned int, to_u32)
WEFT_OF_REAL_PART(unsigned long long, to_u64)
WEFT_OF_REAL_PART(float, to_f32)
WEFT_OF_REAL_PART(double, to_f64)

// Parts and predicates.
template <typename P> WEFT_INLINE Complex<P> negative(Complex<P> a) { return Complex<P>(-a.re, -a.im); }
template <typename P> WEFT_INLINE Complex<P> conjugate(Complex<P> a) { return Complex<P>(a.re, -a.im); }
template <typename P> WEFT_INLINE P real(Complex<P> a) { return a.re; }
template <typename P> WEFT_INLINE P imag(Complex<P> a) { return a.im; }
template <typename P> WEFT_INLINE P angle(Complex<P> a) { return weft_c_arctan2(a.im, a.re); }

// Returns the length of the hypotenuse over two sides, by the steps of the CPU's `math::hypot`.
WEFT_INLINE double hypotenuse(double x, double y) {
    const double TWO_500 = 0x1p500, TWO_600 = 0x1p600;
    x = fabs(x);
    y = fabs(y);
    const double longer = x < y ? y : x, shorter = x < y ? x : y;
    const bool is_large = longer > TWO_500, is_small = longer < 1.0 / TWO_500;
    const double scale = is_small ? TWO_600 : is_large ? 1.0 / TWO_600 : 1.0;
    const double back = is_small ? 1.0 / TWO_600 : is_large ? TWO_600 : 1.0;
    const double a = longer * scale, b = shorter * scale, a_square = a * a;
    const double root = weft_c_sqrt(fma(a, a, b * b)), root_square = root * root;
    const double above = fma(-b, b, root_square - a_square) + fma(root, root, -root_square) - fma(a, a, -a_square);
    const double value = longer == 0.0 && shorter == 0.0 ? 0.0 : (root - above / (root + root)) * back;
    return isinf(x) | isinf(y) ? 1.0 / 0.0 : value;
}
WEFT_INLINE float hypotenuse(float x, float y) {
    const double wide_x = x, wide_y = y;
    const float value = (float)weft_c_sqrt(wide_x * wide_x + wide_y * wide_y);
    return isinf(x) | isinf(y) ? (float)(1.0 / 0.0) : value;
}
template <typename P> WEFT_INLINE P absolute(Complex<P> a) { return hypotenuse(a.re, a.im); }
template <typename P> WEFT_INLINE Complex<P> rint(Complex<P> a) { return Complex<P>(weft_c_rint(a.re), weft_c_rint(a.im)); }
template <typename P> WEFT_INLINE bool isinf(Complex<P> a) { return isinf(a.re) | isinf(a.im); }
template <typename P> WEFT_INLINE bool isfinite(Complex<P> a) { return isfinite(a.re) & isfinite(a.im); }

// Returns 1 with the sign of the argument; NaN for NaN.
WEFT_INLINE float sign_of(float a) { return a != a ? a : weft_c_copysign(1.0f, a); }
WEFT_INLINE double sign_of(double a) { return a != a ? a : weft_c_copysign(1.0, a); }

// Returns the number of size 1 in the same direction.
template <typename P> WEFT_INLINE Complex<P> sign(Complex<P> a) {
    P size = weft_c_hypot(a.re, a.im);
    if (size == 0) return Complex<P>((P)0, (P)0);
    if (isinf(size)) {
        const bool re = isinf(a.re), im = isinf(a.im);
        if (re & im) return Complex<P>(a.re - a.re, a.re - a.re);
        if (re) return Complex<P>(sign_of(a.re), (P)0);
        if (im) return Complex<P>((P)0, sign_of(a.im));
        // The size overflows the type.
        a = Complex<P>(a.re / 2, a.im / 2);
        size = weft_c_hypot(a.re, a.im);
    }
    return Complex<P>(a.re / size, a.im / size);
}

template <typename P> WEFT_INLINE Complex<P> reciprocal(Complex<P> a) {
    if (absolute(a.im) <= absolute(a.re)) {
        const P ratio = a.im / a.re, size = a.re + a.im * ratio;
        return Complex<P>(1 / size, -ratio / size);
    }
    const P ratio = a.re / a.im, size = a.re * ratio + a.im;
    return Complex<P>(ratio / size, -1 / size);
}

// Smith's method.
template <typename P> WEFT_INLINE Complex<P> divide(Complex<P> a, Complex<P> b) {
    const P re = absolute(b.re), im = absolute(b.im);
    if (re >= im) {
        if (re == 0 && im == 0) return Complex<P>(a.re / re, a.im / re);
        const P ratio = b.im / b.re, scale = 1 / (b.re + b.im * ratio);
        return Complex<P>((a.re + a.im * ratio) * scale, (a.im - a.re * ratio) * scale);
    }
    const P ratio = b.re / b.im, scale = 1 / (b.im + b.re * ratio);
    return Complex<P>((a.re * ratio + a.im) * scale, (a.im * ratio - a.re) * scale);
}

namespace complex_functions {

typedef Complex<double> C;

// Limit near which `exp` overflows.
static constexpr double LOG_LARGE = 708.0;
static constexpr double LN_2 = 0.693147180559945309417232121458, LN_10 = 2.30258509299404568401799145468;
static constexpr double LOG2_E = 1.44269504088896340735992468100, LOG10_E = 0.434294481903251827651128918917;
static constexpr double HALF_TURN = 3.14159265358979323846264338328, E = 2.71828182845904523536028747135;
static constexpr double ROOT_2 = 1.41421356237309504880168872421;

WEFT_INLINE double infinity() { return __longlong_as_double(0x7ff0000000000000LL); }
WEFT_INLINE double no_number() { return __longlong_as_double(0x7ff8000000000000LL); }
WEFT_INLINE bool is_finite(C z) { return isfinite(z.re) && isfinite(z.im); }
WEFT_INLINE bool is_negative(double x) { return weft_c_copysign(1.0, x) < 0; }

// `i z` and `-i z`.
WEFT_INLINE C turned(C z) { return C(-z.im, z.re); }
WEFT_INLINE C turned_back(C z) { return C(z.im, -z.re); }

// Returns a number of this size at this angle; parts of size 0 stay 0 for any size.
WEFT_INLINE C at_angle(double size, double angle) {
    if (angle == 0) return C(size, angle);
    return C(size * weft_c_cos(angle), size * weft_c_sin(angle));
}

static __device__ C exp(C z) {
    const double x = z.re, y = z.im;
    if (!is_finite(z)) {
        if (isinf(x) && x > 0) {
            if (y == 0) return z;
            if (isfinite(y)) return C(x * weft_c_cos(y), x * weft_c_sin(y));
            return C(x, no_number());
        }
        if (isinf(x)) {
            if (isfinite(y)) return C(0.0 * weft_c_cos(y), 0.0 * weft_c_sin(y));
            return C(0.0, weft_c_copysign(0.0, y));
        }
        return C(no_number(), y == 0 ? y : no_number());
    }
    if (x > LOG_LARGE) {
        const C less = at_angle(weft_c_exp(x - 1.0), y);
        return C(less.re * E, less.im * E);
    }
    return at_angle(weft_c_exp(x), y);
}
static __device__ C exp2(C z) { return exp(C(z.re * LN_2, z.im * LN_2)); }
static __device__ C expm1(C z) {
    const double half = weft_c_sin(z.im / 2.0);
    return C(weft_c_expm1(z.re) * weft_c_cos(z.im) - 2.0 * half * half, weft_c_exp(z.re) * weft_c_sin(z.im));
}

// Returns the logarithm of the distance from zero.
static __device__ double log_of_size(C z) {
    const double x = absolute(z.re), y = absolute(z.im);
    const double longer = x > y ? x : y, shorter = x > y ? y : x;
    if (longer > 1.7976931348623157e308 / 4.0 && isfinite(longer)) return weft_c_log(weft_c_hypot(x / 2.0, y / 2.0)) + LN_2;
    if (longer < 2.2250738585072014e-308 && longer > 0) {
        // Scaling by a power of two is exact.
        const double scale = 9007199254740992.0;
        return weft_c_log(weft_c_hypot(x * scale, y * scale)) - 53.0 * LN_2;
    }
    const double size = weft_c_hypot(x, y);
    if (size >= 0.71 && size <= 1.73) {
        // Precise near 1.
        return weft_c_log1p((longer - 1.0) * (longer + 1.0) + shorter * shorter) / 2.0;
    }
    return weft_c_log(size);
}
static __device__ C log(C z) { return C(log_of_size(z), weft_c_arctan2(z.im, z.re)); }
static __device__ C log2(C z) {
    const C result = log(z);
    return C(result.re * LOG2_E, result.im * LOG2_E);
}
static __device__ C log10(C z) {
    const C result = log(z);
    return C(result.re / LN_10, result.im * LOG10_E);
}
static __device__ C log1p(C z) {
    const double square = z.re * z.re + z.im * z.im;
    const double size =
        square < 0.25 ? weft_c_log1p(2.0 * z.re + square) / 2.0 : log_of_size(C(z.re + 1.0, z.im));
    return C(size, weft_c_arctan2(z.im, z.re + 1.0));
}

// Returns the root whose real part is not negative.
static __device__ C sqrt(C z) {
    const double x = absolute(z.re), y = absolute(z.im);
    if (z.re == 0 && z.im == 0) return C(0.0, z.im);
    if (isinf(z.im)) return C(infinity(), z.im);
    double size;
    if (x < 2.2250738585072014e-308 && y < 2.2250738585072014e-308) {
        // Tiny numbers are scaled by a power of 4.
        const double p = x * 18014398509481984.0, q = y * 18014398509481984.0;
        size = weft_c_sqrt(p + weft_c_hypot(p, q)) * 7.450580596923828125e-9 / ROOT_2;
    } else {
        // Scaled by 1/8, the sum does not overflow.
        const double p = x / 8.0;
        size = 2.0 * weft_c_sqrt(p + weft_c_hypot(p, y / 8.0));
    }
    const double other = y / (2.0 * size);
    if (z.re >= 0) return C(size, weft_c_copysign(other, z.im));
    return C(other, weft_c_copysign(size, z.im));
}

// Small integer powers are computed by multiplication.
static __device__ C power(C a, C b) {
    if (b.re == 0 && b.im == 0) return C(1.0, 0.0);
    if (a.re == 0 && a.im == 0) return b.re > 0 ? C(0.0, 0.0) : C(no_number(), no_number());
    if (b.im == 0 && b.re == weft_c_trunc(b.re) && absolute(b.re) < 100.0) {
        bool has_result = false;
        C result(1.0, 0.0), base = a;
        for (unsigned int exponent = (unsigned int)absolute(b.re); exponent > 0;) {
            if (exponent & 1) {
                result = has_result ? result * base : base;
                has_result = true;
            }
            exponent >>= 1;
            if (exponent > 0) base = base * base;
        }
        return b.re < 0 ? divide(C(1.0, 0.0), result) : result;
    }
    return exp(b * log(a));
}

static __device__ C sinh(C z) {
    const double x = z.re, y = z.im;
    if (!is_finite(z)) {
        if (isinf(x)) {
            if (!isfinite(y)) return C(x, no_number());
            if (y == 0) return z;
            return C(x * weft_c_cos(y), infinity() * weft_c_sin(y));
        }
        if (x == 0) return C(x, no_number());
        return C(no_number(), y == 0 ? y : no_number());
    }
    if (absolute(x) > LOG_LARGE) {
        const double less = x - sign_of(x);
        return C(weft_c_cos(y) * weft_c_sinh(less) * E, weft_c_sin(y) * weft_c_cosh(less) * E);
    }
    return C(weft_c_cos(y) * weft_c_sinh(x), weft_c_sin(y) * weft_c_cosh(x));
}
static __device__ C cosh(C z) {
    const double x = z.re, y = z.im;
    if (!is_finite(z)) {
        if (isinf(x)) {
            if (!isfinite(y)) return C(infinity(), no_number());
            if (y == 0) return C(infinity(), y * sign_of(x));
            return C(infinity() * weft_c_cos(y), x * weft_c_sin(y));
        }
        if (x == 0) return C(no_number(), x);
        return C(no_number(), y == 0 ? y : no_number());
    }
    if (absolute(x) > LOG_LARGE) {
        const double less = x - sign_of(x);
        return C(weft_c_cos(y) * weft_c_cosh(less) * E, weft_c_sin(y) * weft_c_sinh(less) * E);
    }
    return C(weft_c_cos(y) * weft_c_cosh(x), weft_c_sin(y) * weft_c_sinh(x));
}
static __device__ C tanh(C z) {
    const double x = z.re, y = z.im;
    if (!is_finite(z)) {
        if (isinf(x)) return C(sign_of(x), weft_c_copysign(0.0, isfinite(y) ? weft_c_sin(y) * weft_c_cos(y) : y));
        if (x == 0) return C(x, no_number());
        return C(no_number(), y == 0 ? y : no_number());
    }
    if (absolute(x) > LOG_LARGE / 2.0) {
        return C(weft_c_copysign(1.0, x), 4.0 * weft_c_sin(y) * weft_c_cos(y) * weft_c_exp(-2.0 * absolute(x)));
    }
    const double tx = weft_c_tanh(x), ty = weft_c_tan(y), cx = 1.0 / weft_c_cosh(x);
    const double both = tx * ty, size = 1.0 + both * both;
    return C(tx * (1.0 + ty * ty) / size, ((ty / size) * cx) * cx);
}
static __device__ C sin(C z) { return turned_back(sinh(turned(z))); }
static __device__ C cos(C z) { return cosh(turned(z)); }
static __device__ C tan(C z) { return turned_back(tanh(turned(z))); }

// Above this limit `1 + z` equals `z`, and squares nearly overflow; then its root, and that of the
// smallest normal number.
static constexpr double LARGE = 4.0e307, ROOT_LARGE = 6.7e153, ROOT_TINY = 1.5e-154;
WEFT_INLINE bool is_large(C z) { return absolute(z.re) > LARGE || absolute(z.im) > LARGE; }
// Returns the logarithm of twice the distance from zero, which would overflow.
WEFT_INLINE double log_of_twice(C z) { return weft_c_log(weft_c_hypot(z.re / 2.0, z.im / 2.0)) + 2.0 * LN_2; }
// Returns the inverse hyperbolic sine of a real number.
static __device__ double arcsinh_of(double x) {
    const double size = absolute(x);
    double result;
    if (size < 3.7252902984619140625e-9) result = size;
    else if (size > 268435456.0) result = weft_c_log(size) + LN_2;
    else {
        const double square = size * size;
        result = weft_c_log1p(size + square / (1.0 + weft_c_sqrt(1.0 + square)));
    }
    return weft_c_copysign(result, x);
}

static __device__ C arccos(C z) {
    const double x = z.re, y = z.im;
    if (!is_finite(z)) {
        if (isinf(x) || isinf(y)) return C(weft_c_arctan2(absolute(y), x), -weft_c_copysign(infinity(), y));
        return C(x == 0 ? HALF_TURN / 2.0 : no_number(), no_number());
    }
    if (is_large(z)) return C(weft_c_arctan2(absolute(y), x), -weft_c_copysign(log_of_twice(z), y));
    const C below = sqrt(C(1.0 - x, -y)), above = sqrt(C(1.0 + x, y));
    return C(2.0 * weft_c_arctan2(below.re, above.re), arcsinh_of(above.re * below.im - above.im * below.re));
}
static __device__ C arccosh(C z) {
    const double x = z.re, y = z.im;
    if (!is_finite(z)) {
        if (isinf(x) || isinf(y)) return C(infinity(), weft_c_arctan2(y, x));
        return C(no_number(), x == 0 ? HALF_TURN / 2.0 : no_number());
    }
    if (is_large(z)) return C(log_of_twice(z), weft_c_arctan2(y, x));
    const C below = sqrt(C(x - 1.0, y)), above = sqrt(C(x + 1.0, y));
    return C(arcsinh_of(below.re * above.re + below.im * above.im), 2.0 * weft_c_arctan2(below.im, above.re));
}
static __device__ C arcsinh(C z) {
    const double x = z.re, y = z.im;
    if (!is_finite(z)) {
        if (isinf(x)) {
            if (isinf(y)) return C(x, weft_c_copysign(HALF_TURN / 4.0, y));
            return C(x, y != y ? no_number() : weft_c_copysign(0.0, y));
        }
        if (isinf(y)) {
            if (x != x) return C(infinity(), no_number());
            return C(weft_c_copysign(infinity(), x), weft_c_copysign(HALF_TURN / 2.0, y));
        }
        return C(no_number(), y == 0 ? y : no_number());
    }
    if (is_large(z)) return C(weft_c_copysign(log_of_twice(z), x), weft_c_arctan2(y, absolute(x)));
    const C plus = sqrt(C(1.0 + y, -x)), minus = sqrt(C(1.0 - y, x));
    return C(arcsinh_of(plus.re * minus.im - minus.re * plus.im),
             weft_c_arctan2(y, plus.re * minus.re - plus.im * minus.im));
}
static __device__ C arcsin(C z) { return turned_back(arcsinh(turned(z))); }

// Returns the inverse hyperbolic tangent of a number whose real part is not negative, or NaN.
static __device__ C arctanh_of_right(C z) {
    const double x = z.re, y = absolute(z.im);
    if (x > ROOT_LARGE || y > ROOT_LARGE) {
        const double half = weft_c_hypot(x / 2.0, y / 2.0);
        return C(x / 4.0 / half / half, weft_c_copysign(HALF_TURN / 2.0, z.im));
    }
    if (x == 1.0 && y < ROOT_TINY) {
        if (y == 0) return C(infinity(), z.im);
        const double re = -weft_c_log(weft_c_sqrt(y) / weft_c_sqrt(weft_c_hypot(y, 2.0)));
        return C(re, weft_c_copysign(weft_c_arctan2(2.0, -y) / 2.0, z.im));
    }
    const double below = 1.0 - x;
    const double re = weft_c_log1p(4.0 * x / (below * below + y * y)) / 4.0;
    return C(re, -weft_c_arctan2(-2.0 * z.im, below * (1.0 + x) - y * y) / 2.0);
}
static __device__ C arctanh(C z) {
    const double x = z.re, y = z.im;
    if (!is_finite(z)) {
        if (isinf(x) || isinf(y)) {
            return C(weft_c_copysign(0.0, x), y != y ? no_number() : weft_c_copysign(HALF_TURN / 2.0, y));
        }
        return C(x == 0 ? x : no_number(), no_number());
    }
    if (!is_negative(x)) return arctanh_of_right(z);
    const C mirrored = arctanh_of_right(C(-x, -y));
    return C(-mirrored.re, -mirrored.im);
}
static __device__ C arctan(C z) { return turned_back(arctanh(turned(z))); }

}  // namespace complex_functions

#define WEFT_COMPLEX_OF_ONE(name)                                          \
    WEFT_INLINE Complex<float> name(Complex<float> a) {                    \
        return to_complex64(complex_functions::name(to_complex128(a)));    \
    }                                                                      \
    WEFT_INLINE Complex<double> name(Complex<double> a) { return complex_functions::name(a); }
WEFT_COMPLEX_OF_ONE(sqrt)
WEFT_COMPLEX_OF_ONE(exp)
WEFT_COMPLEX_OF_ONE(exp2)
WEFT_COMPLEX_OF_ONE(expm1)
WEFT_COMPLEX_OF_ONE(log)
WEFT_COMPLEX_OF_ONE(log2)
WEFT_COMPLEX_OF_ONE(log10)
WEFT_COMPLEX_OF_ONE(log1p)
WEFT_COMPLEX_OF_ONE(sin)
WEFT_COMPLEX_OF_ONE(cos)
WEFT_COMPLEX_OF_ONE(tan)
WEFT_COMPLEX_OF_ONE(arcsin)
WEFT_COMPLEX_OF_ONE(arccos)
WEFT_COMPLEX_OF_ONE(arctan)
WEFT_COMPLEX_OF_ONE(sinh)
WEFT_COMPLEX_OF_ONE(cosh)
WEFT_COMPLEX_OF_ONE(tanh)
WEFT_COMPLEX_OF_ONE(arcsinh)
WEFT_COMPLEX_OF_ONE(arccosh)
WEFT_COMPLEX_OF_ONE(arctanh)
WEFT_INLINE Complex<float> power(Complex<float> a, Complex<float> b) {
    return to_complex64(complex_functions::power(to_complex128(a), to_complex128(b)));
}
WEFT_INLINE Complex<double> power(Complex<double> a, Complex<double> b) { return complex_functions::power(a, b); }

}  // namespace weft
