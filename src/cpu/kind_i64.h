/* kind_i64.h - integers in 64 bits for the body that is included next; see key.h. No guard: it is included once for
 * every body. */
#include "cpu/kind_none.h"
#define K uint64_t
#define KNAME(x) x##_k64
#define KINF ((uint64_t)NF_UNREACHED_I64)
#define KSUM(s, k, c, e) ((k) + ((const uint32_t *)(s)->weights)[(e) & (s)->mask])
#define KHOT(s, k) ((k) > (s)->top)
#define KBIN(s, k) nf__bin_of_int((k) >> (s)->shift)
#define KREAL(k) ((double)(k))
#define KSMALL 0
