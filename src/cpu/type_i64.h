/* type_i64.h - 64-bit integers for the body that is included next; see distance.h. No guard: it is included once for
 * every body. */
#include "cpu/type_none.h"
#define D int64_t
#define NAME(x) x##_i64
#define UNREACHED NF_UNREACHED_I64
#define WEIGHT nf__weight_i64
#define ADD nf__add_i64
#define EPSILON 0.0
#define CUTOFF(run) ((run)->cutoff_int)
