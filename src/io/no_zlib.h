/* no_zlib.h - what src/io uses of zlib, for builds without it: CRC-32 in full, bit by bit; compression not at all.
 *
 * The CRC of two pieces is joined as zlib does it: the first is multiplied by x^(8 * length of the second) modulo the
 * polynomial, by squaring. Cost: 8 steps a byte; joining O(log length).
 */
#ifndef NF_IO_NO_ZLIB_H
#define NF_IO_NO_ZLIB_H

#include <stddef.h>
#include <stdint.h>

typedef unsigned char Bytef;
typedef unsigned uInt;
typedef unsigned long uLong;
typedef void *voidpf;
typedef size_t z_size_t;
typedef int64_t z_off_t;

typedef struct z_stream {
    Bytef *next_in, *next_out;
    uInt avail_in, avail_out;
    const char *msg;
    voidpf (*zalloc)(voidpf opaque, uInt count, uInt size);
    void (*zfree)(voidpf opaque, voidpf p);
    voidpf opaque;
} z_stream;

#define Z_OK 0
#define Z_STREAM_END 1
#define Z_STREAM_ERROR (-2)
#define Z_DATA_ERROR (-3)
#define Z_MEM_ERROR (-4)
#define Z_BUF_ERROR (-5)
#define Z_NO_FLUSH 0
#define Z_FINISH 4
#define Z_DEFLATED 8
#define Z_DEFAULT_STRATEGY 0
#define inflateInit2(z, bits) ((void)(z), Z_STREAM_ERROR)
#define inflate(z, flush) ((void)(z), Z_STREAM_ERROR)
#define inflateReset(z) ((void)(z), Z_STREAM_ERROR)
#define inflateEnd(z) ((void)(z), Z_OK)
#define deflateInit2(z, level, method, bits, memory, strategy) ((void)(z), Z_STREAM_ERROR)
#define deflate(z, flush) ((void)(z), (void)(flush), Z_STREAM_ERROR)
#define deflateEnd(z) ((void)(z))

#define NF_CRC_POLYNOMIAL UINT32_C(0xedb88320)

static inline uLong crc32_z(uLong crc, const Bytef *p, z_size_t bytes)
{
    uint32_t c = ~(uint32_t)crc;
    if (p == NULL)
        return 0;
    for (z_size_t i = 0; i < bytes; i++) {
        c ^= p[i];
        for (int bit = 0; bit < 8; bit++)
            c = c >> 1 ^ ((c & 1) != 0 ? NF_CRC_POLYNOMIAL : 0);
    }
    return (uint32_t)~c;
}

/* a * b modulo the polynomial; bit 31 stands for x^0. */
static inline uint32_t nf__crc_product(uint32_t a, uint32_t b)
{
    uint32_t p = 0;
    for (uint32_t bit = UINT32_C(1) << 31; bit != 0; bit >>= 1) {
        if ((a & bit) != 0)
            p ^= b;
        b = b >> 1 ^ ((b & 1) != 0 ? NF_CRC_POLYNOMIAL : 0);
    }
    return p;
}

static inline uLong crc32_combine(uLong first, uLong second, z_off_t length)
{
    uint32_t power = UINT32_C(1) << 23, shift = UINT32_C(1) << 31; /* x^8, and 1 */
    for (uint64_t left = (uint64_t)length; left != 0; left >>= 1) {
        if ((left & 1) != 0)
            shift = nf__crc_product(shift, power);
        power = nf__crc_product(power, power);
    }
    return nf__crc_product((uint32_t)first, shift) ^ (uint32_t)second;
}

#endif
