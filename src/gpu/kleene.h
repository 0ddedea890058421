/* kleene.h - squares of several pivots, closed by Kleene's recursion over products, and the strips beside them. */
#ifndef NF_GPU_KLEENE_H
#define NF_GPU_KLEENE_H

#include "gpu/dense.h"

namespace SIMT_FLAVOUR
{

typedef struct kleene {
    dense *s;
    cudaStream_t stream;   /* all of it */
    bool marks;            /* ends a round of the solver (dense_mark) after every pivot */
    char *copy;            /* of an operand that is written over */
    char *square;          /* of a closed square, for strips; or NULL */
    uint32_t *copy_parent; /* their parents, or NULL */
    uint32_t *square_parent;
    unsigned leaves; /* pivots closed so far */
} kleene;

/* Memory for operands of up to `cells` cells and, where strips are wanted, squares of x->deep. */
nf_status kleene_open(dense *s, uint64_t cells, bool strips, kleene *k);
void kleene_free(kleene *k);
/* Cells of the largest operand that closing a square of so many vertices copies. */
uint64_t kleene_cells(const minplus *x, uint64_t side);

/* All paths inside lo .. hi. */
nf_status kleene_close(kleene *k, unsigned lo, unsigned hi);
/* The rows and columns of the closed square at .. at + minplus_span follow it; of a symmetric matrix its rows alone. */
nf_status kleene_strips(kleene *k, unsigned at);

} /* namespace SIMT_FLAVOUR */

#endif
