/* minplus.h - matrices over (min, +) on the device: what the methods of all pairs call (kernels: minplus.cuh).
 *
 * A matrix is `side` x `side` cells, side a multiple of the tile, "none" in the padding. Cells are i16, i32, i64, f32
 * or f64; "no path" is 2^14 - 1, 2^30 - 1, 2^62 - 1 or infinity: two of them add up without leaving the type. Those of
 * 16 bits have no parents, and no lazy minima.
 *
 * Lazy minima (Harish, Vineet, Narayanan 2009): sums with "no path" are left out. LAZY_OP asks for every operand;
 * LAZY_TILE has a flag for every square of FLAG_SIDE x FLAG_SIDE cells, 0: no cell of it is a path (minplus_lazy.cuh).
 *
 * Symmetric matrices (undirected graphs): tiles that lie below the diagonal are not folded; cells there are mirrored
 * when somebody reads them, by rows and columns of a block, and in the end (minplus_mirror.cu). Parents are not
 * symmetric: whoever finds the vertex that a way passes writes those of both directions (M5 of minplus.cuh).
 */
#ifndef NF_GPU_MINPLUS_H
#define NF_GPU_MINPLUS_H

#include "gpu/device_graph.h"

namespace SIMT_FLAVOUR
{

#define NONE_I16 ((int16_t)0x3fff)
#define NONE_I32 ((int32_t)0x3fffffff)
#define NONE_I64 ((int64_t)0x3fffffffffffffff)

/* Tiles: for matrices of a few hundred vertices, of a few thousand, and above; strips of the large pivot's rows and
 * columns. Then, what they can do besides. */
enum { FORM_SMALL, FORM_MEDIUM, FORM_LARGE, FORM_TALL, FORM_FLAT, FORM_FOLLOWED = 8, FORM_LAZY = 16, FORM_PACKED = 32 };
/* Sums that are left out: none; those with an operand that is no path; those of squares without one. */
enum { LAZY_NONE, LAZY_OP, LAZY_TILE };
/* Vertices along the side of a square that has a flag; divides every tile and pivot. */
#define FLAG_SIDE 32u

/* Cells below it are paths, D2 of dense.cu. */
static inline int16_t limit_of(bool positive, int16_t)
{
    return positive ? NONE_I16 : (int16_t)(NONE_I16 / 2 + 1);
}

static inline int32_t limit_of(bool positive, int32_t)
{
    return positive ? NONE_I32 : NONE_I32 / 2 + 1;
}

static inline int64_t limit_of(bool, int64_t)
{
    return NONE_I64 / 2 + 1;
}

static inline float limit_of(bool, float)
{
    return INFINITY;
}

static inline double limit_of(bool, double)
{
    return (double)INFINITY;
}

/* "No path". */
static inline int32_t none_of(int32_t)
{
    return NONE_I32;
}

static inline int64_t none_of(int64_t)
{
    return NONE_I64;
}

template <class Real> static inline Real none_of(Real)
{
    return (Real)INFINITY;
}

/* So many, to whole units. */
static inline uint64_t whole(uint64_t many, unsigned unit)
{
    return (many + unit - 1) / unit * unit;
}

/* out = min(in, a * b), for kernels. in may be out; a and b: M2. */
template <class Cell> struct fold {
    const Cell *in, *a, *b;
    Cell *out;
    uint64_t pitch, pitch_a, pitch_b; /* pitch: of in, out and p */
    unsigned depth;                   /* columns of a: a multiple of the slice */
    unsigned kept, kept_many;         /* rows and columns from `kept` on that are not written; 0: all are */
    unsigned pivot;                   /* of panels and strips: where their own square is */
    unsigned one;                     /* 1 (least_by_both) */
    uint32_t *p;                      /* parents that follow, or NULL */
    const uint32_t *p_b;              /* those of b's rows */
    uint64_t pitch_p;
    unsigned *fell; /* set when a cell fell; or NULL */
    /* Of symmetric matrices: */
    uint32_t *p_back;         /* parents of the way back, those of cell i, j at j * pitch + i; or NULL */
    const uint32_t *p_b_back; /* of b's rows, by the rows of the tile, pitch_back apart */
    uint64_t pitch_back;
    bool upper; /* cells above the diagonal alone have parents to write (M5); else those not in `pivot` */
    unsigned pivot_many;
    /* Of lazy forms: */
    Cell limit;                         /* cells from it on are no paths */
    const uint8_t *finite_a, *finite_b; /* flags from the first square of a and of b on; NULL: LAZY_OP */
    uint8_t *finite;                    /* those of out */
    uint64_t pitch_finite, pitch_finite_a, pitch_finite_b;
    unsigned long long *skipped; /* slabs, or sums, that were left out, of so many */
};

/* Which tiles: all; those of some rows and columns of tiles; all others. */
enum { FOLD_ALL, FOLD_CROSS, FOLD_REST };

struct fold_part {
    int which;
    unsigned top, down, across;                        /* tiles of the matrix: all columns, rows from top on */
    unsigned row, rows, col, cols;                     /* of the cross: from row on, rows many */
    unsigned kept_row, kept_rows, kept_col, kept_cols; /* of which nothing is written */
    bool upper;                                        /* those that hold a cell on the diagonal, or above it */
    bool apart;                                        /* of the cross: not those where its rows and columns meet */
};

/* Of a row of tiles, the first that holds a cell on the diagonal or above it; rows, cols: of a tile, powers of two. */
static __host__ __device__ __forceinline__ unsigned first_upper(unsigned row, unsigned rows, unsigned cols)
{
    return row * rows / cols;
}

/* Of so many rows of tiles, the most that the i-th and the i-th from the end have of those that do; where two rows
 * begin with one tile, some pairs have one less. */
static __host__ __device__ __forceinline__ unsigned pair_upper(unsigned top, unsigned down, unsigned across,
                                                               unsigned rows, unsigned cols)
{
    return 2 * across - first_upper(top, rows, cols) - first_upper(top + down - 1, rows, cols) + (cols > rows ? 1 : 0);
}

/* Of the rows: all, or a half. */
enum { HALF_BOTH, HALF_UPPER, HALF_LOWER };

/* Copies of the rows and columns that a product reads, so that others may write these meanwhile: `deep` rows as wide as
 * the matrix, columns `deep` cells apart; the parents of the rows, or NULL. Packed: as tiles of FORM_PACKED read them
 * (minplus_pack.cu). */
typedef struct minplus_strips {
    char *rows, *cols;
    uint32_t *parents;
    bool packed;
} minplus_strips;

/* ---- on the host ------------------------------------------------------------------------------------------------- */

typedef struct minplus {
    device *d;
    nf_type cell;   /* NF_I32, NF_I64, NF_F32, NF_F64 */
    bool narrow;    /* NF_I32 in 16 bits */
    bool positive;  /* no weight is negative */
    bool follow;    /* parents are wanted */
    bool symmetric; /* and so folded above the diagonal alone */
    int form;
    bool packs;           /* its products take packed strips */
    unsigned tile, pivot; /* side's divisor; vertices whose square one block closes */
    unsigned deep;        /* vertices that blocked methods pass at once: pivots, or more where matrices are large */
    device_matrix m;      /* the cells */
    uint32_t *parents;    /* side * side; NULL without follow */
    uint32_t *before;     /* parents of a pivot's rows as they were: pivot * side, or NULL */
    uint64_t steps;       /* sums compared so far, or left out */
    uint64_t launches;
    int lazy;                    /* LAZY_* */
    uint8_t *finite;             /* of the matrix, for LAZY_TILE: a flag a square, rows as those of the matrix */
    unsigned long long *skipped; /* two, in device memory: see fold */
} minplus;

/* A product inside the matrix or between matrices of its side: rows i, columns j, over k; half-open. */
typedef struct minplus_product {
    unsigned i0, i1, j0, j1, k0, k1;
    const void *a, *b;         /* NULL: the matrix; else other cells, from (i0, k0), or (k0, j0), on */
    uint64_t pitch_a, pitch_b; /* theirs */
    const uint32_t *p_b;       /* with b: its parents, of the same pitch */
    unsigned *fell;            /* in device memory, or NULL */
    /* Of a and of b, from their first squares on; NULL: cells of the matrix, or copies of them, which have its flags */
    const uint8_t *finite_a, *finite_b;
    /* Of a block's rows in a symmetric matrix: the parents of its square, pitch_back apart; columns that are its own
     * have none written, all others in both directions (M5). Or NULL */
    const uint32_t *p_back;
    uint64_t pitch_back;
} minplus_product;

/* The kernels of a ring and a form. */
typedef struct minplus_methods {
    unsigned rows, cols, pivot, shared; /* of a tile */
    unsigned threads;                   /* of the largest block of all these kernels */
    bool packs;                         /* pass takes packed strips */
    nf_status (*close)(minplus *x, unsigned at, const unsigned *past, cudaStream_t stream);
    nf_status (*panels)(minplus *x, unsigned at, cudaStream_t stream);
    nf_status (*pass)(minplus *x, unsigned at, const fold_part *part, const minplus_strips *from, cudaStream_t stream);
    nf_status (*multiply)(minplus *x, const minplus_product *q, cudaStream_t stream);
} minplus_methods;

/* By form; by follow and form. One file each. */
extern const minplus_methods minplus_i16[3], minplus_n16[3];
extern const minplus_methods minplus_i32[2][3], minplus_i64[2][3], minplus_p32[2][3], minplus_f32[2][3],
    minplus_f64[2][3];
/* With lazy minima; they close nothing. */
extern const minplus_methods minplus_lazy_i32[2][3], minplus_lazy_i64[2][3], minplus_lazy_p32[2][3],
    minplus_lazy_f32[2][3], minplus_lazy_f64[2][3];

/* Bytes of a cell. */
unsigned minplus_width(const minplus *x);
/* Chooses the form for n vertices (asked: a form, or -1), from d, cell, narrow, positive, follow and lazy, and the
 * sizes that go with it. */
void minplus_shape(minplus *x, uint64_t n, int asked);
/* The flags of so many rows and columns (whole tiles), for LAZY_TILE. */
uint64_t minplus_flags(uint64_t rows, uint64_t cols);
/* Sets them from the cells, rows of `pitch`, on the device's stream. Squares of so many vertices on the diagonal have
 * theirs anyway, as pivots have to (L2); 0: none. */
nf_status minplus_set_flags(const minplus *x, const void *cells, uint64_t rows, uint64_t pitch, unsigned square,
                            uint8_t *finite);
/* Bytes of a matrix of n vertices, of its parents and flags, and of the copies that passing `deep` vertices at once
 * takes. */
uint64_t minplus_bytes(const minplus *x, uint64_t n);

/* Tiles of the matrix. */
uint64_t minplus_tiles(const minplus *x);

/* Vertices that are passed at once from `at` on: deep, or what is left. */
unsigned minplus_span(const minplus *x, unsigned at);

/* The square of the pivot at vertex `at` is closed; past: first it follows the pivot there, whose rows and columns have
 * passed it (NULL: none). */
nf_status minplus_close(minplus *x, unsigned at, const unsigned *past, cudaStream_t stream);
/* May a block's square follow the one before when it is closed? Blocks are whole tiles, then, and of one pivot. */
bool minplus_closes_past(const minplus *x);
/* Its rows and columns follow, in place; of a symmetric matrix its rows alone. */
nf_status minplus_panels(minplus *x, unsigned at, cudaStream_t stream);
/* All other cells follow the rows and columns from `at` on, or their copies `from`; `which`: of FOLD_*, around those
 * from `next` on; a half: of those but for the cross; apart: of the cross but for the square where it meets. */
nf_status minplus_pass(minplus *x, unsigned at, int which, unsigned next, int half, bool apart,
                       const minplus_strips *from, cudaStream_t stream);
/* Is every cell what the one on the other side of the diagonal is? Waits for the device's stream. */
nf_status minplus_is_symmetric(minplus *x, bool *is);
/* Cells below the diagonal, in rows lo .. hi, become those above it; but for the square lo .. hi, or with it. */
nf_status minplus_mirror_rows(minplus *x, unsigned lo, unsigned hi, bool square, cudaStream_t stream);
/* Columns lo .. hi become rows lo .. hi, but for the square where they meet. */
nf_status minplus_mirror_cols(minplus *x, unsigned lo, unsigned hi, cudaStream_t stream);
/* Do products go faster with packed strips here? */
bool minplus_packs(const minplus *x);
/* Copies the rows and columns from `at` on, packed if `to` is. */
nf_status minplus_copy_strips(minplus *x, unsigned at, const minplus_strips *to, cudaStream_t stream);
nf_status minplus_pack_strips(minplus *x, unsigned at, const minplus_strips *to, cudaStream_t stream);
/* Folds a product in; a and b overlap nothing that is written. Ranges are multiples of the pivot. */
nf_status minplus_multiply(minplus *x, const minplus_product *q, cudaStream_t stream);

} /* namespace SIMT_FLAVOUR */

#endif
