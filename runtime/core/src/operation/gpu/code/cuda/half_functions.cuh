// Functions of half precision: those of `float`, rounded.

namespace weft {

WEFT_INLINE Half f16_of(unsigned long long word) { return Half::of_bits((unsigned short)word); }

#define WEFT_HALF_OF_ONE(name) \
    WEFT_INLINE Half name(Half a) { return Half(name((float)a)); }
#define WEFT_HALF_OF_TWO(name) \
    WEFT_INLINE Half name(Half a, Half b) { return Half(name((float)a, (float)b)); }
#define WEFT_HALF_PREDICATE(name) \
    WEFT_INLINE bool name(Half a) { return name((float)a); }
#define WEFT_HALF_COMPARISON(name) \
    WEFT_INLINE bool name(Half a, Half b) { return name((float)a, (float)b); }
WEFT_HALF_OF_ONE(positive)
WEFT_HALF_OF_ONE(negative)
WEFT_HALF_OF_ONE(absolute)
WEFT_HALF_OF_ONE(sign)
WEFT_HALF_OF_ONE(square)
WEFT_HALF_OF_ONE(reciprocal)
WEFT_HALF_OF_ONE(sqrt)
WEFT_HALF_OF_ONE(cbrt)
WEFT_HALF_OF_ONE(exp)
WEFT_HALF_OF_ONE(exp2)
WEFT_HALF_OF_ONE(expm1)
WEFT_HALF_OF_ONE(log)
WEFT_HALF_OF_ONE(log2)
WEFT_HALF_OF_ONE(log10)
WEFT_HALF_OF_ONE(log1p)
WEFT_HALF_OF_ONE(sin)
WEFT_HALF_OF_ONE(cos)
WEFT_HALF_OF_ONE(tan)
WEFT_HALF_OF_ONE(arcsin)
WEFT_HALF_OF_ONE(arccos)
WEFT_HALF_OF_ONE(arctan)
WEFT_HALF_OF_ONE(sinh)
WEFT_HALF_OF_ONE(cosh)
WEFT_HALF_OF_ONE(tanh)
WEFT_HALF_OF_ONE(arcsinh)
WEFT_HALF_OF_ONE(arccosh)
WEFT_HALF_OF_ONE(arctanh)
WEFT_HALF_OF_ONE(floor)
WEFT_HALF_OF_ONE(ceil)
WEFT_HALF_OF_ONE(trunc)
WEFT_HALF_OF_ONE(rint)
WEFT_HALF_OF_ONE(deg2rad)
WEFT_HALF_OF_ONE(rad2deg)
WEFT_HALF_OF_ONE(conjugate)
WEFT_HALF_OF_ONE(real)
WEFT_HALF_OF_ONE(imag)
WEFT_HALF_OF_ONE(angle)
WEFT_HALF_OF_ONE(fraction)
WEFT_HALF_OF_ONE(mantissa)
WEFT_HALF_OF_TWO(add)
WEFT_HALF_OF_TWO(subtract)
WEFT_HALF_OF_TWO(multiply)
WEFT_HALF_OF_TWO(divide)
WEFT_HALF_OF_TWO(floor_divide)
WEFT_HALF_OF_TWO(remainder)
WEFT_HALF_OF_TWO(power)
WEFT_HALF_OF_TWO(arctan2)
WEFT_HALF_OF_TWO(hypot)
WEFT_HALF_OF_TWO(copysign)
WEFT_HALF_OF_TWO(minimum)
WEFT_HALF_OF_TWO(maximum)
WEFT_HALF_OF_TWO(fmin)
WEFT_HALF_OF_TWO(fmax)
WEFT_HALF_OF_TWO(fmod)
WEFT_HALF_OF_TWO(ldexp)
WEFT_HALF_OF_TWO(heaviside)
WEFT_HALF_OF_TWO(logaddexp)
WEFT_HALF_OF_TWO(logaddexp2)
WEFT_HALF_PREDICATE(is_true)
WEFT_HALF_PREDICATE(isnan)
WEFT_HALF_PREDICATE(isfinite)
WEFT_HALF_PREDICATE(isinf)
WEFT_HALF_PREDICATE(signbit)
WEFT_HALF_PREDICATE(logical_not)
WEFT_HALF_COMPARISON(equal)
WEFT_HALF_COMPARISON(not_equal)
WEFT_HALF_COMPARISON(less)
WEFT_HALF_COMPARISON(less_equal)
WEFT_HALF_COMPARISON(greater)
WEFT_HALF_COMPARISON(greater_equal)
WEFT_HALF_COMPARISON(logical_and)
WEFT_HALF_COMPARISON(logical_or)
WEFT_HALF_COMPARISON(logical_xor)

WEFT_INLINE int exponent(Half a) { return exponent((float)a); }

// Neighbours among halves. Of two equal halves the first is the result. Distances are those to the
// next larger half.
WEFT_INLINE Half nextafter(Half a, Half b) {
    const float x = a, y = b;
    if (x != x || y != y) return Half(x + y);
    if (x == y) return a;
    if (x == 0) return Half::of_bits((unsigned short)((b.bits & 0x8000) | 1));
    return Half::of_bits((unsigned short)((x < y) == (x > 0) ? a.bits + 1 : a.bits - 1));
}
WEFT_INLINE Half spacing(Half a) {
    const float x = a;
    if (!isfinite(x)) return Half(x - x);
    return Half((float)nextafter(a, Half::of_bits(0x7c00)) - x);
}

// Returns the half nearest to a double, ties to even. The intermediate `float` is rounded to odd.
WEFT_INLINE Half to_f16(double a) {
    const float nearest = (float)a;
    const double back = (double)nearest;
    const int bits = __float_as_int(nearest);
    if (back == a || a != a || (bits & 1)) return Half(nearest);
    return Half(__int_as_float(absolute(back) < absolute(a) ? bits + 1 : bits - 1));
}
template <typename T> WEFT_INLINE Half to_f16(T a) { return to_f16(to_f64(a)); }
WEFT_INLINE Half to_f16(float a) { return Half(a); }
WEFT_INLINE Half to_f16(Half a) { return a; }
WEFT_INLINE bool to_bool(Half a) { return is_true(a); }
WEFT_INLINE float to_f32(Half a) { return (float)a; }
WEFT_INLINE double to_f64(Half a) { return (double)(float)a; }
WEFT_INLINE signed char to_i8(Half a) { return to_i8((float)a); }
WEFT_INLINE short to_i16(Half a) { return to_i16((float)a); }
WEFT_INLINE int to_i32(Half a) { return to_i32((float)a); }
WEFT_INLINE long long to_i64(Half a) { return to_i64((float)a); }
WEFT_INLINE unsigned char to_u8(Half a) { return to_u8((float)a); }
WEFT_INLINE unsigned short to_u16(Half a) { return to_u16((float)a); }
WEFT_INLINE unsigned int to_u32(Half a) { return to_u32((float)a); }
WEFT_INLINE unsigned long long to_u64(Half a) { return to_u64((float)a); }

}  // namespace weft
