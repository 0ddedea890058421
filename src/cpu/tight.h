/* tight.h - the deterministic shortest-path tree, from final distances alone. */
#ifndef NF_CPU_TIGHT_H
#define NF_CPU_TIGHT_H

#include "core/backend.h"

/* Scratch for nf__tight_parents: 8 n bytes. */
typedef struct nf__tight {
    nf_vid *hops, *queue;
} nf__tight;

nf_status nf__tight_create(nf__mem *mem, nf_vid n, nf__tight *t);
void nf__tight_free(nf__tight *t);

/* Replaces row->parent by the tree nearfar.h defines for NF_RUN_DETERMINISTIC: parent[v] = the smallest id among the
 * tight u (d[u] + w = d[v]) with hops[v] = hops[u] + 1, hops being the fewest tight arcs from a source. `weights`, when
 * not NULL, are m weights of row->type to use in place of the graph's. If some reached vertex has no tight way from a
 * source (rounded sums: negative floats, float APSP), the tree is left as it was. O(n + m). */
void nf__tight_parents(const nf__run *run, const nf__row *row, const void *weights, const nf__tight *t);

/* The same tree, bit for bit, by all threads; for weights >= 0 and one source a row or several, not for APSP, and not
 * inside parallel regions. Looks at every arc once, nf__tight_parents twice. */
nf_status nf__tight_parents_shared(nf__run *run, const nf__row *row, const nf__tight *t);

/* Does every chain of parents end at a vertex that is its own parent? mark is scratch for n vertices. O(n). */
bool nf__is_tree(const nf_vid *parent, nf_vid n, nf_vid *mark);

#endif
