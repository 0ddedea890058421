/* box.h - the container of our binary files (.nfg, .nfd): a 256-byte header with numbers and a table, then aligned
 * sections.
 *
 * All numbers are little-endian. Layout of the header:
 *     0 magic[8]   8 version u32   12 sections u32   16 file_bytes u64   24 crc u32   28 zero u32   32 param u64[12]
 *   128 five entries of {kind u32, crc u32, offset u64, bytes u64}   248 zero u64
 * The crc at 24 is that of the header with this field zero; an entry's crc is that of its section's bytes (CRC-32 of
 * zlib).
 *
 * Invariants of a parsed box
 *   B1 file_bytes is the size of the input; every section lies inside it, at a multiple of 64;
 *   B2 nothing is said about the content of sections: whoever uses one checks its length (nf__box_section) and
 *      its numbers.
 */
#ifndef NF_IO_BOX_H
#define NF_IO_BOX_H

#include "io/io.h"

#define NF__BOX_PARAMS 12
#define NF__BOX_SECTIONS 5
#define NF__BOX_HEADER 256
#define NF__BOX_ALIGN 64

typedef struct nf__box {
    char magic[8];
    uint32_t version, sections;
    uint64_t file_bytes;
    uint32_t crc, zero;
    uint64_t param[NF__BOX_PARAMS];
    struct {
        uint32_t kind, crc;
        uint64_t offset, bytes;
    } section[NF__BOX_SECTIONS];
    uint64_t zero_too;
} nf__box;

_Static_assert(sizeof(nf__box) == NF__BOX_HEADER, "the header has no holes");
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "binary files are mapped as they are");

/* Adds a section to a box that is being written; its data must live until nf__box_write. */
void nf__box_add(nf__box *box, const void **data, uint32_t kind, const void *section, uint64_t bytes);
/* Places the sections, computes checksums, writes header and sections. data: one pointer for each section. */
nf_status nf__box_write(nf_context *ctx, nf__box *box, const void *const *data, nf__output *out);

/* Copies and checks the header (B1). `what` is "an .nfg graph" or so. O(1). */
nf_status nf__box_parse(const nf__input *in, const char *magic, uint32_t version, const char *what, nf__box *box);
/* The section of a kind, which must have the length given; missing sections are NF_EFORMAT. name is for messages. */
nf_status nf__box_section(const nf__input *in, const nf__box *box, uint32_t kind, const char *name, uint64_t count,
                          size_t size, const void **data);
/* Recomputes all checksums. names[kind] is for messages. O(file). */
nf_status nf__box_verify(nf_context *ctx, const nf__input *in, const nf__box *box, const char *const *names,
                         size_t name_count);

#endif
