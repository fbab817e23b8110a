// CUDA C++ for the host: the names built into NVRTC, so that a kernel's source compiles with g++ or clang++.
//
// A translation unit is: this file, `namespace cuda_device { namespace { SOURCE } }`, the table of its kernels, and
// `cuda_shim_run.h`. No header is included, so that no name of the host's is found by mistake. The names of CUDA and the
// source share one namespace, where they overload and clash as they do on a device.
#pragma once

#define __device__ __attribute__((unused))
#define __host__
#define __global__ __attribute__((unused))
#define __constant__ static
#define __managed__ static
#define __shared__ static __attribute__((section("weft_shared"), aligned(16)))
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __align__(n) __attribute__((aligned(n)))
#define __launch_bounds__(...)
#define __grid_constant__
#define __CUDACC__ 1
#define __CUDACC_RTC__ 1
#define __CUDA_ARCH__ 900
#define __CUDACC_VER_MAJOR__ 13
#define __CUDACC_VER_MINOR__ 0

#define WEFT_PLAIN __attribute__((unused, no_sanitize("undefined")))

namespace cuda_shim {

// Ends the launch with a message; does not return.
[[noreturn]] void fail(const char *what);

// Waits for all threads of the block (`line`: where the source does).
void wait_block(int line);

// Waits for the threads of the warp that have not ended, and exchanges a word. Afterwards `lane` of the exchange can be
// read by `lane_value`.
void exchange(unsigned mask, unsigned long long value);
bool lane_has_value(unsigned lane);
unsigned long long lane_value(unsigned lane);
unsigned lane_mask();
unsigned this_lane();

// What a thread reads that it may not read: a NaN in every floating-point format.
constexpr unsigned long long GARBAGE = 0xfff5dead'7fd5beefULL;

// Functions of the C library, since not every compiler has builtins with these names.
extern "C" double exp10(double);
extern "C" float exp10f(float);

alignas(256) extern char dynamic_shared[];

template <bool B, class T> struct enable_if {};
template <class T> struct enable_if<true, T> { typedef T type; };
template <class T> struct is_integer { static constexpr bool value = false; };
#define WEFT_INTEGER(T) template <> struct is_integer<T> { static constexpr bool value = true; };
WEFT_INTEGER(bool) WEFT_INTEGER(char) WEFT_INTEGER(signed char) WEFT_INTEGER(unsigned char) WEFT_INTEGER(short)
WEFT_INTEGER(unsigned short) WEFT_INTEGER(int) WEFT_INTEGER(unsigned) WEFT_INTEGER(long) WEFT_INTEGER(unsigned long)
WEFT_INTEGER(long long) WEFT_INTEGER(unsigned long long)
#undef WEFT_INTEGER

} // namespace cuda_shim

namespace cuda_device {

typedef decltype(sizeof(0)) size_t;
typedef decltype((char *)0 - (char *)0) ptrdiff_t;

#define WEFT_VECTORS(T, name, a1, a2, a3, a4)                                                                        \
    struct __align__(a1) name##1 { T x; };                                                                           \
    struct __align__(a2) name##2 { T x, y; };                                                                        \
    struct __align__(a3) name##3 { T x, y, z; };                                                                     \
    struct __align__(a4) name##4 { T x, y, z, w; };                                                                  \
    WEFT_PLAIN static inline name##1 make_##name##1(T x) { return {x}; }                                             \
    WEFT_PLAIN static inline name##2 make_##name##2(T x, T y) { return {x, y}; }                                     \
    WEFT_PLAIN static inline name##3 make_##name##3(T x, T y, T z) { return {x, y, z}; }                             \
    WEFT_PLAIN static inline name##4 make_##name##4(T x, T y, T z, T w) { return {x, y, z, w}; }
WEFT_VECTORS(signed char, char, 1, 2, 1, 4)
WEFT_VECTORS(unsigned char, uchar, 1, 2, 1, 4)
WEFT_VECTORS(short, short, 2, 4, 2, 8)
WEFT_VECTORS(unsigned short, ushort, 2, 4, 2, 8)
WEFT_VECTORS(int, int, 4, 8, 4, 16)
WEFT_VECTORS(unsigned, uint, 4, 8, 4, 16)
WEFT_VECTORS(long, long, 8, 16, 8, 16)
WEFT_VECTORS(unsigned long, ulong, 8, 16, 8, 16)
WEFT_VECTORS(long long, longlong, 8, 16, 8, 16)
WEFT_VECTORS(unsigned long long, ulonglong, 8, 16, 8, 16)
WEFT_VECTORS(float, float, 4, 8, 4, 16)
WEFT_VECTORS(double, double, 8, 16, 8, 16)
#undef WEFT_VECTORS

struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};

extern uint3 threadIdx, blockIdx;
extern dim3 blockDim, gridDim;
static constexpr int warpSize = 32;

namespace {

// Synchronisation. Threads of a block are fibers of one host thread: atomics and fences need nothing more.

#define __syncthreads() ::cuda_shim::wait_block(__LINE__)
WEFT_PLAIN inline void __threadfence() {}
WEFT_PLAIN inline void __threadfence_block() {}
WEFT_PLAIN inline void __threadfence_system() {}
WEFT_PLAIN inline void __nanosleep(unsigned) {}
WEFT_PLAIN inline void __trap() { ::cuda_shim::fail("__trap()"); }
WEFT_PLAIN inline void __syncwarp(unsigned mask = 0xffffffffu) { ::cuda_shim::exchange(mask, 0); }
WEFT_PLAIN inline unsigned __ballot_sync(unsigned mask, int predicate) {
    ::cuda_shim::exchange(mask, predicate != 0);
    unsigned votes = 0;
    for (unsigned lane = 0; lane < 32; ++lane)
        if (::cuda_shim::lane_has_value(lane) && ::cuda_shim::lane_value(lane)) votes |= 1u << lane;
    return votes;
}
WEFT_PLAIN inline int __any_sync(unsigned mask, int predicate) { return __ballot_sync(mask, predicate) != 0; }
WEFT_PLAIN inline int __all_sync(unsigned mask, int predicate) {
    unsigned votes = __ballot_sync(mask, predicate);
    return votes == ::cuda_shim::lane_mask();
}
WEFT_PLAIN inline int weft_block_vote(int predicate, int line, int what);
#define __syncthreads_or(p) weft_block_vote((p), __LINE__, 0)
#define __syncthreads_and(p) weft_block_vote((p), __LINE__, 1)
#define __syncthreads_count(p) weft_block_vote((p), __LINE__, 2)

template <class T> WEFT_PLAIN inline unsigned long long weft_to_word(T value) {
    static_assert(sizeof(T) <= 8, "a shuffle takes at most 8 bytes");
    unsigned long long word = 0;
    __builtin_memcpy(&word, &value, sizeof(T));
    return word;
}
// The value of a lane. For a lane that does not take part, it is undefined on a device, and garbage
// here.
template <class T> WEFT_PLAIN inline T weft_of_lane(unsigned lane) {
    unsigned long long word =
        ::cuda_shim::lane_has_value(lane) ? ::cuda_shim::lane_value(lane) : ::cuda_shim::GARBAGE;
    T value;
    __builtin_memcpy(&value, &word, sizeof(T));
    return value;
}
template <class T> WEFT_PLAIN inline T __shfl_sync(unsigned mask, T value, int source, int width = 32) {
    ::cuda_shim::exchange(mask, weft_to_word(value));
    unsigned lane = ::cuda_shim::this_lane();
    return weft_of_lane<T>((lane & ~(unsigned)(width - 1)) | ((unsigned)source & (unsigned)(width - 1)));
}
template <class T> WEFT_PLAIN inline T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32) {
    ::cuda_shim::exchange(mask, weft_to_word(value));
    unsigned lane = ::cuda_shim::this_lane();
    unsigned last = lane | (unsigned)(width - 1);
    return delta > last - lane ? value : weft_of_lane<T>(lane + delta);
}
template <class T> WEFT_PLAIN inline T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32) {
    ::cuda_shim::exchange(mask, weft_to_word(value));
    unsigned lane = ::cuda_shim::this_lane();
    unsigned first = lane & ~(unsigned)(width - 1);
    return delta > lane - first ? value : weft_of_lane<T>(lane - delta);
}
template <class T> WEFT_PLAIN inline T __shfl_xor_sync(unsigned mask, T value, int bits, int width = 32) {
    ::cuda_shim::exchange(mask, weft_to_word(value));
    unsigned lane = ::cuda_shim::this_lane();
    unsigned from = lane ^ (unsigned)bits;
    return from > (lane | (unsigned)(width - 1)) ? value : weft_of_lane<T>(from);
}

#define WEFT_ATOMICS(T)                                                                                              \
    WEFT_PLAIN inline T atomicExch(T *p, T v) { T old = *p; *p = v; return old; }                                    \
    WEFT_PLAIN inline T atomicAdd(T *p, T v) { T old = *p; *p = old + v; return old; }
#define WEFT_INTEGER_ATOMICS(T)                                                                                      \
    WEFT_ATOMICS(T)                                                                                                  \
    WEFT_PLAIN inline T atomicMax(T *p, T v) { T old = *p; *p = old < v ? v : old; return old; }                     \
    WEFT_PLAIN inline T atomicMin(T *p, T v) { T old = *p; *p = v < old ? v : old; return old; }                     \
    WEFT_PLAIN inline T atomicAnd(T *p, T v) { T old = *p; *p = old & v; return old; }                               \
    WEFT_PLAIN inline T atomicOr(T *p, T v) { T old = *p; *p = old | v; return old; }                                \
    WEFT_PLAIN inline T atomicXor(T *p, T v) { T old = *p; *p = old ^ v; return old; }                               \
    WEFT_PLAIN inline T atomicCAS(T *p, T expected, T v) { T old = *p; if (old == expected) *p = v; return old; }
WEFT_INTEGER_ATOMICS(int)
WEFT_INTEGER_ATOMICS(unsigned)
WEFT_INTEGER_ATOMICS(unsigned long long)
WEFT_ATOMICS(float)
WEFT_ATOMICS(double)
WEFT_PLAIN inline long long atomicMax(long long *p, long long v) { long long old = *p; *p = old < v ? v : old; return old; }
WEFT_PLAIN inline long long atomicMin(long long *p, long long v) { long long old = *p; *p = v < old ? v : old; return old; }
WEFT_PLAIN inline int atomicSub(int *p, int v) { int old = *p; *p = old - v; return old; }
WEFT_PLAIN inline unsigned atomicSub(unsigned *p, unsigned v) { unsigned old = *p; *p = old - v; return old; }
WEFT_PLAIN inline unsigned atomicInc(unsigned *p, unsigned v) { unsigned old = *p; *p = old >= v ? 0 : old + 1; return old; }
WEFT_PLAIN inline unsigned atomicDec(unsigned *p, unsigned v) { unsigned old = *p; *p = old == 0 || old > v ? v : old - 1; return old; }
#undef WEFT_ATOMICS
#undef WEFT_INTEGER_ATOMICS

// Loads and stores with hints about caches.

template <class T> inline T __ldg(const T *p) { return *p; }
template <class T> inline T __ldca(const T *p) { return *p; }
template <class T> inline T __ldcg(const T *p) { return *p; }
template <class T> inline T __ldcs(const T *p) { return *p; }
template <class T> inline T __ldlu(const T *p) { return *p; }
template <class T> inline T __ldcv(const T *p) { return *p; }
template <class T> inline void __stwb(T *p, T v) { *p = v; }
template <class T> inline void __stcg(T *p, T v) { *p = v; }
template <class T> inline void __stcs(T *p, T v) { *p = v; }
template <class T> inline void __stwt(T *p, T v) { *p = v; }

// Bits.

template <class To, class From> WEFT_PLAIN inline To weft_bits(From from) {
    static_assert(sizeof(To) == sizeof(From), "the same bits");
    To to;
    __builtin_memcpy(&to, &from, sizeof(To));
    return to;
}
WEFT_PLAIN inline long long __double_as_longlong(double x) { return weft_bits<long long>(x); }
WEFT_PLAIN inline double __longlong_as_double(long long x) { return weft_bits<double>(x); }
WEFT_PLAIN inline int __float_as_int(float x) { return weft_bits<int>(x); }
WEFT_PLAIN inline unsigned __float_as_uint(float x) { return weft_bits<unsigned>(x); }
WEFT_PLAIN inline float __int_as_float(int x) { return weft_bits<float>(x); }
WEFT_PLAIN inline float __uint_as_float(unsigned x) { return weft_bits<float>(x); }
WEFT_PLAIN inline int __double2hiint(double x) { return (int)(weft_bits<unsigned long long>(x) >> 32); }
WEFT_PLAIN inline int __double2loint(double x) { return (int)weft_bits<unsigned long long>(x); }
WEFT_PLAIN inline double __hiloint2double(int hi, int lo) {
    return weft_bits<double>((unsigned long long)(unsigned)hi << 32 | (unsigned)lo);
}
// Half precision, which the device converts by instructions: to the nearest, ties to even.
#define WEFT_HALF_CONVERSIONS 1
WEFT_PLAIN inline float weft_half_to_float(unsigned short half) {
    unsigned sign = (unsigned)(half & 0x8000u) << 16, rest = half & 0x7fffu;
    if (rest >= 0x7c00u) return weft_bits<float>(sign | 0x7f800000u | (rest & 0x3ffu ? (rest & 0x3ffu) << 13 | 0x400000u : 0u));
    // A float has room for the exponents of all halves: the product is exact.
    float size = weft_bits<float>(rest << 13) * 0x1p112f;
    return weft_bits<float>(sign | weft_bits<unsigned>(size));
}
WEFT_PLAIN inline unsigned short weft_float_to_half(float value) {
    unsigned bits = weft_bits<unsigned>(value), sign = bits >> 16 & 0x8000u, rest = bits & 0x7fffffffu;
    if (rest > 0x7f800000u) return (unsigned short)(sign | 0x7e00u | (rest >> 13 & 0x3ffu));
    if (rest >= 0x477ff000u) return (unsigned short)(sign | 0x7c00u);
    if (rest < 0x38800000u) {
        // A subnormal half: the sum is rounded to its last place.
        float size = weft_bits<float>(rest) + 0.5f;
        return (unsigned short)(sign | (weft_bits<unsigned>(size) - 0x3f000000u));
    }
    unsigned half = rest - 0x38000000u + 0xfffu + (rest >> 13 & 1u);
    return (unsigned short)(sign | half >> 13);
}
WEFT_PLAIN inline int __clz(int x) { return x == 0 ? 32 : __builtin_clz((unsigned)x); }
WEFT_PLAIN inline int __clzll(long long x) { return x == 0 ? 64 : __builtin_clzll((unsigned long long)x); }
WEFT_PLAIN inline int __ffs(int x) { return __builtin_ffs(x); }
WEFT_PLAIN inline int __ffsll(long long x) { return __builtin_ffsll(x); }
WEFT_PLAIN inline int __popc(unsigned x) { return __builtin_popcount(x); }
WEFT_PLAIN inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
WEFT_PLAIN inline unsigned long long __brevll(unsigned long long x) {
    unsigned long long r = 0;
    for (int i = 0; i < 64; ++i, x >>= 1) r = r << 1 | (x & 1);
    return r;
}
WEFT_PLAIN inline unsigned __brev(unsigned x) { return (unsigned)(__brevll(x) >> 32); }
WEFT_PLAIN inline int __mulhi(int a, int b) { return (int)((long long)a * b >> 32); }
WEFT_PLAIN inline unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)((unsigned long long)a * b >> 32); }
WEFT_PLAIN inline long long __mul64hi(long long a, long long b) { return (long long)((__int128)a * b >> 64); }
WEFT_PLAIN inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
    return (unsigned long long)((unsigned __int128)a * b >> 64);
}
WEFT_PLAIN inline unsigned __funnelshift_l(unsigned lo, unsigned hi, unsigned n) {
    return (unsigned)((((unsigned long long)hi << 32 | lo) << (n & 31)) >> 32);
}
WEFT_PLAIN inline unsigned __funnelshift_r(unsigned lo, unsigned hi, unsigned n) {
    return (unsigned)(((unsigned long long)hi << 32 | lo) >> (n & 31));
}

// Conversions: round as named, saturate, NaN gives 0 (PTX's cvt; the 64-bit ones give the lowest number).

#define WEFT_SATURATE(name, From, To, round, low, high, nan)                                                         \
    WEFT_PLAIN inline To name(From x) {                                                                              \
        if (x != x) return nan;                                                                                      \
        From r = round(x);                                                                                           \
        return r <= (From)(low) ? (To)(low) : r >= (From)(high) ? (To)(high) : (To)r;                                \
    }
#define WEFT_CONVERSIONS(From, from, s)                                                                              \
    WEFT_SATURATE(__##from##2int_rz, From, int, __builtin_trunc##s, -2147483647 - 1, 2147483647, 0)                  \
    WEFT_SATURATE(__##from##2int_rn, From, int, __builtin_rint##s, -2147483647 - 1, 2147483647, 0)                   \
    WEFT_SATURATE(__##from##2int_rd, From, int, __builtin_floor##s, -2147483647 - 1, 2147483647, 0)                  \
    WEFT_SATURATE(__##from##2int_ru, From, int, __builtin_ceil##s, -2147483647 - 1, 2147483647, 0)                   \
    WEFT_SATURATE(__##from##2uint_rz, From, unsigned, __builtin_trunc##s, 0, 4294967295u, 0)                         \
    WEFT_SATURATE(__##from##2uint_rn, From, unsigned, __builtin_rint##s, 0, 4294967295u, 0)                          \
    WEFT_SATURATE(__##from##2ll_rz, From, long long, __builtin_trunc##s, -9223372036854775807LL - 1,                 \
                  9223372036854775807LL, -9223372036854775807LL - 1)                                                 \
    WEFT_SATURATE(__##from##2ll_rn, From, long long, __builtin_rint##s, -9223372036854775807LL - 1,                  \
                  9223372036854775807LL, -9223372036854775807LL - 1)                                                 \
    WEFT_SATURATE(__##from##2ll_rd, From, long long, __builtin_floor##s, -9223372036854775807LL - 1,                 \
                  9223372036854775807LL, -9223372036854775807LL - 1)                                                 \
    WEFT_SATURATE(__##from##2ull_rz, From, unsigned long long, __builtin_trunc##s, 0, 18446744073709551615ULL,       \
                  9223372036854775808ULL)                                                                            \
    WEFT_SATURATE(__##from##2ull_rn, From, unsigned long long, __builtin_rint##s, 0, 18446744073709551615ULL,        \
                  9223372036854775808ULL)
WEFT_CONVERSIONS(float, float, f)
WEFT_CONVERSIONS(double, double, )
#undef WEFT_CONVERSIONS
#undef WEFT_SATURATE
WEFT_PLAIN inline float __double2float_rn(double x) { return (float)x; }
WEFT_PLAIN inline double __int2double_rn(int x) { return x; }
WEFT_PLAIN inline double __uint2double_rn(unsigned x) { return x; }
WEFT_PLAIN inline double __ll2double_rn(long long x) { return (double)x; }
WEFT_PLAIN inline double __ull2double_rn(unsigned long long x) { return (double)x; }
WEFT_PLAIN inline float __int2float_rn(int x) { return (float)x; }
WEFT_PLAIN inline float __uint2float_rn(unsigned x) { return (float)x; }
WEFT_PLAIN inline float __ll2float_rn(long long x) { return (float)x; }
WEFT_PLAIN inline float __ull2float_rn(unsigned long long x) { return (float)x; }

// Arithmetic that no compiler fuses.

#define WEFT_UNFUSED(name, T, op)                                                                                    \
    WEFT_PLAIN inline T name(T a, T b) { volatile T r = a op b; return r; }
WEFT_UNFUSED(__dadd_rn, double, +)
WEFT_UNFUSED(__dsub_rn, double, -)
WEFT_UNFUSED(__dmul_rn, double, *)
WEFT_UNFUSED(__ddiv_rn, double, /)
WEFT_UNFUSED(__fadd_rn, float, +)
WEFT_UNFUSED(__fsub_rn, float, -)
WEFT_UNFUSED(__fmul_rn, float, *)
WEFT_UNFUSED(__fdiv_rn, float, /)
WEFT_UNFUSED(__fdividef, float, /)
#undef WEFT_UNFUSED
WEFT_PLAIN inline double __drcp_rn(double x) { return 1.0 / x; }
WEFT_PLAIN inline float __frcp_rn(float x) { return 1.0f / x; }
WEFT_PLAIN inline double __dsqrt_rn(double x) { return __builtin_sqrt(x); }
WEFT_PLAIN inline float __fsqrt_rn(float x) { return __builtin_sqrtf(x); }
WEFT_PLAIN inline double __fma_rn(double a, double b, double c) { return __builtin_fma(a, b, c); }
WEFT_PLAIN inline float __fmaf_rn(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
WEFT_PLAIN inline float __saturatef(float x) { return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; }

// Mathematics. As on a device: `f(double)`, `f(float)`, `ff(float)`, and integers as doubles.

#define WEFT_MATH1(name)                                                                                             \
    WEFT_PLAIN inline double name(double x) { return __builtin_##name(x); }                                          \
    WEFT_PLAIN inline float name(float x) { return __builtin_##name##f(x); }                                         \
    WEFT_PLAIN inline float name##f(float x) { return __builtin_##name##f(x); }                                      \
    template <class T>                                                                                               \
    WEFT_PLAIN inline typename ::cuda_shim::enable_if<::cuda_shim::is_integer<T>::value, double>::type name(T x) {   \
        return __builtin_##name((double)x);                                                                          \
    }
#define WEFT_MATH2(name)                                                                                             \
    WEFT_PLAIN inline double name(double x, double y) { return __builtin_##name(x, y); }                             \
    WEFT_PLAIN inline float name(float x, float y) { return __builtin_##name##f(x, y); }                             \
    WEFT_PLAIN inline double name(double x, float y) { return __builtin_##name(x, y); }                              \
    WEFT_PLAIN inline double name(float x, double y) { return __builtin_##name(x, y); }                              \
    WEFT_PLAIN inline float name##f(float x, float y) { return __builtin_##name##f(x, y); }
WEFT_MATH1(sqrt) WEFT_MATH1(cbrt) WEFT_MATH1(exp) WEFT_MATH1(exp2) WEFT_MATH1(expm1) WEFT_MATH1(log)
WEFT_MATH1(log2) WEFT_MATH1(log10) WEFT_MATH1(log1p) WEFT_MATH1(logb) WEFT_MATH1(sin) WEFT_MATH1(cos) WEFT_MATH1(tan)
WEFT_MATH1(asin) WEFT_MATH1(acos) WEFT_MATH1(atan) WEFT_MATH1(sinh) WEFT_MATH1(cosh) WEFT_MATH1(tanh) WEFT_MATH1(asinh)
WEFT_MATH1(acosh) WEFT_MATH1(atanh) WEFT_MATH1(erf) WEFT_MATH1(erfc) WEFT_MATH1(tgamma) WEFT_MATH1(lgamma)
WEFT_MATH1(floor) WEFT_MATH1(ceil) WEFT_MATH1(trunc) WEFT_MATH1(rint) WEFT_MATH1(nearbyint) WEFT_MATH1(round)
WEFT_MATH1(fabs)
WEFT_MATH2(pow) WEFT_MATH2(atan2) WEFT_MATH2(hypot) WEFT_MATH2(fmod) WEFT_MATH2(remainder) WEFT_MATH2(copysign)
WEFT_MATH2(fdim) WEFT_MATH2(nextafter) WEFT_MATH2(fmin) WEFT_MATH2(fmax)
#undef WEFT_MATH1
#undef WEFT_MATH2
template <class T>
WEFT_PLAIN inline typename ::cuda_shim::enable_if<::cuda_shim::is_integer<T>::value, double>::type pow(T x, T y) {
    return __builtin_pow((double)x, (double)y);
}
WEFT_PLAIN inline double pow(double x, int y) { return __builtin_pow(x, (double)y); }
WEFT_PLAIN inline float pow(float x, int y) { return __builtin_powf(x, (float)y); }
WEFT_PLAIN inline double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
WEFT_PLAIN inline float fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
WEFT_PLAIN inline float fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
WEFT_PLAIN inline double exp10(double x) { return ::cuda_shim::exp10(x); }
WEFT_PLAIN inline float exp10f(float x) { return ::cuda_shim::exp10f(x); }
WEFT_PLAIN inline float exp10(float x) { return ::cuda_shim::exp10f(x); }
WEFT_PLAIN inline double rsqrt(double x) { return 1.0 / __builtin_sqrt(x); }
WEFT_PLAIN inline float rsqrtf(float x) { return 1.0f / __builtin_sqrtf(x); }
WEFT_PLAIN inline float rsqrt(float x) { return rsqrtf(x); }
WEFT_PLAIN inline double rcbrt(double x) { return 1.0 / __builtin_cbrt(x); }
WEFT_PLAIN inline float rcbrtf(float x) { return 1.0f / __builtin_cbrtf(x); }
WEFT_PLAIN inline double sinpi(double x) { return __builtin_sin(3.14159265358979323846 * __builtin_fmod(x, 2.0)); }
WEFT_PLAIN inline double cospi(double x) { return __builtin_cos(3.14159265358979323846 * __builtin_fmod(x, 2.0)); }
WEFT_PLAIN inline float sinpif(float x) { return (float)sinpi((double)x); }
WEFT_PLAIN inline float cospif(float x) { return (float)cospi((double)x); }
WEFT_PLAIN inline void sincos(double x, double *s, double *c) { *s = __builtin_sin(x); *c = __builtin_cos(x); }
WEFT_PLAIN inline void sincosf(float x, float *s, float *c) { *s = __builtin_sinf(x); *c = __builtin_cosf(x); }
WEFT_PLAIN inline void sincos(float x, float *s, float *c) { sincosf(x, s, c); }
WEFT_PLAIN inline void sincospi(double x, double *s, double *c) { *s = sinpi(x); *c = cospi(x); }
WEFT_PLAIN inline void sincospif(float x, float *s, float *c) { *s = sinpif(x); *c = cospif(x); }
WEFT_PLAIN inline double ldexp(double x, int n) { return __builtin_ldexp(x, n); }
WEFT_PLAIN inline float ldexp(float x, int n) { return __builtin_ldexpf(x, n); }
WEFT_PLAIN inline float ldexpf(float x, int n) { return __builtin_ldexpf(x, n); }
WEFT_PLAIN inline double scalbn(double x, int n) { return __builtin_scalbn(x, n); }
WEFT_PLAIN inline float scalbnf(float x, int n) { return __builtin_scalbnf(x, n); }
WEFT_PLAIN inline double frexp(double x, int *n) { return __builtin_frexp(x, n); }
WEFT_PLAIN inline float frexpf(float x, int *n) { return __builtin_frexpf(x, n); }
WEFT_PLAIN inline double modf(double x, double *n) { return __builtin_modf(x, n); }
WEFT_PLAIN inline float modff(float x, float *n) { return __builtin_modff(x, n); }
WEFT_PLAIN inline int ilogb(double x) { return __builtin_ilogb(x); }
WEFT_PLAIN inline long long llrint(double x) { return __double2ll_rn(x); }
WEFT_PLAIN inline long long llrintf(float x) { return __float2ll_rn(x); }
WEFT_PLAIN inline long long llround(double x) { return __double2ll_rz(__builtin_round(x)); }
WEFT_PLAIN inline double nan(const char *) { return __builtin_nan(""); }
WEFT_PLAIN inline float nanf(const char *) { return __builtin_nanf(""); }
WEFT_PLAIN inline bool isnan(double x) { return x != x; }
WEFT_PLAIN inline bool isnan(float x) { return x != x; }
WEFT_PLAIN inline bool isinf(double x) { return __builtin_isinf(x) != 0; }
WEFT_PLAIN inline bool isinf(float x) { return __builtin_isinf(x) != 0; }
WEFT_PLAIN inline bool isfinite(double x) { return __builtin_isfinite(x) != 0; }
WEFT_PLAIN inline bool isfinite(float x) { return __builtin_isfinite(x) != 0; }
WEFT_PLAIN inline bool signbit(double x) { return __builtin_signbit(x) != 0; }
WEFT_PLAIN inline bool signbit(float x) { return __builtin_signbitf(x) != 0; }
WEFT_PLAIN inline float __expf(float x) { return __builtin_expf(x); }
WEFT_PLAIN inline float __logf(float x) { return __builtin_logf(x); }
WEFT_PLAIN inline float __sinf(float x) { return __builtin_sinf(x); }
WEFT_PLAIN inline float __cosf(float x) { return __builtin_cosf(x); }
WEFT_PLAIN inline float __powf(float x, float y) { return __builtin_powf(x, y); }

WEFT_PLAIN inline double abs(double x) { return __builtin_fabs(x); }
WEFT_PLAIN inline float abs(float x) { return __builtin_fabsf(x); }
inline int abs(int x) { return x < 0 ? -x : x; }
inline long abs(long x) { return x < 0 ? -x : x; }
inline long long abs(long long x) { return x < 0 ? -x : x; }
inline long labs(long x) { return x < 0 ? -x : x; }
inline long long llabs(long long x) { return x < 0 ? -x : x; }

#define WEFT_MIN_MAX(T)                                                                                              \
    WEFT_PLAIN inline T min(T a, T b) { return b < a ? b : a; }                                                      \
    WEFT_PLAIN inline T max(T a, T b) { return a < b ? b : a; }
#define WEFT_MIXED_MIN_MAX(S, U)                                                                                     \
    WEFT_MIN_MAX(S) WEFT_MIN_MAX(U)                                                                                  \
    WEFT_PLAIN inline U min(S a, U b) { return min((U)a, b); }                                                       \
    WEFT_PLAIN inline U min(U a, S b) { return min(a, (U)b); }                                                       \
    WEFT_PLAIN inline U max(S a, U b) { return max((U)a, b); }                                                       \
    WEFT_PLAIN inline U max(U a, S b) { return max(a, (U)b); }
WEFT_MIXED_MIN_MAX(int, unsigned)
WEFT_MIXED_MIN_MAX(long, unsigned long)
WEFT_MIXED_MIN_MAX(long long, unsigned long long)
#undef WEFT_MIN_MAX
#undef WEFT_MIXED_MIN_MAX
WEFT_PLAIN inline double min(double a, double b) { return __builtin_fmin(a, b); }
WEFT_PLAIN inline double max(double a, double b) { return __builtin_fmax(a, b); }
WEFT_PLAIN inline double min(float a, double b) { return __builtin_fmin(a, b); }
WEFT_PLAIN inline double max(float a, double b) { return __builtin_fmax(a, b); }
WEFT_PLAIN inline double min(double a, float b) { return __builtin_fmin(a, b); }
WEFT_PLAIN inline double max(double a, float b) { return __builtin_fmax(a, b); }
WEFT_PLAIN inline float min(float a, float b) { return __builtin_fminf(a, b); }
WEFT_PLAIN inline float max(float a, float b) { return __builtin_fmaxf(a, b); }

WEFT_PLAIN inline int weft_block_vote(int predicate, int line, int what) {
    static int votes, threads;
    ::cuda_shim::wait_block(line);
    votes = threads = 0;
    ::cuda_shim::wait_block(line);
    votes += predicate != 0;
    threads += 1;
    ::cuda_shim::wait_block(line);
    int count = votes, all = threads;
    return what == 0 ? count != 0 : what == 1 ? count == all : count;
}

} // namespace
} // namespace cuda_device
