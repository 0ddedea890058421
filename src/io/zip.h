/* zip.h - the part of the ZIP format that NumPy's .npz uses: named members, stored or deflated, zip64. */
#ifndef NF_IO_ZIP_H
#define NF_IO_ZIP_H

#include "io/io.h"

/* ---- reading ----------------------------------------------------------------------------------------------------- */

typedef struct nf__zip {
    const nf__input *in;
    uint64_t directory, directory_bytes, entries;
} nf__zip;

/* A member's bytes: inside the input, or unpacked into `block`. */
typedef struct nf__member {
    const char *data;
    uint64_t size;
    void *block;
} nf__member;

/* Finds the directory. O(1), or O(64 kB) when the file ends in a comment. */
nf_status nf__zip_open(const nf__input *in, nf__zip *zip);
/* Loads a member and verifies its checksum; *found false (and NF_OK) when there is none of that name. max_bytes
 * bounds what it may unpack to (0: 1032 times its packed size, the most that deflate can do). Free with
 * nf__member_free, also after a failure. */
nf_status nf__zip_load(nf_context *ctx, const nf__zip *zip, const char *name, uint64_t max_bytes, nf__member *member,
                       bool *found);
void nf__member_free(nf__member *member);

/* ---- writing: stored members, zip64 throughout ------------------------------------------------------------------- */

#define NF__ZIP_MEMBERS 8

typedef struct nf__zip_writer {
    nf__output *out;
    uint64_t at;
    unsigned count;
    struct {
        const char *name; /* static text */
        uint64_t size, offset;
        uint32_t crc;
    } member[NF__ZIP_MEMBERS];
} nf__zip_writer;

/* Begins a member; exactly `size` bytes with that CRC-32 must be written next. */
nf_status nf__zip_begin(nf__zip_writer *zip, const char *name, uint64_t size, uint32_t crc);
/* Writes the directory. */
nf_status nf__zip_end(nf__zip_writer *zip);

#endif
