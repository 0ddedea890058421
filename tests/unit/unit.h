/* unit.h - what every unit test begins with: cmocka, the library, calls that must succeed or fail. */
#ifndef NF_TESTS_UNIT_H
#define NF_TESTS_UNIT_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <nearfar.h>

/* A call that must succeed, with the library's own words when it does not. */
#define OK(call)                                                                       \
    do {                                                                               \
        const nf_status ok_status = (call);                                            \
        if (ok_status != NF_OK)                                                        \
            fail_msg("%s: %s: %s", #call, nf_status_name(ok_status), nf_last_error()); \
    } while (0)

/* A call that must fail with a status and a message that contains `part`. */
#define FAILS(status, part, call)                                                                                \
    do {                                                                                                         \
        const nf_status fails_status = (call);                                                                   \
        if (fails_status != (status))                                                                            \
            fail_msg("%s: got %s, expected %s: %s", #call, nf_status_name(fails_status), nf_status_name(status), \
                     nf_last_error());                                                                           \
        if (strstr(nf_last_error(), (part)) == NULL)                                                             \
            fail_msg("%s: the message '%s' does not say '%s'", #call, nf_last_error(), (part));                  \
    } while (0)

#define COUNT(array) (sizeof(array) / sizeof *(array))

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
