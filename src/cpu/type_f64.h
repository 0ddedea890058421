/* type_f64.h - double precision for the body that is included next; see distance.h. No guard: it is included once for
 * every body. */
#include "cpu/type_none.h"
#define D double
#define NAME(x) x##_f64
#define UNREACHED ((double)INFINITY)
#define WEIGHT nf__weight_f64
#define ADD nf__add_f64
#define EPSILON DBL_EPSILON
#define CUTOFF(run) ((run)->cutoff_real)
