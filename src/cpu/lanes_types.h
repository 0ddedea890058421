/* lanes_types.h - the runs of one instruction set for the four types of labels, and their table; see lanes.c. No guard:
 * it is included once for every instruction set. */
#define D int32_t
#define TYPE i32
#define NONE NF__NONE_I32
#define LESS LESS_I32
#define MIN MIN_I32
#include "cpu/lanes_body.h"
#undef D
#undef TYPE
#undef NONE
#undef LESS
#undef MIN

#define D int64_t
#define TYPE i64
#define NONE NF__NONE_I64
#define LESS LESS_I64
#define MIN MIN_I64
#include "cpu/lanes_body.h"
#undef D
#undef TYPE
#undef NONE
#undef LESS
#undef MIN

#define D float
#define TYPE f32
#define NONE INFINITY
#define LESS LESS_F32
#define MIN MIN_F32
#include "cpu/lanes_body.h"
#undef D
#undef TYPE
#undef NONE
#undef LESS
#undef MIN

#define D double
#define TYPE f64
#define NONE ((double)INFINITY)
#define LESS LESS_F64
#define MIN MIN_F64
#include "cpu/lanes_body.h"
#undef D
#undef TYPE
#undef NONE
#undef LESS
#undef MIN

#define TEXT2(x) #x
#define TEXT(x) TEXT2(x)
static const nf__lane_kernel JOIN_SET(kernels, ISA)[] = {
    {TEXT(ISA), BYTES / 4, JOIN(run, ISA, i32)},
    {TEXT(ISA), BYTES / 8, JOIN(run, ISA, i64)},
    {TEXT(ISA), BYTES / 4, JOIN(run, ISA, f32)},
    {TEXT(ISA), BYTES / 8, JOIN(run, ISA, f64)},
};
#undef TEXT
#undef TEXT2

#undef ISA
#undef TARGET
#undef BYTES
#undef LESS_I32
#undef LESS_I64
#undef LESS_F32
#undef LESS_F64
#undef MIN_I32
#undef MIN_I64
#undef MIN_F32
#undef MIN_F64
