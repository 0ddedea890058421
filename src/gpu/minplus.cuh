/* minplus.cuh - one product over (min, +) folded into a matrix, c = min(c, a * b), in tiles; and the closure of a small
 * square. What every dense method of all pairs is made of.
 *
 * Method: a block owns a tile of c and keeps it in registers, EACH_ROWS x EACH_COLS cells a thread. Slices of a and b,
 * 64 bytes of each row of a deep, travel by cp.async through a ring of stages in shared memory while earlier ones are
 * multiplied: one barrier a slice. Rows of a lie 80 bytes apart there, so that the eight rows a warp reads at once are
 * in different banks and nothing has to be transposed on the way; of b a warp reads 64 bytes, which all its rows share.
 * Two values of k are taken together (Ring::least): integers by two DPX additions with minimum, floats that are not
 * negative by two additions and one three-way minimum of their bits.
 * Parents (forms with FOLLOWED): sums are compared in groups of as many k as 16 bytes hold, and a byte a cell says
 * which group it fell to last; in the end the k is searched for in that group, and the parent is that of k's row.
 * Invariants
 *   M1 a cell is the length of some walk, or no less than "none"; it never rises;
 *   M2 cells of a and b that a launch reads are written by no other block of it: pivot rows and columns are left alone
 *      (`kept`), and a block that works in place owns all rows (or columns) of its operand and writes after the last
 *      barrier, when all slices have arrived;
 *   M3 with parents the depth is at most FOLLOW_MOST: a byte tells the groups apart. Up to PIVOT every slice has a
 *      stage of its own, and the k is searched for there; beyond, in device memory, and then a and b are written by
 *      nobody at all;
 *   M4 a cell falls to a sum whose k is neither its row nor its column: those sums are what it was. So p[i][j] is a
 *      vertex before j on a walk of that length, and never j.
 * Cost: rows * cols * depth steps, (1 / COLS + 1 / ROWS) cells read from L2 for each, and each cell of c once each way.
 */
#ifndef NF_GPU_MINPLUS_CUH
#define NF_GPU_MINPLUS_CUH

#include "gpu/minplus.h"

namespace SIMT_FLAVOUR
{

/* ---- rings ------------------------------------------------------------------------------------------------------- */

static __device__ __forceinline__ float float_of(int32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static __device__ __forceinline__ int32_t bits_of_float(float x)
{
    int32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* least: min(c, a0 + b0, a1 + b1); a ring's order is that of its cells. */
struct ring_i32 {
    typedef int32_t cell;
    static __device__ __forceinline__ cell sum(cell a, cell b)
    {
        return a + b;
    }
    static __device__ __forceinline__ cell least(cell c, cell a0, cell b0, cell a1, cell b1)
    {
        return simt_addmin(a1, b1, simt_addmin(a0, b0, c));
    }
};

/* Floats that are not negative, as the bits they are: ordered as integers are. */
struct ring_p32 {
    typedef int32_t cell;
    static __device__ __forceinline__ cell sum(cell a, cell b)
    {
        return bits_of_float(float_of(a) + float_of(b));
    }
    static __device__ __forceinline__ cell least(cell c, cell a0, cell b0, cell a1, cell b1)
    {
        return simt_min3(sum(a0, b0), sum(a1, b1), c);
    }
};

struct ring_f32 {
    typedef float cell;
    static __device__ __forceinline__ cell sum(cell a, cell b)
    {
        return a + b;
    }
    static __device__ __forceinline__ cell least(cell c, cell a0, cell b0, cell a1, cell b1)
    {
        return fminf(a1 + b1, fminf(a0 + b0, c));
    }
};

template <class T> struct ring_of {
    typedef T cell;
    static __device__ __forceinline__ cell sum(cell a, cell b)
    {
        return a + b;
    }
    static __device__ __forceinline__ cell least(cell c, cell a0, cell b0, cell a1, cell b1)
    {
        const cell x = a0 + b0, y = a1 + b1;
        c = x < c ? x : c;
        return y < c ? y : c;
    }
};

typedef ring_of<int64_t> ring_i64;
typedef ring_of<double> ring_f64;

/* ---- tiles ------------------------------------------------------------------------------------------------------- */

/* A warp is 8 threads down and 4 across. H200: 8 x 8 cells a thread and two blocks on a multiprocessor, so that one
 * reads and writes its tile while the other multiplies, give 13.6e12 steps a second at a depth of 128 and 14.7e12 at
 * 1024 (f32; with parents 7.4e12 at 128); 8 x 16 cells and one block 11.6e12 and 14.4e12 (6.5e12). Strips of the panels
 * are narrower, so that there are enough of them. */
template <class R, int Form> struct tiling {
    typedef R ring;
    typedef typename R::cell cell;
    enum {
        FOLLOWS = (Form & FORM_FOLLOWED) != 0,
        BASE = Form & ~FORM_FOLLOWED,
        VEC = 16 / (int)sizeof(cell), /* cells in 16 bytes; and k in a group */
        DEPTH = 4 * VEC,              /* of a slice */
        EACH_ROWS = BASE == FORM_SMALL ? 4 : 8,
        EACH_COLS = 8,
        DOWN = BASE == FORM_LARGE || BASE == FORM_TALL ? 16 : 8,
        ACROSS = BASE == FORM_SMALL                        ? 4
                 : BASE == FORM_LARGE || BASE == FORM_FLAT ? 16
                                                           : 8,
        THREADS = DOWN * ACROSS,
        ROWS = DOWN * EACH_ROWS,
        COLS = ACROSS * EACH_COLS,
        PIVOT = BASE == FORM_SMALL                ? 32
                : BASE == FORM_MEDIUM || VEC == 2 ? 64
                                                  : 128,
        PARTS = COLS / VEC,                   /* 16 bytes of a row of b */
        TWO = BASE == FORM_LARGE && VEC == 4, /* blocks on a multiprocessor */
        STAGES = TWO ? 4 : PIVOT / DEPTH,
        FOLLOW_MOST = 128 * VEC, /* M3 */
        A_PITCH = DEPTH + VEC,
        A_CELLS = ROWS * A_PITCH,
        STAGE = A_CELLS + DEPTH * COLS,
        SHARED = STAGES * STAGE * (int)sizeof(cell)
    };
};

template <class Cell> struct __align__(16) cells16
{
    Cell x[16 / sizeof(Cell)];
};

/* 16 bytes in one load; the emulator looks at the address. */
template <class Cell> static __device__ __forceinline__ cells16<Cell> load_cells(const Cell *from)
{
    const uint4 bits = simt_load16(from);
    cells16<Cell> x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Strips that hold all rows, or all columns, of the pivot. */
template <class R, int Form> struct strips {
    enum {
        FOLLOWED = Form & FORM_FOLLOWED,
        LARGE = (Form & ~FORM_FOLLOWED) == FORM_LARGE,
        LONG = LARGE && sizeof(typename R::cell) == 4,
        SHORT = LARGE ? (int)FORM_MEDIUM | (int)FOLLOWED : Form
    };
    typedef tiling<R, LONG ? (int)FORM_TALL | (int)FOLLOWED : (int)SHORT> rows;
    typedef tiling<R, LONG ? (int)FORM_FLAT | (int)FOLLOWED : (int)SHORT> cols;
};

/* A thread's cells, and of each the group it fell to last, or NO_GROUP, a byte each. */
template <class T> struct held {
    typename T::cell c[T::EACH_ROWS][T::EACH_COLS];
    uint32_t group[T::EACH_ROWS][T::EACH_COLS / 4];
};

#define NO_GROUP 0xffu

/* A thread's place in the tile, and the tile's in the matrix. */
struct spot {
    unsigned row0, col0, row, col; /* rows are row + 8 r, columns col + 4 VEC g + v */
};

template <class T> static __device__ __forceinline__ spot spot_of(unsigned row0, unsigned col0)
{
    const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32, down = T::DOWN / 8;
    const spot s = {row0, col0, warp % down * 8 * T::EACH_ROWS + lane / 4,
                    warp / down * 4 * T::EACH_COLS + lane % 4 * T::VEC};
    return s;
}

/* Sends slice k .. k + DEPTH on its way. All threads. */
template <class T>
static __device__ __forceinline__ void send_slice(const fold<typename T::cell> &q, const spot &s, unsigned k,
                                                  typename T::cell *stage)
{
#pragma unroll
    for (unsigned i = threadIdx.x; i < T::ROWS * 4; i += T::THREADS)
        simt_copy16_async(stage + i / 4 * T::A_PITCH + i % 4 * T::VEC,
                          q.a + (uint64_t)(s.row0 + i / 4) * q.pitch_a + k + i % 4 * T::VEC);
    stage += T::A_CELLS;
#pragma unroll
    for (unsigned i = threadIdx.x; i < T::DEPTH * T::PARTS; i += T::THREADS)
        simt_copy16_async(stage + i * T::VEC,
                          q.b + (uint64_t)(k + i / T::PARTS) * q.pitch_b + s.col0 + i % T::PARTS * T::VEC);
}

template <class T>
static __device__ __forceinline__ void load_cols(const typename T::cell *row, typename T::cell (&b)[T::EACH_COLS])
{
    typedef cells16<typename T::cell> cells;
#pragma unroll
    for (int g = 0; g < T::EACH_COLS / T::VEC; g++) {
        const cells x = load_cells(row + g * 4 * T::VEC);
#pragma unroll
        for (int v = 0; v < T::VEC; v++)
            b[g * T::VEC + v] = x.x[v];
    }
}

/* One slice into the thread's cells. */
template <class T>
static __device__ __forceinline__ void multiply(const typename T::cell *stage, const spot &s, held<T> &mine)
{
    typedef cells16<typename T::cell> cells;
    const typename T::cell *a_at = stage + s.row * T::A_PITCH, *b_at = stage + T::A_CELLS + s.col;
#pragma unroll 1
    for (int k = 0; k < T::DEPTH; k += T::VEC) {
        cells a[T::EACH_ROWS];
#pragma unroll
        for (int r = 0; r < T::EACH_ROWS; r++)
            a[r] = load_cells(a_at + r * 8 * T::A_PITCH + k);
#pragma unroll
        for (int h = 0; h < T::VEC; h += 2) {
            typename T::cell b0[T::EACH_COLS], b1[T::EACH_COLS];
            load_cols<T>(b_at + (k + h) * T::COLS, b0);
            load_cols<T>(b_at + (k + h + 1) * T::COLS, b1);
#pragma unroll
            for (int r = 0; r < T::EACH_ROWS; r++)
#pragma unroll
                for (int j = 0; j < T::EACH_COLS; j++)
                    mine.c[r][j] = T::ring::least(mine.c[r][j], a[r].x[h], b0[j], a[r].x[h + 1], b1[j]);
        }
    }
}

/* The least sum of a group. */
template <class T>
static __device__ __forceinline__ typename T::cell least_of_group(const cells16<typename T::cell> &a,
                                                                  const typename T::cell (&b)[T::VEC][T::EACH_COLS],
                                                                  int j)
{
    typename T::cell x = T::ring::sum(a.x[0], b[0][j]);
    if (T::VEC == 2)
        return T::ring::least(x, a.x[1], b[1][j], a.x[1], b[1][j]);
    x = T::ring::least(x, a.x[1], b[1][j], a.x[T::VEC / 2], b[T::VEC / 2][j]);
    const typename T::cell y = T::ring::sum(a.x[T::VEC - 1], b[T::VEC - 1][j]);
    return y < x ? y : x;
}

/* The same with groups; `first` is the first of the slice. */
template <class T>
static __device__ __forceinline__ void multiply_followed(const typename T::cell *stage, const spot &s, unsigned first,
                                                         held<T> &mine)
{
    typedef cells16<typename T::cell> cells;
    const typename T::cell *a_at = stage + s.row * T::A_PITCH, *b_at = stage + T::A_CELLS + s.col;
#pragma unroll 1
    for (int k = 0; k < T::DEPTH; k += T::VEC) {
        const uint32_t group = first + (unsigned)k / T::VEC;
        typename T::cell b[T::VEC][T::EACH_COLS];
#pragma unroll
        for (int h = 0; h < T::VEC; h++)
            load_cols<T>(b_at + (k + h) * T::COLS, b[h]);
#pragma unroll
        for (int r = 0; r < T::EACH_ROWS; r++) {
            const cells a = load_cells(a_at + r * 8 * T::A_PITCH + k);
#pragma unroll
            for (int j = 0; j < T::EACH_COLS; j++) {
                const typename T::cell x = least_of_group<T>(a, b, j);
                const uint32_t was = mine.group[r][j / 4];
                const uint32_t now = (was & ~(0xffu << j % 4 * 8)) | group << j % 4 * 8;
                mine.group[r][j / 4] = x < mine.c[r][j] ? now : was;
                mine.c[r][j] = x < mine.c[r][j] ? x : mine.c[r][j];
            }
        }
    }
}

/* The k of a group whose sum is the cell's value: the vertex that the walk passes (M3). There is one, if it fell. */
template <class T>
static __device__ __forceinline__ unsigned find_middle(const fold<typename T::cell> &q, const spot &s,
                                                       const typename T::cell *ring, unsigned row, unsigned col,
                                                       unsigned group, typename T::cell value)
{
    const bool here = q.depth <= T::STAGES * T::DEPTH;
    const typename T::cell *stage = ring + group / 4 * T::STAGE;
    const typename T::cell *a = here ? stage + row * T::A_PITCH + group % 4 * T::VEC
                                     : q.a + (uint64_t)(s.row0 + row) * q.pitch_a + group * T::VEC;
    const typename T::cell *b = here ? stage + T::A_CELLS + group % 4 * T::VEC * T::COLS + col
                                     : q.b + (uint64_t)(group * T::VEC) * q.pitch_b + s.col0 + col;
    const uint64_t step = here ? (uint64_t)T::COLS : q.pitch_b;
    const cells16<typename T::cell> mine = load_cells(a);
    unsigned k = T::VEC;
#pragma unroll
    for (int i = T::VEC - 1; i >= 0; i--)
        k = T::ring::sum(mine.x[i], b[i * step]) == value ? (unsigned)i : k;
    return group * T::VEC + k;
}

/* Writes the thread's cells of one row; have any fallen, where that is asked? */
template <class T>
static __device__ __forceinline__ bool write_row(const fold<typename T::cell> &q, const spot &s, unsigned row,
                                                 const typename T::cell (&c)[T::EACH_COLS])
{
    typedef cells16<typename T::cell> cells;
    bool fell = false;
#pragma unroll
    for (int g = 0; g < T::EACH_COLS / T::VEC; g++) {
        const unsigned col = s.col0 + s.col + (unsigned)g * 4 * T::VEC;
        const uint64_t at = (uint64_t)row * q.pitch + col;
        cells x;
        if (col - q.kept < q.kept_many) /* M2 */
            continue;
        if (q.fell != NULL) {
            const cells old = load_cells(q.in + at);
#pragma unroll
            for (int v = 0; v < T::VEC; v++)
                fell |= c[g * T::VEC + v] < old.x[v];
        }
#pragma unroll
        for (int v = 0; v < T::VEC; v++)
            x.x[v] = c[g * T::VEC + v];
        *reinterpret_cast<cells *>(q.out + at) = x;
    }
    return fell;
}

/* The parents of the cells of a row that fell (M4). All are looked for at once, those that did not fall in group 0: the
 * loads of eight columns are on their way together. */
template <class T>
static __device__ __forceinline__ void follow_row(const fold<typename T::cell> &q, const spot &s, unsigned row,
                                                  const typename T::cell *ring,
                                                  const typename T::cell (&c)[T::EACH_COLS],
                                                  const uint32_t (&groups)[T::EACH_COLS / 4])
{
    unsigned k[T::EACH_COLS], fell = 0;
    uint32_t all = ~0u;
#pragma unroll
    for (int i = 0; i < T::EACH_COLS / 4; i++)
        all &= groups[i];
    if (all == ~0u) /* NO_GROUP everywhere */
        return;
#pragma unroll
    for (int j = 0; j < T::EACH_COLS; j++) {
        const unsigned group = groups[j / 4] >> j % 4 * 8 & 0xff;
        const unsigned col = s.col + (unsigned)(j / T::VEC * 4 * T::VEC + j % T::VEC);
        const bool mine = group != NO_GROUP && s.col0 + col - q.kept >= q.kept_many;
        k[j] = find_middle<T>(q, s, ring, row, col, mine ? group : 0, c[j]);
        SIMT_ASSERT(!mine || k[j] < (group + 1) * T::VEC);
        fell |= mine ? 1u << j : 0;
        k[j] = mine ? k[j] : 0;
    }
#pragma unroll
    for (int j = 0; j < T::EACH_COLS; j++)
        k[j] = q.p_b[(uint64_t)k[j] * q.pitch_p + s.col0 + s.col + (unsigned)(j / T::VEC * 4 * T::VEC + j % T::VEC)];
#pragma unroll
    for (int j = 0; j < T::EACH_COLS; j++)
        if ((fell >> j & 1) != 0)
            q.p[(uint64_t)(s.row0 + row) * q.pitch + s.col0 + s.col
                + (unsigned)(j / T::VEC * 4 * T::VEC + j % T::VEC)] = k[j];
}

/* The tile's cells back to the matrix. */
template <class T>
static __device__ __forceinline__ void write_tile(const fold<typename T::cell> &q, const spot &s,
                                                  const typename T::cell *ring, const held<T> &mine)
{
    bool fell = false;
#pragma unroll
    for (int r = 0; r < T::EACH_ROWS; r++) {
        const unsigned row = s.row + (unsigned)r * 8;
        if (s.row0 + row - q.kept < q.kept_many) /* M2 */
            continue;
        fell |= write_row<T>(q, s, s.row0 + row, mine.c[r]);
        if (T::FOLLOWS)
            follow_row<T>(q, s, row, ring, mine.c[r], mine.group[r]);
    }
    if (fell)
        simt_store_relaxed(q.fell, 1u);
}

/* One tile whose first cell is row0, col0. All threads of the block. */
template <class T>
static __device__ __forceinline__ void fold_tile(const fold<typename T::cell> &q, unsigned row0, unsigned col0)
{
    typedef typename T::cell cell;
    const spot s = spot_of<T>(row0, col0);
    const unsigned slices = q.depth / T::DEPTH;
    held<T> mine;
    SIMT_SHARED_DYNAMIC(cell, ring);
    for (unsigned i = 0; i < T::STAGES - 1; i++) {
        if (i < slices)
            send_slice<T>(q, s, i * T::DEPTH, ring + i * T::STAGE);
        simt_copy_commit();
    }
#pragma unroll
    for (int r = 0; r < T::EACH_ROWS; r++) {
        load_cols<T>(q.in + (uint64_t)(row0 + s.row + (unsigned)r * 8) * q.pitch + col0 + s.col, mine.c[r]);
#pragma unroll
        for (int j = 0; j < T::EACH_COLS / 4; j++)
            mine.group[r][j] = NO_GROUP * 0x01010101u;
    }
    for (unsigned i = 0; i < slices; i++) {
        const unsigned next = i + T::STAGES - 1;
        simt_copy_wait<T::STAGES - 2>();
        __syncthreads();
        if (next < slices)
            send_slice<T>(q, s, next * T::DEPTH, ring + next % T::STAGES * T::STAGE);
        simt_copy_commit();
        if (T::FOLLOWS)
            multiply_followed<T>(ring + i % T::STAGES * T::STAGE, s, i * 4, mine);
        else
            multiply<T>(ring + i % T::STAGES * T::STAGE, s, mine);
    }
    write_tile<T>(q, s, ring, mine);
}

/* The block's tile of the part that is asked for; false: none. */
static __device__ __forceinline__ bool pick_tile(const fold_part &part, unsigned *down, unsigned *across)
{
    const unsigned i = blockIdx.x, lying = part.rows * part.across; /* of the cross: its rows first, then its columns */
    const bool cross = part.which == FOLD_CROSS;
    *down = !cross || i < lying ? i / part.across : (i - lying) / part.cols;
    *across = !cross || i < lying ? i % part.across : part.col + (i - lying) % part.cols;
    if (cross && i < lying)
        *down += part.row;
    const bool in_rows = *down - part.row < part.rows, in_cols = *across - part.col < part.cols;
    return part.which == FOLD_ALL || (cross ? i < lying || !in_rows : !in_rows && !in_cols);
}

/* Tiles of the whole of c, or of a part. */
template <class R, int Form>
static __global__ void __launch_bounds__((tiling<R, Form>::THREADS), (tiling<R, Form>::TWO ? 2 : 1))
    fold_kernel(const __grid_constant__ fold<typename R::cell> q, const fold_part part)
{
    typedef tiling<R, Form> T;
    unsigned down, across;
    if (!pick_tile(part, &down, &across))
        return;
    if (down * T::ROWS - q.kept < q.kept_many && T::ROWS <= (int)q.kept_many) /* all of it is kept */
        return;
    fold_tile<T>(q, down * T::ROWS, across * T::COLS);
}

/* The rows of the pivot, each strip of them in place, and its columns; without the pivot itself (M2). */
template <class R, int Form>
static __global__ void __launch_bounds__((strips<R, Form>::rows::THREADS), 1)
    panel_kernel(const __grid_constant__ fold<typename R::cell> rows,
                 const __grid_constant__ fold<typename R::cell> cols, unsigned many)
{
    typedef typename strips<R, Form>::rows Rows;
    typedef typename strips<R, Form>::cols Cols;
    const unsigned i = blockIdx.x;
    if (i < many && i * Rows::COLS - rows.pivot >= Rows::PIVOT)
        fold_tile<Rows>(rows, 0, i * Rows::COLS);
    else if (i >= many && (i - many) * Cols::ROWS - cols.pivot >= Cols::PIVOT)
        fold_tile<Cols>(cols, (i - many) * Cols::ROWS, 0);
}

/* ---- the pivot --------------------------------------------------------------------------------------------------- */

/* Floyd and Warshall's loop over a square of PIVOT vertices, in registers; row and column k are passed round in shared
 * memory, in two turns, so that one barrier a step is enough. */
template <class R, int Form> struct closing {
    typedef R ring;
    typedef typename R::cell cell;
    enum {
        SIDE = tiling<R, Form>::PIVOT,
        EACH_ROWS = SIDE == 32 || sizeof(cell) == 8 ? 4 : 8,
        EACH_COLS = 8,
        ACROSS = SIDE / EACH_COLS,
        THREADS = SIDE / EACH_ROWS * ACROSS,
        VEC = 16 / (int)sizeof(cell),
        FOLLOWS = tiling<R, Form>::FOLLOWS
    };
    struct __align__(16) share
    {
        cell row[2][SIDE], col[2][SIDE];
        uint32_t parent[2][FOLLOWS ? SIDE : 1];
    };
    struct mine {
        cell c[EACH_ROWS][EACH_COLS];
        uint32_t p[EACH_ROWS][EACH_COLS];
        unsigned row, col; /* the first of each */
    };
};

/* The owners of row and column k show them; j is k's place in the unrolled loop. */
template <class C>
static __device__ __forceinline__ void show_cross(typename C::share *share, unsigned k, int j,
                                                  const typename C::mine &me)
{
    const unsigned turn = k & 1;
    if (k - me.row < C::EACH_ROWS) {
#pragma unroll
        for (int i = 0; i < C::EACH_COLS; i++)
            share->row[turn][me.col + i] = me.c[j % C::EACH_ROWS][i];
#pragma unroll
        for (int i = 0; C::FOLLOWS && i < C::EACH_COLS; i++)
            share->parent[turn][me.col + i] = me.p[j % C::EACH_ROWS][i];
    }
    if (k - me.col < C::EACH_COLS)
#pragma unroll
        for (int i = 0; i < C::EACH_ROWS; i++)
            share->col[turn][me.row + i] = me.c[i][j % C::EACH_COLS];
}

/* Count cells in a row of shared memory, 16 bytes at a time. */
template <class C, int Count>
static __device__ __forceinline__ void read_cells(const typename C::cell *from, typename C::cell (&to)[Count])
{
    typedef cells16<typename C::cell> cells;
#pragma unroll
    for (int i = 0; i < Count; i += C::VEC) {
        const cells x = load_cells(from + i);
#pragma unroll
        for (int v = 0; v < C::VEC; v++)
            to[i + v] = x.x[v];
    }
}

template <class C>
static __device__ __forceinline__ void pass_vertex(const typename C::share *share, unsigned k, typename C::mine &me)
{
    typename C::cell a[C::EACH_ROWS], b[C::EACH_COLS];
    const unsigned turn = k & 1;
    read_cells<C>(&share->col[turn][me.row], a);
    read_cells<C>(&share->row[turn][me.col], b);
#pragma unroll
    for (int i = 0; i < C::EACH_COLS; i++) {
        const uint32_t parent = C::FOLLOWS ? share->parent[turn][me.col + i] : 0;
#pragma unroll
        for (int r = 0; r < C::EACH_ROWS; r++) {
            const typename C::cell x = C::ring::sum(a[r], b[i]);
            if (C::FOLLOWS)
                me.p[r][i] = x < me.c[r][i] ? parent : me.p[r][i];
            me.c[r][i] = x < me.c[r][i] ? x : me.c[r][i];
        }
    }
}

/* Reads the square (back false), or writes it. */
template <class C>
static __device__ __forceinline__ void move_square(const fold<typename C::cell> &q, typename C::mine &me, bool back)
{
#pragma unroll
    for (int r = 0; r < C::EACH_ROWS; r++)
#pragma unroll
        for (int i = 0; i < C::EACH_COLS; i++) {
            const uint64_t at = (me.row + r) * q.pitch + me.col + i;
            if (back)
                q.out[at] = me.c[r][i];
            else
                me.c[r][i] = q.in[at];
            if (C::FOLLOWS && back)
                q.p[at] = me.p[r][i];
            else if (C::FOLLOWS)
                me.p[r][i] = q.p[at];
        }
}

/* Closes the square at q.in. One block. */
template <class R, int Form>
static __global__ void __launch_bounds__((closing<R, Form>::THREADS), 1)
    close_kernel(const __grid_constant__ fold<typename R::cell> q)
{
    typedef closing<R, Form> C;
    typename C::mine me;
    SIMT_SHARED(typename C::share, share, 1);
    me.row = threadIdx.x / C::ACROSS * C::EACH_ROWS;
    me.col = threadIdx.x % C::ACROSS * C::EACH_COLS;
    move_square<C>(q, me, false);
    for (unsigned base = 0; base < C::SIDE; base += 8)
#pragma unroll
        for (int j = 0; j < 8; j++) {
            show_cross<C>(share, base + j, j, me);
            __syncthreads();
            pass_vertex<C>(share, base + j, me);
        }
    move_square<C>(q, me, true);
}

} /* namespace SIMT_FLAVOUR */

#endif
