/* store.h - a matrix of n x n distances, and its parents, in files: tiles of whole rows that are rewritten in stages,
 * each with a checksum, and a journal from which a killed run goes on. The last stage leaves NumPy's .npy. Or in
 * memory, where tiles are worked on in their place.
 *
 * A stage writes every tile once, in the order of nf__store_tile. Each tile has two places in the file, `gap` tiles
 * apart, and stages use them in turn, so a tile is never written over itself; see store.c for the proof that nothing is
 * lost. */
#ifndef NF_CPU_STORE_H
#define NF_CPU_STORE_H

#include "cpu/journal.h"

#define NF__STORE_PARENTS 1u /* there are parents */
#define NF__STORE_FOLLOW 2u  /* they are kept in every stage, not made in the last */

typedef struct nf__store {
    nf__journal journal; /* head, stage, done, flags, steps: what is known of the run */
    uint32_t tiles;
    bool resumed;
    /* private */
    bool ours;       /* the journal is that of our run */
    bool lasting;    /* files with names and a journal; else one that goes with the process */
    int fd[2];       /* distances, parents; -1: none */
    char *memory[2]; /* instead of files */
    bool own[2];     /* it is ours */
    char *name[2], *part[2];
    uint64_t bytes[2];
    uint32_t unsaved; /* tiles written since the last record */
    double saved_ms;
} nf__store;

/* Opens the files of a run. path NULL: temporary ones in `folder` (NULL: TMPDIR). `head` says what is wanted; when an
 * earlier run is resumed n, type, graph, asked and the flag PARENTS must agree with it (NF_EINVAL), and the rest is
 * that run's. NF_EIO with the bytes asked and free when the disk is too small. */
nf_status nf__store_open(nf__store *s, nf_context *ctx, const char *path, const char *folder, bool resume,
                         const nf__journal_head *head);

/* The same in memory, that of the stages before the last: d and p as far as they are there, else memory of its own. */
nf_status nf__store_open_memory(nf__store *s, nf_context *ctx, const nf__journal_head *head, void *d, nf_vid *p);
/* Where a tile and its parents lie, and the tiles after it; NULL: in a file, or there are none. */
char *nf__store_at(const nf__store *s, int f, uint32_t tile);

/* Rows of a tile; the tile that comes i-th in a stage. */
nf_vid nf__store_rows(const nf__store *s, uint32_t tile);
uint32_t nf__store_tile(const nf__store *s, uint32_t stage, uint32_t i);

/* A tile as `stage` has left it: the distances and, where p is not NULL, the parents. A checksum that does not fit is
 * NF_EFORMAT. */
nf_status nf__store_read(nf__store *s, uint32_t stage, uint32_t tile, void *d, nf_vid *p);
/* Tells the system that this tile will be read soon. */
void nf__store_expect(const nf__store *s, uint32_t stage, uint32_t tile);
/* Writes a tile in `stage`; nf__store_reserve has been called for it. */
nf_status nf__store_write(nf__store *s, uint32_t stage, uint32_t tile, const void *d, const nf_vid *p);
/* Before `count` tiles (at most `gap`) are written, of which none may be recorded without the others: sees to it that
 * the last record is recent enough. `done` tiles of `stage` are complete. */
nf_status nf__store_reserve(nf__store *s, uint32_t stage, uint32_t done, uint32_t count);
/* The record that `done` tiles of `stage` are complete. */
nf_status nf__store_save(nf__store *s, uint32_t stage, uint32_t done);

/* After the last stage: heads, sizes and names as they should be, and no journal. */
nf_status nf__store_finish(nf__store *s);
/* Closes; with `drop`, or when nothing has been recorded, an unfinished run's files are removed. */
void nf__store_close(nf__store *s, bool drop);

#endif
