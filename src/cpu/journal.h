/* journal.h - how far a run has come, in a file beside its result, so that another run can go on from there.
 *
 * All numbers are little-endian. Layout: the head at 0, then two slots of one record each at 4096 and
 * 4096 + slot_bytes; a record is 64 bytes, then one CRC-32 for every tile of every file.
 *
 * Invariants
 *   N1 records go to the two slots in turn and carry a checksum: whenever the writer is killed or the power fails, the
 *      newer or the older of the two is whole;
 *   N2 a record is written only after the data that it tells of is on the disk;
 *   N3 the file appears under its name with its head and first record in it, and one process at a time has it open.
 */
#ifndef NF_CPU_JOURNAL_H
#define NF_CPU_JOURNAL_H

#include "core/base.h"

/* What a run is, from beginning to end. */
typedef struct nf__journal_head {
    char magic[8];
    uint32_t version, crc; /* of the head with this field zero */
    uint32_t n, tile;      /* vertices; rows of a tile */
    uint32_t block, gap;   /* tiles of a block; tiles written between two records at most */
    uint32_t last;         /* the stage that makes the result */
    uint32_t type, cell;   /* nf_type: of the result, of the matrix in work */
    uint32_t flags;        /* NF__STORE_* */
    uint64_t graph, asked; /* fingerprints: of the arcs, and of what else decides about the result */
    uint64_t zero[6];
} nf__journal_head;

typedef struct nf__journal {
    nf_context *ctx;
    int fd; /* -1: none */
    char *path;
    nf__journal_head head;
    uint64_t seq; /* of the last record */
    uint32_t stage, done, flags;
    uint64_t steps;
    uint64_t tiles; /* checksums in a record */
    uint32_t *sums;
    char *slot;
    size_t slot_bytes;
} nf__journal;

/* A journal for `head` (magic, version and crc are set here) with a first record of zeros. NF_EINVAL when there is one
 * already. On failure nothing is left. */
nf_status nf__journal_create(nf__journal *j, nf_context *ctx, const char *path, const nf__journal_head *head,
                             uint64_t tiles);
/* Reads head and newest record. *found is false when there is no such file. NF_EFORMAT when it is damaged. */
nf_status nf__journal_open(nf__journal *j, nf_context *ctx, const char *path, bool *found);
/* Writes a record of stage, done, flags, steps and sums (N1); the caller has seen to N2. */
nf_status nf__journal_save(nf__journal *j);
void nf__journal_close(nf__journal *j, bool remove);

/* All of `bytes` at an offset, in pieces between which a cancel is seen; `path` is for messages. */
nf_status nf__file_write(nf_context *ctx, int fd, const char *path, const void *data, uint64_t bytes, uint64_t at);
nf_status nf__file_read(nf_context *ctx, int fd, const char *path, void *data, uint64_t bytes, uint64_t at);
/* a and b as one new string; NULL (with the error text set) when memory is short. */
char *nf__joined(nf__mem *mem, const char *a, const char *b);

#endif
