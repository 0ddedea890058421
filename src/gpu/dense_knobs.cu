/* dense_knobs.cu - what the knobs of the methods on the matrix ask for, and what `auto` makes of them (dense.h). */
#include "gpu/dense.h"

namespace SIMT_FLAVOUR
{

/* lazy=auto leaves out by tiles where a square of FLAG_SIDE x FLAG_SIDE cells has fewer arcs than this in the mean, so
 * that many have none. H200, n = 4,096: 1.7 times as fast on a grid of 3.6 arcs a vertex, 0.96 on 2 at random. */
#define LAZY_ARCS 1.0
/* Half of a matrix from so many vertices on: below, launches count, of which it has more. H200, ms of half and of all:
 * f32 n = 1,024 0.56 of 0.52, 2,048 1.50 of 1.43, 4,096 3.47 of 5.03; i32 2,048 1.43 of 1.36, 4,096 3.42 of 5.24; f64
 * 512 0.60 of 0.56, 1,024 1.19 of 1.30, 2,048 2.94 of 3.39; with parents f32 2,048 3.02 of 2.99, 4,096 8.9 of 10.3. */
#define HALF_LEAST 3072u
#define HALF_LEAST_F64 1024u

extern const nf_knob_info dense_tile_knob = DENSE_TILE_KNOB;
extern const nf_knob_info dense_knobs[3] = {DENSE_TILE_KNOB, DENSE_LAZY_KNOB, DENSE_CELLS_KNOB};

int dense_form(const nf__run *run)
{
    const char *asked = nf__knob_choice(run, dense_tile_knob.name);
    return strcmp(asked, "small") == 0    ? FORM_SMALL
           : strcmp(asked, "medium") == 0 ? FORM_MEDIUM
           : strcmp(asked, "large") == 0  ? FORM_LARGE
                                          : -1;
}

static bool has_knob(const nf__run *run, const char *name)
{
    const nf_algorithm_info *const a = &run->algorithm->info;
    bool has = false;
    for (size_t i = 0; i < a->knob_count; i++)
        has |= strcmp(a->knobs[i].name, name) == 0;
    return has;
}

bool dense_may_halve(const nf__run *run)
{
    static const nf_knob_info knob = DENSE_SYMMETRIC_KNOB;
    if (!has_knob(run, knob.name))
        return false;
    const char *asked = nf__knob_choice(run, knob.name), *lazy = nf__knob_choice(run, "lazy");
    const unsigned least = run->work_type == NF_F64 ? HALF_LEAST_F64 : HALF_LEAST;
    if (strcmp(lazy, "auto") != 0 && strcmp(lazy, "none") != 0)
        return false;
    return strcmp(asked, "on") == 0 || (strcmp(asked, "auto") == 0 && run->csr.n >= least);
}

bool dense_symmetric(const nf__run *run)
{
    return device_graph_of(run)->symmetric && dense_may_halve(run);
}

int dense_lazy(const nf__run *run)
{
    const double n = run->csr.n, square = (double)FLAG_SIDE * FLAG_SIDE;
    if (!has_knob(run, "lazy"))
        return LAZY_NONE;
    const char *asked = nf__knob_choice(run, "lazy");
    if (strcmp(asked, "auto") == 0)
        return !dense_symmetric(run) && (double)run->csr.m * square < LAZY_ARCS * n * n ? LAZY_TILE : LAZY_NONE;
    return strcmp(asked, "op") == 0 ? LAZY_OP : strcmp(asked, "tile") == 0 ? LAZY_TILE : LAZY_NONE;
}

} /* namespace SIMT_FLAVOUR */
