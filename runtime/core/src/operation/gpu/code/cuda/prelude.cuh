// Functions of elements. They give the same bits as on the CPU, except the transcendental ones.
// A function that no other text here or in a kernel calls belongs to its declaration in Rust.
// Integers wrap, an integer divided by 0 is 0, and floats are truncated to integers, with
// saturation and NaN as 0. Compiled without contraction of products and sums.

#define WEFT_INLINE static __device__ __forceinline__

// Functions of the C library: the name here, for `float`, for `double`. If a name here equals the
// library's, only code outside of the namespace finds the library's function.
#define WEFT_OF_ONE(F) \
    F(sqrt, sqrtf, sqrt) \
    F(cbrt, cbrtf, cbrt) \
    F(exp, expf, exp) \
    F(exp2, exp2f, exp2) \
    F(expm1, expm1f, expm1) \
    F(log, logf, log) \
    F(log2, log2f, log2) \
    F(log10, log10f, log10) \
    F(log1p, log1pf, log1p) \
    F(sin, sinf, sin) \
    F(cos, cosf, cos) \
    F(tan, tanf, tan) \
    F(arcsin, asinf, asin) \
    F(arccos, acosf, acos) \
    F(arctan, atanf, atan) \
    F(sinh, sinhf, sinh) \
    F(cosh, coshf, cosh) \
    F(tanh, tanhf, tanh) \
    F(arcsinh, asinhf, asinh) \
    F(arccosh, acoshf, acosh) \
    F(arctanh, atanhf, atanh) \
    F(floor, floorf, floor) \
    F(ceil, ceilf, ceil) \
    F(trunc, truncf, trunc) \
    F(rint, rintf, rint)
#define WEFT_OF_TWO(F) \
    F(arctan2, atan2f, atan2) \
    F(hypot, hypotf, hypot) \
    F(copysign, copysignf, copysign) \
    F(modulo, fmodf, fmod) \
    F(pow, powf, pow)
#define WEFT_C_OF_ONE(name, of_float, of_double)                       \
    WEFT_INLINE float weft_c_##name(float a) { return of_float(a); } \
    WEFT_INLINE double weft_c_##name(double a) { return of_double(a); }
#define WEFT_C_OF_TWO(name, of_float, of_double)                                  \
    WEFT_INLINE float weft_c_##name(float a, float b) { return of_float(a, b); } \
    WEFT_INLINE double weft_c_##name(double a, double b) { return of_double(a, b); }
WEFT_OF_ONE(WEFT_C_OF_ONE)
WEFT_OF_TWO(WEFT_C_OF_TWO)
WEFT_INLINE float weft_c_ldexp(float a, int n) { return ldexpf(a, n); }
WEFT_INLINE double weft_c_ldexp(double a, int n) { return ldexp(a, n); }

namespace weft {

// The type in which integers wrap: signed overflow is undefined in C, and narrow types are promoted
// to `int`.
template <typename T> struct Wrapping { typedef T Type; };
template <> struct Wrapping<signed char> { typedef unsigned int Type; };
template <> struct Wrapping<short> { typedef unsigned int Type; };
template <> struct Wrapping<int> { typedef unsigned int Type; };
template <> struct Wrapping<unsigned char> { typedef unsigned int Type; };
template <> struct Wrapping<unsigned short> { typedef unsigned int Type; };
template <> struct Wrapping<long long> { typedef unsigned long long Type; };

// Values of arguments, which are 8 bytes wide.
WEFT_INLINE bool bool_of(unsigned long long word) { return word != 0; }
WEFT_INLINE signed char i8_of(unsigned long long word) { return (signed char)word; }
WEFT_INLINE short i16_of(unsigned long long word) { return (short)word; }
WEFT_INLINE int i32_of(unsigned long long word) { return (int)word; }
WEFT_INLINE long long i64_of(unsigned long long word) { return (long long)word; }
WEFT_INLINE unsigned char u8_of(unsigned long long word) { return (unsigned char)word; }
WEFT_INLINE unsigned short u16_of(unsigned long long word) { return (unsigned short)word; }
WEFT_INLINE unsigned int u32_of(unsigned long long word) { return (unsigned int)word; }
WEFT_INLINE unsigned long long u64_of(unsigned long long word) { return word; }
WEFT_INLINE float f32_of(unsigned long long word) { return __int_as_float((int)word); }
WEFT_INLINE double f64_of(unsigned long long word) { return __longlong_as_double((long long)word); }

// Neighbouring elements that are read and written at once.
template <typename T, int N> struct __align__(sizeof(T) * N) Pack { T lane[N]; };
template <int N, typename T, typename I> WEFT_INLINE Pack<T, N> load(const T *from, I pack) {
    return reinterpret_cast<const Pack<T, N> *>(from)[pack];
}
template <int N, typename T, typename I> WEFT_INLINE void store(T *to, I pack, const Pack<T, N> &values) {
    reinterpret_cast<Pack<T, N> *>(to)[pack] = values;
}

// Arithmetic.
template <typename T> WEFT_INLINE T add(T a, T b) {
    typedef typename Wrapping<T>::Type W;
    return (T)((W)a + (W)b);
}
template <typename T> WEFT_INLINE T subtract(T a, T b) {
    typedef typename Wrapping<T>::Type W;
    return (T)((W)a - (W)b);
}
template <typename T> WEFT_INLINE T multiply(T a, T b) {
    typedef typename Wrapping<T>::Type W;
    return (T)((W)a * (W)b);
}
WEFT_INLINE bool add(bool a, bool b) { return a | b; }
WEFT_INLINE bool multiply(bool a, bool b) { return a & b; }
WEFT_INLINE float divide(float a, float b) { return a / b; }
WEFT_INLINE double divide(double a, double b) { return a / b; }

template <typename T> WEFT_INLINE T positive(T a) { return a; }
template <typename T> WEFT_INLINE T negative(T a) { return subtract((T)0, a); }
WEFT_INLINE float negative(float a) { return -a; }
WEFT_INLINE double negative(double a) { return -a; }
template <typename T> WEFT_INLINE T absolute(T a) { return a < (T)0 ? negative(a) : a; }
WEFT_INLINE float absolute(float a) { return fabsf(a); }
WEFT_INLINE double absolute(double a) { return fabs(a); }
WEFT_INLINE bool absolute(bool a) { return a; }
// The sign of NaN is NaN.
template <typename T> WEFT_INLINE T sign(T a) { return a > (T)0 ? (T)1 : a < (T)0 ? (T)-1 : a == (T)0 ? (T)0 : a; }
template <typename T> WEFT_INLINE T square(T a) { return multiply(a, a); }
template <typename T> WEFT_INLINE T reciprocal(T a) { return a == (T)0 ? (T)0 : (T)1 / a; }
WEFT_INLINE float reciprocal(float a) { return 1.0f / a; }
WEFT_INLINE double reciprocal(double a) { return 1.0 / a; }

// Real numbers as complex ones: their parts, and their angle, which is 0 or pi.
template <typename T> WEFT_INLINE T conjugate(T a) { return a; }
template <typename T> WEFT_INLINE T real(T a) { return a; }
template <typename T> WEFT_INLINE T imag(T) { return (T)0; }
WEFT_INLINE float angle(float a) { return weft_c_arctan2(0.0f, a); }
WEFT_INLINE double angle(double a) { return weft_c_arctan2(0.0, a); }

// Quotients rounded towards minus infinity, and their remainders, which have the divisor's sign.
#define WEFT_UNSIGNED(T)                                                    \
    WEFT_INLINE T floor_divide(T a, T b) { return b == 0 ? 0 : a / b; } \
    WEFT_INLINE T remainder(T a, T b) { return b == 0 ? 0 : a % b; }
WEFT_UNSIGNED(unsigned char)
WEFT_UNSIGNED(unsigned short)
WEFT_UNSIGNED(unsigned int)
WEFT_UNSIGNED(unsigned long long)
template <typename T> WEFT_INLINE T floor_divide_signed(T a, T b) {
    if (b == 0) return 0;
    if (b == -1) return negative(a);
    const T quotient = a / b;
    return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}
template <typename T> WEFT_INLINE T remainder_signed(T a, T b) {
    if (b == 0 || b == -1) return 0;
    const T rest = a % b;
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}
#define WEFT_SIGNED(T)                                                        \
    WEFT_INLINE T floor_divide(T a, T b) { return floor_divide_signed(a, b); } \
    WEFT_INLINE T remainder(T a, T b) { return remainder_signed(a, b); }
WEFT_SIGNED(signed char)
WEFT_SIGNED(short)
WEFT_SIGNED(int)
WEFT_SIGNED(long long)

#define WEFT_NAMED_OF_ONE(name, of_float, of_double)                   \
    WEFT_INLINE float name(float a) { return weft_c_##name(a); } \
    WEFT_INLINE double name(double a) { return weft_c_##name(a); }
#define WEFT_NAMED_OF_TWO(name, of_float, of_double)                              \
    WEFT_INLINE float name(float a, float b) { return weft_c_##name(a, b); } \
    WEFT_INLINE double name(double a, double b) { return weft_c_##name(a, b); }
WEFT_OF_ONE(WEFT_NAMED_OF_ONE)
WEFT_OF_TWO(WEFT_NAMED_OF_TWO)
template <typename T> WEFT_INLINE T floor(T a) { return a; }
template <typename T> WEFT_INLINE T ceil(T a) { return a; }
template <typename T> WEFT_INLINE T trunc(T a) { return a; }
template <typename T> WEFT_INLINE T rint(T a) { return a; }
WEFT_INLINE float deg2rad(float a) { return a * 0.017453292f; }
WEFT_INLINE double deg2rad(double a) { return a * 0.017453292519943295; }
WEFT_INLINE float rad2deg(float a) { return a * 57.29578f; }
WEFT_INLINE double rad2deg(double a) { return a * 57.29577951308232; }

template <typename T> WEFT_INLINE T floor_divide_float(T a, T b) {
    if (b == 0) return a / b;
    const T rest = modulo(a, b);
    T quotient = (a - rest) / b;
    if (rest != 0 && (b < 0) != (rest < 0)) quotient -= 1;
    if (quotient == 0) return copysign((T)0, a / b);
    // The quotient is an integer up to rounding, so the nearest integer is used instead of the
    // floor.
    const T below = floor(quotient);
    return quotient - below > (T)0.5 ? below + 1 : below;
}
template <typename T> WEFT_INLINE T remainder_float(T a, T b) {
    const T rest = modulo(a, b);
    if (b == 0) return rest;
    if (rest == 0) return copysign((T)0, b);
    return (b < 0) != (rest < 0) ? rest + b : rest;
}
WEFT_INLINE float floor_divide(float a, float b) { return floor_divide_float(a, b); }
WEFT_INLINE double floor_divide(double a, double b) { return floor_divide_float(a, b); }
WEFT_INLINE float remainder(float a, float b) { return remainder_float(a, b); }
WEFT_INLINE double remainder(double a, double b) { return remainder_float(a, b); }

// An integer to a negative power is the exact value, truncated.
template <typename T> WEFT_INLINE T power(T base, T exponent) {
    if (exponent < (T)0) return base == (T)1 ? (T)1 : base == (T)-1 ? (exponent & 1 ? (T)-1 : (T)1) : (T)0;
    T result = 1;
    for (; exponent != 0; exponent >>= 1) {
        if (exponent & 1) result = multiply(result, base);
        base = multiply(base, base);
    }
    return result;
}
WEFT_INLINE float power(float a, float b) { return b == 2.0f ? a * a : pow(a, b); }
WEFT_INLINE double power(double a, double b) { return b == 2.0 ? a * a : pow(a, b); }

// Minimum and maximum: NaN if one is NaN; of equals, the second.
template <typename T> WEFT_INLINE T minimum(T a, T b) { return (a < b) | (a != a) ? a : b; }
template <typename T> WEFT_INLINE T maximum(T a, T b) { return (a > b) | (a != a) ? a : b; }
// Minimum and maximum: the other one if one is NaN; of equals, the first.
template <typename T> WEFT_INLINE T fmin(T a, T b) { return (a <= b) | (b != b) ? a : b; }
template <typename T> WEFT_INLINE T fmax(T a, T b) { return (a >= b) | (b != b) ? a : b; }

// Predicates.
template <typename T> WEFT_INLINE bool is_true(T a) { return a != (T)0; }
template <typename T> WEFT_INLINE bool isnan(T a) { return a != a; }
template <typename T> WEFT_INLINE bool isfinite(T) { return true; }
template <typename T> WEFT_INLINE bool isinf(T) { return false; }
WEFT_INLINE bool isfinite(float a) { return a - a == 0; }
WEFT_INLINE bool isfinite(double a) { return a - a == 0; }
WEFT_INLINE bool isinf(float a) { return a == a && a - a != 0; }
WEFT_INLINE bool isinf(double a) { return a == a && a - a != 0; }
template <typename T> WEFT_INLINE bool signbit(T a) { return a < (T)0; }
WEFT_INLINE bool signbit(float a) { return copysign(1.0f, a) < 0; }
WEFT_INLINE bool signbit(double a) { return copysign(1.0, a) < 0; }
template <typename T> WEFT_INLINE bool equal(T a, T b) { return a == b; }
template <typename T> WEFT_INLINE bool not_equal(T a, T b) { return a != b; }
template <typename T> WEFT_INLINE bool less(T a, T b) { return a < b; }
template <typename T> WEFT_INLINE bool less_equal(T a, T b) { return a <= b; }
template <typename T> WEFT_INLINE bool greater(T a, T b) { return a > b; }
template <typename T> WEFT_INLINE bool greater_equal(T a, T b) { return a >= b; }
template <typename T> WEFT_INLINE bool logical_not(T a) { return !is_true(a); }
template <typename T> WEFT_INLINE bool logical_and(T a, T b) { return is_true(a) & is_true(b); }
template <typename T> WEFT_INLINE bool logical_or(T a, T b) { return is_true(a) | is_true(b); }
template <typename T> WEFT_INLINE bool logical_xor(T a, T b) { return is_true(a) ^ is_true(b); }

// Bits.
template <typename T> WEFT_INLINE T bitwise_and(T a, T b) { return a & b; }
template <typename T> WEFT_INLINE T bitwise_or(T a, T b) { return a | b; }
template <typename T> WEFT_INLINE T bitwise_xor(T a, T b) { return a ^ b; }
template <typename T> WEFT_INLINE T invert(T a) { return ~a; }
WEFT_INLINE bool invert(bool a) { return !a; }
// Returns whether a shift by `bits` stays within the type. A negative number counts as a large one.
template <typename T> WEFT_INLINE bool is_narrow(T bits) { return (unsigned long long)bits < 8 * sizeof(T); }
template <typename T> WEFT_INLINE T left_shift(T a, T bits) {
    typedef typename Wrapping<T>::Type W;
    return is_narrow(bits) ? (T)((W)a << (unsigned int)bits) : (T)0;
}
template <typename T> WEFT_INLINE T right_shift(T a, T bits) {
    return is_narrow(bits) ? (T)(a >> (unsigned int)bits) : a < (T)0 ? (T)-1 : (T)0;
}

template <typename C, typename T> WEFT_INLINE T choose(C condition, T a, T b) { return is_true(condition) ? a : b; }

// Casts. In C a float that does not fit an integer is undefined behaviour, so the bounds are
// tested.
template <typename T> WEFT_INLINE bool to_bool(T a) { return is_true(a); }
template <typename T> WEFT_INLINE float to_f32(T a) { return (float)a; }
template <typename T> WEFT_INLINE double to_f64(T a) { return (double)a; }
template <typename T> WEFT_INLINE signed char to_i8(T a) { return (signed char)a; }
template <typename T> WEFT_INLINE short to_i16(T a) { return (short)a; }
template <typename T> WEFT_INLINE int to_i32(T a) { return (int)a; }
template <typename T> WEFT_INLINE long long to_i64(T a) { return (long long)a; }
template <typename T> WEFT_INLINE unsigned char to_u8(T a) { return (unsigned char)a; }
template <typename T> WEFT_INLINE unsigned short to_u16(T a) { return (unsigned short)a; }
template <typename T> WEFT_INLINE unsigned int to_u32(T a) { return (unsigned int)a; }
template <typename T> WEFT_INLINE unsigned long long to_u64(T a) { return (unsigned long long)a; }
WEFT_INLINE signed char to_i8(double a) {
    return (signed char)(a != a ? 0 : a <= -128.0 ? -128 : a >= 127.0 ? 127 : (int)a);
}
WEFT_INLINE short to_i16(double a) {
    return (short)(a != a ? 0 : a <= -32768.0 ? -32768 : a >= 32767.0 ? 32767 : (int)a);
}
WEFT_INLINE int to_i32(double a) {
    return a != a ? 0 : a <= -2147483648.0 ? -2147483647 - 1 : a >= 2147483648.0 ? 2147483647 : (int)a;
}
WEFT_INLINE long long to_i64(double a) {
    return a != a                       ? 0
           : a <= -9223372036854775808.0 ? -9223372036854775807LL - 1
           : a >= 9223372036854775808.0  ? 9223372036854775807LL
                                         : (long long)a;
}
WEFT_INLINE unsigned char to_u8(double a) { return (unsigned char)(!(a > 0) ? 0 : a >= 255.0 ? 255 : (int)a); }
WEFT_INLINE unsigned short to_u16(double a) { return (unsigned short)(!(a > 0) ? 0 : a >= 65535.0 ? 65535 : (int)a); }
WEFT_INLINE unsigned int to_u32(double a) {
    return !(a > 0) ? 0 : a >= 4294967296.0 ? 4294967295u : (unsigned int)a;
}
WEFT_INLINE unsigned long long to_u64(double a) {
    return !(a > 0) ? 0 : a >= 18446744073709551616.0 ? 18446744073709551615ULL : (unsigned long long)a;
}
WEFT_INLINE signed char to_i8(float a) { return to_i8((double)a); }
WEFT_INLINE short to_i16(float a) { return to_i16((double)a); }
WEFT_INLINE int to_i32(float a) { return to_i32((double)a); }
WEFT_INLINE long long to_i64(float a) { return to_i64((double)a); }
WEFT_INLINE unsigned char to_u8(float a) { return to_u8((double)a); }
WEFT_INLINE unsigned short to_u16(float a) { return to_u16((double)a); }
WEFT_INLINE unsigned int to_u32(float a) { return to_u32((double)a); }
WEFT_INLINE unsigned long long to_u64(float a) { return to_u64((double)a); }

// Remainders with the dividend's sign.
template <typename T> WEFT_INLINE T fmod(T a, T b) {
    const bool is_minus_one = (T)-1 < (T)0 && b == (T)-1;
    return b == (T)0 || is_minus_one ? (T)0 : (T)(a % b);
}
WEFT_INLINE float fmod(float a, float b) { return modulo(a, b); }
WEFT_INLINE double fmod(double a, double b) { return modulo(a, b); }

// Divisors of integers, by their magnitudes.
template <typename T> WEFT_INLINE unsigned long long magnitude(T a) {
    return a < (T)0 ? 0 - (unsigned long long)a : (unsigned long long)a;
}
WEFT_INLINE unsigned long long greatest_divisor(unsigned long long a, unsigned long long b) {
    while (b != 0) {
        const unsigned long long rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}
template <typename T> WEFT_INLINE T gcd(T a, T b) { return (T)greatest_divisor(magnitude(a), magnitude(b)); }
template <typename T> WEFT_INLINE T lcm(T a, T b) {
    const unsigned long long common = greatest_divisor(magnitude(a), magnitude(b));
    return common == 0 ? (T)0 : (T)(magnitude(a) / common * magnitude(b));
}
template <typename T> WEFT_INLINE unsigned char bitwise_count(T a) { return (unsigned char)__popcll(magnitude(a)); }

// Floats read off their bits, and neighbours.
WEFT_INLINE int bits_of(float a) { return __float_as_int(a); }
WEFT_INLINE long long bits_of(double a) { return __double_as_longlong(a); }
WEFT_INLINE float of_bits(int bits) { return __int_as_float(bits); }
WEFT_INLINE double of_bits(long long bits) { return __longlong_as_double(bits); }
template <typename T> WEFT_INLINE T next_float(T a, T b, T least) {
    if (a != a || b != b) return a + b;
    if (a == b) return b;
    if (a == 0) return copysign(least, b);
    return of_bits((a < b) == (a > 0) ? bits_of(a) + 1 : bits_of(a) - 1);
}
WEFT_INLINE float nextafter(float a, float b) { return next_float(a, b, of_bits(1)); }
WEFT_INLINE double nextafter(double a, double b) { return next_float(a, b, of_bits(1LL)); }
template <typename T> WEFT_INLINE T float_spacing(T a) {
    if (!isfinite(a)) return a - a;
    const T size = absolute(a), distance = of_bits(bits_of(size) + 1) - size;
    return a < 0 ? -distance : distance;
}
WEFT_INLINE float spacing(float a) { return float_spacing(a); }
WEFT_INLINE double spacing(double a) { return float_spacing(a); }
WEFT_INLINE float mantissa(float a) {
    if (a == 0 || !isfinite(a)) return a;
    const int bits = bits_of(absolute(a) < 1.17549435e-38f ? a * 33554432.0f : a);
    return of_bits((bits & ~0x7f800000) | 0x3f000000);
}
WEFT_INLINE double mantissa(double a) {
    if (a == 0 || !isfinite(a)) return a;
    const long long bits = bits_of(absolute(a) < 2.2250738585072014e-308 ? a * 18014398509481984.0 : a);
    return of_bits((bits & ~0x7ff0000000000000LL) | 0x3fe0000000000000LL);
}
WEFT_INLINE int exponent(double a) {
    if (a == 0 || !isfinite(a)) return 0;
    const bool is_subnormal = absolute(a) < 2.2250738585072014e-308;
    const long long bits = bits_of(is_subnormal ? a * 18014398509481984.0 : a);
    return (int)(bits >> 52 & 0x7ff) - 1022 - (is_subnormal ? 54 : 0);
}
WEFT_INLINE int exponent(float a) { return exponent((double)a); }
WEFT_INLINE int scale_of(double n) { return to_i32(n < -2200.0 ? -2200.0 : n > 2200.0 ? 2200.0 : n); }
WEFT_INLINE float ldexp(float a, float n) { return weft_c_ldexp(a, scale_of(n)); }
WEFT_INLINE double ldexp(double a, double n) { return weft_c_ldexp(a, scale_of(n)); }

}  // namespace weft
