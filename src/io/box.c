/* box.c - see box.h.
 *
 * Cost: parsing O(1); writing and verifying O(file), the sections are read once for the checksum and once to be
 * written.
 */
#include "io/box.h"

#include "io/emit.h"
#include "io/packers.h"

static uint32_t header_crc(const nf__box *box)
{
    nf__box copy = *box;
    copy.crc = 0;
    return (uint32_t)crc32_z(crc32_z(0, NULL, 0), (const Bytef *)&copy, sizeof copy);
}

void nf__box_add(nf__box *box, const void **data, uint32_t kind, const void *section, uint64_t bytes)
{
    uint32_t i = box->sections++;
    box->section[i].kind = kind;
    box->section[i].bytes = bytes;
    data[i] = section;
}

nf_status nf__box_write(nf_context *ctx, nf__box *box, const void *const *data, nf__output *out)
{
    static const char zeros[NF__BOX_ALIGN] = {0};
    nf_status st = NF_OK;
    uint64_t end = NF__BOX_HEADER;
    for (uint32_t i = 0; i < box->sections; i++) {
        box->section[i].offset = (end + NF__BOX_ALIGN - 1) / NF__BOX_ALIGN * NF__BOX_ALIGN;
        end = box->section[i].offset + box->section[i].bytes;
        box->section[i].crc = nf__crc32(ctx, data[i], box->section[i].bytes);
        NF_TRY(nf__poll(ctx));
    }
    box->file_bytes = end;
    box->crc = header_crc(box);
    NF_TRY(nf__output_write(out, box, sizeof *box));
    uint64_t at = NF__BOX_HEADER;
    for (uint32_t i = 0; i < box->sections; i++) {
        NF_TRY(nf__output_write(out, zeros, (size_t)(box->section[i].offset - at)));
        NF_TRY(nf__emit_bytes(ctx, out, data[i], box->section[i].bytes));
        at = box->section[i].offset + box->section[i].bytes;
    }
done:
    return st;
}

nf_status nf__box_parse(const nf__input *in, const char *magic, uint32_t version, const char *what, nf__box *box)
{
    if (in->size < NF__BOX_HEADER)
        return nf__fail(NF_EFORMAT,
                        "%s: at byte %zu: the file ends inside its header; "
                        "expected %d bytes of header for %s",
                        in->name, in->size, NF__BOX_HEADER, what);
    memcpy(box, in->data, sizeof *box);
    if (memcmp(box->magic, magic, sizeof box->magic) != 0)
        return nf__fail(NF_EFORMAT, "%s: at byte 0: the first 8 bytes are not those of %s", in->name, what);
    if (box->version != version)
        return nf__fail(NF_EFORMAT, "%s: at byte 8: version %u of %s; this library reads version %u", in->name,
                        box->version, what, version);
    if (box->sections > NF__BOX_SECTIONS)
        return nf__fail(NF_EFORMAT, "%s: at byte 12: %u sections; expected at most %d", in->name, box->sections,
                        NF__BOX_SECTIONS);
    if (box->file_bytes != in->size)
        return nf__fail(NF_EFORMAT,
                        "%s: at byte 16: the header says %llu bytes, but there are "
                        "%zu: the file is cut short or damaged",
                        in->name, (unsigned long long)box->file_bytes, in->size);
    for (uint32_t i = 0; i < box->sections; i++) {
        uint64_t offset = box->section[i].offset, bytes = box->section[i].bytes;
        if (offset < NF__BOX_HEADER || offset % NF__BOX_ALIGN != 0 || offset > in->size || bytes > in->size - offset)
            return nf__fail(NF_EFORMAT,
                            "%s: at byte %u: section %u (offset %llu, %llu bytes) "
                            "does not lie in the file",
                            in->name, 128 + 24 * i, i, (unsigned long long)offset, (unsigned long long)bytes);
    }
    return NF_OK;
}

nf_status nf__box_section(const nf__input *in, const nf__box *box, uint32_t kind, const char *name, uint64_t count,
                          size_t size, const void **data)
{
    uint64_t want = 0;
    bool fits = !__builtin_mul_overflow(count, (uint64_t)size, &want);
    for (uint32_t i = 0; i < box->sections; i++) {
        if (box->section[i].kind != kind)
            continue;
        if (!fits || box->section[i].bytes != want)
            return nf__fail(NF_EFORMAT,
                            "%s: at byte %llu: the section %s has %llu bytes; "
                            "expected %llu elements of %zu bytes",
                            in->name, (unsigned long long)box->section[i].offset, name,
                            (unsigned long long)box->section[i].bytes, (unsigned long long)count, size);
        *data = in->data + box->section[i].offset;
        return NF_OK;
    }
    return nf__fail(NF_EFORMAT, "%s: at byte 128: the section %s is missing", in->name, name);
}

nf_status nf__box_verify(nf_context *ctx, const nf__input *in, const nf__box *box, const char *const *names,
                         size_t name_count)
{
    nf_status st = NF_OK;
    if (header_crc(box) != box->crc)
        return nf__fail(NF_EFORMAT,
                        "%s: at byte 24: the checksum of the header does not "
                        "match: the file is damaged",
                        in->name);
    for (uint32_t i = 0; i < box->sections; i++) {
        const char *name = box->section[i].kind < name_count ? names[box->section[i].kind] : "unknown";
        NF_TRY(nf__progress(ctx, "checksums", i, box->sections));
        if (nf__crc32(ctx, in->data + box->section[i].offset, box->section[i].bytes) != box->section[i].crc)
            return nf__fail(NF_EFORMAT,
                            "%s: at byte %llu: the checksum of the section %s does "
                            "not match: the file is damaged",
                            in->name, (unsigned long long)box->section[i].offset, name);
    }
done:
    return st;
}
