// Functions of half precision that are not those of `float`, rounded. Kernels convert the operands
// of the others.

namespace weft {

WEFT_INLINE Half f16_of(unsigned long long word) { return Half::of_bits((unsigned short)word); }

WEFT_INLINE bool is_true(Half a) { return is_true((float)a); }

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
