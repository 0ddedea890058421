/* separator.cuh - what the device keeps of parts, border and a band of rows, and the kernels that move cells between
 * them, for apsp_separator.cu.
 *
 * A part is a matrix of its own, of whole tiles, its border's vertices first. The border matrix has the borders of all
 * parts side by side. A band has some rows of the result: its columns are those of the parts' matrices, side by side.
 */
#ifndef NF_GPU_SEPARATOR_CUH
#define NF_GPU_SEPARATOR_CUH

#include "gpu/lower.cuh"
#include "gpu/minplus.h"
#include "gpu/step_relax.cuh"

namespace SIMT_FLAVOUR
{

/* Columns of an operand that borders have: a multiple of every slice (minplus.cuh). */
#define SLOT 16u

/* Where a part lies; after the last part one more, the border matrix. */
typedef struct part_place {
    uint64_t cells; /* its matrix begins here */
    uint32_t side, n;
    uint32_t border; /* its vertices before this one are the border's */
    uint32_t first;  /* of them in the border matrix */
    uint32_t slot;   /* of them among the columns of `through` */
    uint32_t column; /* of its vertices in a band */
} part_place;

/* In device memory, to be passed to kernels by value. */
template <class Cell> struct separated {
    uint32_t n, parts;
    const part_place *places; /* parts + 1 */
    const uint32_t *part;     /* n */
    const uint32_t *place;    /* n: in its part */
    Cell *inside;             /* the parts' matrices */
    Cell *across;             /* the border matrix */
    uint64_t pitch;           /* of it */
    Cell none, limit;         /* below limit: a path */
};

/* A band of rows, by the parts of their vertices. */
template <class Cell> struct band_of {
    const uint32_t *vertex; /* of each row */
    uint32_t rows, first;   /* their vertices are first .. first + rows */
    Cell *left;             /* some rows of a part: to its border */
    Cell *middle;           /* the same rows: to all borders */
    Cell *through;          /* all rows: to all borders, in slots */
    Cell *cells;            /* all rows */
    uint64_t left_pitch, through_pitch, pitch;
};

template <class Cell> static __device__ __forceinline__ uint32_t column_of(const separated<Cell> &s, uint32_t v)
{
    return s.places[s.part[v]].column + s.place[v];
}

/* ---- parts and border -------------------------------------------------------------------------------------------- */

/* 0 on diagonals, none elsewhere; `slices` blocks for each of the places. */
template <class Cell>
static __global__ void blank_places(const part_place *places, unsigned slices, Cell none, Cell *cells)
{
    const part_place p = places[blockIdx.x / slices];
    const uint64_t step = (uint64_t)slices * blockDim.x, many = (uint64_t)p.side * p.side;
    for (uint64_t i = (uint64_t)(blockIdx.x % slices) * blockDim.x + threadIdx.x; i < many; i += step) {
        const uint64_t u = i / p.side, v = i % p.side;
        cells[p.cells + i] = u == v && u < p.n ? Cell(0) : none;
    }
}

/* Arcs to their part's matrix, or that of the border; loops are none that count. */
template <class Cell, class Bits>
static __global__ void place_arcs(const separated<Cell> s, device_csr g, const uint32_t *sources, nf_type type)
{
    const uint64_t e = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= g.m)
        return;
    const uint32_t u = sources[e], v = g.pairs != NULL ? g.pairs[e].x : g.adj[e];
    const part_place &from = s.places[s.part[u]], &to = s.places[s.part[v]];
    if (u == v)
        return;
    Cell *const cell = s.part[u] == s.part[v] ? s.inside + from.cells + (uint64_t)s.place[u] * from.side + s.place[v]
                                              : s.across + (from.first + s.place[u]) * s.pitch + to.first + s.place[v];
    lower<Cell, Bits>(cell, weight_of<Cell>(g, type, e));
}

/* Ways inside parts between vertices of their borders; a block for each part in turn. */
template <class Cell> static __global__ void join_border(const separated<Cell> s)
{
    for (uint32_t i = blockIdx.x; i < s.parts; i += gridDim.x) {
        const part_place p = s.places[i];
        for (uint64_t c = threadIdx.x; c < (uint64_t)p.border * p.border; c += blockDim.x) {
            const uint64_t u = c / p.border, v = c % p.border;
            s.across[(p.first + u) * s.pitch + p.first + v] = s.inside[p.cells + u * p.side + v];
        }
    }
}

/* ---- a band ------------------------------------------------------------------------------------------------------ */

template <class Cell> static __global__ void fill_cells(Cell *cells, uint64_t many, Cell value)
{
    const uint64_t step = (uint64_t)gridDim.x * blockDim.x;
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < many; i += step)
        cells[i] = value;
}

/* Rows from .. from + many, all of one part: their ways inside it, and to its border; `lines` rows of operands, those
 * beyond `many` and all of the middle with none. */
template <class Cell>
static __global__ void open_rows(const separated<Cell> s, const band_of<Cell> b, uint32_t mine, uint32_t from,
                                 uint32_t many, uint32_t lines)
{
    const part_place p = s.places[mine];
    const uint64_t width = p.side + b.left_pitch + s.pitch, step = (uint64_t)gridDim.x * blockDim.x;
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < lines * width; i += step) {
        const uint64_t r = i / width, c = i % width;
        const bool real = r < many;
        const Cell *const row = s.inside + p.cells + (real ? (uint64_t)s.place[b.vertex[from + r]] * p.side : 0);
        if (c >= p.side + b.left_pitch)
            b.middle[r * s.pitch + c - p.side - b.left_pitch] = s.none;
        else if (c >= p.side)
            b.left[r * b.left_pitch + c - p.side] = real && c - p.side < p.border ? row[c - p.side] : s.none;
        else if (real)
            b.cells[(from + r) * b.pitch + p.column + c] = row[c];
    }
}

/* Their ways to all borders, part by part in slots. A warp has a border in turn. */
template <class Cell>
static __global__ void lay_through(const separated<Cell> s, const band_of<Cell> b, uint32_t from, uint32_t many)
{
    const uint64_t warps = (uint64_t)gridDim.x * (blockDim.x / 32);
    for (uint64_t i = (uint64_t)blockIdx.x * (blockDim.x / 32) + simt_warp(); i < (uint64_t)many * s.parts;
         i += warps) {
        const uint64_t r = i / s.parts;
        const part_place p = s.places[i % s.parts];
        for (uint32_t c = simt_lane(); c < p.border; c += 32)
            b.through[(from + r) * b.through_pitch + p.slot + c] = b.middle[r * s.pitch + p.first + c];
    }
}

/* An arc from a finite cell of a row to none: the row was cut off. A block has a row in turn. */
template <class Cell>
static __global__ void find_cut(const separated<Cell> s, const band_of<Cell> b, device_csr g, const uint32_t *sources,
                                unsigned *cut)
{
    for (uint32_t r = blockIdx.x; r < b.rows; r += gridDim.x)
        for (uint64_t e = threadIdx.x; e < g.m; e += blockDim.x) {
            const uint32_t v = g.pairs != NULL ? g.pairs[e].x : g.adj[e];
            if (b.cells[r * b.pitch + column_of(s, sources[e])] < s.limit
                && !(b.cells[r * b.pitch + column_of(s, v)] < s.limit))
                simt_store_relaxed(cut, 1u);
        }
}

/* ---- rows as they are handed out --------------------------------------------------------------------------------- */

/* A cell in the working type, and as a key. */
template <class Cell> static __device__ __forceinline__ int64_t whole_of(Cell x, Cell limit)
{
    return x < limit ? (int64_t)x : NF_UNREACHED_I64;
}

static __device__ __forceinline__ word64 key_for(const scale<word64> &s, int64_t x)
{
    return x == NF_UNREACHED_I64 ? s.infinity : (word64)x + s.zero;
}
static __device__ __forceinline__ word64 key_for(const scale<word64> &, double x)
{
    return key_of(x);
}
static __device__ __forceinline__ uint32_t key_for(const scale<uint32_t> &, float x)
{
    return key_of(x);
}

/* What cells of a type become. */
template <class Cell> struct handed {
    typedef Cell work;
    typedef word64 key;
};
template <> struct handed<int32_t> {
    typedef int64_t work;
    typedef word64 key;
};
template <> struct handed<float> {
    typedef float work;
    typedef uint32_t key;
};

static __device__ __forceinline__ int64_t work_of(int32_t x, int32_t limit)
{
    return whole_of(x, limit);
}
static __device__ __forceinline__ int64_t work_of(int64_t x, int64_t limit)
{
    return whole_of(x, limit);
}
template <class Real> static __device__ __forceinline__ Real work_of(Real x, Real)
{
    return x;
}

/* The band in the graph's order of rows and columns; keys NULL: no trees are wanted. A row's own vertex is at 0, where
 * rounding may have left a little less; *sunk: a vertex at -infinity. */
template <class Cell>
static __global__ void hand_rows(const separated<Cell> s, const band_of<Cell> b,
                                 const scale<typename handed<Cell>::key> scale_of, typename handed<Cell>::work *out,
                                 typename handed<Cell>::key *keys, uint32_t *sunk)
{
    typedef typename handed<Cell>::work work;
    const uint64_t step = (uint64_t)gridDim.x * blockDim.x, n = s.n;
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < b.rows * n; i += step) {
        const uint32_t u = b.vertex[i / n], v = (uint32_t)(i % n);
        const uint64_t at = (u - b.first) * n + v;
        const work x = u == v ? work(0) : work_of(b.cells[i / n * b.pitch + column_of(s, v)], s.limit);
        if (scale_of.real && (double)x == -(double)INFINITY)
            simt_store_relaxed(sunk, v);
        out[at] = x;
        if (keys != NULL)
            keys[at] = key_for(scale_of, x);
    }
}

} /* namespace SIMT_FLAVOUR */

#endif
