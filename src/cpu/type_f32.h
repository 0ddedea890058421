/* type_f32.h - single precision for the body that is included next; see distance.h. No guard: it is included once for
 * every body. */
#include "cpu/type_none.h"
#define D float
#define NAME(x) x##_f32
#define UNREACHED INFINITY
#define WEIGHT nf__weight_f32
#define ADD nf__add_f32
#define EPSILON (double)FLT_EPSILON
#define CUTOFF(run) ((run)->cutoff_real)
