
// Random numbers, equal to the CPU's; normal ones up to the last bits of logarithm, sine and
// cosine.

namespace weft {

// Philox4x32-10 of Salmon et al., "Parallel random numbers: as easy as 1, 2, 3" (2011): the two words of a pair.
WEFT_INLINE void words(unsigned long long pair, unsigned long long stream, unsigned long long seed,
                       unsigned long long &a, unsigned long long &b) {
    unsigned int c0 = (unsigned int)pair, c1 = (unsigned int)(pair >> 32);
    unsigned int c2 = (unsigned int)stream, c3 = (unsigned int)(stream >> 32);
    unsigned int k0 = (unsigned int)seed, k1 = (unsigned int)(seed >> 32);
    #pragma unroll
    for (int round = 0; round < 10; ++round) {
        const unsigned long long x = (unsigned long long)c0 * 0xD2511F53u;
        const unsigned long long y = (unsigned long long)c2 * 0xCD9E8D57u;
        c0 = (unsigned int)(y >> 32) ^ c1 ^ k0;
        c1 = (unsigned int)y;
        c2 = (unsigned int)(x >> 32) ^ c3 ^ k1;
        c3 = (unsigned int)x;
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    a = (unsigned long long)c1 << 32 | c0;
    b = (unsigned long long)c3 << 32 | c2;
}

// Returns the upper bits of a word as a float in [0, 1).
WEFT_INLINE double unit_f64(unsigned long long word) { return (double)(long long)(word >> 11) * (1.0 / 9007199254740992.0); }
WEFT_INLINE float unit_f32(unsigned long long word) { return (float)(long long)(word >> 40) * (1.0f / 16777216.0f); }

// The method of Box and Muller.
WEFT_INLINE void normal(unsigned long long a, unsigned long long b, double &x, double &y) {
    // 1 - [0, 1) is never 0, so the logarithm is finite.
    const double radius = sqrt(-2.0 * log(1.0 - unit_f64(a)));
    const double angle = 6.283185307179586 * unit_f64(b);
    x = radius * cos(angle);
    y = radius * sin(angle);
}

// Returns one of `span` integers starting at 0; a span of 0 stands for all words.
WEFT_INLINE unsigned long long pick(unsigned long long word, unsigned long long span) {
    return span == 0 ? word : __umul64hi(span, word);
}

}  // namespace weft
