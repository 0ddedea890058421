/* table.h - the plain table that heaps are held against: for tests in C and, of kernels, in C++. Of equal priorities
 * the lower number is the least. */
#ifndef NF_TESTS_TABLE_H
#define NF_TESTS_TABLE_H

#include "must.h"

typedef struct table {
    uint64_t *priority;
    bool *there;
    nf_vid n;
    uint64_t size;
} table;

static inline table table_make(nf_vid n)
{
    const table t = {(uint64_t *)calloc(n, sizeof(uint64_t)), (bool *)calloc(n, sizeof(bool)), n, 0};
    assert_true(t.priority != NULL && t.there != NULL);
    return t;
}

static inline void table_free(table *t)
{
    free(t->priority);
    free(t->there);
}

static inline void table_update(table *t, uint64_t priority, nf_vid v)
{
    if (t->there[v] && t->priority[v] <= priority)
        return;
    t->size += t->there[v] ? 0 : 1;
    t->there[v] = true;
    t->priority[v] = priority;
}

static inline void table_delete(table *t, nf_vid v)
{
    t->size -= t->there[v] ? 1 : 0;
    t->there[v] = false;
}

static inline nf_vid table_least(const table *t)
{
    nf_vid least = NF_NO_VERTEX;
    for (nf_vid v = 0; v < t->n; v++)
        if (t->there[v] && (least == NF_NO_VERTEX || t->priority[v] < t->priority[least]))
            least = v;
    return least;
}

#endif
