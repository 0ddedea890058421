/* must.h - cmocka, the library, calls that must succeed or fail: for tests in C and, for kernels, in C++. To be
 * included after all others: cmocka's macro `fail` would reach into C++'s own headers. */
#ifndef NF_TESTS_MUST_H
#define NF_TESTS_MUST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <nearfar.h>

#ifdef __cplusplus
extern "C" {
#endif
#include <cmocka.h>
#ifdef __cplusplus
}
#endif

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

#endif
