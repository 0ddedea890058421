/* minplus_tile.h - one register-tiled kernel for one type and one width of vectors; see minplus_kernels.c, which
 * defines
 *   D, I            the cell and the integer of its size        TARGET  the attribute of the instruction set
 *   BYTES           of a vector                                 MIN     the lesser of two vectors; the second for NaN
 *   ROWS, VECTORS   the plain tile; TRACK_ROWS, TRACK_VECTORS the tracking one
 *   NAME(x)         x_isa_type                                  TRACK   where sum < acc: acc = sum, by = now
 * No guard: it is included once for every kernel. The loops over a tile have constant bounds and are unrolled, so that
 * the tile stays in registers. */
#define LANES (BYTES / sizeof(D))

typedef D NAME(vec) __attribute__((vector_size(BYTES)));
typedef D NAME(loose) __attribute__((vector_size(BYTES), aligned(sizeof(D)), may_alias));
typedef D NAME(tight) __attribute__((vector_size(BYTES), may_alias));
typedef I NAME(ivec) __attribute__((vector_size(BYTES)));

TARGET static inline bool NAME(any)(NAME(ivec) m)
{
    I all = 0;
    for (unsigned i = 0; i < LANES; i++)
        all |= m[i];
    return all != 0;
}

TARGET static bool NAME(plain)(const void *packed_a, const void *packed_b, size_t depth, void *tile, size_t ld)
{
    const D *a = packed_a;
    const NAME(tight) *b = packed_b;
    D *c = tile;
    NAME(vec) acc[ROWS][VECTORS];
    NAME(ivec) fell = {0};
#pragma GCC unroll 16
    for (unsigned r = 0; r < ROWS; r++)
#pragma GCC unroll 16
        for (unsigned x = 0; x < VECTORS; x++)
            acc[r][x] = *(const NAME(loose) *)(c + r * ld + x * LANES);
    for (size_t k = 0; k < depth; k++, a += ROWS, b += VECTORS)
#pragma GCC unroll 16
        for (unsigned r = 0; r < ROWS; r++) {
            const D from = a[r]; /* broadcast */
#pragma GCC unroll 16
            for (unsigned x = 0; x < VECTORS; x++)
                acc[r][x] = MIN(NAME(vec), NAME(ivec), from + b[x], acc[r][x]);
        }
#pragma GCC unroll 16
    for (unsigned r = 0; r < ROWS; r++)
#pragma GCC unroll 16
        for (unsigned x = 0; x < VECTORS; x++) {
            NAME(loose) *at = (NAME(loose) *)(c + r * ld + x * LANES);
            fell |= (NAME(ivec))(acc[r][x] < *at);
            *at = acc[r][x];
        }
    return NAME(any)(fell);
}

TARGET static bool NAME(tracking)(const void *packed_a, const void *packed_b, size_t depth, void *tile, size_t ld,
                                  uint32_t *which)
{
    const D *a = packed_a;
    const NAME(tight) *b = packed_b;
    D *c = tile;
    NAME(vec) acc[TRACK_ROWS][TRACK_VECTORS];
    NAME(ivec) by[TRACK_ROWS][TRACK_VECTORS], now = {0}, fell = {0};
#pragma GCC unroll 16
    for (unsigned r = 0; r < TRACK_ROWS; r++)
#pragma GCC unroll 16
        for (unsigned x = 0; x < TRACK_VECTORS; x++) {
            acc[r][x] = *(const NAME(loose) *)(c + r * ld + x * LANES);
            by[r][x] = now - 1;
        }
    for (size_t k = 0; k < depth; k++, a += TRACK_ROWS, b += TRACK_VECTORS, now += 1)
#pragma GCC unroll 16
        for (unsigned r = 0; r < TRACK_ROWS; r++) {
            const D from = a[r]; /* broadcast */
#pragma GCC unroll 16
            for (unsigned x = 0; x < TRACK_VECTORS; x++) {
                const NAME(vec) sum = from + b[x];
                TRACK(NAME(vec), NAME(ivec), sum, acc[r][x], by[r][x], now);
            }
        }
    for (unsigned r = 0; r < TRACK_ROWS; r++)
        for (unsigned x = 0; x < TRACK_VECTORS; x++) {
            *(NAME(loose) *)(c + r * ld + x * LANES) = acc[r][x];
            fell |= by[r][x] >= 0;
            for (unsigned i = 0; i < LANES; i++)
                which[(r * TRACK_VECTORS + x) * LANES + i] = (uint32_t)by[r][x][i];
        }
    return NAME(any)(fell);
}

#undef LANES
