// Half precision: 16 bits in memory, computed as `float`. Each result is rounded to nearest, ties
// to even.

#define WEFT_INLINE static __device__ __forceinline__

// Conversion instructions. A compiler without them defines these two functions and the macro.
#ifndef WEFT_HALF_CONVERSIONS
WEFT_INLINE float weft_half_to_float(unsigned short bits) {
    float value;
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
    return value;
}
WEFT_INLINE unsigned short weft_float_to_half(float value) {
    unsigned short bits;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value));
    return bits;
}
#endif

namespace weft {

// Converts to `float` implicitly, so that C's operators accept it.
struct Half {
    unsigned short bits;
    Half() = default;
    __device__ __forceinline__ Half(float value) : bits(weft_float_to_half(value)) {}
    __device__ __forceinline__ operator float() const { return weft_half_to_float(bits); }
    // Returns the half with these bits.
    static __device__ __forceinline__ Half of_bits(unsigned short bits) {
        Half half;
        half.bits = bits;
        return half;
    }
};

}  // namespace weft
