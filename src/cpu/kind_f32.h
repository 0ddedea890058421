/* kind_f32.h - single precision for the body that is included next; see key.h. No guard: it is included once for every
 * body. */
#include "cpu/kind_none.h"
#define K uint32_t
#define KNAME(x) x##_f32
#define KINF UINT32_C(0x7f800000)
#define KSUM(s, k, c, e) nf__key_f32(nf__f32_of(k) + nf__weight_f32(c, e))
#define KHOT(s, k) isinf(nf__f32_of(k) + (s)->weight_f32)
#define KBIN(s, k) nf__bin_of_real((double)nf__f32_of(k) * (s)->inverse)
#define KREAL(k) ((double)nf__f32_of(k))
#define KSMALL 0
