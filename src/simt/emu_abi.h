/* emu_abi.h - the seam between kernel code built by the host C++ compiler (emu.h) and the emulator's runtime in C
 * (emu_*.c): what a running thread sees of itself, and the calls it makes. Also how a program opens an emulated device.
 *
 * An emulated device is an object; each host thread has at most one in use (nf__emu_use), and every CUDA name of emu.h
 * means that one. docs/emulator.md lists the settings and what the device promises.
 *
 * I1 a device is used by one host thread at a time, and a kernel is finished by the thread that began it;
 * I2 nf__emu_now.self is the fiber that runs, NULL in host code.
 */
#ifndef NF_SIMT_EMU_ABI_H
#define NF_SIMT_EMU_ABI_H

#include "simt/emu_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the device as an object ------------------------------------------------------------------------------------- */

typedef struct nf__emu nf__emu;

/* What has happened since the device was opened. A sync point is one thread's arrival at a barrier or collective. */
typedef struct nf__emu_counters {
    uint64_t launches, child_launches, blocks, threads;
    uint64_t block_barriers, cluster_barriers, grid_barriers; /* completed */
    uint64_t warp_collectives;                                /* completed */
    uint64_t sync_points, switches, spins, preemptions;
    uint64_t atomics, relaxed; /* operations by threads; relaxed: loads and stores, acquire and release too */
    uint64_t fences;
    uint64_t bytes_to_device, bytes_to_host, bytes_on_device; /* copied */
    uint64_t bytes_used, bytes_peak;                          /* device memory allocated now, and at most */
    uint64_t accesses;                                        /* race flavour: memory accesses checked */
} nf__emu_counters;

/* Opens an emulated device. `settings` is a list such as "seed=7,order=random,preempt=0.1,profile=4x256"; NULL or ""
 * means the defaults, what the environment says is the caller's to pass (nf__emu_environment). On failure *device is
 * NULL and `text` (which may be NULL) says why. */
cudaError_t nf__emu_open(const char *settings, nf__emu **device, char *text, size_t capacity);
/* Frees everything the device owns: memory, streams, events, stacks. NULL is fine. */
void nf__emu_close(nf__emu *device);
/* Makes `device` (or none: NULL) the one this host thread talks to; returns the one before. */
nf__emu *nf__emu_use(nf__emu *device);
/* The value of NEARFAR_EMULATOR, or "". */
const char *nf__emu_environment(void);
nf__emu_counters nf__emu_count(const nf__emu *device);
/* What was wrong in the last kernel that failed: kernel, block, warp, lane, call site; "" when nothing was. */
const char *nf__emu_fault_text(const nf__emu *device);
/* True in a build whose kernels are checked for races. */
int nf__emu_checks_races(void);

/* ---- a thread as its kernel sees it ------------------------------------------------------------------------------ */

/* A place in the source where kernel code calls the runtime; its address is its identity. */
typedef struct nf__emu_site {
    const char *file, *function;
    int line;
} nf__emu_site;

typedef struct nf__emu_block nf__emu_block;

/* The head of a thread: what emu.h reads without a call. */
typedef struct nf__emu_self {
    uint3 thread_index;
    unsigned linear; /* index in the block, x first */
    uint3 block_index;
    unsigned cluster_rank;
    dim3 block_dim, grid_dim;
    void *dynamic; /* the block's dynamic shared memory */
    nf__emu_block *block;
} nf__emu_self;

/* Thread-local state of the host thread that runs kernels. */
typedef struct nf__emu_running {
    nf__emu_self *self;
    nf__emu *device;
} nf__emu_running;

extern __thread nf__emu_running nf__emu_now __attribute__((tls_model("initial-exec"), visibility("hidden")));

enum nf__emu_warp_op {
    NF_EMU_SYNC,
    NF_EMU_BALLOT,
    NF_EMU_ANY,
    NF_EMU_ALL,
    NF_EMU_SHFL,
    NF_EMU_SHFL_UP,
    NF_EMU_SHFL_DOWN,
    NF_EMU_SHFL_XOR,
    NF_EMU_MATCH_ANY,
    NF_EMU_MATCH_ALL,
    NF_EMU_REDUCE_ADD,
    NF_EMU_REDUCE_MIN,
    NF_EMU_REDUCE_MAX,
    NF_EMU_REDUCE_MIN_SIGNED,
    NF_EMU_REDUCE_MAX_SIGNED,
    NF_EMU_REDUCE_OR,
    NF_EMU_REDUCE_AND,
    NF_EMU_REDUCE_XOR
};

/* One lane's part of a warp collective. `argument` is the lane, distance or lane mask of a shuffle; width 1..32. */
uint64_t nf__emu_warp(const nf__emu_site *site, enum nf__emu_warp_op op, unsigned mask, uint64_t value,
                      unsigned argument, int width);

enum nf__emu_barrier_op { NF_EMU_PLAIN, NF_EMU_OR, NF_EMU_AND, NF_EMU_COUNT };
enum nf__emu_scope { NF_EMU_BLOCK, NF_EMU_CLUSTER, NF_EMU_GRID };

int nf__emu_barrier(const nf__emu_site *site, enum nf__emu_scope scope, enum nf__emu_barrier_op op, int predicate);

enum nf__emu_atomic_op {
    NF_EMU_ADD,
    NF_EMU_SUB,
    NF_EMU_MIN,
    NF_EMU_MAX,
    NF_EMU_BIT_OR,
    NF_EMU_BIT_AND,
    NF_EMU_BIT_XOR,
    NF_EMU_EXCH,
    NF_EMU_CAS,
    NF_EMU_INC,
    NF_EMU_DEC
};
enum nf__emu_number { NF_EMU_U32, NF_EMU_I32, NF_EMU_U64, NF_EMU_I64, NF_EMU_F32, NF_EMU_F64 };

/* An atomic on the number at p; values are bit patterns, `b` is the new value of a CAS. Returns the old value. */
uint64_t nf__emu_atomic(const nf__emu_site *site, void *p, enum nf__emu_atomic_op op, enum nf__emu_number number,
                        uint64_t a, uint64_t b);

enum nf__emu_order { NF_EMU_RELAXED, NF_EMU_ACQUIRE, NF_EMU_RELEASE };

/* Intended races: 1, 2, 4 or 8 bytes, aligned. */
uint64_t nf__emu_load(const nf__emu_site *site, const void *p, size_t size, enum nf__emu_order order);
void nf__emu_store(const nf__emu_site *site, void *p, size_t size, enum nf__emu_order order, uint64_t value);

void nf__emu_fence(const nf__emu_site *site, enum nf__emu_scope scope);
void nf__emu_spin(const nf__emu_site *site);
/* A read through the read-only path (race flavour: nobody may write there during the kernel). */
void nf__emu_read_only(const nf__emu_site *site, const void *p, size_t size);
void nf__emu_misaligned(const nf__emu_site *site, const void *p, size_t size) __attribute__((noreturn));

/* The block's copy of a static shared array; dynamic memory is self->dynamic. */
void *nf__emu_shared(const nf__emu_site *site, size_t bytes, size_t alignment);
void *nf__emu_cluster_at(const nf__emu_site *site, void *mine, unsigned rank);
unsigned nf__emu_cluster_size(void);

void nf__emu_copy16(const nf__emu_site *site, void *shared, const void *global);
void nf__emu_copy_commit(void);
void nf__emu_copy_wait(int groups_left);

/* Gates: the copies of a turn are carried out when the last is sent, or, every other turn, when somebody waits for
 * them: whoever sends too early, or does not wait, sees it. */
#define SIMT_GATE_COPIES 4
typedef struct simt_gate {
    uint32_t turns;          /* that are over */
    uint32_t expected, sent; /* bytes of the one that is not */
    uint32_t many;           /* of its copies */
    struct {
        void *to;
        const void *from;
        uint32_t bytes;
    } copies[SIMT_GATE_COPIES];
} simt_gate;
void nf__emu_gate_open(const nf__emu_site *site, simt_gate *gate);
void nf__emu_gate_expect(const nf__emu_site *site, simt_gate *gate, uint32_t bytes);
void nf__emu_copy_bulk(const nf__emu_site *site, void *shared, const void *global, uint32_t bytes, simt_gate *gate);
/* Is that turn over? */
bool nf__emu_gate_passed(const nf__emu_site *site, simt_gate *gate, uint32_t turn);

uint64_t nf__emu_clock(void);
/* Ends the kernel with cudaErrorAssert. */
void nf__emu_assert(const nf__emu_site *site, const char *condition) __attribute__((noreturn));

/* ---- launches ---------------------------------------------------------------------------------------------------- */

enum nf__emu_launch_kind {
    NF_EMU_LAUNCH_PLAIN,
    NF_EMU_LAUNCH_COOPERATIVE,
    NF_EMU_LAUNCH_CLUSTER,
    NF_EMU_LAUNCH_CHILD,
    NF_EMU_LAUNCH_TAIL
};

typedef struct nf__emu_launch_spec {
    const char *name; /* of the kernel, as the source spells it */
    const nf__emu_site *site;
    enum nf__emu_launch_kind kind;
    const void *function;                 /* the kernel: key of its attributes */
    void (*enter)(const void *arguments); /* runs one thread of it */
    const void *arguments;                /* copied */
    size_t argument_bytes;
    dim3 grid, block;
    unsigned cluster; /* blocks in a cluster; 1 when there are none */
    size_t shared;    /* dynamic, bytes */
    cudaStream_t stream;
} nf__emu_launch_spec;

cudaError_t nf__emu_launch(const nf__emu_launch_spec *spec);
cudaError_t nf__emu_set_attribute(const void *function, enum cudaFuncAttribute attribute, int value);
cudaError_t nf__emu_get_attributes(cudaFuncAttributes *out, const void *function);
/* Blocks of that shape resident on one multiprocessor. */
cudaError_t nf__emu_occupancy(int *blocks, const void *function, int threads, size_t shared);
/* Clusters of that shape resident on the device. */
cudaError_t nf__emu_cluster_occupancy(int *clusters, const void *function, unsigned cluster, int threads,
                                      size_t shared);

/* ---- the runtime's host calls, without CUDA's names -------------------------------------------------------------- */

cudaError_t nf__emu_properties(cudaDeviceProp *out, int index);
cudaError_t nf__emu_device_attribute(int *value, enum cudaDeviceAttr attribute, int index);
cudaError_t nf__emu_last_error(int clear);
const char *nf__emu_error_name(cudaError_t error);
const char *nf__emu_error_text(cudaError_t error);
cudaError_t nf__emu_device_sync(void);
cudaError_t nf__emu_device_reset(void);

cudaError_t nf__emu_malloc(void **p, size_t bytes, cudaStream_t stream, int ordered);
cudaError_t nf__emu_free(void *p, cudaStream_t stream, int ordered);
cudaError_t nf__emu_host_malloc(void **p, size_t bytes);
cudaError_t nf__emu_host_free(void *p);
cudaError_t nf__emu_host_register(void *p, size_t bytes, int on);
cudaError_t nf__emu_host_device_pointer(void **out, void *host);
cudaError_t nf__emu_memory_info(size_t *free_bytes, size_t *total);
/* rows copies of `width` bytes; 1 row for a plain copy. ordered: in the stream, else the host waits. */
cudaError_t nf__emu_copy(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t rows,
                         enum cudaMemcpyKind kind, cudaStream_t stream, int ordered);
cudaError_t nf__emu_fill(void *p, int value, size_t bytes, cudaStream_t stream, int ordered);

cudaError_t nf__emu_stream_create(cudaStream_t *out);
cudaError_t nf__emu_stream_destroy(cudaStream_t stream);
cudaError_t nf__emu_stream_sync(cudaStream_t stream);
cudaError_t nf__emu_stream_query(cudaStream_t stream);
cudaError_t nf__emu_stream_wait(cudaStream_t stream, cudaEvent_t event);
cudaError_t nf__emu_stream_call(cudaStream_t stream, void (*function)(void *data), void *data);
cudaError_t nf__emu_event_create(cudaEvent_t *out);
cudaError_t nf__emu_event_destroy(cudaEvent_t event);
cudaError_t nf__emu_event_record(cudaEvent_t event, cudaStream_t stream);
cudaError_t nf__emu_event_sync(cudaEvent_t event);
cudaError_t nf__emu_event_query(cudaEvent_t event);
cudaError_t nf__emu_event_elapsed(float *ms, cudaEvent_t from, cudaEvent_t to);
cudaError_t nf__emu_pool_attribute(enum cudaMemPoolAttr attribute, uint64_t *value, int set);

#ifdef __cplusplus
}
#endif

#endif
