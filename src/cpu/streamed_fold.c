/* streamed_fold.c - the CPU's work on the tiles of `streamed`: the rows of a block closed, and tiles that follow them.
 *
 * Invariant: G1 what becomes of a tile depends on that tile and the rows of K only, not on threads.
 * Cost: a panel of T rows takes T^2 n steps, a tile of R rows R n T; memory: 128 n cells and 6,144 a thread, with
 * parents 128 n vertices.
 */
#include "cpu/cells.h"
#include "cpu/cpu.h"
#include "cpu/minplus.h"
#include "cpu/nsssp.h"
#include "cpu/streamed.h"

typedef struct folding {
    nf__tiles *t;
    nf__minplus core;
    char *panel; /* the rows of K */
    nf_vid *panel_p;
    size_t k0, k1;
    double seconds;
} folding;

/* Products inside `d`, from row `top` on; the rows k of their right side in the panel, or in d. */
static void turn_to(folding *f, void *d, nf_vid *p, size_t top, bool panel)
{
    f->core.d = d;
    f->core.p = p;
    f->core.top = top;
    f->core.k_d = panel ? f->panel : NULL;
    f->core.k_p = panel ? f->panel_p : NULL;
    f->core.k_top = f->k0;
    f->core.done = f->t->done;
    f->core.total = f->t->total;
}

static void note(folding *f, uint64_t steps)
{
    f->t->steps += f->core.steps - steps;
    f->t->done = f->core.done < f->t->total ? f->core.done : f->t->total;
}

static nf_status panel(void *self, nf_vid k0, nf_vid k1, void *d, nf_vid *p, bool closed)
{
    nf_status st = NF_OK;
    folding *f = self;
    const uint64_t steps = f->core.steps;
    const size_t n = f->core.n;
    f->panel = d;
    f->panel_p = p;
    f->k0 = k0;
    f->k1 = k1;
    if (closed)
        return NF_OK;
    turn_to(f, d, p, k0, false);
    NF_TRY(nf__minplus_close(&f->core, k0, k1));
    NF_TRY(nf__minplus_fold(&f->core, (nf__product){k0, k1, 0, k0, k0, k1, false}, NULL));
    NF_TRY(nf__minplus_fold(&f->core, (nf__product){k0, k1, k1, n, k0, k1, false}, NULL));
done:
    note(f, steps);
    return st;
}

static nf_status start(void *self, nf_vid i0, nf_vid rows, void *d, nf_vid *p)
{
    nf_status st = NF_OK;
    folding *f = self;
    const double began = nf__now_ms();
    const uint64_t steps = f->core.steps;
    const size_t n = f->core.n, k0 = f->k0, k1 = f->k1, i1 = (size_t)i0 + rows;
    turn_to(f, d, p, i0, true);
    NF_TRY(nf__minplus_fold(&f->core, (nf__product){i0, i1, k0, k1, k0, k1, false}, NULL));
    NF_TRY(nf__minplus_fold(&f->core, (nf__product){i0, i1, 0, k0, k0, k1, false}, NULL));
    NF_TRY(nf__minplus_fold(&f->core, (nf__product){i0, i1, k1, n, k0, k1, false}, NULL));
done:
    note(f, steps);
    f->seconds += (nf__now_ms() - began) / 1e3;
    return st;
}

static nf_status finish(void *self, unsigned leave)
{
    (void)self;
    (void)leave;
    return NF_OK;
}

static void lock(void *self, void *p, uint64_t bytes)
{
    (void)self;
    (void)p;
    (void)bytes;
}

static double seconds(const void *self)
{
    return ((const folding *)self)->seconds;
}

static void close_folding(void *self)
{
    folding *f = self;
    if (f != NULL)
        nf__minplus_free(&f->core);
    nf__free(f);
}

static nf_status open_folding(nf__tiles *t, void **self)
{
    nf_status st = NF_OK;
    const nf__run *run = t->run;
    const bool own = strcmp(run->algorithm->info.device, "cpu") == 0; /* then the knob is there */
    folding *f = NULL;
    nf_vid follow = 0;
    NF_TRY_ALLOC(f, nf__zalloc(nf__context_mem(run->ctx), 1, sizeof *f));
    f->t = t;
    f->core = (nf__minplus){.ctx = run->ctx, .cell = t->cell, .n = run->csr.n, .phase = run->algorithm->info.name};
    f->core.p = t->follow ? &follow : NULL; /* that there are parents: all that is asked here */
    NF_TRY(nf__minplus_create(&f->core, run->stats.weight_sign >= 0, own ? nf__cells_vectors(run, t->cell) : NULL));
    f->core.p = NULL;
    *self = f;
    f = NULL;
done:
    close_folding(f);
    return st;
}

const nf__tile_worker nf__cpu_tile_worker = {
    .ahead = 1,
    .pays = nf__cpu_loops_pay,
    .open = open_folding,
    .close = close_folding,
    .panel = panel,
    .start = start,
    .finish = finish,
    .lock = lock,
    .seconds = seconds,
};
