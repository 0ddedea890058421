/* base.h - the floor every part of the library stands on: status, memory, logging, progress, small numbers.
 *
 * Any file under src/ may include this header; it includes nothing of ours but nearfar.h.
 *
 * Invariants
 *   I1 every byte that outlives a function comes from nf__alloc, so that limits, hooks and counts are true;
 *   I2 a block remembers its nf__mem, which is reference-counted: blocks may outlive the context that made them;
 *   I3 whoever returns a failure has called nf__fail (or passed on a failure that did).
 */
#ifndef NF_CORE_BASE_H
#define NF_CORE_BASE_H

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "nearfar.h"

#ifdef __cplusplus /* src/gpu is C++ */
extern "C" {
#endif

#if defined(__GNUC__)
#define NF_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#else
#define NF_PRINTF(fmt, args)
#endif

/* Leaves for the `done:` label of the enclosing function, whose status variable is `st`, unless the call succeeds. */
#define NF_TRY(call)     \
    do {                 \
        st = (call);     \
        if (st != NF_OK) \
            goto done;   \
    } while (0)

/* Assigns an allocation and leaves with NF_ENOMEM when it failed (nf__alloc has left the message). */
#define NF_TRY_ALLOC(pointer, call) \
    do {                            \
        (pointer) = (call);         \
        if ((pointer) == NULL) {    \
            st = NF_ENOMEM;         \
            goto done;              \
        }                           \
    } while (0)

/* Copies an option struct of the caller's size over zeroed defaults: short structs are older, long ones newer callers.
 * Returns NF_EINVAL from the enclosing function when the size was forgotten: nothing asked for would be heard. */
#define NF_TAKE_OPTIONS(dst, src)                                                                              \
    do {                                                                                                       \
        if ((src) != NULL && (src)->size < sizeof(size_t))                                                     \
            return nf__fail(NF_EINVAL, "the size of the options is not set; expected .size = sizeof options"); \
        memset(&(dst), 0, sizeof(dst));                                                                        \
        if ((src) != NULL)                                                                                     \
            memcpy(&(dst), (src), (src)->size < sizeof(dst) ? (src)->size : sizeof(dst));                      \
        (dst).size = sizeof(dst);                                                                              \
    } while (0)

/* Records the thread's error text and returns `status`. */
nf_status nf__fail(nf_status status, const char *format, ...) NF_PRINTF(2, 3);

/* ---- memory ------------------------------------------------------------------------------------------------------ */

typedef struct nf__mem nf__mem;

nf__mem *nf__mem_retain(nf__mem *mem);
void nf__mem_release(nf__mem *mem);
/* The memory of the block p (I2). */
nf__mem *nf__mem_of_block(const void *p);

/* count * size bytes aligned to 64, NULL (with the error text set) when the limit, the hook or the product says no.
 * A zero count gives a valid block. Not to be called inside parallel regions. */
void *nf__alloc(nf__mem *mem, uint64_t count, size_t size);
void *nf__zalloc(nf__mem *mem, uint64_t count, size_t size);
/* Moves a block (NULL is fine) of `used` bytes into a new one of count * size bytes; on failure the old block stays. */
void *nf__regrow(nf__mem *mem, void *p, uint64_t used, uint64_t count, size_t size);
void nf__free(void *p);
/* NF_ENOMEM, with bytes asked and available, if `bytes` more would break the limit or the machine's memory. */
nf_status nf__mem_foresee(nf__mem *mem, uint64_t bytes, const char *what);
/* The most bytes the memory may hold; 0: no limit. */
uint64_t nf__mem_limit(const nf__mem *mem);
/* Bytes that could still be asked for: what the limit leaves or, without one, what the machine has available. */
uint64_t nf__mem_room(nf__mem *mem);
char *nf__strdup(nf__mem *mem, const char *text);

/* ---- the context as seen by the parts ---------------------------------------------------------------------------- */

nf__mem *nf__context_mem(const nf_context *ctx);
int nf__context_threads(const nf_context *ctx);
/* Threads worth waking for a pass over so many items: one for every 16,384, at most the context's. */
int nf__threads_for(const nf_context *ctx, uint64_t items);
/* The same for regions that come again and again, as those of searches do: all of the context's threads or one. The
 * runtime ends threads that a smaller region has no use for, and makes them again for the next larger one: 16 of them
 * cost a third of a millisecond. */
int nf__team_for(const nf_context *ctx, uint64_t items);
/* NF_ECANCELLED once a cancel was asked for. Cheap. Call from the thread that runs the work, a few thousand times a
 * second. */
nf_status nf__poll(nf_context *ctx);
/* nf__poll plus a report to the progress callback, at most every 50 ms. */
nf_status nf__progress(nf_context *ctx, const char *phase, uint64_t done, uint64_t total);
/* Does anyone listen? What only the log wants need not be made otherwise. */
bool nf__log_wanted(const nf_context *ctx);
void nf__log(const nf_context *ctx, nf_log_level level, const char *format, ...) NF_PRINTF(3, 4);

/* For public entry points: a NULL context becomes a default one for the call. nf__leave frees it again and clears the
 * cancel flag; it passes `st` through. */
nf_status nf__enter(nf_context **ctx, nf_context **owned);
nf_status nf__leave(nf_context *ctx, nf_context *owned, nf_status st);

double nf__now_ms(void);

/* ---- names ------------------------------------------------------------------------------------------------------- */

/* Writes up to three names nearest to `wrong` (edit distance) as "a, b or c" into text; "" when none is near. */
void nf__nearest_names(const char *wrong, const char *const *names, size_t count, char *text, size_t capacity);

/* A number in decimal, and back, with a point whatever the program's locale says; false when the text is not one. */
bool nf__read_real(const char *text, double *out);
void nf__print_real(double x, char *text, size_t capacity);

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

/* CRC-32 as zlib has it, on all threads of the context. */
uint32_t nf__crc32(nf_context *ctx, const void *data, uint64_t bytes);

/* splitmix64's finaliser over a counter: the i-th number of the stream `seed`, in any order, by any thread. */
static inline uint64_t nf__hash64(uint64_t seed, uint64_t i)
{
    uint64_t z = seed + (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* A uniform number in [0, 1) from 64 random bits. */
static inline double nf__unit(uint64_t bits)
{
    return (double)(bits >> 11) * 0x1.0p-53;
}

/* A uniform number in [0, bound) from 64 random bits. */
static inline uint64_t nf__below(uint64_t bits, uint64_t bound)
{
    return (uint64_t)(((unsigned __int128)bits * bound) >> 64);
}

#ifdef __cplusplus
}
#endif

#endif
