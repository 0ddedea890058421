/* memory.c - counted, limited, hooked allocation.
 *
 * Every block is preceded by a head that names its nf__mem and the raw pointer behind it, so nf__free needs no more
 * than the block, and a block may outlive the context that asked for it.
 *
 * Invariants
 *   M1 used = the sum of raw bytes of all live blocks; peak = the most it ever was;
 *   M2 a nf__mem lives while its context or one of its blocks does: refs = 1 for the context + one a block;
 *   M3 blocks are aligned to 64 bytes.
 */
#include "core/memory.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>

#define ALIGNMENT ((size_t)64)
#define HUGE_PAGE ((size_t)2 << 20)
/* Blocks from this size on are held against the machine's free memory first: Linux would promise them and kill us
 * later. */
#define LARGE_BLOCK ((uint64_t)256 << 20)

struct nf__mem {
    nf_allocator hooks;
    uint64_t limit;
    atomic_uint_fast64_t refs, used, peak;
};

typedef struct head {
    nf__mem *mem;
    void *raw;
    uint64_t raw_bytes;
} head;

/* Asks for huge pages inside a large block: searches jump about in it, and with pages of 4 KiB nearly every jump misses
 * the translation cache as well. Advice only: nothing depends on its being taken. */
static void advise_huge(char *raw, size_t bytes)
{
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    const uintptr_t begin = ((uintptr_t)raw + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    const uintptr_t end = ((uintptr_t)raw + bytes) / HUGE_PAGE * HUGE_PAGE;
    if (begin < end)
        (void)madvise(raw + (begin - (uintptr_t)raw), end - begin, MADV_HUGEPAGE);
#else
    (void)raw;
    (void)bytes;
#endif
}

static void *default_alloc(void *user, size_t bytes)
{
    (void)user;
    char *raw = malloc(bytes);
    if (raw != NULL && bytes >= 2 * HUGE_PAGE)
        advise_huge(raw, bytes);
    return raw;
}

static void default_free(void *user, void *block)
{
    (void)user;
    free(block);
}

nf__mem *nf__mem_create(const nf_allocator *hooks, uint64_t limit)
{
    nf_allocator a = *hooks;
    if (a.alloc == NULL)
        a = (nf_allocator){default_alloc, default_free, NULL};
    nf__mem *mem = a.alloc(a.user, sizeof *mem);
    if (mem == NULL)
        return NULL;
    mem->hooks = a;
    mem->limit = limit;
    atomic_init(&mem->refs, 1);
    atomic_init(&mem->used, 0);
    atomic_init(&mem->peak, 0);
    return mem;
}

nf__mem *nf__mem_retain(nf__mem *mem)
{
    atomic_fetch_add(&mem->refs, 1);
    return mem;
}

void nf__mem_release(nf__mem *mem)
{
    if (mem != NULL && atomic_fetch_sub(&mem->refs, 1) == 1)
        mem->hooks.free(mem->hooks.user, mem);
}

uint64_t nf__mem_used(const nf__mem *mem, uint64_t *peak)
{
    if (peak != NULL)
        *peak = atomic_load(&mem->peak);
    return atomic_load(&mem->used);
}

uint64_t nf__mem_limit(const nf__mem *mem)
{
    return mem->limit;
}

void nf__mem_reset_peak(nf__mem *mem)
{
    atomic_store(&mem->peak, atomic_load(&mem->used));
}

static head *head_of(const void *block)
{
    return (head *)(uintptr_t)((const char *)block - sizeof(head));
}

nf__mem *nf__mem_of_block(const void *p)
{
    return head_of(p)->mem;
}

/* Bytes that the machine could still give, UINT64_MAX where it does not say. */
static uint64_t machine_available(void)
{
    uint64_t kilobytes = 0;
    bool found = false;
    char line[128];
    FILE *f = fopen("/proc/meminfo", "r");
    while (f != NULL && !found && fgets(line, sizeof line, f) != NULL)
        if (strncmp(line, "MemAvailable:", 13) == 0) {
            kilobytes = strtoull(line + 13, NULL, 10);
            found = true;
        }
    if (f != NULL)
        fclose(f);
    return found ? kilobytes << 10 : UINT64_MAX;
}

uint64_t nf__mem_room(nf__mem *mem)
{
    const uint64_t used = atomic_load(&mem->used);
    if (mem->limit == 0)
        return machine_available();
    return used > mem->limit ? 0 : mem->limit - used;
}

nf_status nf__mem_foresee(nf__mem *mem, uint64_t bytes, const char *what)
{
    const uint64_t used = atomic_load(&mem->used);
    if (mem->limit != 0 && (used > mem->limit || bytes > mem->limit - used))
        return nf__fail(NF_ENOMEM, "%s needs %llu bytes; %llu of the memory limit of %llu are left", what,
                        (unsigned long long)bytes, (unsigned long long)(used > mem->limit ? 0 : mem->limit - used),
                        (unsigned long long)mem->limit);
    if (bytes >= LARGE_BLOCK) {
        const uint64_t available = machine_available();
        if (bytes > available)
            return nf__fail(NF_ENOMEM, "%s needs %llu bytes; the machine has %llu available", what,
                            (unsigned long long)bytes, (unsigned long long)available);
    }
    return NF_OK;
}

static void count_in(nf__mem *mem, uint64_t bytes)
{
    const uint64_t now = atomic_fetch_add(&mem->used, bytes) + bytes;
    uint_fast64_t peak = atomic_load(&mem->peak);
    while (now > peak && !atomic_compare_exchange_weak(&mem->peak, &peak, now))
        ;
}

void *nf__alloc(nf__mem *mem, uint64_t count, size_t size)
{
    uint64_t bytes;
    if (__builtin_mul_overflow(count, (uint64_t)size, &bytes) || bytes > (uint64_t)PTRDIFF_MAX - 4 * ALIGNMENT) {
        nf__fail(NF_ENOMEM, "a block of %llu times %zu bytes is more than this machine can address",
                 (unsigned long long)count, size);
        return NULL;
    }
    const uint64_t raw_bytes = bytes + sizeof(head) + ALIGNMENT;
    if (nf__mem_foresee(mem, raw_bytes, "a block of memory") != NF_OK)
        return NULL;
    char *raw = mem->hooks.alloc(mem->hooks.user, (size_t)raw_bytes);
    if (raw == NULL) {
        nf__fail(NF_ENOMEM, "an allocation of %llu bytes failed; %llu bytes are in use", (unsigned long long)bytes,
                 (unsigned long long)atomic_load(&mem->used));
        return NULL;
    }
    char *block = raw + sizeof(head);
    block += (ALIGNMENT - (uintptr_t)block % ALIGNMENT) % ALIGNMENT;
    *head_of(block) = (head){nf__mem_retain(mem), raw, raw_bytes};
    count_in(mem, raw_bytes);
    return block;
}

void *nf__zalloc(nf__mem *mem, uint64_t count, size_t size)
{
    void *p = nf__alloc(mem, count, size);
    if (p != NULL)
        memset(p, 0, (size_t)count * size);
    return p;
}

void *nf__regrow(nf__mem *mem, void *p, uint64_t used, uint64_t count, size_t size)
{
    void *q = nf__alloc(mem, count, size);
    if (q != NULL && p != NULL) {
        memcpy(q, p, (size_t)used);
        nf__free(p);
    }
    return q;
}

void nf__free(void *p)
{
    if (p == NULL)
        return;
    const head h = *head_of(p);
    atomic_fetch_sub(&h.mem->used, h.raw_bytes);
    h.mem->hooks.free(h.mem->hooks.user, h.raw);
    nf__mem_release(h.mem);
}

void nf_free(void *array)
{
    nf__free(array);
}

char *nf__strdup(nf__mem *mem, const char *text)
{
    const size_t bytes = strlen(text) + 1;
    char *copy = nf__alloc(mem, bytes, 1);
    if (copy != NULL)
        memcpy(copy, text, bytes);
    return copy;
}
