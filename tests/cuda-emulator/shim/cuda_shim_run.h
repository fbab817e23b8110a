// Runs the kernels of one translation unit: blocks one after the other in their own order, the threads of a block
// as fibers where the source synchronises, else one after the other, in their own order too.
//
// One launch at a time: the state is global. The caller holds a lock.

namespace cuda_shim {

typedef unsigned long long u64;
typedef decltype(sizeof(0)) usize;

template <usize... I> struct Indices {};
template <usize N, usize... I> struct MakeIndices : MakeIndices<N - 1, N - 1, I...> {};
template <usize... I> struct MakeIndices<0, I...> { typedef Indices<I...> type; };
template <class T> struct Plain { typedef T type; };
template <class T> struct Plain<const T> { typedef T type; };

// A kernel called through pointers to its arguments, as cuLaunchKernel has them.
template <auto F> struct Bound;
template <class... A, void (*F)(A...)> struct Bound<F> {
    template <class T> static T read(void *from) {
        typename Plain<T>::type value;
        __builtin_memcpy(&value, from, sizeof(T));
        return value;
    }
    template <usize... I> static void unpack(void **params, Indices<I...>) {
        (void)params;
        F(read<A>(params[I])...);
    }
    static void call(void **params) { unpack(params, typename MakeIndices<sizeof...(A)>::type{}); }
    static constexpr unsigned count = sizeof...(A);
    static constexpr unsigned sizes[sizeof...(A) + 1] = {sizeof(A)..., 0};
};

struct Kernel {
    const char *name;
    unsigned count;
    const unsigned *sizes;
    void (*call)(void **params);
};

// --- KERNELS ---
struct Launch {
    unsigned grid[3];
    unsigned block[3];
    unsigned shared_bytes;
    unsigned has_barriers;
    u64 seed;
    void **params;
};

static constexpr unsigned MAX_THREADS = 1024;
static constexpr usize STACK = 128 * 1024;

enum State : unsigned char { READY, AT_BLOCK, AT_WARP, ENDED };

struct Warp {
    u64 values[2][32];
    unsigned present[2]; // lanes whose value of that exchange is known
    unsigned parity;     // the exchange that is complete
};

static struct {
    const Launch *launch;
    const Kernel *kernel;
    unsigned threads;
    unsigned current;
    bool in_fiber;
    int line;
    u64 random;
    Warp warps[MAX_THREADS / 32];
    State states[MAX_THREADS];
    void *stacks[MAX_THREADS]; // where each fiber continues
    void *home;                // where the scheduler continues
    void *escape[5];
    bool can_escape;
    char message[512];
    char report[384];
} run;

static char *stack_memory;

static u64 next_random() {
    u64 z = (run.random += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
}

// All numbers below n, each once, in an order that is cheap to make: steps of a length without common divisors with n.
struct Order {
    u64 n, at, step;
    explicit Order(u64 n) : n(n), at(next_random() % n), step(next_random() % n | 1) {
        while (divisor(n, step) != 1) step += 2;
        step %= n;
        if (step == 0) step = 1;
    }
    static u64 divisor(u64 a, u64 b) { return b == 0 ? a : divisor(b, a % b); }
    u64 next() {
        u64 here = at;
        at = (u64)(((unsigned __int128)at + step) % n);
        return here;
    }
};

static void set_thread(unsigned thread) {
    const unsigned *block = run.launch->block;
    run.current = thread;
    cuda_device::threadIdx = {thread % block[0], thread / block[0] % block[1], thread / block[0] / block[1]};
}

static void say(char *to, usize room, const char *text) {
    usize at = __builtin_strlen(to);
    while (*text && at + 1 < room) to[at++] = *text++;
    to[at] = 0;
}
static void say(char *to, usize room, u64 number) {
    char digits[24] = {};
    int at = 23;
    do digits[--at] = (char)('0' + number % 10); while (number /= 10);
    say(to, room, digits + at);
}
static void explain(const char *what) {
    char *to = run.message;
    const usize room = sizeof run.message;
    to[0] = 0;
    say(to, room, what);
    auto block = cuda_device::blockIdx;
    auto thread = cuda_device::threadIdx;
    const u64 numbers[] = {block.x, block.y, block.z, thread.x, thread.y, thread.z};
    say(to, room, " (block");
    for (int i = 0; i < 6; ++i) {
        if (i == 3) say(to, room, ", thread");
        say(to, room, " ");
        say(to, room, numbers[i]);
    }
    say(to, room, ")");
}

void fail(const char *what) {
    explain(what);
    if (!run.can_escape) __builtin_trap();
    __builtin_longjmp(run.escape, 1);
}

#if defined(__x86_64__) && !defined(WEFT_EMULATED_UCONTEXT)

// Saves the place in *from, and continues at `to`: the registers that a function must preserve lie on the stack.
extern "C" __attribute__((visibility("hidden"))) void weft_switch(void **from, void *to);
__asm__(".text\n"
        ".hidden weft_switch\n"
        ".globl weft_switch\n"
        ".type weft_switch, @function\n"
        "weft_switch:\n"
        "pushq %rbp\npushq %rbx\npushq %r12\npushq %r13\npushq %r14\npushq %r15\n"
        "movq %rsp, (%rdi)\n"
        "movq %rsi, %rsp\n"
        "popq %r15\npopq %r14\npopq %r13\npopq %r12\npopq %rbx\npopq %rbp\n"
        "ret\n"
        ".size weft_switch, . - weft_switch\n");

static void begin_fiber(unsigned thread, char *low, void (*entry)()) {
    void **top = (void **)(low + STACK);
    *--top = nullptr;        // so that the entry finds its stack as after a call
    *--top = (void *)entry;
    for (int i = 0; i < 6; ++i) *--top = nullptr;
    run.stacks[thread] = top;
}
static void to_fiber(unsigned thread) { weft_switch(&run.home, run.stacks[thread]); }
static void to_home() { weft_switch(&run.stacks[run.current], run.home); }

#else
} // namespace cuda_shim
#include <ucontext.h>
namespace cuda_shim {

static ucontext_t fibers[MAX_THREADS], home_context;
static void begin_fiber(unsigned thread, char *low, void (*entry)()) {
    getcontext(&fibers[thread]);
    fibers[thread].uc_stack.ss_sp = low;
    fibers[thread].uc_stack.ss_size = STACK;
    makecontext(&fibers[thread], entry, 0);
}
static void to_fiber(unsigned thread) { swapcontext(&home_context, &fibers[thread]); }
static void to_home() { swapcontext(&fibers[run.current], &home_context); }

#endif

static void fiber() {
    run.kernel->call(run.launch->params);
    run.states[run.current] = ENDED;
    to_home();
    __builtin_trap();
}

void wait_block(int line) {
    if (!run.in_fiber) fail("a barrier in a source that was taken for one without");
    if (run.line == 0) run.line = line;
    if (run.line != line) fail("the threads of a block wait at different __syncthreads");
    run.states[run.current] = AT_BLOCK;
    to_home();
}

unsigned this_lane() { return run.current % 32; }
static Warp &warp() { return run.warps[run.current / 32]; }
bool lane_has_value(unsigned lane) { return warp().present[warp().parity] >> lane & 1; }
u64 lane_value(unsigned lane) { return warp().values[warp().parity][lane]; }
unsigned lane_mask() { return warp().present[warp().parity]; }

void exchange(unsigned mask, u64 value) {
    if (!run.in_fiber) fail("a shuffle in a source that was taken for one without");
    if (mask != 0xffffffffu) fail("the emulator knows full masks only");
    unsigned next = warp().parity ^ 1;
    warp().values[next][this_lane()] = value;
    warp().present[next] |= 1u << this_lane();
    run.states[run.current] = AT_WARP;
    to_home();
}

// Releases fibers that wait for no other any more. Returns false if there are none.
static bool release() {
    bool any = false;
    unsigned waiting = 0, ended = 0;
    for (unsigned first = 0; first < run.threads; first += 32) {
        unsigned last = first + 32 < run.threads ? first + 32 : run.threads;
        unsigned at_warp = 0, alive = 0;
        for (unsigned t = first; t < last; ++t) {
            at_warp += run.states[t] == AT_WARP;
            alive += run.states[t] != ENDED;
            waiting += run.states[t] == AT_BLOCK;
            ended += run.states[t] == ENDED;
        }
        if (at_warp == 0 || at_warp != alive) continue;
        Warp &warp = run.warps[first / 32];
        warp.parity ^= 1;
        warp.present[warp.parity ^ 1] = 0;
        for (unsigned t = first; t < last; ++t)
            if (run.states[t] == AT_WARP) run.states[t] = READY;
        any = true;
    }
    if (waiting == run.threads) {
        for (unsigned t = 0; t < run.threads; ++t) run.states[t] = READY;
        run.line = 0;
        any = true;
    } else if (!any && waiting > 0 && waiting + ended == run.threads) {
        fail("threads of the block have ended while others wait at __syncthreads");
    }
    return any;
}

static void run_block_with_fibers() {
    for (unsigned t = 0; t < run.threads; ++t) {
        run.states[t] = READY;
        begin_fiber(t, stack_memory + (usize)t * (STACK + 4096) + 4096, fiber);
    }
    for (auto &warp : run.warps) warp.present[0] = warp.present[1] = warp.parity = 0;
    run.line = 0;
    unsigned ended = 0;
    while (ended < run.threads) {
        Order order(run.threads);
        bool ran = false;
        for (unsigned i = 0; i < run.threads; ++i) {
            unsigned thread = (unsigned)order.next();
            if (run.states[thread] != READY) continue;
            set_thread(thread);
            run.in_fiber = true;
            to_fiber(thread);
            run.in_fiber = false;
            ran = true;
            ended += run.states[thread] == ENDED;
        }
        if (ended < run.threads && !release() && !ran)
            fail("no thread of the block can go on: some wait at a barrier of the block, others at one of their warp");
    }
}

alignas(256) char dynamic_shared[232448];
extern "C" char __start_weft_shared[] __attribute__((weak, visibility("hidden")));
extern "C" char __stop_weft_shared[] __attribute__((weak, visibility("hidden")));

static void spoil(char *from, usize bytes) {
    for (usize i = 0; i < bytes; ++i) from[i] = (char)(GARBAGE >> (i % 8 * 8));
}

static void run_blocks() {
    const Launch &launch = *run.launch;
    usize shared = (usize)(__stop_weft_shared - __start_weft_shared);
    u64 blocks = (u64)launch.grid[0] * launch.grid[1] * launch.grid[2];
    Order order(blocks);
    for (u64 i = 0; i < blocks; ++i) {
        u64 block = order.next();
        cuda_device::blockIdx = {(unsigned)(block % launch.grid[0]),
                                 (unsigned)(block / launch.grid[0] % launch.grid[1]),
                                 (unsigned)(block / launch.grid[0] / launch.grid[1])};
        spoil(__start_weft_shared, shared);
        spoil(dynamic_shared, launch.shared_bytes);
        if (launch.has_barriers) {
            run_block_with_fibers();
        } else {
            Order threads(run.threads);
            for (unsigned t = 0; t < run.threads; ++t) {
                set_thread((unsigned)threads.next());
                run.kernel->call(launch.params);
            }
        }
    }
}

} // namespace cuda_shim

namespace cuda_device {
uint3 threadIdx, blockIdx;
dim3 blockDim, gridDim;
} // namespace cuda_device

// Runs a kernel. 0: it ran; 1: it violated a rule, which `weft_emulated_message` names.
extern "C" __attribute__((visibility("default"))) int weft_emulated_launch(
    const cuda_shim::Kernel *kernel, const cuda_shim::Launch *launch, char *stacks) {
    using namespace cuda_shim;
    run.launch = launch;
    run.kernel = kernel;
    run.random = launch->seed;
    run.threads = launch->block[0] * launch->block[1] * launch->block[2];
    run.message[0] = 0;
    run.report[0] = 0;
    run.in_fiber = false;
    stack_memory = stacks;
    cuda_device::blockDim = cuda_device::dim3(launch->block[0], launch->block[1], launch->block[2]);
    cuda_device::gridDim = cuda_device::dim3(launch->grid[0], launch->grid[1], launch->grid[2]);
    cuda_device::blockIdx = {0, 0, 0};
    cuda_device::threadIdx = {0, 0, 0};
    if (__builtin_setjmp(run.escape)) {
        run.can_escape = false;
        return 1;
    }
    run.can_escape = true;
    run_blocks();
    run.can_escape = false;
    return 0;
}

extern "C" __attribute__((visibility("default"))) const char *weft_emulated_message() { return cuda_shim::run.message; }

// Ends the launch under way from a signal handler; does not return.
extern "C" __attribute__((visibility("default"))) void weft_emulated_fault(const char *what) { cuda_shim::fail(what); }

// The kernels of this source, and how much static shared memory they use together.
extern "C" __attribute__((visibility("default"))) const cuda_shim::Kernel *weft_emulated_kernels(
    unsigned *count, unsigned long long *shared_bytes) {
    *count = (unsigned)(sizeof cuda_shim::kernels / sizeof cuda_shim::kernels[0]) - 1;
    *shared_bytes = (unsigned long long)(cuda_shim::__stop_weft_shared - cuda_shim::__start_weft_shared);
    return cuda_shim::kernels;
}

// What -fsanitize calls: the first thing at `data` is the place in the source.
namespace cuda_shim {
struct Place {
    const char *file;
    unsigned line, column;
};
[[noreturn]] static void undefined(const char *what, void *data) {
    const Place *place = (const Place *)data;
    char *to = run.report;
    const usize room = sizeof run.report;
    to[0] = 0;
    say(to, room, what);
    say(to, room, " at line ");
    say(to, room, (u64)place->line);
    say(to, room, ", column ");
    say(to, room, (u64)place->column);
    fail(to);
}
} // namespace cuda_shim
#define WEFT_HANDLER2(name, what)                                                                                    \
    extern "C" __attribute__((visibility("hidden"))) void __ubsan_handle_##name(void *data, void *, void *) {        \
        ::cuda_shim::undefined(what, data);                                                                          \
    }                                                                                                                \
    extern "C" __attribute__((visibility("hidden"))) void __ubsan_handle_##name##_abort(                             \
        void *data, void *, void *) {                                                                                \
        ::cuda_shim::undefined(what, data);                                                                          \
    }
WEFT_HANDLER2(add_overflow, "signed overflow in a sum")
WEFT_HANDLER2(sub_overflow, "signed overflow in a difference")
WEFT_HANDLER2(mul_overflow, "signed overflow in a product")
WEFT_HANDLER2(negate_overflow, "signed overflow in a negation")
WEFT_HANDLER2(divrem_overflow, "division by zero, or its result overflows")
WEFT_HANDLER2(shift_out_of_bounds, "shift by as many bits as the number has, or more")
WEFT_HANDLER2(out_of_bounds, "index beyond an array")
WEFT_HANDLER2(type_mismatch_v1, "misaligned address")
WEFT_HANDLER2(float_cast_overflow, "conversion to an integer that cannot hold the value")
WEFT_HANDLER2(load_invalid_value, "bool that is neither true nor false")
WEFT_HANDLER2(builtin_unreachable, "unreachable code")
WEFT_HANDLER2(missing_return, "function that ends without a value")
