/* packers.h - the compression libraries, or stand-ins where a build goes without one. Callers ask NF_HAS_ZLIB,
 * NF_HAS_ZSTD or NF_HAS_LZMA first and refuse such files with a reason; the stand-ins only let the rest compile.
 * CRC-32, which our own format needs, works either way: without zlib it is slow. */
#ifndef NF_IO_PACKERS_H
#define NF_IO_PACKERS_H

#include <stddef.h>
#include <stdint.h>

#ifndef NF_HAS_ZLIB
#define NF_HAS_ZLIB 1
#endif
#ifndef NF_HAS_ZSTD
#define NF_HAS_ZSTD 1
#endif
#ifndef NF_HAS_LZMA
#define NF_HAS_LZMA 1
#endif

/* Refuses a file in a packing that this build lacks, from a function that returns nf_status. */
#define NF_NEED_PACKER(has, name, packing)                                                           \
    do {                                                                                             \
        if (!(has))                                                                                  \
            return nf__fail(NF_EUNSUPPORTED, "%s: this build has no %s compression", name, packing); \
    } while (0)

#if NF_HAS_ZLIB
#include <zlib.h>
#else
#include "io/no_zlib.h"
#endif
#if NF_HAS_ZSTD
#include <zstd.h>
#else
typedef struct ZSTD_inBuffer {
    const void *src;
    size_t size, pos;
} ZSTD_inBuffer;
typedef struct ZSTD_outBuffer {
    void *dst;
    size_t size, pos;
} ZSTD_outBuffer;
typedef struct ZSTD_DCtx ZSTD_DCtx;
typedef struct ZSTD_CStream ZSTD_CStream;
#define ZSTD_e_continue 0
#define ZSTD_e_end 2
#define ZSTD_createDCtx() ((ZSTD_DCtx *)NULL)
#define ZSTD_freeDCtx(z) ((void)(z))
#define ZSTD_decompressStream(z, out, in) ((void)(z), (void)(out), (void)(in), (size_t)1)
#define ZSTD_isError(code) ((code) != 0)
#define ZSTD_getErrorName(code) ((void)(code), "no zstd")
#define ZSTD_createCStream() ((ZSTD_CStream *)NULL)
#define ZSTD_freeCStream(z) ((void)(z))
#define ZSTD_initCStream(z, level) ((void)(z), (size_t)1)
#define ZSTD_compressStream2(z, out, in, end) ((void)(z), (void)(out), (void)(in), (void)(end), (size_t)1)
#endif
#if NF_HAS_LZMA
#include <lzma.h>
#else
typedef enum lzma_ret {
    LZMA_OK,
    LZMA_STREAM_END,
    LZMA_MEM_ERROR,
    LZMA_MEMLIMIT_ERROR,
    LZMA_FORMAT_ERROR,
    LZMA_OPTIONS_ERROR,
    LZMA_BUF_ERROR
} lzma_ret;
typedef struct lzma_allocator {
    void *(*alloc)(void *opaque, size_t count, size_t size);
    void (*free)(void *opaque, void *p);
    void *opaque;
} lzma_allocator;
typedef struct lzma_stream {
    const uint8_t *next_in;
    size_t avail_in;
    uint8_t *next_out;
    size_t avail_out;
    const lzma_allocator *allocator;
} lzma_stream;
#define LZMA_STREAM_INIT \
    {                    \
        .next_in = NULL  \
    }
#define LZMA_CONCATENATED 8
#define LZMA_CHECK_CRC64 4
#define LZMA_RUN 0
#define LZMA_FINISH 3
#define lzma_stream_decoder(z, memory, flags) ((void)(z), LZMA_OPTIONS_ERROR)
#define lzma_easy_encoder(z, level, check) ((void)(z), LZMA_OPTIONS_ERROR)
#define lzma_code(z, action) ((void)(z), (void)(action), LZMA_OPTIONS_ERROR)
#define lzma_end(z) ((void)(z))
#endif

#endif
