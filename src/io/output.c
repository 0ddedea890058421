/* output.c - bytes to a file, a device or standard output, compressed by the file's suffix.
 *
 * A regular file is written as a temporary beside its target and renamed at the end, so that nobody sees half of it
 * (F4). Devices, pipes and standard output cannot be renamed over; they are written directly.
 *
 * Invariants
 *   O1 `used` bytes of `buffer` are waiting; they have passed no compressor yet;
 *   O2 after a failed write `broken` holds the status, and later calls return it without touching the file;
 *   O3 `temporary` names a file of ours exactly while it is not NULL; close renames or removes it.
 * Cost: one buffer of 256 kB, one more when compressing, and the compressor's own state.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/io.h"
#include "io/output.h"
#include "io/packers.h"

#define BUFFER ((size_t)256 << 10)
#define GZIP_LEVEL 6
#define ZSTD_LEVEL 3
#define XZ_LEVEL 6
#define NAME_TRIES 100

typedef enum packing { PLAIN = 0, GZIP, ZSTD, XZ } packing;

struct nf__output {
    const char *path; /* as the caller gave it */
    char *name;       /* as messages show it: path, or "standard output" */
    char *target;     /* what the temporary becomes; links followed */
    char *temporary;  /* O3 */
    int fd;
    bool keep_open;   /* standard output is not ours to close */
    nf_status broken; /* O2 */
    char *buffer;
    size_t used; /* O1 */
    packing packing;
    char *packed; /* BUFFER bytes of compressed data on their way out */
    bool gzip_ready;
    z_stream gzip;
    ZSTD_CStream *zstd;
    bool xz_ready;
    lzma_stream xz;
    lzma_allocator xz_memory;
};

const char *nf__output_path(const nf__output *out)
{
    return out->path;
}

/* ---- bytes to the descriptor ------------------------------------------------------------------------------------- */

static nf_status fail_errno(nf__output *out, const char *what)
{
    out->broken = nf__fail(NF_EIO, "%s: cannot %s: %s", out->name, what, strerror(errno));
    return out->broken;
}

static nf_status write_all(nf__output *out, const char *p, size_t bytes)
{
    while (bytes > 0) {
        ssize_t wrote = write(out->fd, p, bytes < (1u << 30) ? bytes : (1u << 30));
        if (wrote >= 0) {
            p += wrote;
            bytes -= (size_t)wrote;
        } else if (errno == EAGAIN) {
            struct pollfd ready = {.fd = out->fd, .events = POLLOUT};
            (void)poll(&ready, 1, 100);
        } else if (errno != EINTR) {
            return fail_errno(out, "write");
        }
    }
    return NF_OK;
}

/* ---- compressors: each takes bytes and, when `last`, ends its stream --------------------------------------------- */

static nf_status fail_packing(nf__output *out, nf_status st, const char *why)
{
    out->broken = nf__fail(st, "%s: cannot compress: %s", out->name, why);
    return out->broken;
}

static nf_status pack_gzip(nf__output *out, const char *p, size_t bytes, bool last)
{
    nf_status st = NF_OK;
    int rc = Z_OK;
    do {
        uInt part = bytes < (1u << 30) ? (uInt)bytes : (1u << 30);
        out->gzip.next_in = (Bytef *)(uintptr_t)p; /* zlib only reads it */
        out->gzip.avail_in = part;
        bool end = last && part == bytes;
        do {
            out->gzip.next_out = (Bytef *)out->packed;
            out->gzip.avail_out = (uInt)BUFFER;
            rc = deflate(&out->gzip, end ? Z_FINISH : Z_NO_FLUSH);
            if (rc == Z_STREAM_ERROR)
                return fail_packing(out, NF_EIO, "zlib refused the data");
            NF_TRY(write_all(out, out->packed, BUFFER - out->gzip.avail_out));
        } while (out->gzip.avail_out == 0 || (end && rc != Z_STREAM_END));
        p += part;
        bytes -= part;
    } while (bytes > 0);
done:
    return st;
}

static nf_status pack_zstd(nf__output *out, const char *p, size_t bytes, bool last)
{
    nf_status st = NF_OK;
    ZSTD_inBuffer in = {.src = p, .size = bytes, .pos = 0};
    size_t left = 0;
    do {
        ZSTD_outBuffer to = {.dst = out->packed, .size = BUFFER, .pos = 0};
        left = ZSTD_compressStream2(out->zstd, &to, &in, last ? ZSTD_e_end : ZSTD_e_continue);
        if (ZSTD_isError(left))
            return fail_packing(out, NF_EIO, ZSTD_getErrorName(left));
        NF_TRY(write_all(out, out->packed, to.pos));
    } while (in.pos < in.size || (last && left != 0));
done:
    return st;
}

static nf_status pack_xz(nf__output *out, const char *p, size_t bytes, bool last)
{
    nf_status st = NF_OK;
    lzma_ret rc = LZMA_OK;
    out->xz.next_in = (const uint8_t *)p;
    out->xz.avail_in = bytes;
    do {
        out->xz.next_out = (uint8_t *)out->packed;
        out->xz.avail_out = BUFFER;
        rc = lzma_code(&out->xz, last ? LZMA_FINISH : LZMA_RUN);
        if (rc == LZMA_MEM_ERROR)
            return fail_packing(out, NF_ENOMEM, "out of memory");
        if (rc != LZMA_OK && rc != LZMA_STREAM_END)
            return fail_packing(out, NF_EIO, "liblzma refused the data");
        NF_TRY(write_all(out, out->packed, BUFFER - out->xz.avail_out));
    } while (out->xz.avail_in > 0 || (last && rc != LZMA_STREAM_END));
done:
    return st;
}

static nf_status pass_on(nf__output *out, const char *p, size_t bytes, bool last)
{
    switch (out->packing) {
    case GZIP: return pack_gzip(out, p, bytes, last);
    case ZSTD: return pack_zstd(out, p, bytes, last);
    case XZ: return pack_xz(out, p, bytes, last);
    default: return write_all(out, p, bytes);
    }
}

static voidpf gzip_alloc(voidpf mem, uInt count, uInt size)
{
    return nf__zalloc(mem, count, size);
}

static void gzip_free(voidpf mem, voidpf p)
{
    (void)mem;
    nf__free(p);
}

static void *xz_alloc(void *mem, size_t count, size_t size)
{
    return nf__alloc(mem, count, size);
}

static void xz_free(void *mem, void *p)
{
    (void)mem;
    nf__free(p);
}

static nf_status start_packing(nf_context *ctx, nf__output *out)
{
    nf_status st = NF_OK;
    nf__mem *mem = nf__context_mem(ctx);
    size_t length = strlen(out->path);
    if (length > 3 && strcmp(out->path + length - 3, ".gz") == 0)
        out->packing = GZIP;
    else if (length > 4 && strcmp(out->path + length - 4, ".zst") == 0)
        out->packing = ZSTD;
    else if (length > 3 && strcmp(out->path + length - 3, ".xz") == 0)
        out->packing = XZ;
    if (out->packing == PLAIN)
        return NF_OK;
    NF_NEED_PACKER(NF_HAS_ZLIB || out->packing != GZIP, out->name, "gzip");
    NF_NEED_PACKER(NF_HAS_ZSTD || out->packing != ZSTD, out->name, "zstd");
    NF_NEED_PACKER(NF_HAS_LZMA || out->packing != XZ, out->name, "xz");
    NF_TRY_ALLOC(out->packed, nf__alloc(mem, BUFFER, 1));
    if (out->packing == GZIP) {
        out->gzip.zalloc = gzip_alloc, out->gzip.zfree = gzip_free, out->gzip.opaque = mem;
        out->gzip_ready = deflateInit2(&out->gzip, GZIP_LEVEL, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK;
        st = out->gzip_ready ? NF_OK : nf__fail(NF_ENOMEM, "%s: no memory for the gzip compressor", out->name);
    } else if (out->packing == ZSTD) {
        out->zstd = ZSTD_createCStream();
        bool ready = out->zstd != NULL && !ZSTD_isError(ZSTD_initCStream(out->zstd, ZSTD_LEVEL));
        st = ready ? NF_OK : nf__fail(NF_ENOMEM, "%s: no memory for the zstd compressor", out->name);
    } else {
        out->xz_memory = (lzma_allocator){.alloc = xz_alloc, .free = xz_free, .opaque = mem};
        out->xz.allocator = &out->xz_memory;
        out->xz_ready = lzma_easy_encoder(&out->xz, XZ_LEVEL, LZMA_CHECK_CRC64) == LZMA_OK;
        st = out->xz_ready ? NF_OK : nf__fail(NF_ENOMEM, "%s: no memory for the xz compressor", out->name);
    }
done:
    return st;
}

/* ---- opening ----------------------------------------------------------------------------------------------------- */

static bool starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* Names that stand for an open descriptor: behind them may be a regular file, which must not be renamed over. */
static bool is_descriptor_name(const char *path)
{
    return starts_with(path, "/dev/fd/") || starts_with(path, "/proc/") || strcmp(path, "/dev/stderr") == 0;
}

/* Makes the temporary beside the target, with the permissions that the target has or would get. */
static nf_status open_temporary(nf_context *ctx, nf__output *out, const struct stat *old)
{
    nf_status st = NF_OK;
    char resolved[PATH_MAX];
    const char *target = old != NULL && realpath(out->path, resolved) != NULL ? resolved : out->path;
    size_t room = strlen(target) + 32;
    NF_TRY_ALLOC(out->target, nf__strdup(nf__context_mem(ctx), target));
    NF_TRY_ALLOC(out->temporary, nf__alloc(nf__context_mem(ctx), room, 1));
    uint64_t seed = (uint64_t)getpid() ^ (uint64_t)(uintptr_t)out ^ (uint64_t)(nf__now_ms() * 1000);
    for (uint64_t i = 0; i < NAME_TRIES && out->fd < 0; i++) {
        unsigned salt = (unsigned)(nf__hash64(seed, i) & 0xffffffffu);
        snprintf(out->temporary, room, "%s.part-%08x", target, salt);
        out->fd = open(out->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (out->fd < 0 && errno != EEXIST)
            break;
    }
    if (out->fd < 0)
        NF_TRY(fail_errno(out, "create it"));
    if (old != NULL)
        (void)fchmod(out->fd, old->st_mode & 07777);
done:
    if (st != NF_OK && out->fd < 0) {
        nf__free(out->temporary);
        out->temporary = NULL;
    }
    return st;
}

static nf_status open_place(nf_context *ctx, nf__output *out)
{
    struct stat old;
    if (strcmp(out->path, "-") == 0 || strcmp(out->path, "/dev/stdout") == 0) {
        out->fd = STDOUT_FILENO;
        out->keep_open = true;
        return NF_OK;
    }
    bool exists = stat(out->path, &old) == 0;
    if (exists && S_ISDIR(old.st_mode))
        return nf__fail(NF_EIO, "%s: cannot write: it is a directory", out->name);
    if (exists && (!S_ISREG(old.st_mode) || is_descriptor_name(out->path))) {
        out->fd = open(out->path, O_WRONLY | O_CLOEXEC);
        return out->fd < 0 ? fail_errno(out, "open it") : NF_OK;
    }
    if (exists && access(out->path, W_OK) != 0)
        return fail_errno(out, "replace it");
    return open_temporary(ctx, out, exists ? &old : NULL);
}

static void output_free(nf__output *out)
{
    if (out == NULL)
        return;
    if (out->gzip_ready)
        deflateEnd(&out->gzip);
    ZSTD_freeCStream(out->zstd);
    if (out->xz_ready)
        lzma_end(&out->xz);
    if (out->fd >= 0 && !out->keep_open)
        close(out->fd);
    if (out->temporary != NULL)
        unlink(out->temporary);
    nf__free(out->temporary);
    nf__free(out->target);
    nf__free(out->packed);
    nf__free(out->buffer);
    nf__free(out->name);
    nf__free(out);
}

nf_status nf__output_open(nf_context *ctx, const char *path, nf__output **result)
{
    nf_status st = NF_OK;
    nf__mem *mem = nf__context_mem(ctx);
    nf__output *out = NULL;
    if (path[0] == '\0')
        return nf__fail(NF_EINVAL, "the name of the output is empty");
    NF_TRY_ALLOC(out, nf__zalloc(mem, 1, sizeof *out));
    out->fd = -1;
    out->path = path;
    NF_TRY_ALLOC(out->name, nf__strdup(mem, strcmp(path, "-") == 0 ? "standard output" : path));
    NF_TRY_ALLOC(out->buffer, nf__alloc(mem, BUFFER, 1));
    NF_TRY(start_packing(ctx, out));
    NF_TRY(open_place(ctx, out));
    *result = out, out = NULL;
done:
    output_free(out);
    return st;
}

/* ---- writing and closing ----------------------------------------------------------------------------------------- */

static nf_status flush_buffer(nf__output *out, bool last)
{
    nf_status st = pass_on(out, out->buffer, out->used, last);
    out->used = 0;
    return st;
}

nf_status nf__output_write(nf__output *out, const void *data, size_t bytes)
{
    nf_status st = out->broken;
    if (st != NF_OK)
        return nf__fail(st, "%s: an earlier write failed", out->name);
    if (bytes > BUFFER - out->used)
        NF_TRY(flush_buffer(out, false));
    if (bytes >= BUFFER)
        return pass_on(out, data, bytes, false);
    memcpy(out->buffer + out->used, data, bytes);
    out->used += bytes;
done:
    return st;
}

nf_status nf__output_printf(nf__output *out, const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    int length = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (length < 0 || (size_t)length >= sizeof text)
        return nf__fail(NF_EINTERNAL, "%s: a line of %d bytes is too long", out->name, length);
    return nf__output_write(out, text, (size_t)length);
}

/* Everything out, and every late error heard (some file systems tell of a full disk only in close). */
static nf_status finish(nf__output *out)
{
    nf_status st = NF_OK;
    NF_TRY(flush_buffer(out, true));
    if (!out->keep_open) {
        int rc = close(out->fd);
        out->fd = -1;
        if (rc != 0 && errno != EINTR)
            NF_TRY(fail_errno(out, "write"));
    }
    if (out->temporary != NULL) {
        if (rename(out->temporary, out->target) != 0)
            NF_TRY(fail_errno(out, "rename the finished file to it"));
        nf__free(out->temporary);
        out->temporary = NULL;
    }
done:
    return st;
}

nf_status nf__output_close(nf__output *out, nf_status st)
{
    if (out == NULL)
        return st;
    if (st == NF_OK && out->broken != NF_OK)
        st = nf__fail(out->broken, "%s: an earlier write failed", out->name);
    if (st == NF_OK)
        st = finish(out);
    output_free(out);
    return st;
}
