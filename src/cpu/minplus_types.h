/* minplus_types.h - the kernels of one instruction set for the four cell types (p32, p64: floats that are not
 * negative), and their table; see minplus_kernels.c. No guard: it is included once for every instruction set. */
#define D int32_t
#define I int32_t
#define TYPE i32
#define MIN MIN_I32
#define TRACK TRACK_I32
#include "cpu/minplus_tile.h"
#undef D
#undef I
#undef TYPE
#undef MIN
#undef TRACK

#define D int64_t
#define I int64_t
#define TYPE i64
#define MIN MIN_I64
#define TRACK TRACK_I64
#include "cpu/minplus_tile.h"
#undef D
#undef I
#undef TYPE
#undef MIN
#undef TRACK

#define D float
#define I int32_t
#define TYPE f32
#define MIN MIN_F32
#define TRACK TRACK_F32
#include "cpu/minplus_tile.h"
#undef D
#undef I
#undef TYPE
#undef MIN
#undef TRACK

#define D double
#define I int64_t
#define TYPE f64
#define MIN MIN_F64
#define TRACK TRACK_F64
#include "cpu/minplus_tile.h"
#undef D
#undef I
#undef TYPE
#undef MIN
#undef TRACK

#define D float
#define I int32_t
#define TYPE p32
#define MIN MIN_P32
#define TRACK TRACK_F32
#include "cpu/minplus_tile.h"
#undef D
#undef I
#undef TYPE
#undef MIN
#undef TRACK

#define D double
#define I int64_t
#define TYPE p64
#define MIN MIN_P64
#define TRACK TRACK_F64
#include "cpu/minplus_tile.h"
#undef D
#undef I
#undef TYPE
#undef MIN
#undef TRACK

#define TEXT2(x) #x
#define TEXT(x) TEXT2(x)
#define TILERS(type, size)                                                           \
    {                                                                                \
        TEXT(ISA), {ROWS, VECTORS * BYTES / size, JOIN(plain, ISA, type), NULL},     \
        {                                                                            \
            TRACK_ROWS, TRACK_VECTORS *BYTES / size, NULL, JOIN(tracking, ISA, type) \
        }                                                                            \
    }

static const nf__kernels JOIN_SET(kernels, ISA)[] = {TILERS(i32, 4), TILERS(i64, 8), TILERS(f32, 4),
                                                     TILERS(f64, 8), TILERS(p32, 4), TILERS(p64, 8)};

#undef TEXT
#undef TEXT2
#undef TILERS
#undef ISA
#undef TARGET
#undef BYTES
#undef ROWS
#undef VECTORS
#undef TRACK_ROWS
#undef TRACK_VECTORS
#undef MIN_F32
#undef MIN_F64
#undef MIN_I32
#undef MIN_I64
#undef MIN_P32
#undef MIN_P64
#undef TRACK_F32
#undef TRACK_F64
#undef TRACK_I32
#undef TRACK_I64
