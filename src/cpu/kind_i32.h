/* kind_i32.h - integers in 32 bits for the body that is included next; see key.h. No guard: it is included once for
 * every body. */
#include "cpu/kind_none.h"
#define K uint32_t
#define KNAME(x) x##_k32
#define KINF UINT32_MAX
#define KSUM(s, k, c, e) ((k) + ((const uint32_t *)(s)->weights)[(e) & (s)->mask])
#define KHOT(s, k) ((k) > (s)->top)
#define KBIN(s, k) nf__bin_of_int((k) >> (s)->shift)
#define KREAL(k) ((double)(k))
#define KSMALL 1
