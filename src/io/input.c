/* input.c - a file, a pipe or standard input as one block of bytes, unpacked where it is compressed.
 *
 * Regular files are mapped; everything else is read into memory. gzip, zstd and xz are told by their magic and
 * unpacked with their own libraries, concatenated streams one after the other. A UTF-8 byte order mark is skipped.
 *
 * Invariants
 *   N1 memory grows with the bytes that really came out: never by what a header claims;
 *   N2 a stream that ends early, is damaged or is followed by other bytes is NF_EFORMAT;
 *   N3 a failed open leaves nothing to close.
 * Cost: O(bytes), at most three times the unpacked size while a block moves.
 */
#include "io/io.h"
#include "io/packers.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define FIRST_BLOCK ((size_t)1 << 16)
#define STEP ((size_t)1 << 20)        /* bytes between two looks at the cancel flag */
#define XZ_MEMORY ((uint64_t)1 << 30) /* what an xz header may ask for: twice what the strongest preset needs */

/* Bytes on their way into one block. */
typedef struct sink {
    nf_context *ctx;
    const nf__input *in; /* for messages */
    uint64_t limit;      /* 0: none */
    char *block;
    size_t used, room;
} sink;

static nf_status sink_limit(const sink *s)
{
    return nf__fail(NF_EFORMAT, "%s: the input holds more than %llu bytes; expected at most that many", s->in->name,
                    (unsigned long long)s->limit);
}

/* Makes room for at least one more byte (N1). */
static nf_status sink_grow(sink *s)
{
    if (s->used < s->room)
        return NF_OK;
    size_t room = s->room == 0 ? FIRST_BLOCK : s->room * 2;
    if (room < s->room)
        return nf__fail(NF_ENOMEM, "%s: the input is too large", s->in->name);
    char *block = nf__regrow(nf__context_mem(s->ctx), s->block, s->used, room, 1);
    if (block == NULL)
        return NF_ENOMEM;
    s->block = block;
    s->room = room;
    return NF_OK;
}

static nf_status sink_check(const sink *s)
{
    return s->limit != 0 && s->used > s->limit ? sink_limit(s) : NF_OK;
}

/* ---- reading what cannot be mapped ------------------------------------------------------------------------------- */

static nf_status read_all(sink *s, int fd)
{
    nf_status st = NF_OK;
    for (;;) {
        NF_TRY(sink_grow(s));
        size_t want = s->room - s->used < STEP ? s->room - s->used : STEP;
        ssize_t got = read(fd, s->block + s->used, want);
        if (got < 0 && errno == EINTR) {
            NF_TRY(nf__poll(s->ctx));
            continue;
        }
        if (got < 0) {
            st = nf__fail(NF_EIO, "%s: cannot read: %s", s->in->name, strerror(errno));
            break;
        }
        if (got == 0)
            break;
        s->used += (size_t)got;
        NF_TRY(sink_check(s));
        NF_TRY(nf__progress(s->ctx, "read", s->used, 0));
    }
done:
    return st;
}

/* ---- unpacking --------------------------------------------------------------------------------------------------- */

static nf_status damaged(const sink *s, size_t at, const char *what)
{
    return nf__fail(NF_EFORMAT, "%s: at byte %zu: %s; expected a whole %s stream", s->in->name, at, what,
                    s->in->packed);
}

static bool all_zero(const char *p, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (p[i] != 0)
            return false;
    return true;
}

static bool is_gzip(const char *p, size_t size)
{
    return size >= 2 && (unsigned char)p[0] == 0x1f && (unsigned char)p[1] == 0x8b;
}

/* One call of inflate over at most STEP bytes either way; moves the sink and the place in the input. */
static int gzip_step(sink *s, z_stream *z, const char *data, size_t size, size_t *at)
{
    size_t avail = size - *at < STEP ? size - *at : STEP;
    size_t room = s->room - s->used < STEP ? s->room - s->used : STEP;
    z->next_in = (Bytef *)(uintptr_t)(data + *at);
    z->avail_in = (uInt)avail;
    z->next_out = (Bytef *)(s->block + s->used);
    z->avail_out = (uInt)room;
    int r = inflate(z, Z_NO_FLUSH);
    *at += avail - z->avail_in;
    s->used += room - z->avail_out;
    return r;
}

static nf_status unpack_gzip(sink *s, const char *data, size_t size)
{
    nf_status st = NF_OK;
    z_stream z;
    memset(&z, 0, sizeof z);
    if (inflateInit2(&z, 15 + 16) != Z_OK)
        return nf__fail(NF_ENOMEM, "%s: zlib cannot start", s->in->name);
    for (size_t at = 0;;) {
        NF_TRY(sink_grow(s));
        int r = gzip_step(s, &z, data, size, &at);
        NF_TRY(sink_check(s));
        NF_TRY(nf__progress(s->ctx, "unpack", at, size));
        if (r == Z_STREAM_END) {
            if (all_zero(data + at, size - at))
                break;
            if (!is_gzip(data + at, size - at)) {
                st = damaged(s, at, "other bytes follow");
                break;
            }
            (void)inflateReset(&z);
        } else if (r == Z_MEM_ERROR) {
            st = nf__fail(NF_ENOMEM, "%s: zlib is out of memory", s->in->name);
            break;
        } else if (r != Z_OK && r != Z_BUF_ERROR) {
            st = damaged(s, at, z.msg != NULL ? z.msg : "damaged data");
            break;
        } else if (at == size && z.avail_out > 0) {
            st = damaged(s, at, "the data ends too soon");
            break;
        }
    }
done:
    (void)inflateEnd(&z);
    return st;
}

static nf_status unpack_zstd(sink *s, const char *data, size_t size)
{
    nf_status st = NF_OK;
    size_t left = 1;
    ZSTD_inBuffer in = {data, size, 0};
    ZSTD_DCtx *z = ZSTD_createDCtx();
    if (z == NULL)
        return nf__fail(NF_ENOMEM, "%s: zstd cannot start", s->in->name);
    for (;;) {
        NF_TRY(sink_grow(s));
        in.size = size - in.pos < STEP ? size : in.pos + STEP;
        ZSTD_outBuffer out = {s->block, s->room, s->used};
        if (in.pos < size || left != 0)
            left = ZSTD_decompressStream(z, &out, &in);
        if (ZSTD_isError(left)) {
            st = damaged(s, in.pos, ZSTD_getErrorName(left));
            break;
        }
        s->used = out.pos;
        NF_TRY(sink_check(s));
        NF_TRY(nf__progress(s->ctx, "unpack", in.pos, size));
        if (in.pos == size && left == 0)
            break;
        if (in.pos == size && out.pos < out.size) {
            st = damaged(s, in.pos, "the data ends too soon");
            break;
        }
    }
done:
    ZSTD_freeDCtx(z);
    return st;
}

static nf_status xz_failure(const sink *s, size_t at, lzma_ret r)
{
    switch (r) {
    case LZMA_MEM_ERROR: return nf__fail(NF_ENOMEM, "%s: liblzma is out of memory", s->in->name);
    case LZMA_MEMLIMIT_ERROR: return damaged(s, at, "the stream asks for more than 1 GiB to unpack");
    case LZMA_BUF_ERROR: return damaged(s, at, "the data ends too soon");
    case LZMA_FORMAT_ERROR: return damaged(s, at, "other bytes follow");
    case LZMA_OPTIONS_ERROR: return damaged(s, at, "the stream uses options that are not known here");
    default: return damaged(s, at, "damaged data");
    }
}

static nf_status unpack_xz(sink *s, const char *data, size_t size)
{
    nf_status st = NF_OK;
    lzma_stream z = LZMA_STREAM_INIT;
    if (lzma_stream_decoder(&z, XZ_MEMORY, LZMA_CONCATENATED) != LZMA_OK)
        return nf__fail(NF_ENOMEM, "%s: liblzma cannot start", s->in->name);
    for (size_t at = 0;;) {
        NF_TRY(sink_grow(s));
        size_t avail = size - at < STEP ? size - at : STEP;
        size_t room = s->room - s->used;
        z.next_in = (const uint8_t *)data + at;
        z.avail_in = avail;
        z.next_out = (uint8_t *)s->block + s->used;
        z.avail_out = room;
        lzma_ret r = lzma_code(&z, at + avail == size ? LZMA_FINISH : LZMA_RUN);
        at += avail - z.avail_in;
        s->used += room - z.avail_out;
        NF_TRY(sink_check(s));
        NF_TRY(nf__progress(s->ctx, "unpack", at, size));
        if (r == LZMA_STREAM_END)
            break;
        if (r != LZMA_OK) {
            st = xz_failure(s, at, r);
            break;
        }
    }
done:
    lzma_end(&z);
    return st;
}

/* A frame, or one that is skipped (parallel compressors begin with such). */
static bool is_zstd(const char *p, size_t size)
{
    return size >= 4
           && (memcmp(p, "\x28\xb5\x2f\xfd", 4) == 0
               || ((p[0] & 0xf0) == 0x50 && memcmp(p + 1, "\x2a\x4d\x18", 3) == 0));
}

/* Replaces the raw bytes of `in` by what they unpack to, if they are compressed. */
static nf_status unpack(nf_context *ctx, uint64_t max_bytes, nf__input *in)
{
    nf_status st = NF_OK;
    static const char xz_magic[] = {'\xfd', '7', 'z', 'X', 'Z', '\0'};
    sink s = {ctx, in, max_bytes, NULL, 0, 0};
    if (is_gzip(in->data, in->size)) {
        in->packed = "gzip";
        NF_NEED_PACKER(NF_HAS_ZLIB, in->name, "gzip");
        NF_TRY(unpack_gzip(&s, in->data, in->size));
    } else if (is_zstd(in->data, in->size)) {
        in->packed = "zstd";
        NF_NEED_PACKER(NF_HAS_ZSTD, in->name, "zstd");
        NF_TRY(unpack_zstd(&s, in->data, in->size));
    } else if (in->size >= sizeof xz_magic && memcmp(in->data, xz_magic, sizeof xz_magic) == 0) {
        in->packed = "xz";
        NF_NEED_PACKER(NF_HAS_LZMA, in->name, "xz");
        NF_TRY(unpack_xz(&s, in->data, in->size));
    } else {
        if (max_bytes != 0 && in->size > max_bytes)
            st = sink_limit(&s);
        return st;
    }
    const char *packed = in->packed;
    nf__input_close(in);
    in->packed = packed;
    in->block = s.block;
    in->data = s.block;
    in->size = s.used;
    s.block = NULL;
done:
    nf__free(s.block);
    return st;
}

/* ---- opening ----------------------------------------------------------------------------------------------------- */

static nf_status open_failure(const nf__input *in)
{
    return nf__fail(NF_EIO, "%s: cannot open: %s", in->name, strerror(errno));
}

/* Maps a regular file or reads anything else. */
static nf_status load(nf_context *ctx, int fd, uint64_t max_bytes, nf__input *in)
{
    struct stat about;
    if (fstat(fd, &about) != 0)
        return open_failure(in);
    if (S_ISDIR(about.st_mode))
        return nf__fail(NF_EIO, "%s: cannot read: %s", in->name, strerror(EISDIR));
    if (S_ISREG(about.st_mode) && about.st_size > 0 && lseek(fd, 0, SEEK_CUR) == 0) {
        void *map = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (map != MAP_FAILED) {
            (void)madvise(map, (size_t)about.st_size, MADV_WILLNEED);
            in->map = map;
            in->map_size = (size_t)about.st_size;
            in->data = map;
            in->size = in->map_size;
            return NF_OK;
        }
    }
    sink s = {ctx, in, max_bytes, NULL, 0, 0};
    nf_status st = read_all(&s, fd);
    if (st != NF_OK) {
        nf__free(s.block);
        return st;
    }
    in->block = s.block;
    in->data = s.block;
    in->size = s.used;
    return NF_OK;
}

nf_status nf__input_open(nf_context *ctx, const char *path, uint64_t max_bytes, nf__input *in)
{
    nf_status st = NF_OK;
    bool standard = strcmp(path, "-") == 0;
    memset(in, 0, sizeof *in);
    in->path = path;
    in->name = standard ? "standard input" : path;
    int fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return open_failure(in);
    NF_TRY(load(ctx, fd, max_bytes, in));
    NF_TRY(unpack(ctx, max_bytes, in));
    /* A byte-order mark before text; binary formats want their bytes aligned, and never begin with one. */
    if (in->size >= 3 && memcmp(in->data, "\xef\xbb\xbf", 3) == 0
        && (in->size == 3 || (unsigned char)in->data[3] - 9u < 0x76u)) {
        in->data += 3;
        in->size -= 3;
    }
done:
    if (!standard)
        (void)close(fd);
    if (st != NF_OK)
        nf__input_close(in);
    return st;
}

void nf__input_close(nf__input *in)
{
    if (in->map != NULL)
        (void)munmap(in->map, in->map_size);
    nf__free(in->block);
    in->map = NULL;
    in->map_size = 0;
    in->block = NULL;
    in->data = NULL;
    in->size = 0;
    in->packed = NULL;
}

/* ---- places and names -------------------------------------------------------------------------------------------- */

nf_status nf__input_fail(const nf__input *in, const char *at, const char *format, ...)
{
    char text[512];
    uint64_t line = 1;
    const char *start = in->data;
    for (const char *p = in->data; p < at;) {
        const char *next = memchr(p, '\n', (size_t)(at - p));
        if (next == NULL)
            break;
        line++;
        p = start = next + 1;
    }
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return nf__fail(NF_EFORMAT, "%s:%llu:%llu: %s", in->name, (unsigned long long)line,
                    (unsigned long long)(at - start) + 1, text);
}

static bool same_letters(const char *a, const char *b, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        char x = a[i], y = b[i];
        if (x >= 'A' && x <= 'Z')
            x = (char)(x - 'A' + 'a');
        if (x != y)
            return false;
    }
    return true;
}

static bool ends_with(const char *text, size_t size, const char *end, size_t end_size)
{
    return size > end_size && same_letters(text + size - end_size, end, end_size);
}

bool nf__has_extension(const char *path, const char *extensions)
{
    static const char *const packed[] = {".gz", ".gzip", ".zst", ".zstd", ".xz"};
    size_t size = strlen(path);
    for (size_t i = 0; i < sizeof packed / sizeof packed[0]; i++)
        if (ends_with(path, size, packed[i], strlen(packed[i]))) {
            size -= strlen(packed[i]);
            break;
        }
    while (*extensions != '\0') {
        size_t length = strcspn(extensions, " ");
        if (length > 0 && ends_with(path, size, extensions, length))
            return true;
        extensions += length;
        extensions += strspn(extensions, " ");
    }
    return false;
}
