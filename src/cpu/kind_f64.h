/* kind_f64.h - double precision for the body that is included next; see key.h. No guard: it is included once for every
 * body. */
#include "cpu/kind_none.h"
#define K uint64_t
#define KNAME(x) x##_f64
#define KINF UINT64_C(0x7ff0000000000000)
#define KSUM(s, k, c, e) nf__key_f64(nf__f64_of(k) + nf__weight_f64(c, e))
#define KHOT(s, k) isinf(nf__f64_of(k) + (s)->weight_f64)
#define KBIN(s, k) nf__bin_of_real(nf__f64_of(k) * (s)->inverse)
#define KREAL(k) nf__f64_of(k)
#define KSMALL 0
