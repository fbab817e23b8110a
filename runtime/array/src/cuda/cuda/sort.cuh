// Sorted lines. Short lines are sorted by a block of threads in shared memory. Long ones are sorted
// by the digits of their words, from the lowest to the highest, all lines at once; the digits of a
// line's number come last. A pass reads the elements once to find where those of each digit begin
// ("decoupled look-back": Merrill, Garland: Single-pass Parallel Prefix Scan with Decoupled
// Look-back, NVR-2016-002; Adinets, Merrill: Onesweep, arXiv:2206.01784).

namespace weft {

static constexpr int SORT_THREADS = 256;
static constexpr int SORT_WARPS = SORT_THREADS / 32;

// The most elements of a line that a block sorts in shared memory: `SHORT` in `sort.rs`.
static constexpr int SORT_SHORT = 2048;

// The number of elements of a thread in a pass over a digit: `TILE` in `radix.rs`.
static constexpr int SORT_ITEMS = 12;

// Half as many elements of 16 bytes fill the shared memory.
template <typename T> struct SortTile {
    static constexpr int ITEMS = sizeof(T) > 8 ? SORT_ITEMS / 2 : SORT_ITEMS;
    static constexpr int SIZE = SORT_THREADS * ITEMS;
};

// Digits have 8 bits, one digit for each thread of a block.
static constexpr int DIGITS = 256;

// Returns the element of a word. If words are ranks, it is the given one, which keeps all its bits.
template <bool by_rank> struct ElementOf {
    template <typename T> WEFT_INLINE T word(const T &element, typename Order<T>::Word) { return element; }
};
template <> struct ElementOf<false> {
    template <typename T> WEFT_INLINE T word(const T &, typename Order<T>::Word word) { return Order<T>::value(word); }
};

// Sorts lines of at most `room` elements, a power of two, by bitonic sorting; a block has at least
// one line. Equal elements keep their order. Operands of the loops are the input, the values and
// the numbers of elements, of which one of the last two may be null.
template <bool by_rank, typename T, int D, typename I>
WEFT_INLINE void sort_short(const T *in, T *values, long long *numbers, const Loops<3, D, I> &loops, I lines, int count,
                            int room, I in_step, I values_step, I numbers_step, long long first) {
    typedef typename Order<T>::Word Word;
    __shared__ Word words[SORT_SHORT];
    __shared__ unsigned short from[SORT_SHORT];
    const int together = room >= 2 * SORT_THREADS ? 1 : 2 * SORT_THREADS / room;
    const int slots = together * room;
    for (int slot = (int)threadIdx.x; slot < slots; slot += SORT_THREADS) {
        const I line = (I)(blockIdx.x * (long long)together) + (I)(slot / room);
        const int i = slot % room;
        // The padding is sorted after all elements, since its numbers are larger.
        Word word = (Word)~(Word)0;
        if (line < lines && i < count) {
            I at[3];
            loops.template find<0>(line, at);
            word = word_of<by_rank>(in[at[0] + i * in_step]);
        }
        words[slot] = word;
        from[slot] = (unsigned short)i;
    }
    __syncthreads();
    for (int size = 2; size <= room; size *= 2) {
        for (int reach = size / 2; reach > 0; reach /= 2) {
            for (int pair = (int)threadIdx.x; pair < slots / 2; pair += SORT_THREADS) {
                const int a = 2 * pair - (pair & (reach - 1)), b = a + reach;
                const bool is_rising = (a & (room - 1) & size) == 0;
                const Word left = words[a], right = words[b];
                const unsigned short left_from = from[a], right_from = from[b];
                const bool is_after = left > right || (left == right && left_from > right_from);
                if (is_after == is_rising) {
                    words[a] = right, words[b] = left;
                    from[a] = right_from, from[b] = left_from;
                }
            }
            __syncthreads();
        }
    }
    for (int slot = (int)threadIdx.x; slot < slots; slot += SORT_THREADS) {
        const I line = (I)(blockIdx.x * (long long)together) + (I)(slot / room);
        const int i = slot % room;
        if (line >= lines || i >= count) continue;
        I at[3];
        loops.template find<0>(line, at);
        if (values) values[at[1] + i * values_step] = ElementOf<by_rank>::template word<T>(in[at[0] + (I)from[slot] * in_step], words[slot]);
        if (numbers) numbers[at[2] + i * numbers_step] = first + from[slot];
    }
}

// Copies lines to memory in which they are consecutive, or back from there.
template <bool is_back, typename T, int D, typename I>
WEFT_INLINE void copy_lines(T *tile, T *dense, const Loops<1, D, I> &loops, I total, I count, I step) {
    const I pace = (I)(gridDim.x * (long long)blockDim.x);
    for (I at = (I)(blockIdx.x * (long long)blockDim.x) + (I)threadIdx.x; at < total; at += pace) {
        I line[1];
        loops.template find<0>(at / count, line);
        T &element = tile[line[0] + at % count * step];
        if (is_back) element = dense[at];
        else dense[at] = element;
    }
}

// Returns the digit of an element at a place. Places beyond those of its word are those of the
// number of its line.
template <typename Word, typename I> WEFT_INLINE int digit_of(Word word, I number, I count, int place) {
    if (place < (int)sizeof(Word)) return (int)(word >> (8 * place)) & (DIGITS - 1);
    return (int)(number / count >> (8 * (place - (int)sizeof(Word)))) & (DIGITS - 1);
}

// Counts the elements with each digit at each place.
template <bool by_rank, typename T, typename I>
WEFT_INLINE void count_digits(const T *in, I total, I count, int places, unsigned long long *counts) {
    // The places of a word, and of the number of a line.
    __shared__ unsigned own[(sizeof(typename Order<T>::Word) + 8) * DIGITS];
    for (int i = (int)threadIdx.x; i < places * DIGITS; i += SORT_THREADS) own[i] = 0;
    __syncthreads();
    const I pace = (I)(gridDim.x * (long long)blockDim.x);
    for (I at = (I)(blockIdx.x * (long long)blockDim.x) + (I)threadIdx.x; at < total; at += pace) {
        const typename Order<T>::Word word = word_of<by_rank>(in[at]);
        for (int place = 0; place < places; ++place) {
            atomicAdd(&own[place * DIGITS + digit_of(word, at, count, place)], 1u);
        }
    }
    __syncthreads();
    for (int i = (int)threadIdx.x; i < places * DIGITS; i += SORT_THREADS) {
        if (own[i] > 0) atomicAdd(&counts[i], (unsigned long long)own[i]);
    }
}

// Returns the sum over the threads before this one.
template <typename A> WEFT_INLINE A digits_before(A own) {
    __shared__ A sums[2][SORT_THREADS];
    const int thread = (int)threadIdx.x;
    int from = 0;
    sums[from][thread] = own;
    __syncthreads();
    for (int reach = 1; reach < SORT_THREADS; reach *= 2, from ^= 1) {
        const A here = sums[from][thread];
        sums[from ^ 1][thread] = thread >= reach ? sums[from][thread - reach] + here : here;
        __syncthreads();
    }
    return sums[from][thread] - own;
}

// Replaces the counts at each place by the starts of the elements with each digit, with a block for
// each place.
WEFT_INLINE void find_starts(unsigned long long *counts) {
    unsigned long long *own = counts + blockIdx.x * DIGITS + threadIdx.x;
    *own = digits_before(*own);
}

// The upper 8 bits of the word of a tile's count for a digit. They tell whether the count is known
// in this round, and whether it includes the counts of all tiles before it. Words of earlier rounds
// are smaller.
static constexpr int STATE_SHIFT = 56;
static constexpr unsigned long long STATE_STEP = 1ull << STATE_SHIFT;

// Returns the number of elements of all tiles before this one with the thread's digit, after
// publishing this tile's count.
WEFT_INLINE unsigned long long elements_before(volatile unsigned long long *states, long long tile, int round,
                                               unsigned count) {
    const unsigned long long known = (2ull * round + 1) << STATE_SHIFT, summed = known + STATE_STEP;
    volatile unsigned long long *own = states + tile * DIGITS + threadIdx.x;
    if (tile == 0) {
        *own = summed | count;
        return 0;
    }
    *own = known | count;
    unsigned long long before = 0;
    for (long long other = tile - 1;; --other) {
        unsigned long long state;
        do state = states[other * DIGITS + threadIdx.x];
        while (state < known);
        before += state & (STATE_STEP - 1);
        if (state >= summed) break;
    }
    *own = summed | (before + count);
    return before;
}

// Does one pass: moves elements to the place of their digit, in their order. Blocks take tiles in
// the order in which they start, so that the blocks that a block waits for are running. If
// `numbers_in` is null, each element has its own number; one of `numbers_out` and `results` is not
// null if `has_numbers`.
template <bool by_rank, bool has_numbers, typename T, typename I>
WEFT_INLINE void sort_digit(const T *in, const I *numbers_in, T *out, I *numbers_out, long long *results, I total, I count,
                            int place, int round, long long first, const unsigned long long *starts,
                            unsigned long long *states, unsigned *ticket) {
    typedef typename Order<T>::Word Word;
    constexpr int ITEMS = SortTile<T>::ITEMS, TILE = SortTile<T>::SIZE;
    constexpr int SIZE = has_numbers && sizeof(I) > sizeof(T) ? sizeof(I) : sizeof(T);
    __shared__ __align__(8) unsigned char stage[TILE * SIZE];
    __shared__ unsigned char digits[TILE];
    __shared__ unsigned counters[SORT_WARPS][DIGITS];
    __shared__ unsigned local[DIGITS];
    __shared__ unsigned long long base[DIGITS];
    __shared__ unsigned taken;
    const int thread = (int)threadIdx.x, lane = thread % 32, warp = thread / 32;
    if (thread == 0) taken = atomicAdd(ticket, 1u);
    for (int w = 0; w < SORT_WARPS; ++w) counters[w][thread] = 0;
    __syncthreads();
    const long long tile = taken;
    const I low = (I)tile * TILE;
    const int here = total - low < TILE ? (int)(total - low) : TILE;

    // Neighbours in a round are neighbours in memory, and rounds of a warp are consecutive.
    T value[ITEMS];
    I number[ITEMS];
    int digit[ITEMS];
    int rank[ITEMS];
    const int start = warp * 32 * ITEMS + lane;
#pragma unroll
    for (int k = 0; k < ITEMS; ++k) {
        const int at = start + k * 32;
        if (at >= here) continue;
        value[k] = in[low + at];
        if (has_numbers) number[k] = numbers_in ? numbers_in[low + at] : low + at;
    }
#pragma unroll
    for (int k = 0; k < ITEMS; ++k) {
        const bool is_here = start + k * 32 < here;
        digit[k] = is_here ? digit_of(word_of<by_rank>(value[k]), has_numbers ? number[k] : (I)0, count, place) : 0;
        // The lanes with the same digit.
        unsigned same = __ballot_sync(0xffffffffu, is_here);
#pragma unroll
        for (int bit = 0; bit < 8; ++bit) {
            const bool is_set = digit[k] >> bit & 1;
            const unsigned votes = __ballot_sync(0xffffffffu, is_set);
            same &= is_set ? votes : ~votes;
        }
        const int leader = same ? __ffs((int)same) - 1 : 0;
        unsigned before = 0;
        if (is_here && lane == leader) {
            before = counters[warp][digit[k]];
            counters[warp][digit[k]] = before + __popc(same);
        }
        before = __shfl_sync(0xffffffffu, before, leader);
        rank[k] = (int)(before + __popc(same & ((1u << lane) - 1)));
        __syncwarp();
    }
    __syncthreads();

    // Each thread has a digit.
    unsigned own = 0;
#pragma unroll
    for (int w = 0; w < SORT_WARPS; ++w) {
        const unsigned of_warp = counters[w][thread];
        counters[w][thread] = own;
        own += of_warp;
    }
    const unsigned own_start = digits_before(own);
    local[thread] = own_start;
    base[thread] = starts[thread] + elements_before(states, tile, round, own) - own_start;
    __syncthreads();

    T *stage_values = (T *)stage;
#pragma unroll
    for (int k = 0; k < ITEMS; ++k) {
        if (start + k * 32 >= here) continue;
        rank[k] += (int)(local[digit[k]] + counters[warp][digit[k]]);
        digits[rank[k]] = (unsigned char)digit[k];
        stage_values[rank[k]] = value[k];
    }
    __syncthreads();
    if (out) {
        for (int i = thread; i < here; i += SORT_THREADS) {
            const T staged = stage_values[i];
            out[(long long)(base[digits[i]] + i)] = ElementOf<by_rank>::template word<T>(staged, Order<T>::key(staged));
        }
    }
    if (!has_numbers) return;
    __syncthreads();
    I *stage_numbers = (I *)stage;
#pragma unroll
    for (int k = 0; k < ITEMS; ++k) {
        if (start + k * 32 < here) stage_numbers[rank[k]] = number[k];
    }
    __syncthreads();
    for (int i = thread; i < here; i += SORT_THREADS) {
        const I staged = stage_numbers[i];
        const long long to = (long long)(base[digits[i]] + i);
        if (numbers_out) numbers_out[to] = staged;
        if (results) results[to] = first + (long long)(staged % count);
    }
}

// Returns element `first + i` of a vector of which each two runs are merged. A thread finds by
// bisection how many elements of both runs come before it (the "merge path" of Odeh, Green, Mwassi,
// Shmueli, Birk: Merge Path, IPDPSW 2012). All operands are dense.
template <bool by_rank, typename T>
WEFT_INLINE void merge_runs(const T *in, const long long *numbers_in, T *out, long long *numbers_out, long long length,
                            long long runs, long long width, long long first, long long count) {
    const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (i >= count) return;
    const long long at = first + i;
    // Returns the first element of the run with this number.
    const auto begin = [&](long long run) {
        return run >= runs ? length : run * (length / runs) + run * (length % runs) / runs;
    };
    long long pair = at / (2 * width * (length / runs + 1));
    while (begin((pair + 1) * 2 * width) <= at) ++pair;
    const long long start = begin(pair * 2 * width);
    const T *left = in + start, *right = in + begin(pair * 2 * width + width);
    const long long lefts = right - left, rights = begin((pair + 1) * 2 * width) - start - lefts;
    const long long before = at - start;
    long long low = before > rights ? before - rights : 0, high = before < lefts ? before : lefts;
    while (low < high) {
        const long long middle = low + (high - low) / 2;
        // Of equal elements, the left one comes first.
        if (word_of<by_rank>(left[middle]) <= word_of<by_rank>(right[before - middle - 1])) low = middle + 1;
        else high = middle;
    }
    const long long of_right = before - low;
    const bool is_left = of_right >= rights ||
                         (low < lefts && word_of<by_rank>(left[low]) <= word_of<by_rank>(right[of_right]));
    const long long from = is_left ? start + low : start + lefts + of_right;
    out[i] = in[from];
    if (numbers_out) numbers_out[i] = numbers_in[from];
}

}  // namespace weft
