/* minplus.cuh - one product over (min, +) folded into a matrix, c = min(c, a * b), in tiles; and the closure of a small
 * square. What every dense method of all pairs is made of.
 *
 * Method: a block owns a tile of c and keeps it in registers, EACH_ROWS x EACH_COLS cells a thread. Slices of a and b,
 * 64 bytes of each row of a deep, travel by cp.async through a ring of stages in shared memory while earlier ones are
 * multiplied: one barrier a slice. Rows of a lie 80 bytes apart there, so that the eight rows a warp reads at once are
 * in different banks and nothing has to be transposed on the way; of b a warp reads 64 bytes, which all its rows share.
 * Two values of k are taken together (Ring::least): integers by two DPX additions with minimum, floats that are not
 * negative by two additions and one three-way minimum of their bits, with the operands of the next two k loaded
 * meanwhile (multiply_ahead). Cells of 16 bits lie two in a register, columns
 * side by side, so that a DPX instruction makes two steps; a's cell is doubled first, once for a row of them.
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
 *      vertex before j on a walk of that length, and never j;
 *   M5 of a symmetric matrix: the way back passes the same vertices, and the last before i on it is the parent of i in
 *      k's row. A cell that falls writes both, if it lies above the diagonal: the one below it, where a tile holds
 *      both, leaves them alone, as do columns of a block's own square in its rows. So one thread writes a parent;
 *   M6 packed operands are copies that nobody writes while they are read (where a cell lies in them: minplus_pack.cu).
 *      A stage is sent anew after a barrier that all threads pass with the last operands of what it held.
 * Cost: rows * cols * depth steps, (1 / COLS + 1 / ROWS) cells read from L2 for each, and each cell of c once each way.
 */
#ifndef NF_GPU_MINPLUS_CUH
#define NF_GPU_MINPLUS_CUH

#include "gpu/minplus_lazy.cuh"

namespace SIMT_FLAVOUR
{

/* The i-th slice that is multiplied: all in turn, or those that are alive. */
template <class T> static __device__ __forceinline__ unsigned slice_of(const uint16_t *live, unsigned i)
{
    enum { EACH = (int)FLAG_SIDE / (int)T::DEPTH };
    return T::LAZY ? live[1 + i / EACH] * EACH + i % EACH : i;
}

/* Its stage: where all slices have one of their own, find_middle looks for it there. */
template <class T> static __device__ __forceinline__ unsigned stage_of(const uint16_t *live, unsigned i, unsigned depth)
{
    return T::LAZY && T::FOLLOWS && depth <= T::STAGES * T::DEPTH ? slice_of<T>(live, i) : i % T::STAGES;
}

/* All slices, the operands of the next two k on their way while two are multiplied; the barrier comes before a slice's
 * last two, whose operands all threads have by then. The last slice has none to follow: its own first k are loaded. */
template <class T>
static __device__ __forceinline__ void multiply_ahead(const fold<typename T::cell> &q, const spot &s,
                                                      const route<typename T::cell> &way, typename T::cell *ring,
                                                      unsigned slices, held<T> &mine)
{
    typedef typename T::cell cell;
    operands<T> x[2];
    const cell *stage = ring;
    simt_copy_wait<T::STAGES - 2>();
    __syncthreads();
    load_operands<T>(stage, s, 0, x[0]);
#pragma unroll 1
    for (unsigned i = 0; i < slices; i++) {
        const unsigned next = i + T::STAGES - 1;
        if (next < slices)
            send_slice<T>(q, way, next * T::DEPTH, ring + next % T::STAGES * T::STAGE);
        simt_copy_commit();
#pragma unroll
        for (int k = 0; k < T::DEPTH; k += 2) {
            if (k + 2 == T::DEPTH) {
                simt_copy_wait<T::STAGES - 2>();
                __syncthreads();
                stage = ring + (i + 1 < slices ? i + 1 : i) % T::STAGES * T::STAGE;
            }
            load_operands<T>(stage, s, (k + 2) % T::DEPTH, x[(k / 2 + 1) % 2]);
            fold_operands<T>(x[k / 2 % 2], mine);
        }
    }
}

/* Sends slice i of packed operands on its way, by one thread: two pieces, as they lie. */
template <class T>
static __device__ __forceinline__ void send_packed(const typename T::cell *a, const typename T::cell *b, unsigned i,
                                                   typename T::cell *stage, simt_gate *gate)
{
    enum { A = T::A_CELLS, B = T::COLS * T::DEPTH, EACH = sizeof(typename T::cell) };
    simt_gate_expect(gate, (A + B) * EACH);
    simt_copy_bulk(stage, a + (uint64_t)i * A, A * EACH, gate);
    simt_copy_bulk(stage + A, b + (uint64_t)i * B, B * EACH, gate);
}

/* One tile of packed operands (M6): as multiply_ahead, but slices arrive by themselves, at the gate of their stage. */
template <class T>
static __device__ __forceinline__ void fold_packed_tile(const fold<typename T::cell> &q, unsigned down, unsigned across)
{
    typedef typename T::cell cell;
    const spot s = spot_of<T>(down * T::ROWS, across * T::COLS);
    const unsigned slices = q.depth / T::DEPTH;
    const cell *const a = q.a + (uint64_t)down * slices * T::A_CELLS;
    const cell *const b = q.b + (uint64_t)across * slices * (T::COLS * T::DEPTH);
    held<T> mine;
    operands<T> x[2];
    SIMT_SHARED_DYNAMIC(cell, ring);
    SIMT_SHARED(simt_gate, full, T::STAGES);
    if (threadIdx.x == 0)
        for (unsigned i = 0; i < T::STAGES; i++) {
            simt_gate_open(&full[i]);
            if (i < T::STAGES - 1 && i < slices)
                send_packed<T>(a, b, i, ring + i * T::STAGE, &full[i]);
        }
#pragma unroll
    for (int r = 0; r < T::EACH_ROWS; r++)
        load_cols<T>(q.in + (uint64_t)(s.row0 + s.row + (unsigned)r * 8) * q.pitch + s.col0 + s.col, mine.c[r]);
    __syncthreads(); /* the gates are open */
    simt_gate_wait(&full[0], 0);
    load_packed<T>(ring, s, 0, x[0]);
    unsigned at = 0, turn = 0,
             free = T::STAGES - 1; /* the stage that is multiplied, how often before, and an empty one */
#pragma unroll 1
    for (unsigned i = 0; i < slices; i++) {
        const cell *stage = ring + at * T::STAGE;
        if (threadIdx.x == 0 && i + T::STAGES - 1 < slices)
            send_packed<T>(a, b, i + T::STAGES - 1, ring + free * T::STAGE, &full[free]);
        free = at;
#pragma unroll
        for (int k = 0; k < T::DEPTH; k += 2) {
            if (k + 2 == T::DEPTH) { /* the last two k of a slice: all threads have their operands */
                if (i + 1 < slices) {
                    at = at + 1 == T::STAGES ? 0 : at + 1;
                    turn += at == 0 ? 1 : 0;
                    simt_gate_wait(&full[at], turn);
                }
                __syncthreads();
                stage = ring + at * T::STAGE;
            }
            load_packed<T>(stage, s, (k / 2 + 1) % (T::DEPTH / 2), x[(k / 2 + 1) % 2]);
            fold_packed<T>(x[k / 2 % 2], mine);
        }
    }
    write_tile<T>(q, s, ring, mine);
}

/* One tile whose first cell is row0, col0. All threads of the block. */
template <class T>
static __device__ __forceinline__ void fold_tile(const fold<typename T::cell> &q, unsigned row0, unsigned col0)
{
    typedef typename T::cell cell;
    const spot s = spot_of<T>(row0, col0);
    const route<cell> way = route_of<T>(q, s);
    unsigned slices = q.depth / T::DEPTH, skipped = 0;
    held<T> mine;
    SIMT_SHARED_DYNAMIC(cell, ring);
    uint16_t *const live = reinterpret_cast<uint16_t *>(ring + T::STAGES * T::STAGE);
    if constexpr (T::LAZY) {
        slices = find_live<T>(q, s, live) * (FLAG_SIDE / T::DEPTH);
        if (slices == 0) /* in is out */
            return;
    }
    for (unsigned i = 0; i < T::STAGES - 1; i++) {
        if (i < slices)
            send_slice<T>(q, way, slice_of<T>(live, i) * T::DEPTH, ring + stage_of<T>(live, i, q.depth) * T::STAGE);
        simt_copy_commit();
    }
#pragma unroll
    for (int r = 0; r < T::EACH_ROWS; r++) {
        load_cols<T>(q.in + (uint64_t)(row0 + s.row + (unsigned)r * 8) * q.pitch + col0 + s.col, mine.c[r]);
#pragma unroll
        for (int j = 0; j < T::EACH_COLS / 4; j++)
            mine.group[r][j] = NO_GROUP * 0x01010101u;
    }
    if constexpr (T::AHEAD)
        multiply_ahead<T>(q, s, way, ring, slices, mine);
    for (unsigned i = 0; !T::AHEAD && i < slices; i++) {
        const unsigned next = i + T::STAGES - 1;
        simt_copy_wait<T::STAGES - 2>();
        __syncthreads();
        if (next < slices)
            send_slice<T>(q, way, slice_of<T>(live, next) * T::DEPTH,
                          ring + stage_of<T>(live, next, q.depth) * T::STAGE);
        simt_copy_commit();
        const cell *const stage = ring + stage_of<T>(live, i, q.depth) * T::STAGE;
        if constexpr (T::LAZY)
            if (q.finite == NULL) {
                skipped += multiply_by_op<T>(stage, s, q.limit, slice_of<T>(live, i) * T::GROUPS, mine);
                continue;
            }
        if constexpr (T::TWICE)
            multiply_followed<T>(stage, s, slice_of<T>(live, i) * T::GROUPS, mine);
        else if constexpr (T::FOLLOWS)
            multiply_followed_by_rows<T>(stage, s, slice_of<T>(live, i) * T::GROUPS, mine);
        else
            multiply<T>(stage, s, q.one, mine);
    }
    write_tile<T>(q, s, ring, mine);
    if constexpr (T::LAZY)
        end_lazily<T>(q, s, mine, skipped);
}

/* The block's tile among those on the diagonal and above it: rows in pairs, from both ends, which have as many of them.
 * False: none. */
template <class T>
static __device__ __forceinline__ bool pick_upper(const fold_part &part, unsigned *down, unsigned *across)
{
    const unsigned one = part.top + blockIdx.y, other = part.top + part.down - 1 - blockIdx.y;
    const unsigned first = first_upper(one, T::ROWS, T::COLS), has = part.across - first;
    const bool mine = blockIdx.x < has;
    *down = mine ? one : other;
    *across = mine ? first + blockIdx.x : first_upper(other, T::ROWS, T::COLS) + blockIdx.x - has;
    return *across < part.across && (mine || one != other);
}

/* And in the rows and columns of the cross: the rows first. */
static __device__ __forceinline__ bool pick_cross(const fold_part &part, unsigned *down, unsigned *across)
{
    const bool lying = blockIdx.y < part.rows;
    *down = lying ? part.row + blockIdx.y : blockIdx.x;
    *across = lying ? blockIdx.x : part.col + blockIdx.y - part.rows;
    const bool meets = *down - part.row < part.rows && *across - part.col < part.cols;
    return *down < part.down && *across < part.across
           && (lying ? !part.apart || !meets : *down - part.row >= part.rows);
}

/* The block's tile of the part that is asked for; false: none. Places come from the grid without a division: they stay
 * out of the registers that a tile needs. */
template <class T>
static __device__ __forceinline__ bool pick_tile(const fold_part &part, unsigned *down, unsigned *across)
{
    const bool cross = part.which == FOLD_CROSS;
    *down = part.top + blockIdx.y;
    *across = blockIdx.x;
    if (cross ? !pick_cross(part, down, across) : part.upper && !pick_upper<T>(part, down, across))
        return false;
    if (*down - part.kept_row < part.kept_rows || *across - part.kept_col < part.kept_cols)
        return false;
    if (part.upper && *across < first_upper(*down, T::ROWS, T::COLS))
        return false;
    return part.which != FOLD_REST || (*down - part.row >= part.rows && *across - part.col >= part.cols);
}

/* The grid that it takes. */
template <class T> static dim3 grid_of(const fold_part &part)
{
    if (part.which == FOLD_CROSS)
        return dim3(part.across > part.down ? part.across : part.down, part.rows + part.cols);
    if (part.upper)
        return dim3(pair_upper(part.top, part.down, part.across, T::ROWS, T::COLS), (part.down + 1) / 2);
    return dim3(part.across, part.down);
}

/* Tiles of the whole of c, or of a part. */
template <class R, int Form>
static __global__ void __launch_bounds__((tiling<R, Form>::THREADS), (tiling<R, Form>::TWO ? 2 : 1))
    fold_kernel(const __grid_constant__ fold<typename R::cell> q, const fold_part part)
{
    typedef tiling<R, Form> T;
    unsigned down, across;
    if (!pick_tile<T>(part, &down, &across))
        return;
    if constexpr (T::PACKED)
        fold_packed_tile<T>(q, down, across);
    else
        fold_tile<T>(q, down * T::ROWS, across * T::COLS);
}

/* The rows of the pivot, each strip of them in place, and its columns; without the pivot itself (M2). */
template <class R, class Strips>
static __global__ void __launch_bounds__((Strips::rows::THREADS), (Strips::rows::TWO ? 2 : 1))
    panel_kernel(const __grid_constant__ fold<typename R::cell> rows,
                 const __grid_constant__ fold<typename R::cell> cols, unsigned many)
{
    typedef typename Strips::rows Rows;
    typedef typename Strips::cols Cols;
    const unsigned i = blockIdx.x;
    if (i < many && i * Rows::COLS - rows.pivot >= Rows::PIVOT)
        fold_tile<Rows>(rows, 0, i * Rows::COLS);
    else if (i >= many && (i - many) * Cols::ROWS - cols.pivot >= Cols::PIVOT)
        fold_tile<Cols>(cols, (i - many) * Cols::ROWS, 0);
}

/* ---- the pivot --------------------------------------------------------------------------------------------------- */

/* The ring that closes: cells of 16 bits in 32, which are as quick one by one. */
template <class R> struct closing_ring {
    typedef R ring;
};

template <> struct closing_ring<ring_i16> {
    typedef ring_i32 ring;
};

template <> struct closing_ring<ring_n16> {
    typedef ring_i32 ring;
};

/* Floyd and Warshall's loop over a square of PIVOT vertices, in registers; row and column k are passed round in shared
 * memory, in two turns, so that one barrier a step is enough. A step is two vertices, k and k + 1, whose sums are
 * compared at once (Ring::least): row and column k + 1 have not passed k then, so every thread lets its cells of them
 * do so. With parents vertices are single. */
template <class R, int Form> struct closing {
    typedef typename closing_ring<R>::ring ring;
    typedef typename ring::cell cell;
    enum {
        SIDE = tiling<R, Form>::PIVOT,
        EACH_ROWS = SIDE == 32 || sizeof(cell) == 8 ? 4 : 8,
        EACH_COLS = 8,
        ACROSS = SIDE / EACH_COLS,
        THREADS = SIDE / EACH_ROWS * ACROSS,
        VEC = 16 / (int)sizeof(cell),
        FOLLOWS = tiling<R, Form>::FOLLOWS,
        STEP = FOLLOWS ? 1 : 2
    };
    struct __align__(16) share
    {
        cell row[2][STEP][SIDE], col[2][STEP][SIDE];
        uint32_t parent[2][FOLLOWS ? SIDE : 1];
    };
    struct mine {
        cell c[EACH_ROWS][EACH_COLS];
        uint32_t p[EACH_ROWS][EACH_COLS];
        unsigned row, col; /* the first of each */
    };
};

/* The owners of the rows and columns of a step, from k on, show them; j is k's place in the unrolled loop. A thread
 * owns all of a step's or none. */
template <class C>
static __device__ __forceinline__ void show_cross(typename C::share *share, unsigned k, int j,
                                                  const typename C::mine &me)
{
    const unsigned turn = k / C::STEP & 1;
    static_assert(C::EACH_ROWS % C::STEP == 0 && C::EACH_COLS % C::STEP == 0, "whole steps");
    if (k - me.row < C::EACH_ROWS) {
#pragma unroll
        for (int h = 0; h < C::STEP; h++)
#pragma unroll
            for (int i = 0; i < C::EACH_COLS; i++)
                share->row[turn][h][me.col + i] = me.c[(j + h) % C::EACH_ROWS][i];
#pragma unroll
        for (int i = 0; C::FOLLOWS && i < C::EACH_COLS; i++)
            share->parent[turn][me.col + i] = me.p[j % C::EACH_ROWS][i];
    }
    if (k - me.col < C::EACH_COLS)
#pragma unroll
        for (int h = 0; h < C::STEP; h++)
#pragma unroll
            for (int i = 0; i < C::EACH_ROWS; i++)
                share->col[turn][h][me.row + i] = me.c[i][(j + h) % C::EACH_COLS];
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
    read_cells<C>(&share->col[turn][0][me.row], a);
    read_cells<C>(&share->row[turn][0][me.col], b);
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

/* The lesser of a cell and a sum. */
template <class C>
static __device__ __forceinline__ typename C::cell lesser(typename C::cell c, typename C::cell a, typename C::cell b)
{
    const typename C::cell x = C::ring::sum(a, b);
    return x < c ? x : c;
}

/* Vertices k and k + 1. */
template <class C>
static __device__ __forceinline__ void pass_pair(const typename C::share *share, unsigned k, typename C::mine &me)
{
    typename C::cell a[2][C::EACH_ROWS], b[2][C::EACH_COLS];
    const unsigned turn = k / 2 & 1;
    const typename C::cell over = share->row[turn][0][k + 1], under = share->row[turn][1][k]; /* between the two */
#pragma unroll
    for (int h = 0; h < 2; h++) {
        read_cells<C>(&share->col[turn][h][me.row], a[h]);
        read_cells<C>(&share->row[turn][h][me.col], b[h]);
    }
#pragma unroll
    for (int r = 0; r < C::EACH_ROWS; r++)
        a[1][r] = lesser<C>(a[1][r], a[0][r], over);
#pragma unroll
    for (int i = 0; i < C::EACH_COLS; i++)
        b[1][i] = lesser<C>(b[1][i], under, b[0][i]);
#pragma unroll
    for (int r = 0; r < C::EACH_ROWS; r++)
#pragma unroll
        for (int i = 0; i < C::EACH_COLS; i++)
            me.c[r][i] = C::ring::least(me.c[r][i], a[0][r], b[0][i], a[1][r], b[1][i]);
}

/* 16 bytes' worth of cells of the square, in as many of the matrix, to registers (back false) or from them. */
template <int Count, class Cell, class Mine>
static __device__ __forceinline__ void move_cells(const Cell *from, Cell *to, Mine *mine, bool back)
{
    if constexpr (sizeof(Cell) == sizeof(Mine)) {
        cells16<Cell> x;
        if (!back)
            x = load_cells(from);
#pragma unroll
        for (int v = 0; v < Count; v++)
            if (back)
                x.x[v] = mine[v];
            else
                mine[v] = x.x[v];
        if (back)
            store_words(to, x);
    } else {
#pragma unroll
        for (int v = 0; v < Count; v++)
            if (back)
                to[v] = (Cell)mine[v];
            else
                mine[v] = from[v];
    }
}

/* Reads the square (back false), or writes it. */
template <class C, class Cell>
static __device__ __forceinline__ void move_square(const fold<Cell> &q, typename C::mine &me, bool back)
{
#pragma unroll
    for (int r = 0; r < C::EACH_ROWS; r++) {
        const uint64_t at = (me.row + r) * q.pitch + me.col;
#pragma unroll
        for (int i = 0; i < C::EACH_COLS; i += C::VEC)
            move_cells<C::VEC>(q.in + at + i, q.out + at + i, &me.c[r][i], back);
#pragma unroll
        for (int i = 0; C::FOLLOWS && i < C::EACH_COLS; i += 4)
            move_cells<4>(q.p + at + i, q.p + at + i, &me.p[r][i], back);
    }
}

/* Lets the square follow a block of its own size, whose cells are at q.a and q.b: two vertices a step, or one. */
template <class C, class Cell>
static __device__ __forceinline__ void pass_square(const fold<Cell> &q, typename C::mine &me)
{
#pragma unroll 1
    for (unsigned k = 0; k < C::SIDE; k += C::STEP) {
        typename C::cell a[2][C::EACH_ROWS], b[2][C::EACH_COLS];
#pragma unroll
        for (int h = 0; h < C::STEP; h++) {
#pragma unroll
            for (int r = 0; r < C::EACH_ROWS; r++)
                a[h][r] = q.a[(me.row + r) * q.pitch_a + k + h];
#pragma unroll
            for (int i = 0; i < C::EACH_COLS; i += C::VEC)
                move_cells<C::VEC>(q.b + (k + h) * q.pitch_b + me.col + i, (Cell *)NULL, &b[h][i], false);
        }
#pragma unroll
        for (int r = 0; r < C::EACH_ROWS; r++)
#pragma unroll
            for (int i = 0; i < C::EACH_COLS; i++) {
                if constexpr (C::FOLLOWS) {
                    const typename C::cell x = C::ring::sum(a[0][r], b[0][i]);
                    if (x < me.c[r][i]) {
                        me.c[r][i] = x;
                        me.p[r][i] = q.p_b[k * q.pitch_p + me.col + i];
                    }
                } else {
                    me.c[r][i] = C::ring::least(me.c[r][i], a[0][r], b[0][i], a[1][r], b[1][i]);
                }
            }
    }
}

/* Closes the square at q.in, which follows another first where q.a says so. One block. */
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
    if (q.a != NULL)
        pass_square<C>(q, me);
    for (unsigned base = 0; base < C::SIDE; base += 8)
#pragma unroll
        for (int j = 0; j < 8; j += C::STEP) {
            show_cross<C>(share, base + j, j, me);
            __syncthreads();
            if constexpr (C::FOLLOWS)
                pass_vertex<C>(share, base + j, me);
            else
                pass_pair<C>(share, base + j, me);
        }
    move_square<C>(q, me, true);
}

} /* namespace SIMT_FLAVOUR */

#endif
