// Half precision: 16 bits in memory, computed with as `float`, of which each result is rounded to the nearest, ties to even.

#define WEFT_INLINE static __device__ __forceinline__

// The instructions that convert. A compiler without them defines the same two functions, and the macro.
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

// It converts to `float` by itself, so that operators of C take it.
struct Half {
    unsigned short bits;
    Half() = default;
    __device__ __forceinline__ Half(float value) : bits(weft_float_to_half(value)) {}
    __device__ __forceinline__ operator float() const { return weft_half_to_float(bits); }
    // The half with these bits.
    static __device__ __forceinline__ Half of_bits(unsigned short bits) {
        Half half;
        half.bits = bits;
        return half;
    }
};

}  // namespace weft
