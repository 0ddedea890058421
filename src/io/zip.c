/* zip.c - see zip.h; the layout is that of PKWARE's APPNOTE 6.3.
 *
 * Invariants
 *   Z1 every offset and length from the file is held against the input's size before it is followed;
 *   Z2 a deflated member gets memory for at most 1032 times its packed bytes;
 *   Z3 the CRC-32 of every member that is used is verified.
 */
#include "io/zip.h"

#include "io/box.h"
#include "io/packers.h"

#define END_BYTES 22     /* end of central directory */
#define LOCATOR_BYTES 20 /* where the zip64 end is */
#define END64_BYTES 56
#define ENTRY_BYTES 46 /* of the central directory, before name, extra and comment */
#define LOCAL_BYTES 30
#define COMMENT_MOST 65535
#define DEFLATE_MOST 1032 /* the best ratio that deflate can reach */
#define STEP ((uint64_t)1 << 20)

static uint16_t get16(const char *p)
{
    uint16_t x;
    memcpy(&x, p, sizeof x);
    return x;
}

static uint32_t get32(const char *p)
{
    uint32_t x;
    memcpy(&x, p, sizeof x);
    return x;
}

static uint64_t get64(const char *p)
{
    uint64_t x;
    memcpy(&x, p, sizeof x);
    return x;
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* What the directory says of a member. */
typedef struct entry {
    unsigned flags, method;
    uint32_t crc;
    uint64_t packed, size, local;
} entry;

static nf_status fail_at(const nf__input *in, uint64_t at, const char *what)
{
    return nf__fail(NF_EFORMAT, "%s: at byte %llu: %s", in->name, (unsigned long long)at, what);
}

static bool inside(const nf__input *in, uint64_t at, uint64_t bytes)
{
    return at <= in->size && bytes <= in->size - at;
}

/* The zip64 end, when the small one has no room for the numbers. */
static nf_status open_zip64(const nf__input *in, uint64_t end, nf__zip *zip)
{
    if (end < LOCATOR_BYTES || get32(in->data + end - LOCATOR_BYTES) != 0x07064b50u)
        return fail_at(in, end,
                       "the zip directory is too large for zip, and there is no "
                       "zip64 locator");
    uint64_t at = get64(in->data + end - LOCATOR_BYTES + 8);
    if (!inside(in, at, END64_BYTES) || get32(in->data + at) != 0x06064b50u)
        return fail_at(in, end, "the zip64 locator points to no zip64 directory end");
    zip->entries = get64(in->data + at + 32);
    zip->directory_bytes = get64(in->data + at + 40);
    zip->directory = get64(in->data + at + 48);
    return NF_OK;
}

nf_status nf__zip_open(const nf__input *in, nf__zip *zip)
{
    nf_status st = NF_OK;
    if (in->size < END_BYTES)
        return fail_at(in, in->size, "the file ends before a zip directory");
    uint64_t end = in->size - END_BYTES, least = end > COMMENT_MOST ? end - COMMENT_MOST : 0;
    while (get32(in->data + end) != 0x06054b50u) {
        if (end == least)
            return fail_at(in, in->size, "no zip directory at the end: the file is cut short or no .npz file");
        end--;
    }
    zip->in = in;
    zip->entries = get16(in->data + end + 10);
    zip->directory_bytes = get32(in->data + end + 12);
    zip->directory = get32(in->data + end + 16);
    if (zip->entries == 0xffff || zip->directory_bytes == 0xffffffffu || zip->directory == 0xffffffffu)
        NF_TRY(open_zip64(in, end, zip));
    if (!inside(in, zip->directory, zip->directory_bytes))
        return fail_at(in, end, "the zip directory does not lie in the file");
done:
    return st;
}

/* Replaces the numbers that say "see zip64" by those of the extra field. */
static bool read_extra(const char *extra, uint64_t bytes, entry *e)
{
    while (bytes >= 4) {
        uint64_t id = get16(extra), length = get16(extra + 2);
        if (length > bytes - 4)
            return false;
        if (id == 1) {
            const char *p = extra + 4, *stop = p + length;
            uint64_t *field[] = {&e->size, &e->packed, &e->local};
            for (int i = 0; i < 3; i++) {
                if (*field[i] != 0xffffffffu)
                    continue;
                if (stop - p < 8)
                    return false;
                *field[i] = get64(p);
                p += 8;
            }
        }
        extra += 4 + length;
        bytes -= 4 + length;
    }
    return true;
}

static nf_status find_entry(const nf__zip *zip, const char *name, entry *e, bool *found)
{
    const nf__input *in = zip->in;
    size_t want = strlen(name);
    uint64_t at = zip->directory, end = zip->directory + zip->directory_bytes;
    *found = false;
    for (uint64_t i = 0; i < zip->entries && !*found; i++) {
        if (end - at < ENTRY_BYTES || get32(in->data + at) != 0x02014b50u)
            return fail_at(in, at, "the zip directory is malformed");
        const char *p = in->data + at;
        uint64_t name_bytes = get16(p + 28), extra_bytes = get16(p + 30),
                 all = name_bytes + extra_bytes + get16(p + 32);
        if (end - at - ENTRY_BYTES < all)
            return fail_at(in, at, "an entry of the zip directory is cut short");
        if (name_bytes == want && memcmp(p + ENTRY_BYTES, name, want) == 0) {
            *e = (entry){.flags = get16(p + 8),
                         .method = get16(p + 10),
                         .crc = get32(p + 16),
                         .packed = get32(p + 20),
                         .size = get32(p + 24),
                         .local = get32(p + 42)};
            if (!read_extra(p + ENTRY_BYTES + name_bytes, extra_bytes, e))
                return fail_at(in, at, "the zip64 sizes of an entry are missing");
            *found = true;
        }
        at += ENTRY_BYTES + all;
    }
    return NF_OK;
}

static nf_status inflate_into(nf_context *ctx, const nf__input *in, const entry *e, const char *packed, char *to)
{
    nf_status st = NF_OK;
    z_stream z = {0};
    int rc = Z_OK;
    uint64_t read = 0, wrote = 0;
    NF_NEED_PACKER(NF_HAS_ZLIB, in->name, "deflate");
    if (inflateInit2(&z, -15) != Z_OK)
        return nf__fail(NF_ENOMEM, "%s: zlib cannot start", in->name);
    while (rc == Z_OK) {
        uInt part = (uInt)(e->packed - read < STEP ? e->packed - read : STEP);
        uInt room = (uInt)(e->size - wrote < STEP ? e->size - wrote : STEP);
        z.next_in = (Bytef *)(uintptr_t)(packed + read); /* zlib only reads it */
        z.avail_in = part;
        z.next_out = (Bytef *)(to + wrote);
        z.avail_out = room;
        rc = inflate(&z, Z_NO_FLUSH);
        read += part - z.avail_in;
        wrote += room - z.avail_out;
        NF_TRY(nf__progress(ctx, "unpack", wrote, e->size));
    }
    if (rc == Z_MEM_ERROR)
        st = nf__fail(NF_ENOMEM, "%s: zlib is out of memory", in->name);
    else if (rc != Z_STREAM_END || wrote != e->size)
        st = fail_at(in, (uint64_t)(packed - in->data) + read, "the deflated data is damaged");
done:
    (void)inflateEnd(&z);
    return st;
}

static nf_status check_entry(const nf__input *in, const entry *e, uint64_t max_bytes, const char **data)
{
    if (!inside(in, e->local, LOCAL_BYTES) || get32(in->data + e->local) != 0x04034b50u)
        return fail_at(in, e->local, "no zip member begins here");
    uint64_t start = e->local + LOCAL_BYTES + get16(in->data + e->local + 26) + get16(in->data + e->local + 28);
    if (!inside(in, start, e->packed))
        return fail_at(in, e->local, "the zip member does not lie in the file");
    if ((e->flags & 1) != 0 || (e->method != 0 && e->method != 8))
        return fail_at(in, e->local,
                       "the zip member is encrypted or packed in an unknown way; "
                       "expected stored or deflated");
    if (e->method == 0 && e->packed != e->size)
        return fail_at(in, e->local, "the sizes of a stored zip member differ");
    if (e->method == 8 && e->size / DEFLATE_MOST > e->packed)
        return fail_at(in, e->local, "the zip member claims to unpack to more than is possible");
    if (max_bytes != 0 && e->size > max_bytes)
        return nf__fail(NF_EFORMAT,
                        "%s: at byte %llu: the zip member unpacks to %llu bytes; "
                        "at most %llu are allowed",
                        in->name, (unsigned long long)e->local, (unsigned long long)e->size,
                        (unsigned long long)max_bytes);
    *data = in->data + start;
    return NF_OK;
}

nf_status nf__zip_load(nf_context *ctx, const nf__zip *zip, const char *name, uint64_t max_bytes, nf__member *member,
                       bool *found)
{
    nf_status st = NF_OK;
    entry e = {0};
    const char *data = NULL;
    memset(member, 0, sizeof *member);
    NF_TRY(find_entry(zip, name, &e, found));
    if (!*found)
        goto done;
    NF_TRY(check_entry(zip->in, &e, max_bytes, &data));
    if (e.method == 8) {
        NF_TRY_ALLOC(member->block, nf__alloc(nf__context_mem(ctx), e.size, 1));
        NF_TRY(inflate_into(ctx, zip->in, &e, data, member->block));
        data = member->block;
    }
    member->data = data;
    member->size = e.size;
    if (nf__crc32(ctx, data, e.size) != e.crc)
        st = nf__fail(NF_EFORMAT,
                      "%s: at byte %llu: the checksum of %s does not match: the "
                      "file is damaged",
                      zip->in->name, (unsigned long long)e.local, name);
done:
    return st;
}

void nf__member_free(nf__member *member)
{
    nf__free(member->block);
    memset(member, 0, sizeof *member);
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

static char *put16(char *p, unsigned x)
{
    uint16_t y = (uint16_t)x;
    memcpy(p, &y, sizeof y);
    return p + sizeof y;
}

static char *put32(char *p, uint32_t x)
{
    memcpy(p, &x, sizeof x);
    return p + sizeof x;
}

static char *put64(char *p, uint64_t x)
{
    memcpy(p, &x, sizeof x);
    return p + sizeof x;
}

/* Version, flags, method, time, date, checksum, sizes: the part that local headers and entries share. The date is
 * 1980-01-01, so that the same graph gives the same bytes. */
static char *put_common(char *p, uint32_t crc)
{
    p = put16(p, 45);
    p = put16(p, 0);
    p = put16(p, 0);
    p = put16(p, 0);
    p = put16(p, 1 << 5 | 1);
    p = put32(p, crc);
    p = put32(p, 0xffffffffu);
    return put32(p, 0xffffffffu);
}

nf_status nf__zip_begin(nf__zip_writer *zip, const char *name, uint64_t size, uint32_t crc)
{
    nf_status st = NF_OK;
    char head[LOCAL_BYTES], extra[20], *p = put32(head, 0x04034b50u);
    p = put_common(p, crc);
    p = put16(p, (unsigned)strlen(name));
    put16(p, sizeof extra);
    p = put16(extra, 1);
    p = put16(p, 16);
    p = put64(p, size);
    put64(p, size);
    zip->member[zip->count].name = name;
    zip->member[zip->count].size = size;
    zip->member[zip->count].crc = crc;
    zip->member[zip->count].offset = zip->at;
    zip->count++;
    NF_TRY(nf__output_write(zip->out, head, sizeof head));
    NF_TRY(nf__output_write(zip->out, name, strlen(name)));
    NF_TRY(nf__output_write(zip->out, extra, sizeof extra));
    zip->at += sizeof head + strlen(name) + sizeof extra + size;
done:
    return st;
}

static nf_status write_entry(nf__zip_writer *zip, unsigned i)
{
    nf_status st = NF_OK;
    const char *name = zip->member[i].name;
    char head[ENTRY_BYTES], extra[28], *p = put32(head, 0x02014b50u);
    p = put16(p, 45);
    p = put_common(p, zip->member[i].crc);
    p = put16(p, (unsigned)strlen(name));
    p = put16(p, sizeof extra);
    memset(p, 0, 10); /* comment, disk, attributes */
    put32(p + 10, 0xffffffffu);
    p = put16(extra, 1);
    p = put16(p, 24);
    p = put64(p, zip->member[i].size);
    p = put64(p, zip->member[i].size);
    put64(p, zip->member[i].offset);
    NF_TRY(nf__output_write(zip->out, head, sizeof head));
    NF_TRY(nf__output_write(zip->out, name, strlen(name)));
    NF_TRY(nf__output_write(zip->out, extra, sizeof extra));
    zip->at += sizeof head + strlen(name) + sizeof extra;
done:
    return st;
}

nf_status nf__zip_end(nf__zip_writer *zip)
{
    nf_status st = NF_OK;
    uint64_t directory = zip->at;
    for (unsigned i = 0; i < zip->count; i++)
        NF_TRY(write_entry(zip, i));
    uint64_t bytes = zip->at - directory;
    char tail[END64_BYTES + LOCATOR_BYTES + END_BYTES], *p = put32(tail, 0x06064b50u);
    p = put64(p, END64_BYTES - 12);
    p = put16(p, 45);
    p = put16(p, 45);
    p = put64(p, 0); /* both disk numbers */
    p = put64(p, zip->count);
    p = put64(p, zip->count);
    p = put64(p, bytes);
    p = put64(p, directory);
    p = put32(p, 0x07064b50u);
    p = put32(p, 0);
    p = put64(p, zip->at);
    p = put32(p, 1);
    p = put32(p, 0x06054b50u);
    p = put32(p, 0);
    p = put16(p, zip->count);
    p = put16(p, zip->count);
    p = put32(p, 0xffffffffu);
    p = put32(p, 0xffffffffu);
    put16(p, 0);
    NF_TRY(nf__output_write(zip->out, tail, sizeof tail));
done:
    return st;
}
