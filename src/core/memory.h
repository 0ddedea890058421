/* memory.h - what only the context may do with memory; see base.h for the rest. */
#ifndef NF_CORE_MEMORY_H
#define NF_CORE_MEMORY_H

#include "core/base.h"

/* hooks->alloc NULL: malloc and free. limit 0: none. NULL when the first allocation fails. */
nf__mem *nf__mem_create(const nf_allocator *hooks, uint64_t limit);
/* Bytes in use, and the most that were since the last reset. */
uint64_t nf__mem_used(const nf__mem *mem, uint64_t *peak);
void nf__mem_reset_peak(nf__mem *mem);

#endif
