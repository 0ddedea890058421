/* emu_impl.h - the emulator's insides, shared by emu_*.c only.
 *
 * A device runs one grid at a time. Its threads live in a fixed array, as many as the profile lets be resident; blocks
 * take slots of it. A thread that can run is in `ready`; one that waits is in nobody's hands but its warp's or its
 * barrier's. The host thread resumes the grid (nf__emu_resume) and gets control back when the grid ends, fails or has
 * had its slice of time.
 *
 * I1 a thread is in `ready` exactly once when its state is NEW or READY, and never otherwise;
 * I2 a thread has a stack from its first instruction to its exit; a stack whose thread has exited runs the next NEW
 *    thread without a switch;
 * I3 fiber paths allocate nothing and call nothing that locks: all memory is mapped when the device is opened;
 * I4 after a fault no fiber of that grid runs again: stacks, slots and queues are taken back as a whole;
 * I5 the order of everything is a function of the settings and of the calls made: a seed replays.
 */
#ifndef NF_SIMT_EMU_IMPL_H
#define NF_SIMT_EMU_IMPL_H

#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

#include "simt/emu_abi.h"

#if defined(__SANITIZE_ADDRESS__)
#define NF_EMU_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define NF_EMU_ASAN 1
#endif
#endif
#ifndef NF_EMU_ASAN
#define NF_EMU_ASAN 0
#endif

#if NF_EMU_ASAN
#include <sanitizer/asan_interface.h>
#define NF_EMU_POISON(p, n) __asan_poison_memory_region(p, n)
#define NF_EMU_UNPOISON(p, n) __asan_unpoison_memory_region(p, n)
#else
#define NF_EMU_POISON(p, n) ((void)(p), (void)(n))
#define NF_EMU_UNPOISON(p, n) ((void)(p), (void)(n))
#endif

enum {
    NF_EMU_LANES = 32,
    NF_EMU_SHARED_STATIC = 48 * 1024, /* a block's static shared memory, and dynamic without asking */
    NF_EMU_SHARED_OPTIN = 227 * 1024, /* static and dynamic, when asked for */
    NF_EMU_SHARED_SM = 228 * 1024,    /* of one multiprocessor; each block takes 1 KB more than it asks */
    NF_EMU_SHARED_SLOT = 256 * 1024,  /* with room for the gaps between arrays */
    NF_EMU_SHARED_GAP = 64,           /* bytes of canary behind each array */
    NF_EMU_SHARED_ARRAYS = 128,       /* static arrays of one kernel */
    NF_EMU_BLOCKS_PER_SM = 32,
    NF_EMU_ARGUMENTS = 4096, /* bytes of a kernel's arguments, as CUDA's */
    NF_EMU_OPS = 4096,       /* operations waiting in streams, children included */
    NF_EMU_CHILDREN = 2048,  /* children waiting, as CUDA's default limit */
    NF_EMU_STREAMS = 256,
    NF_EMU_EVENTS = 4096,
    NF_EMU_SPANS = 65536, /* pieces of device memory */
    NF_EMU_PINNED = 4096,
    NF_EMU_FUNCTIONS = 512,
    NF_EMU_COPIES = 64, /* cp.async under way in one thread */
    NF_EMU_TEXT = 1024,
    NF_EMU_SIGNALS = 4,
    NF_EMU_ALT_STACK = 64 * 1024
};

enum nf__emu_schedule { NF_EMU_FIFO, NF_EMU_LIFO, NF_EMU_RANDOM };

typedef struct nf__emu_settings {
    uint64_t seed;
    enum nf__emu_schedule order;
    double preempt;           /* chance that an atomic, or a relaxed load or store, lets another thread run */
    unsigned sms, sm_threads; /* profile: multiprocessors x threads on each */
    uint64_t memory;          /* bytes */
    uint64_t idle;            /* idle yields in a row that count as livelock */
    double watchdog;          /* seconds one thread may run without a call of the runtime; 0: no watchdog */
    bool protect;             /* device memory is out of the host's reach outside launches and copies */
    uint64_t fail_alloc;      /* the k-th allocation of device memory fails; 0: none */
    uint64_t fail_launch;     /* the k-th launch fails as if it had touched an illegal address */
} nf__emu_settings;

enum nf__emu_state {
    NF_EMU_THREAD_NEW,
    NF_EMU_THREAD_READY,
    NF_EMU_THREAD_RUNNING,
    NF_EMU_THREAD_AT_WARP,
    NF_EMU_THREAD_AT_BARRIER,
    NF_EMU_THREAD_DONE
};

typedef struct nf__emu_warp_state nf__emu_warp_state;

typedef struct nf__emu_thread {
    nf__emu_self self; /* first: nf__emu_now.self points at it */
    void *sp;          /* where it stopped */
    void *fake;        /* ASan's record of its stack */
    nf__emu_warp_state *warp;
    const nf__emu_site *site; /* its last call of the runtime */
    uint32_t stack;           /* index; valid while it runs or waits */
    uint8_t state, lane, scope;
    uint8_t copies, groups; /* cp.async: under way, commits so far */
} nf__emu_thread;

typedef struct nf__emu_async_copy {
    void *to;
    const void *from;
    uint32_t group;
} nf__emu_async_copy;

/* A warp: what each lane brought to the collective it waits at. */
struct nf__emu_warp_state {
    unsigned present, waiting, exited; /* lanes */
    nf__emu_thread *threads;           /* its first lane */
    unsigned mask[NF_EMU_LANES], argument[NF_EMU_LANES];
    uint64_t value[NF_EMU_LANES], result[NF_EMU_LANES];
    uint8_t op[NF_EMU_LANES], width[NF_EMU_LANES];
};

/* A barrier of any scope. */
typedef struct nf__emu_meeting {
    unsigned expected, arrived, exited;
    const nf__emu_site *site; /* where the first stands */
    const nf__emu_thread *first;
    int op, gathered, result;
} nf__emu_meeting;

struct nf__emu_block {
    nf__emu *device;
    nf__emu_thread *threads;
    nf__emu_warp_state *warps;
    char *shared;
    uint64_t index; /* in the grid */
    unsigned slot, live;
    nf__emu_meeting barrier;
};

typedef struct nf__emu_array {
    const nf__emu_site *site;
    size_t offset, bytes;
} nf__emu_array;

enum nf__emu_op_kind {
    NF_EMU_OP_LAUNCH,
    NF_EMU_OP_COPY,
    NF_EMU_OP_FILL,
    NF_EMU_OP_FREE,
    NF_EMU_OP_RECORD,
    NF_EMU_OP_WAIT,
    NF_EMU_OP_CALL
};

typedef struct nf__emu_op {
    struct nf__emu_op *next;
    cudaStream_t stream;
    enum nf__emu_op_kind kind;
    nf__emu_launch_spec launch;
    void *to;
    const void *from;
    size_t to_pitch, from_pitch, width, rows;
    int value;
    cudaEvent_t event;
    uint64_t ticket; /* of the event's record */
    void (*call)(void *data);
    void *data;
    _Alignas(16) char arguments[NF_EMU_ARGUMENTS];
} nf__emu_op;

/* The grid that runs. */
typedef struct nf__emu_grid {
    nf__emu_op *op; /* NULL: none */
    uint64_t blocks, started, finished, stride, shift;
    unsigned threads, warps, slots; /* of a block; slots in use */
    bool cooperative;
    unsigned cluster;
    size_t dynamic, shared_used; /* bytes of a slot laid out so far */
    nf__emu_array arrays[NF_EMU_SHARED_ARRAYS];
    unsigned array_count;
    size_t static_bytes;
    nf__emu_meeting barrier;
    nf__emu_op *children, **children_end, *tails, **tails_end;
} nf__emu_grid;

struct nf__emu_stream {
    nf__emu *device;
    bool used;
    uint64_t waiting; /* operations */
};

struct nf__emu_event {
    nf__emu *device;
    bool used;
    uint64_t issued, done; /* records */
    double ms;
};

typedef struct nf__emu_span {
    uint64_t offset, bytes; /* bytes: of the whole piece */
    uint64_t asked;         /* 0: free */
} nf__emu_span;

typedef struct nf__emu_pinned {
    char *p;
    size_t bytes;
    bool owned;
} nf__emu_pinned;

typedef struct nf__emu_function {
    const void *function;
    int max_dynamic;
    bool large_clusters;
} nf__emu_function;

typedef struct nf__race nf__race;

struct nf__emu {
    nf__emu_settings set;
    nf__emu_counters count;
    size_t bytes; /* of this mapping */
    char text[NF_EMU_TEXT];
    cudaError_t sticky, last;
    uint64_t random;
    uint64_t allocations, launches; /* for planted failures */

    /* scheduler */
    unsigned max_threads, max_slots;
    nf__emu_thread *threads;
    nf__emu_warp_state *warps;
    nf__emu_block *blocks;
    nf__emu_async_copy *copies; /* NF_EMU_COPIES for each thread */
    nf__emu_meeting *clusters;
    nf__emu_thread **ready; /* ring of a power of two */
    unsigned ready_mask, ready_head, ready_count;
    uint64_t gap;  /* runtime calls until the next look at preemption and time */
    uint64_t idle; /* yields since something happened */
    uint64_t alone;
    uint64_t ticks; /* choices until the next look at the clock */
    double slice_end;
    bool faulted, paused;
    nf__emu_thread *interrupted; /* by the end of a slice: it goes on first, so that slices change no schedule */
    nf__emu_grid grid;
    nf__emu_op *children; /* launches that must end before the one that began them: next first */
    unsigned child_count;
    nf__emu_op *parent; /* the launch those children are part of */

    /* stacks */
    char *stacks;
    uint32_t *free_stacks;
    uint32_t free_count, stack_high;
    void *host_sp, *host_fake, *nowhere;
    const void *host_bottom, *left_bottom; /* ASan: the host's stack; the stack last left */
    size_t host_size, left_size;
    bool from_host;

    /* signals */
    bool signals_on, timer_set;
    timer_t timer;
    struct sigaction before[NF_EMU_SIGNALS];
    stack_t alt_before;
    char *alt_stack;
    uint64_t seen_signs, silent;

    /* streams */
    nf__emu_op *ops, *free_ops, *queue, **queue_end;
    unsigned op_high;            /* operations ever used: the rest is not touched */
    struct nf__emu_stream *slow; /* with order=random: runs only when no other may; NULL: none */
    unsigned slow_left;          /* draws until another is */
    struct nf__emu_stream *streams;
    struct nf__emu_event *events;
    nf__emu_function *functions;
    unsigned function_count;

    /* memory */
    char *shared, *arena;
    uint64_t arena_bytes, arena_high; /* reserved; within reach */
    nf__emu_span *spans;
    unsigned span_count, open_depth;
    nf__emu_pinned *pinned;
    unsigned pinned_count;

    nf__race *race; /* race flavour only */
};

/* ---- emu_fiber.c: stacks and switches ---------------------------------------------------------------------------- */

/* Zeroed memory that costs nothing until touched; NULL when there is none. */
void *nf__emu_map(size_t bytes);
void nf__emu_unmap(void *p, size_t bytes);
bool nf__emu_stacks_map(nf__emu *dev);
void nf__emu_stacks_unmap(nf__emu *dev);
uint32_t nf__emu_stack_take(nf__emu *dev);
void nf__emu_stack_give(nf__emu *dev, uint32_t stack);
/* Takes all stacks back, whatever was on them. */
void nf__emu_stacks_reset(nf__emu *dev);
/* Leaves `from` (NULL: the host; dying: for ever) for the thread `to` (NULL: the host). */
void nf__emu_hop(nf__emu *dev, nf__emu_thread *from, nf__emu_thread *to, bool dying);
void nf__emu_thread_main(void); /* what a fresh stack runs; emu_sched.c */
/* Whether the address lies in the page below a stack. */
bool nf__emu_in_guard(const nf__emu *dev, const void *p);
double nf__emu_seconds(void);

/* ---- emu_sched.c: who runs --------------------------------------------------------------------------------------- */

static inline nf__emu_thread *nf__emu_me(void)
{
    return (nf__emu_thread *)nf__emu_now.self;
}

uint64_t nf__emu_random(nf__emu *dev);
void nf__emu_wake(nf__emu *dev, nf__emu_thread *thread);
/* The calling thread waits (its state says at what) and others run until it is woken. */
void nf__emu_wait(nf__emu *dev, nf__emu_thread *me);
/* A call of the runtime that may lose the processor; kept out of line but for the count. */
void nf__emu_point_slow(nf__emu *dev, nf__emu_thread *me);
void nf__emu_grid_begin(nf__emu *dev, nf__emu_op *op);
/* Runs the grid for at most `seconds`; true when it has ended or failed. */
bool nf__emu_resume(nf__emu *dev, double seconds);
void nf__emu_gap_draw(nf__emu *dev);

static inline void nf__emu_point(nf__emu *dev, nf__emu_thread *me, const nf__emu_site *site)
{
    me->site = site;
    if (--dev->gap == 0)
        nf__emu_point_slow(dev, me);
}

/* ---- emu_meet.c, emu_access.c ------------------------------------------------------------------------------------ */

/* The lane leaves its warp and its barriers for good. */
void nf__emu_depart(nf__emu *dev, nf__emu_thread *me);
const char *nf__emu_warp_op_name(unsigned op);
const char *nf__emu_scope_name(unsigned scope);
void nf__emu_shared_begin(nf__emu *dev, nf__emu_block *block);
void nf__emu_shared_end(nf__emu *dev, nf__emu_block *block);

/* ---- emu_fault.c: what was wrong --------------------------------------------------------------------------------- */

/* Ends the kernel from one of its threads. */
void nf__emu_fault(nf__emu *dev, cudaError_t error, const nf__emu_site *site, const char *format, ...)
    __attribute__((noreturn, format(printf, 4, 5)));
/* Records that nobody can run. */
void nf__emu_record_deadlock(nf__emu *dev);
/* Records a fault without leaving the caller. */
void nf__emu_record_fault(nf__emu *dev, cudaError_t error, const nf__emu_thread *thread, const nf__emu_site *site,
                          const char *format, ...) __attribute__((format(printf, 5, 6)));
/* Records that the gap behind an allocation was written to. */
void nf__emu_record_overrun(nf__emu *dev, const void *p, uint64_t bytes);
/* The last folder and the name of a file. */
const char *nf__emu_short_path(const char *path);
void nf__emu_place(const nf__emu_thread *thread, char *text, size_t capacity);

/* ---- emu_signal.c ------------------------------------------------------------------------------------------------ */

void nf__emu_signals_on(nf__emu *dev);
void nf__emu_signals_off(nf__emu *dev);

/* ---- race_*.c: the race flavour; nothing in the others ----------------------------------------------------------- */

#if defined(SIMT_RACE)
bool nf__race_open(nf__emu *dev);
void nf__race_close(nf__emu *dev);
void nf__race_grid(nf__emu *dev);                              /* a grid begins */
void nf__race_block(nf__emu *dev, const nf__emu_block *block); /* a block begins */
void nf__race_barrier(nf__emu *dev, const nf__emu_thread *me, unsigned scope);
void nf__race_warp(nf__emu *dev, const nf__emu_warp_state *warp, unsigned mask);
void nf__race_fence(nf__emu *dev, const nf__emu_thread *me, unsigned scope);
/* An atomic, relaxed, acquiring or releasing access, about to happen. */
void nf__race_atomic(nf__emu *dev, const void *p, size_t size, bool reads, bool writes, enum nf__emu_order order,
                     const void *pc);
/* A plain access by the runtime for the thread that runs. */
void nf__race_plain(nf__emu *dev, const void *p, size_t size, bool writes, const void *pc);
/* Adds source lines to the text of a fault; from the host. */
void nf__race_explain(nf__emu *dev);
#else
#define nf__race_open(dev) ((void)(dev), true)
#define nf__race_close(dev) ((void)(dev))
#define nf__race_grid(dev) ((void)(dev))
#define nf__race_block(dev, block) ((void)(dev))
#define nf__race_barrier(dev, me, scope) ((void)(dev))
#define nf__race_warp(dev, warp, mask) ((void)(dev))
#define nf__race_fence(dev, me, scope) ((void)(scope))
#define nf__race_atomic(dev, p, size, reads, writes, order, pc) ((void)(order))
#define nf__race_plain(dev, p, size, writes, pc) ((void)(dev))
#define nf__race_explain(dev) ((void)(dev))
#endif

/* ---- emu_arena.c, emu_stream.c, emu_device.c --------------------------------------------------------------------- */

bool nf__emu_arena_map(nf__emu *dev);
void nf__emu_arena_unmap(nf__emu *dev);
void nf__emu_arena_open(nf__emu *dev);  /* within reach from here ... */
void nf__emu_arena_close(nf__emu *dev); /* ... to here; nests */
cudaError_t nf__emu_arena_free(nf__emu *dev, void *p);
bool nf__emu_is_device(const nf__emu *dev, const void *p);
/* Whether [p, p + bytes) lies in one allocation. */
bool nf__emu_is_allocated(const nf__emu *dev, const void *p, size_t bytes);
/* The piece of device memory that holds an address below arena_high. */
const nf__emu_span *nf__emu_span_of(const nf__emu *dev, const void *p);
bool nf__emu_is_pinned(const nf__emu *dev, const void *p);
nf__emu_op *nf__emu_op_take(nf__emu *dev);
void nf__emu_op_give(nf__emu *dev, nf__emu_op *op);
void nf__emu_op_issue(nf__emu *dev, nf__emu_op *op);
void nf__emu_ops_reset(nf__emu *dev);
/* Runs waiting operations until `stream` (any: all streams) has none, or for `seconds`. */
cudaError_t nf__emu_drain(nf__emu *dev, cudaStream_t stream, bool any, double seconds);
/* The device in use; NULL after setting nothing: the caller answers cudaErrorInitializationError. */
nf__emu *nf__emu_current(void);
/* Records `error` for cudaGetLastError and returns it. */
cudaError_t nf__emu_say(nf__emu *dev, cudaError_t error);
const nf__emu_function *nf__emu_function_of(const nf__emu *dev, const void *function);
cudaError_t nf__emu_settings_read(const char *list, nf__emu_settings *out, char *text, size_t capacity);

#endif
