/* batch_body.h - a small graph in one type of cells: D, NONE ("no arc"), IS_NONE, BROKEN (what a negative cycle is
 * called) and store() are given; see batch.c. */

static void NAME(load)(const nf__batch *b, const nf__batch_graph *g, D *to)
{
    switch (b->weight_type) {
    case NF_I32: COPY_WEIGHTS(int32_t, NF_UNREACHED_I32); break;
    case NF_U32: COPY_WEIGHTS(uint32_t, NF_UNREACHED_U32); break;
    case NF_F32: COPY_WEIGHTS(float, INFINITY); break;
    default: COPY_WEIGHTS(double, (double)INFINITY); break;
    }
}

/* Cells and predecessors before the first step. */
static void NAME(begin)(unsigned n, const D *w, D *d, uint8_t *pred)
{
    memcpy(d, w, n * n * sizeof *d);
    for (unsigned i = 0; i < n; i++) {
        for (unsigned j = 0; j < n; j++)
            pred[i * n + j] = IS_NONE(d[i * n + j]) ? NOBODY : (uint8_t)i;
        d[i * n + i] = d[i * n + i] < 0 ? d[i * n + i] : 0;
        pred[i * n + i] = (uint8_t)i;
    }
}

static void NAME(relax)(unsigned n, D dik, const D *dk, D *di)
{
    for (unsigned j = 0; j < n; j++) {
        const D sum = dik + dk[j];
        di[j] = sum < di[j] ? sum : di[j];
    }
}

static void NAME(relax_pred)(unsigned n, D dik, const D *dk, const uint8_t *pk, D *di, uint8_t *pi)
{
    for (unsigned j = 0; j < n; j++) {
        const D sum = dik + dk[j];
        pi[j] = sum < di[j] ? pk[j] : pi[j];
        di[j] = sum < di[j] ? sum : di[j];
    }
}

/* False if there is a negative cycle, or in floats may be (B1). */
static bool NAME(close)(unsigned n, D *d, uint8_t *pred)
{
    for (unsigned k = 0; k < n; k++) {
        if (d[k * n + k] < 0)
            return false;
        for (unsigned i = 0; i < n; i++) {
            if (i == k || IS_NONE(d[i * n + k])) /* B2 */
                continue;
            if (pred == NULL)
                NAME(relax)(n, d[i * n + k], d + k * n, d + i * n);
            else
                NAME(relax_pred)(n, d[i * n + k], d + k * n, pred + k * n, d + i * n, pred + i * n);
        }
    }
    return true;
}

/* Who may come before v in a row: a bit each. */
static uint64_t NAME(tight)(unsigned n, const D *w, const D *row, unsigned v)
{
    uint64_t set = 0;
    for (unsigned u = 0; u < n; u++)
        if (!IS_NONE(row[u]) && !IS_NONE(w[u * n + v]) && row[u] + w[u * n + v] == row[v])
            set |= UINT64_C(1) << u;
    return set;
}

/* B3 for the row of `source`; pred is left alone where tight arcs do not reach all. */
static void NAME(grow)(unsigned n, const D *w, const D *row, unsigned source, uint8_t *pred)
{
    uint64_t before[SMALL], front = UINT64_C(1) << source, seen = front, all = 0;
    uint8_t tree[SMALL];
    for (unsigned v = 0; v < n; v++) {
        before[v] = IS_NONE(row[v]) ? 0 : NAME(tight)(n, w, row, v);
        all |= (uint64_t)!IS_NONE(row[v]) << v;
        tree[v] = NOBODY;
    }
    tree[source] = (uint8_t)source;
    while (front != 0) {
        uint64_t next = 0;
        for (unsigned v = 0; v < n; v++) {
            const uint64_t from = (seen >> v & 1) != 0 ? 0 : before[v] & front;
            if (from == 0)
                continue;
            tree[v] = (uint8_t)__builtin_ctzll(from);
            next |= UINT64_C(1) << v;
        }
        seen |= next;
        front = next;
    }
    if (seen == all)
        memcpy(pred, tree, n);
}

static uint32_t NAME(solve)(const nf__batch *b, const nf__batch_graph *g, bench *x)
{
    const unsigned n = g->n;
    D *d = (D *)(void *)x->cells, *w = (D *)(void *)x->weights;
    uint8_t *pred = b->parents != NULL ? x->pred : NULL;
    NAME(load)(b, g, w);
    NAME(begin)(n, w, d, x->pred);
    if (!NAME(close)(n, d, pred))
        return BROKEN;
    const uint32_t found = NAME(store)(b, g, d);
    for (unsigned i = 0; pred != NULL && found == NF__BATCH_DONE && i < n; i++) {
        if (b->deterministic)
            NAME(grow)(n, w, d + i * n, i, pred + i * n);
        if (!is_tree(pred + i * n, n, i))
            return NF__BATCH_UNSURE;
        for (unsigned j = 0; j < n; j++)
            b->parents[g->at + i * n + j] = pred[i * n + j] == NOBODY ? NF_NO_VERTEX : pred[i * n + j];
    }
    return found;
}

#undef D
#undef NAME
#undef NONE
#undef IS_NONE
#undef BROKEN
