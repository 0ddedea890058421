/* minplus_tile.cuh - what a tile of a product over (min, +) is made of: rings, sizes, slices on their way, a slice
 * multiplied, cells and parents written. Method and invariants: minplus.cuh. */
#ifndef NF_GPU_MINPLUS_TILE_CUH
#define NF_GPU_MINPLUS_TILE_CUH

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

/* least: min(c, a0 + b0, a1 + b1); a ring's order is that of its cells. least_by_both: the same with the sums made by
 * the multiplier (one is 1, which the compiler must not know), so that it and the integer unit share the work. */
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
    static __device__ __forceinline__ cell least_by_both(cell c, cell a0, cell b0, cell a1, cell b1, int one)
    {
        return simt_min3(a0 * one + b0, a1 * one + b1, c);
    }
};

/* 16 bits, two cells in a word: the lower half is the column before. */
struct ring_i16 {
    typedef int16_t cell;
    static __device__ __forceinline__ uint32_t least(uint32_t c, uint32_t a0, uint32_t b0, uint32_t a1, uint32_t b1)
    {
        return simt_addmin2(a1, b1, simt_addmin2(a0, b0, c));
    }
};

/* The same where none is negative: two sums below 2^15 do not meet in their word, so one addition makes both. */
struct ring_n16 : ring_i16 {
    static __device__ __forceinline__ uint32_t least_by_both(uint32_t c, uint32_t a0, uint32_t b0, uint32_t a1,
                                                             uint32_t b1, uint32_t one)
    {
        return simt_min3_2(a0 * one + b0, a1 * one + b1, c);
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

/* Are its operands loaded a step before their use? */
template <class R> struct loads_ahead {
    enum { YES = false };
};

template <> struct loads_ahead<ring_p32> {
    enum { YES = true };
};

/* Of 16 words, those that are folded by `least`; the others by least_by_both. H200, the product alone, i32 in a kernel
 * like this one, 1e12 steps a second at depths 256 / 1024: 16 of 16 14.4 / 14.9, 8 15.3 / 15.8, 6 16.0 / 16.6,
 * 5 15.6 / 16.2, none 12.7 / 13.1. */
template <class R> struct words_by_least {
    enum { MANY = 16 };
};

template <> struct words_by_least<ring_i32> {
    enum { MANY = 6 };
};

template <> struct words_by_least<ring_n16> {
    enum { MANY = 6 };
};

/* What a register holds of a ring's cells: one, or two of 16 bits. */
template <class Cell> struct word_of {
    typedef Cell word;
};

template <> struct word_of<int16_t> {
    typedef uint32_t word;
};

/* Slabs that a lazy tile may have to list, and the bytes of the list: their number, then theirs (minplus_lazy.cuh). */
enum { SLABS_MOST = 1024, LIVE_BYTES = 2 * SLABS_MOST + 16 };

/* ---- tiles ------------------------------------------------------------------------------------------------------- */

/* A warp is 8 threads down and 4 across. Two blocks are on a multiprocessor, so that one reads and writes its tile
 * while the other multiplies. H200, 1e12 steps a second of the product alone at depths 256 / 1024
 * (docs/results/apsp-h200.md): 8 x 16 words a thread in blocks of 128 i32 14.8 / 15.3, i16 28.2 / 29.6, f64 4.55 /
 * 4.65, against 8 x 8 in blocks of 256 14.4 / 14.8, 25.6 / 27.1 and (one block, as many words) 4.06 / 4.17. Floats
 * that are not negative 8 x 8 and operands loaded ahead 16.1 / 16.7, 8 x 16 15.2 / 15.9, 8 x 8 14.9 / 15.4. Parents
 * take the registers for more than 8 x 8; lazy forms ask for 8 columns at once. Strips of the panels are narrower, so
 * that there are enough of them. */
template <class R, int Form> struct tiling {
    typedef R ring;
    typedef typename R::cell cell;
    typedef typename word_of<cell>::word word;
    enum {
        FOLLOWS = (Form & FORM_FOLLOWED) != 0,
        LAZY = (Form & FORM_LAZY) != 0,
        PACKED = (Form & FORM_PACKED) != 0,
        BASE = Form & ~(FORM_FOLLOWED | FORM_LAZY | FORM_PACKED),
        VEC = 16 / (int)sizeof(cell), /* cells in 16 bytes */
        DEPTH = 4 * VEC,              /* of a slice */
        PLAIN = !FOLLOWS && !LAZY,
        AHEAD = BASE == FORM_LARGE && PLAIN && loads_ahead<R>::YES,
        WIDE = BASE == FORM_LARGE && PLAIN && !AHEAD,
        TWICE = FOLLOWS && VEC == 4, /* cells as they were before a group are kept beside those that are */
        EACH_ROWS = BASE == FORM_SMALL || (TWICE && BASE == FORM_LARGE) ? 4 : 8,
        EACH_COLS = WIDE ? 4 * VEC : 8,
        PAIRED = VEC == 8, /* two cells in a word */
        PER = 16 / (int)sizeof(word),
        WORDS = PAIRED ? EACH_COLS / 2 : EACH_COLS, /* of a thread's row */
        DOWN = BASE == FORM_LARGE || BASE == FORM_TALL ? 16 : 8,
        ACROSS = BASE == FORM_SMALL                                   ? 4
                 : (BASE == FORM_LARGE && !WIDE) || BASE == FORM_FLAT ? 16
                                                                      : 8,
        THREADS = DOWN * ACROSS,
        ROWS = DOWN * EACH_ROWS,
        COLS = ACROSS * EACH_COLS,
        PIVOT = BASE == FORM_SMALL                ? 32
                : BASE == FORM_MEDIUM || VEC == 2 ? 64
                                                  : 128,
        PARTS = COLS / VEC,                             /* 16 bytes of a row of b */
        TWO = WIDE || (BASE == FORM_LARGE && VEC != 2), /* blocks on a multiprocessor */
        STAGES = PAIRED            ? (BASE == FORM_SMALL ? 2 : 4)
                 : TWO && !FOLLOWS ? 4
                                   : PIVOT / DEPTH, /* parents of one pivot are looked for in them */
        GROUP = TWICE ? 2 * VEC : VEC,              /* k whose sums are compared at once for a parent (M3) */
        GROUPS = DEPTH / GROUP,                     /* of a slice */
        FOLLOW_MOST = 128 * GROUP,                  /* M3 */
        A_PITCH = PACKED ? DEPTH : DEPTH + VEC,
        A_CELLS = ROWS * A_PITCH,
        STAGE = A_CELLS + DEPTH * COLS,
        SHARED = STAGES * STAGE * (int)sizeof(cell) + (LAZY ? (int)LIVE_BYTES : 0)
    };
};

template <class Cell> struct __align__(16) cells16
{
    Cell x[16 / sizeof(Cell)];
};

/* 16 bytes in one load; the emulator looks at the address. */
template <class Word, class Cell> static __device__ __forceinline__ cells16<Word> load_words(const Cell *from)
{
    const uint4 bits = simt_load16(from);
    cells16<Word> x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

template <class Cell> static __device__ __forceinline__ cells16<Cell> load_cells(const Cell *from)
{
    return load_words<Cell>(from);
}

/* 16 bytes in one store. */
template <class Word, class Cell> static __device__ __forceinline__ void store_words(Cell *to, const cells16<Word> &x)
{
    cells16<Cell> cells;
    memcpy(&cells, &x, sizeof cells);
    *reinterpret_cast<cells16<Cell> *>(to) = cells;
}

/* Strips that hold all rows, or all columns, of the pivot. */
template <class R, int Form> struct strips {
    enum {
        FOLLOWED = Form & (FORM_FOLLOWED | FORM_LAZY),
        LARGE = (Form & ~FOLLOWED) == FORM_LARGE,
        LONG = LARGE && sizeof(typename R::cell) <= 4,
        SHORT = LARGE ? (int)FORM_MEDIUM | (int)FOLLOWED : Form
    };
    typedef tiling<R, LONG ? (int)FORM_TALL | (int)FOLLOWED : (int)SHORT> rows;
    typedef tiling<R, LONG ? (int)FORM_FLAT | (int)FOLLOWED : (int)SHORT> cols;
};

/* The same in squares, by the tiles of products, where these are as large as the pivot: half as many blocks, each of
 * which takes no more of a multiprocessor than one of a product does. They are for matrices whose product, beside
 * which they run, is what takes the time. */
template <class R, int Form> struct squares {
    typedef tiling<R, Form> rows;
    typedef tiling<R, Form> cols;
    enum {
        FIT = (int)rows::BASE == (int)FORM_LARGE && rows::PLAIN && (int)rows::ROWS == (int)rows::PIVOT
              && (int)rows::COLS == (int)rows::PIVOT
    };
};

/* A thread's cells, and of each the group it fell to last, or NO_GROUP, a byte each. */
template <class T> struct held {
    typename T::word c[T::EACH_ROWS][T::WORDS];
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

/* The first 16 bytes of a and of b that a thread sends of a slice, at k = 0. */
template <class Cell> struct route {
    const Cell *a, *b;
};

template <class T>
static __device__ __forceinline__ route<typename T::cell> route_of(const fold<typename T::cell> &q, const spot &s)
{
    const unsigned i = threadIdx.x;
    const route<typename T::cell> way = {q.a + (uint64_t)(s.row0 + i / 4) * q.pitch_a + i % 4 * T::VEC,
                                         q.b + (uint64_t)(i / T::PARTS) * q.pitch_b + s.col0 + i % T::PARTS * T::VEC};
    return way;
}

/* Sends slice k .. k + DEPTH on its way. All threads. */
template <class T>
static __device__ __forceinline__ void send_slice(const fold<typename T::cell> &q, const route<typename T::cell> &way,
                                                  unsigned k, typename T::cell *stage)
{
    const int a_rows = (int)T::THREADS / 4, b_rows = (int)T::THREADS / (int)T::PARTS; /* at once */
    static_assert(T::ROWS % a_rows == 0 && T::DEPTH % b_rows == 0, "every thread sends as much");
    const typename T::cell *const a = way.a + k, *const b = way.b + k * q.pitch_b;
    typename T::cell *const a_to = stage + threadIdx.x / 4 * T::A_PITCH + threadIdx.x % 4 * T::VEC;
    typename T::cell *const b_to = stage + T::A_CELLS + threadIdx.x * T::VEC;
#pragma unroll
    for (int i = 0; i < T::ROWS / a_rows; i++)
        simt_copy16_async(a_to + i * a_rows * T::A_PITCH, a + i * a_rows * q.pitch_a);
#pragma unroll
    for (int i = 0; i < T::DEPTH / b_rows; i++)
        simt_copy16_async(b_to + i * T::THREADS * T::VEC, b + i * b_rows * q.pitch_b);
}

template <class T>
static __device__ __forceinline__ void load_cols(const typename T::cell *row, typename T::word (&b)[T::WORDS])
{
#pragma unroll
    for (int g = 0; g < T::EACH_COLS / T::VEC; g++) {
        const cells16<typename T::word> x = load_words<typename T::word>(row + g * 4 * T::VEC);
#pragma unroll
        for (int v = 0; v < T::PER; v++)
            b[g * T::PER + v] = x.x[v];
    }
}

/* The cell of k = h, for every column of a word. */
template <class T> static __device__ __forceinline__ typename T::word spread(const cells16<typename T::word> &a, int h)
{
    if constexpr (T::PAIRED)
        return simt_twice(a.x[h / 2], h % 2);
    else
        return a.x[h];
}

/* Two k into a cell, or a word of cells, of column j. */
template <class T>
static __device__ __forceinline__ typename T::word fold_word(typename T::word c, typename T::word a0,
                                                             typename T::word b0, typename T::word a1,
                                                             typename T::word b1, int j, unsigned one)
{
    if constexpr (T::WIDE && (int)words_by_least<typename T::ring>::MANY < 16)
        if (j % 16 >= (int)words_by_least<typename T::ring>::MANY)
            return T::ring::least_by_both(c, a0, b0, a1, b1, one);
    (void)j;
    (void)one;
    return T::ring::least(c, a0, b0, a1, b1);
}

/* One slice into the thread's cells. */
template <class T>
static __device__ __forceinline__ void multiply(const typename T::cell *stage, const spot &s, unsigned one,
                                                held<T> &mine)
{
    typedef typename T::word word;
    const typename T::cell *a_at = stage + s.row * T::A_PITCH, *b_at = stage + T::A_CELLS + s.col;
#pragma unroll 1
    for (int k = 0; k < T::DEPTH; k += T::VEC) {
        cells16<word> a[T::EACH_ROWS];
#pragma unroll
        for (int r = 0; r < T::EACH_ROWS; r++)
            a[r] = load_words<word>(a_at + r * 8 * T::A_PITCH + k);
#pragma unroll
        for (int h = 0; h < T::VEC; h += 2) {
            word b0[T::WORDS], b1[T::WORDS];
            load_cols<T>(b_at + (k + h) * T::COLS, b0);
            load_cols<T>(b_at + (k + h + 1) * T::COLS, b1);
#pragma unroll
            for (int r = 0; r < T::EACH_ROWS; r++) {
                const word a0 = spread<T>(a[r], h), a1 = spread<T>(a[r], h + 1);
#pragma unroll
                for (int j = 0; j < T::WORDS; j++)
                    mine.c[r][j] = fold_word<T>(mine.c[r][j], a0, b0[j], a1, b1[j], j, one);
            }
        }
    }
}

/* Two k of a's rows and of b's columns. */
template <class T> struct operands {
    typename T::word a[T::EACH_ROWS][2], b[2][T::WORDS];
};

template <class Word> struct __align__(8) pair
{
    Word x[2];
};

template <class T>
static __device__ __forceinline__ void load_operands(const typename T::cell *stage, const spot &s, int k,
                                                     operands<T> &x)
{
    typedef pair<typename T::word> words;
    const typename T::cell *a_at = stage + s.row * T::A_PITCH + k, *b_at = stage + T::A_CELLS + s.col + k * T::COLS;
#pragma unroll
    for (int r = 0; r < T::EACH_ROWS; r++) {
        const words a = *reinterpret_cast<const words *>(a_at + r * 8 * T::A_PITCH);
        x.a[r][0] = a.x[0];
        x.a[r][1] = a.x[1];
    }
    load_cols<T>(b_at, x.b[0]);
    load_cols<T>(b_at + T::COLS, x.b[1]);
}

/* The same of packed slices: k / 2 is `pair`. */
template <class T>
static __device__ __forceinline__ void load_packed(const typename T::cell *stage, const spot &s, int pair,
                                                   operands<T> &x)
{
    typedef cells16<typename T::word> words;
    const typename T::cell *const a = stage + pair * 2 * T::ROWS + s.row / 16 * 32 + s.row % 8 * 4;
    const typename T::cell *const b = stage + T::A_CELLS + pair * 2 * T::COLS + s.col * 2;
    static_assert(T::VEC == 4 && T::EACH_ROWS % 2 == 0, "two rows, or two columns, in 16 bytes");
#pragma unroll
    for (int r = 0; r < T::EACH_ROWS; r += 2) {
        const words v = load_words<typename T::word>(a + r * 16);
        x.a[r][0] = v.x[0], x.a[r][1] = v.x[1];
        x.a[r + 1][0] = v.x[2], x.a[r + 1][1] = v.x[3];
    }
#pragma unroll
    for (int j = 0; j < T::WORDS; j += 2) {
        const words v = load_words<typename T::word>(b + j / 4 * 32 + j % 4 * 2);
        x.b[1][j] = v.x[0], x.b[0][j] = v.x[1];
        x.b[1][j + 1] = v.x[2], x.b[0][j + 1] = v.x[3];
    }
}

/* Row by row. */
template <class T> static __device__ __forceinline__ void fold_packed(const operands<T> &x, held<T> &mine)
{
#pragma unroll
    for (int r = 0; r < T::EACH_ROWS; r++)
#pragma unroll
        for (int j = 0; j < T::WORDS; j++)
            mine.c[r][j] = T::ring::least(mine.c[r][j], x.a[r][0], x.b[0][j], x.a[r][1], x.b[1][j]);
}

/* Rows there and back: a column, or a row, stays from one step to the next. */
template <class T> static __device__ __forceinline__ void fold_operands(const operands<T> &x, held<T> &mine)
{
#pragma unroll
    for (int r = 0; r < T::EACH_ROWS; r++)
#pragma unroll
        for (int i = 0; i < T::WORDS; i++) {
            const int j = r % 2 == 0 ? i : T::WORDS - 1 - i;
            mine.c[r][j] = T::ring::least(mine.c[r][j], x.a[r][0], x.b[0][j], x.a[r][1], x.b[1][j]);
        }
}

/* Two k of each cell of the thread. */
template <class T>
static __device__ __forceinline__ void fold_pair(const cells16<typename T::cell> (&a)[T::EACH_ROWS], int v,
                                                 const typename T::cell *b_at,
                                                 const typename T::cell (&from)[T::EACH_ROWS][T::EACH_COLS],
                                                 typename T::cell (&to)[T::EACH_ROWS][T::EACH_COLS])
{
    typename T::cell b0[T::EACH_COLS], b1[T::EACH_COLS];
    load_cols<T>(b_at, b0);
    load_cols<T>(b_at + T::COLS, b1);
#pragma unroll
    for (int r = 0; r < T::EACH_ROWS; r++)
#pragma unroll
        for (int j = 0; j < T::EACH_COLS; j++)
            to[r][j] = T::ring::least(from[r][j], a[r].x[v], b0[j], a[r].x[v + 1], b1[j]);
}

/* If x is below it, cell r, j falls, to a sum of a group. */
template <class T>
static __device__ __forceinline__ void note_fall(held<T> &mine, int r, int j, typename T::cell x, uint32_t group)
{
    if (x < mine.c[r][j])
        mine.group[r][j / 4] = simt_set_byte(mine.group[r][j / 4], j % 4, group);
}

/* One slice with groups; `first` is the first of the slice. */
template <class T>
static __device__ __forceinline__ void multiply_followed(const typename T::cell *stage, const spot &s, unsigned first,
                                                         held<T> &mine)
{
    typedef cells16<typename T::cell> cells;
    const typename T::cell *a_at = stage + s.row * T::A_PITCH, *b_at = stage + T::A_CELLS + s.col;
#pragma unroll 1
    for (int k = 0; k < T::DEPTH; k += T::GROUP) {
        const uint32_t group = first + (unsigned)k / T::GROUP;
        typename T::cell x[T::EACH_ROWS][T::EACH_COLS];
#pragma unroll
        for (int h = 0; h < T::GROUP; h += T::VEC) {
            cells a[T::EACH_ROWS];
#pragma unroll
            for (int r = 0; r < T::EACH_ROWS; r++)
                a[r] = load_cells(a_at + r * 8 * T::A_PITCH + k + h);
#pragma unroll
            for (int v = 0; v < T::VEC; v += 2)
                fold_pair<T>(a, v, b_at + (k + h + v) * T::COLS, h + v == 0 ? mine.c : x, x);
        }
#pragma unroll
        for (int r = 0; r < T::EACH_ROWS; r++)
#pragma unroll
            for (int j = 0; j < T::EACH_COLS; j++) {
                note_fall(mine, r, j, x[r][j], group);
                mine.c[r][j] = x[r][j]; /* never above it */
            }
    }
}

/* The same for cells of 64 bits, of which there are registers for one more a row: two k at a time. */
template <class T>
static __device__ __forceinline__ void multiply_followed_by_rows(const typename T::cell *stage, const spot &s,
                                                                 unsigned first, held<T> &mine)
{
    static_assert(T::TWICE || T::GROUP == 2, "a pair of k");
    const typename T::cell *a_at = stage + s.row * T::A_PITCH, *b_at = stage + T::A_CELLS + s.col;
#pragma unroll 1
    for (int k = 0; k < T::DEPTH; k += 2) {
        typename T::cell b0[T::EACH_COLS], b1[T::EACH_COLS];
        load_cols<T>(b_at + k * T::COLS, b0);
        load_cols<T>(b_at + (k + 1) * T::COLS, b1);
#pragma unroll
        for (int r = 0; r < T::EACH_ROWS; r++) {
            const cells16<typename T::cell> a = load_cells(a_at + r * 8 * T::A_PITCH + k);
#pragma unroll
            for (int j = 0; j < T::EACH_COLS; j++) {
                const typename T::cell x = T::ring::sum(a.x[0], b0[j]), y = T::ring::sum(a.x[1], b1[j]);
                const typename T::cell least = y < x ? y : x;
                note_fall(mine, r, j, least, first + (unsigned)k / 2);
                mine.c[r][j] = least < mine.c[r][j] ? least : mine.c[r][j];
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
    const typename T::cell *stage = ring + group / T::GROUPS * T::STAGE;
    const typename T::cell *a = here ? stage + row * T::A_PITCH + group % T::GROUPS * T::GROUP
                                     : q.a + (uint64_t)(s.row0 + row) * q.pitch_a + group * T::GROUP;
    const typename T::cell *b = here ? stage + T::A_CELLS + group % T::GROUPS * T::GROUP * T::COLS + col
                                     : q.b + (uint64_t)(group * T::GROUP) * q.pitch_b + s.col0 + col;
    const uint64_t step = here ? (uint64_t)T::COLS : q.pitch_b;
    unsigned k = T::GROUP;
#pragma unroll
    for (int h = T::GROUP - T::VEC; h >= 0; h -= T::VEC) {
        const cells16<typename T::cell> mine = load_cells(a + h);
#pragma unroll
        for (int i = T::VEC - 1; i >= 0; i--)
            k = T::ring::sum(mine.x[i], b[(h + i) * step]) == value ? (unsigned)(h + i) : k;
    }
    return group * T::GROUP + k;
}

/* Writes the thread's cells of one row; have any fallen (M1: changed), where that is asked? */
template <class T>
static __device__ __forceinline__ bool write_row(const fold<typename T::cell> &q, const spot &s, unsigned row,
                                                 const typename T::word (&c)[T::WORDS])
{
    typedef cells16<typename T::word> words;
    bool fell = false;
#pragma unroll
    for (int g = 0; g < T::EACH_COLS / T::VEC; g++) {
        const unsigned col = s.col0 + s.col + (unsigned)g * 4 * T::VEC;
        const uint64_t at = (uint64_t)row * q.pitch + col;
        words x;
        if (col - q.kept < q.kept_many) /* M2 */
            continue;
        if (q.fell != NULL) {
            const words old = load_words<typename T::word>(q.in + at);
#pragma unroll
            for (int v = 0; v < T::PER; v++)
                fell |= c[g * T::PER + v] != old.x[v];
        }
#pragma unroll
        for (int v = 0; v < T::PER; v++)
            x.x[v] = c[g * T::PER + v];
        store_words(q.out + at, x);
    }
    return fell;
}

/* Does this cell write parents, if it fell? Back: of both directions. */
template <bool Back, class Cell>
static __device__ __forceinline__ bool has_parents(const fold<Cell> &q, unsigned row, unsigned col)
{
    if (col - q.kept < q.kept_many) /* M2 */
        return false;
    return !Back || (q.upper ? col > row : col - q.pivot >= q.pivot_many); /* M5 */
}

/* M5: the parents of the way back, from column j to the row, of cells that fell; k: what they pass. */
template <class T>
static __device__ __forceinline__ void follow_back(const fold<typename T::cell> &q, const spot &s, unsigned row,
                                                   unsigned fell, const unsigned (&k)[T::EACH_COLS])
{
#pragma unroll
    for (int j = 0; j < T::EACH_COLS; j++)
        if ((fell >> j & 1) != 0) {
            const unsigned col = s.col0 + s.col + (unsigned)(j / T::VEC * 4 * T::VEC + j % T::VEC);
            q.p_back[(uint64_t)col * q.pitch + s.row0 + row] = q.p_b_back[(uint64_t)k[j] * q.pitch_back + s.row0 + row];
        }
}

/* The parents of the cells of a row that fell (M4). In large matrices, where shared memory is what counts, only these
 * are looked for; else all at once, those that did not fall in group 0, so that their loads are on their way together.
 */
template <class T, bool Back>
static __device__ __forceinline__ void follow_row(const fold<typename T::cell> &q, const spot &s, unsigned row,
                                                  const typename T::cell *ring,
                                                  const typename T::cell (&c)[T::EACH_COLS],
                                                  const uint32_t (&groups)[T::EACH_COLS / 4])
{
    const bool few = T::TWICE && T::TWO;
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
        const bool mine = group != NO_GROUP && has_parents<Back>(q, s.row0 + row, s.col0 + col);
        k[j] = 0;
        if (mine || !few)
            k[j] = find_middle<T>(q, s, ring, row, col, mine ? group : 0, c[j]);
        SIMT_ASSERT(!mine || k[j] < (group + 1) * T::GROUP);
        fell |= mine ? 1u << j : 0;
        k[j] = mine ? k[j] : 0;
    }
    if constexpr (Back)
        follow_back<T>(q, s, row, fell, k);
#pragma unroll
    for (int j = 0; j < T::EACH_COLS; j++)
        if (!few || (fell >> j & 1) != 0)
            k[j] =
                q.p_b[(uint64_t)k[j] * q.pitch_p + s.col0 + s.col + (unsigned)(j / T::VEC * 4 * T::VEC + j % T::VEC)];
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
        if constexpr (T::FOLLOWS) {
            if (q.p_back != NULL)
                follow_row<T, true>(q, s, row, ring, mine.c[r], mine.group[r]);
            else
                follow_row<T, false>(q, s, row, ring, mine.c[r], mine.group[r]);
        }
    }
    if (fell)
        simt_store_relaxed(q.fell, 1u);
}

} /* namespace SIMT_FLAVOUR */

#endif
