/* lanes_body.h - the run of lanes.c for one type and one width of vectors. lanes.c defines D, TYPE, NONE, LESS(s, c) (a
 * bit for each lane in which s < c), MIN, and ISA, TARGET, BYTES. No guard: it is included once for every kernel. */
#define LANES (BYTES / sizeof(D))

typedef D NAME(vec) __attribute__((vector_size(BYTES), may_alias));

static void NAME(start)(nf__lanes *x)
{
    D *d = x->labels;
    const nf_vid n = x->csr->n;
    for (size_t i = 0; i < n * LANES; i++)
        d[i] = NONE;
    memset(x->listed, 0, n);
    for (unsigned i = 0; i < x->count; i++) {
        d[(x->first + i) * LANES + i] = 0;
        x->listed[x->first + i] = 1;
        x->queue[i] = x->first + i;
    }
    x->settled = x->relaxed = 0;
}

TARGET static bool NAME(run)(nf__lanes *x)
{
    const nf_csr *c = x->csr;
    const nf_vid *to = x->arcs.to;
    const D *w = x->arcs.weights;
    const size_t to_step = x->arcs.to_step, w_step = x->arcs.weight_step;
    NAME(vec) *d = x->labels;
    const nf_vid ring = c->n + 1;
    nf_vid *const *parents = x->parents;
    nf_vid *queue = x->queue, head = 0, tail = x->count;
    uint8_t *listed = x->listed;
    NAME(start)(x);
    while (head != tail) {
        const nf_vid u = queue[head];
        const NAME(vec) from = d[u];
        const nf_eid past = nf__off(c, u + 1);
        head = head + 1 == ring ? 0 : head + 1;
        listed[u] = 0;
        if (++x->settled % POLL_EVERY == 0 && (x->settled > x->most || x->stop(x->stop_arg)))
            return false;
        x->relaxed += (past - nf__off(c, u)) * x->count;
        for (nf_eid e = nf__off(c, u); e < past; e++) {
            const nf_vid v = to[e * to_step];
            const NAME(vec) sum = from + w[e * w_step], old = d[v];
            uint32_t fell = LESS(sum, old);
            if (fell == 0)
                continue;
            d[v] = MIN(NAME(vec), sum, old);
            if (!listed[v]) {
                listed[v] = 1;
                queue[tail] = v;
                tail = tail + 1 == ring ? 0 : tail + 1;
            }
            for (; parents != NULL && fell != 0; fell &= fell - 1)
                parents[__builtin_ctz(fell)][v] = u;
        }
    }
    return true;
}
#undef LANES
