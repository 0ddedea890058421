/* purse.h - an allocator that refuses one request, and counts what is live: for tests of refused memory. */
#ifndef NF_TESTS_PURSE_H
#define NF_TESTS_PURSE_H

#include "must.h"

/* left: requests granted before the one that is refused; -1: all are granted. */
typedef struct purse {
    long long left, live, refused;
} purse;

static inline void *purse_alloc(void *user, size_t size)
{
    purse *p = user;
    if (p->left >= 0 && p->left-- == 0) {
        p->refused++;
        return NULL;
    }
    p->live++;
    return malloc(size);
}

static inline void purse_free(void *user, void *block)
{
    purse *p = user;
    p->live -= block != NULL;
    free(block);
}

/* A context of one thread that pays from this purse. */
static inline nf_context *purse_context_on(const char *device, purse *p)
{
    const nf_context_options o = {.size = sizeof o,
                                  .device = device,
                                  .threads = 1,
                                  .allocator = {purse_alloc, purse_free, p}};
    nf_context *ctx = NULL;
    OK(nf_context_create(&o, &ctx));
    return ctx;
}

static inline nf_context *purse_context(purse *p)
{
    return purse_context_on("cpu", p);
}

#endif
