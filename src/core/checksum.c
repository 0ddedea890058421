/* checksum.c - CRC-32 (zlib's) block by block on all threads; the blocks' sums are combined, as CRC-32 is linear.
 * Without zlib (NF_PACKING) the same sum four bits at a time by one thread.
 *
 * Cost: one pass over the data, about 1.5 GB/s a thread; without zlib a tenth of that.
 */
#include "core/base.h"

#if NF_HAS_ZLIB
#include <zlib.h>

#define CRC_BLOCK ((uint64_t)1 << 20)
#define CRC_ROUND 64

uint32_t nf__crc32(nf_context *ctx, const void *data, uint64_t bytes)
{
    const Bytef *p = data;
    uLong crc = crc32_z(0, NULL, 0), part[CRC_ROUND];
    int threads = nf__context_threads(ctx);
    for (uint64_t first = 0; first < bytes; first += CRC_ROUND * CRC_BLOCK) {
        uint64_t left = bytes - first, blocks = (left + CRC_BLOCK - 1) / CRC_BLOCK;
        int round = blocks < CRC_ROUND ? (int)blocks : CRC_ROUND;
#pragma omp parallel for num_threads(threads) schedule(static) if (round > 1)
        for (int i = 0; i < round; i++) {
            uint64_t at = (uint64_t)i * CRC_BLOCK;
            uint64_t size = left - at < CRC_BLOCK ? left - at : CRC_BLOCK;
            part[i] = crc32_z(crc32_z(0, NULL, 0), p + first + at, (z_size_t)size);
        }
        for (int i = 0; i < round; i++) {
            uint64_t at = (uint64_t)i * CRC_BLOCK;
            uint64_t size = left - at < CRC_BLOCK ? left - at : CRC_BLOCK;
            crc = crc32_combine(crc, part[i], (z_off_t)size);
        }
    }
    return (uint32_t)crc;
}

#else

/* What four bits at the end of a sum become. */
static uint32_t fold_bits(uint32_t crc)
{
    for (int i = 0; i < 4; i++)
        crc = crc >> 1 ^ (UINT32_C(0xedb88320) & (0 - (crc & 1)));
    return crc;
}

uint32_t nf__crc32(nf_context *ctx, const void *data, uint64_t bytes)
{
    const unsigned char *p = data;
    uint32_t crc = ~UINT32_C(0), table[16];
    (void)ctx;
    for (uint32_t i = 0; i < 16; i++)
        table[i] = fold_bits(i);
    for (uint64_t i = 0; i < bytes; i++) {
        crc ^= p[i];
        crc = crc >> 4 ^ table[crc & 15];
        crc = crc >> 4 ^ table[crc & 15];
    }
    return ~crc;
}

#endif
