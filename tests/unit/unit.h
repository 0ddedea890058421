/* unit.h - what every unit test begins with: cmocka, the library, calls that must succeed or fail (must.h). */
#ifndef NF_TESTS_UNIT_H
#define NF_TESTS_UNIT_H

#include <math.h>

#include "must.h"

static inline nf_context *make_context(int threads)
{
    nf_context_options o = {.size = sizeof o, .threads = threads};
    nf_context *ctx = NULL;
    OK(nf_context_create(&o, &ctx));
    return ctx;
}

static inline nf_graph_info info_of(const nf_graph *g)
{
    nf_graph_info info = {.size = sizeof info};
    OK(nf_graph_get_info(g, &info));
    return info;
}

#endif
