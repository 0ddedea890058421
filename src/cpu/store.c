/* store.c - see store.h.
 *
 * A file is a head of 128 bytes and room for the wider of result and matrix in work, and `gap` tiles more. The matrix
 * in work lies at the end of the file ("high") or `gap` tiles before that ("low"). A stage that moves it down goes
 * through the tiles upwards, one that moves it up downwards; the last stage reads it from high and writes the result
 * from the head on, upwards.
 * Invariants
 *   T1 between two records at most `gap` tiles are written, so those a stage has written since the last record lie
 *      where tiles were that had moved by the time of that record: what the record tells of is still there, whole. For
 *      the last stage with cells of c bytes and a result of t bytes a cell, width w = max(c, t), and S = gap tiles in
 *      rows: rows 0 .. e of the result reach into the rows below (t e - (w - c) n - w S) / c of the matrix, which is at
 *      most e - S for c = t, c = 2 t and t = 2 c;
 *   T2 so a run that goes on from a record sees what the first run saw, and ends with the same bytes, floats and
 *      parents too. (Of integer distances alone this would be true without two places: min only lowers cells, each cell
 *      is the length of a walk at all times, and a stage made twice is that stage. Float sums made twice may round
 *      otherwise, and parents must belong to their distances.);
 *   T3 sums[f][tile] is the CRC-32 of the tile's newest version; a tile is used only if it has that sum;
 *   T4 a record is written after fdatasync of the data (N2), so T1 holds through power failures, too.
 * In memory there is one place for a tile, where it is worked on; no sums, no records, and no last stage.
 * Cost: memory 12 bytes a tile and twice that for the record; disk: 128 + (n + gap tile) n w bytes, and
 * 4 (n + gap tile) n for parents that are kept in every stage, 4 n^2 for others.
 */
#define _GNU_SOURCE
#include "cpu/store.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define HEAD 128
/* A record at least this often: what a crash may cost. */
#define SAVE_MS 20000.0
/* What one call for read-ahead brings on a current Linux. */
#define AHEAD ((uint64_t)128 << 10)

/* ---- places ------------------------------------------------------------------------------------------------------ */

/* Bytes of a cell in the result, and in work. */
static uint64_t result_width(const nf__store *s, int f)
{
    return f == 1 ? sizeof(nf_vid) : nf_type_size((nf_type)s->journal.head.type);
}

static uint64_t work_width(const nf__store *s, int f)
{
    return f == 1 ? sizeof(nf_vid) : nf_type_size((nf_type)s->journal.head.cell);
}

static bool moves(const nf__store *s, int f)
{
    return s->journal.head.last > 0 && (f == 0 || (s->journal.head.flags & NF__STORE_FOLLOW) != 0);
}

static uint64_t file_bytes(const nf__store *s, int f)
{
    const nf__journal_head *h = &s->journal.head;
    const uint64_t r = result_width(s, f), c = work_width(s, f), width = r > c ? r : c;
    return moves(s, f) ? HEAD + ((uint64_t)h->n + (uint64_t)h->gap * h->tile) * h->n * width : HEAD + r * h->n * h->n;
}

/* The last stage but one leaves the matrix high. */
static bool is_high(const nf__store *s, uint32_t stage)
{
    return (s->journal.head.last - 1 - stage) % 2 == 0;
}

static uint64_t place(const nf__store *s, int f, uint32_t stage, uint32_t tile)
{
    const nf__journal_head *h = &s->journal.head;
    const uint64_t n = h->n, row = (uint64_t)tile * h->tile, c = work_width(s, f);
    if (stage == h->last)
        return HEAD + row * n * result_width(s, f);
    const uint64_t low = is_high(s, stage) ? 0 : (uint64_t)h->gap * h->tile;
    return s->bytes[f] - (n + low - row) * n * c;
}

nf_vid nf__store_rows(const nf__store *s, uint32_t tile)
{
    const nf__journal_head *h = &s->journal.head;
    const uint64_t left = h->n - (uint64_t)tile * h->tile;
    return (nf_vid)(left < h->tile ? left : h->tile);
}

uint32_t nf__store_tile(const nf__store *s, uint32_t stage, uint32_t i)
{
    const bool upwards = stage == 0 || stage == s->journal.head.last || !is_high(s, stage);
    return upwards ? i : s->tiles - 1 - i;
}

static uint64_t tile_bytes(const nf__store *s, int f, uint32_t stage, uint32_t tile)
{
    const uint64_t width = stage == s->journal.head.last ? result_width(s, f) : work_width(s, f);
    return (uint64_t)nf__store_rows(s, tile) * s->journal.head.n * width;
}

/* ---- tiles ------------------------------------------------------------------------------------------------------- */

char *nf__store_at(const nf__store *s, int f, uint32_t tile)
{
    const nf__journal_head *h = &s->journal.head;
    return s->memory[f] != NULL ? s->memory[f] + (uint64_t)tile * h->tile * h->n * work_width(s, f) : NULL;
}

static nf_status read_part(nf__store *s, int f, uint32_t stage, uint32_t tile, void *to)
{
    nf_status st = NF_OK;
    nf_context *ctx = s->journal.ctx;
    const uint64_t bytes = tile_bytes(s, f, stage, tile);
    if (s->memory[f] != NULL) {
        memcpy(to, nf__store_at(s, f, tile), bytes);
        return NF_OK;
    }
    NF_TRY(nf__file_read(ctx, s->fd[f], s->part[f], to, bytes, place(s, f, stage, tile)));
    if (s->journal.sums[(uint64_t)f * s->tiles + tile] != nf__crc32(ctx, to, bytes)) { /* T3 */
        const unsigned long long first = (unsigned long long)tile * s->journal.head.tile;
        st = nf__fail(
            NF_EFORMAT,
            "%s: tile %u (rows %llu to %llu, at byte %llu) is damaged: its checksum is wrong; the run cannot go "
            "on from it and must be started anew",
            s->part[f], tile, first, first + nf__store_rows(s, tile) - 1, (unsigned long long)place(s, f, stage, tile));
    }
done:
    return st;
}

nf_status nf__store_read(nf__store *s, uint32_t stage, uint32_t tile, void *d, nf_vid *p)
{
    nf_status st = NF_OK;
    NF_TRY(read_part(s, 0, stage, tile, d));
    if (p != NULL)
        NF_TRY(read_part(s, 1, stage, tile, p));
done:
    return st;
}

void nf__store_expect(const nf__store *s, uint32_t stage, uint32_t tile)
{
#if defined(POSIX_FADV_WILLNEED)
    for (int f = 0; f < 2; f++) {
        const uint64_t bytes =
            s->fd[f] >= 0 && (stage == s->journal.head.last || moves(s, f)) ? tile_bytes(s, f, stage, tile) : 0;
        const uint64_t from = bytes > 0 ? place(s, f, stage, tile) : 0;
        for (uint64_t at = 0; at < bytes; at += AHEAD)
            (void)posix_fadvise(s->fd[f], (off_t)(from + at), (off_t)AHEAD, POSIX_FADV_WILLNEED);
    }
#else
    (void)s;
    (void)stage;
    (void)tile;
#endif
}

static nf_status write_part(nf__store *s, int f, uint32_t stage, uint32_t tile, const void *from)
{
    nf_status st = NF_OK;
    nf_context *ctx = s->journal.ctx;
    const uint64_t bytes = tile_bytes(s, f, stage, tile), at = place(s, f, stage, tile);
    NF_TRY(nf__file_write(ctx, s->fd[f], s->part[f], from, bytes, at));
    s->journal.sums[(uint64_t)f * s->tiles + tile] = nf__crc32(ctx, from, bytes);
#if defined(__linux__) /* so that the disk works while we compute */
    if (s->lasting)
        (void)sync_file_range(s->fd[f], (off_t)at, (off_t)bytes, SYNC_FILE_RANGE_WRITE);
#endif
done:
    return st;
}

nf_status nf__store_write(nf__store *s, uint32_t stage, uint32_t tile, const void *d, const nf_vid *p)
{
    nf_status st = NF_OK;
    assert(s->memory[0] == NULL);
    assert(!s->lasting || s->unsaved < s->journal.head.gap); /* T1 */
    s->unsaved++;
    NF_TRY(write_part(s, 0, stage, tile, d));
    if (p != NULL)
        NF_TRY(write_part(s, 1, stage, tile, p));
done:
    return st;
}

/* ---- records ----------------------------------------------------------------------------------------------------- */

nf_status nf__store_save(nf__store *s, uint32_t stage, uint32_t done)
{
    nf_status st = NF_OK;
    nf__journal *j = &s->journal;
    j->stage = stage;
    j->done = done;
    s->unsaved = 0;
    s->saved_ms = nf__now_ms();
    if (!s->lasting)
        return NF_OK;
    for (int f = 0; f < 2; f++) /* T4 */
        if (s->fd[f] >= 0 && fdatasync(s->fd[f]) != 0)
            NF_TRY(nf__fail(NF_EIO, "%s: cannot be written: %s", s->part[f], strerror(errno)));
    NF_TRY(nf__journal_save(j));
done:
    return st;
}

nf_status nf__store_reserve(nf__store *s, uint32_t stage, uint32_t done, uint32_t count)
{
    assert(count <= s->journal.head.gap);
    if (s->unsaved == 0 || !s->lasting)
        return NF_OK;
    if (s->unsaved + count <= s->journal.head.gap && nf__now_ms() - s->saved_ms < SAVE_MS)
        return NF_OK;
    return nf__store_save(s, stage, done);
}

/* ---- opening ----------------------------------------------------------------------------------------------------- */

/* NAME.parents.npy for NAME.npy. */
static char *parents_name(nf__mem *mem, const char *path)
{
    const size_t length = strlen(path),
                 stem = length > 4 && strcmp(path + length - 4, ".npy") == 0 ? length - 4 : length;
    char *text = nf__alloc(mem, stem + sizeof ".parents.npy", 1);
    if (text != NULL) {
        memcpy(text, path, stem);
        memcpy(text + stem, ".parents.npy", sizeof ".parents.npy");
    }
    return text;
}

static nf_status make_names(nf__store *s, const char *path)
{
    nf_status st = NF_OK;
    nf__mem *mem = nf__context_mem(s->journal.ctx);
    NF_TRY_ALLOC(s->name[0], nf__strdup(mem, path));
    NF_TRY_ALLOC(s->name[1], parents_name(mem, path));
    for (int f = 0; f < 2; f++)
        NF_TRY_ALLOC(s->part[f], nf__joined(mem, s->name[f], ".part"));
done:
    return st;
}

static bool same_run(const nf__journal_head *a, const nf__journal_head *b)
{
    return a->type == b->type && a->asked == b->asked && ((a->flags ^ b->flags) & NF__STORE_PARENTS) == 0;
}

static nf_status open_journal(nf__store *s, nf_context *ctx, const char *path, bool resume,
                              const nf__journal_head *head)
{
    nf_status st = NF_OK;
    nf__journal *j = &s->journal;
    char *journal = NULL;
    bool found = false;
    NF_TRY_ALLOC(journal, nf__joined(nf__context_mem(ctx), path, ".nfj"));
    if (resume)
        NF_TRY(nf__journal_open(j, ctx, journal, &found));
    if (found && (j->head.n != head->n || j->head.graph != head->graph))
        NF_TRY(nf__fail(NF_EINVAL, "%s: the run was on another graph, of %u vertices", journal, j->head.n));
    if (found && !same_run(&j->head, head))
        NF_TRY(nf__fail(NF_EINVAL, "%s: the run was of another type (%s) or with other options (parents, cutoff)",
                        journal, nf_type_name((nf_type)j->head.type)));
    if (resume && !found && access(path, F_OK) == 0)
        NF_TRY(nf__fail(NF_EINVAL, "%s: there is no journal beside it: it is whole, or not ours; nothing to resume",
                        path));
    if (!found) {
        nf__journal_close(j, false);
        NF_TRY(nf__journal_create(j, ctx, journal, head, 2 * ((uint64_t)s->tiles)));
    }
    s->resumed = found && j->seq > 1;
    s->tiles = (uint32_t)(j->tiles / 2);
    s->ours = true;
done:
    nf__free(journal);
    return st;
}

static nf_status open_temporary(nf__store *s, int f, const char *folder)
{
    nf_status st = NF_OK;
    const char *set = getenv("TMPDIR"), *where = folder != NULL ? folder : set != NULL && set[0] != '\0' ? set : "/tmp";
    NF_TRY_ALLOC(s->part[f], nf__joined(nf__context_mem(s->journal.ctx), where, "/nearfar-XXXXXX"));
    s->fd[f] = mkostemp(s->part[f], O_CLOEXEC);
    if (s->fd[f] < 0)
        NF_TRY(nf__fail(NF_EIO, "%s: no temporary file can be made there: %s", where, strerror(errno)));
    unlink(s->part[f]);
done:
    return st;
}

/* The file in work or, if the run ended between a rename and the end of its journal, the finished one. */
static nf_status open_lasting(nf__store *s, int f)
{
    const bool whole = s->journal.stage == s->journal.head.last && s->journal.done == s->tiles;
    s->fd[f] = open(s->part[f], O_RDWR | O_CLOEXEC | (s->resumed ? 0 : O_CREAT | O_TRUNC), 0666);
    if (s->fd[f] < 0 && errno == ENOENT && whole) {
        s->fd[f] = open(s->name[f], O_RDWR | O_CLOEXEC);
        nf__free(s->part[f]);
        s->part[f] = nf__strdup(nf__context_mem(s->journal.ctx), s->name[f]);
        if (s->part[f] == NULL)
            return NF_ENOMEM;
    }
    if (s->fd[f] >= 0)
        return NF_OK;
    return nf__fail(NF_EIO, "%s: cannot be %s: %s", s->part[f], s->resumed ? "opened" : "written", strerror(errno));
}

/* Asks the disk for all the room at once, so that it is refused before the work begins. */
static nf_status take_room(const nf__store *s)
{
    uint64_t needed = 0, available = UINT64_MAX;
    for (int f = 0; f < 2; f++) {
        struct stat file;
        struct statvfs disk;
        if (s->fd[f] < 0 || fstat(s->fd[f], &file) != 0)
            continue;
        const uint64_t has = (uint64_t)file.st_blocks * 512;
        needed += s->bytes[f] > has ? s->bytes[f] - has : 0;
        if (fstatvfs(s->fd[f], &disk) == 0)
            available = (uint64_t)disk.f_bavail * disk.f_frsize;
    }
    if (needed > available)
        return nf__fail(NF_EIO, "%s: needs %llu bytes of disk; %llu are free", s->part[0], (unsigned long long)needed,
                        (unsigned long long)available);
    for (int f = 0; f < 2; f++) {
        int error = EOPNOTSUPP;
        if (s->fd[f] < 0)
            continue;
#if defined(__linux__)
        error = fallocate(s->fd[f], 0, 0, (off_t)s->bytes[f]) == 0 ? 0 : errno;
#endif
        if (error == EOPNOTSUPP || error == ENOSYS)
            error = ftruncate(s->fd[f], (off_t)s->bytes[f]) == 0 ? 0 : errno;
        if (error != 0)
            return nf__fail(NF_EIO, "%s: cannot be written: no room for %llu bytes: %s", s->part[f],
                            (unsigned long long)s->bytes[f], strerror(error));
    }
    return NF_OK;
}

nf_status nf__store_open(nf__store *s, nf_context *ctx, const char *path, const char *folder, bool resume,
                         const nf__journal_head *head)
{
    nf_status st = NF_OK;
    *s = (nf__store){.journal = {.ctx = ctx, .fd = -1, .head = *head}, .lasting = path != NULL, .fd = {-1, -1}};
    s->tiles = (uint32_t)(((uint64_t)head->n + head->tile - 1) / head->tile);
    s->saved_ms = nf__now_ms();
    if (s->lasting) {
        NF_TRY(open_journal(s, ctx, path, resume, head));
        NF_TRY(make_names(s, path));
    } else
        NF_TRY_ALLOC(s->journal.sums, nf__zalloc(nf__context_mem(ctx), 2 * (uint64_t)s->tiles, sizeof(uint32_t)));
    for (int f = 0; f < 2; f++) {
        if (f == 1 && (s->journal.head.flags & (s->lasting ? NF__STORE_PARENTS : NF__STORE_FOLLOW)) == 0)
            continue;
        s->bytes[f] = file_bytes(s, f);
        NF_TRY(s->lasting ? open_lasting(s, f) : open_temporary(s, f, folder));
    }
    if (!s->resumed)
        NF_TRY(take_room(s));
done:
    return st;
}

nf_status nf__store_open_memory(nf__store *s, nf_context *ctx, const nf__journal_head *head, void *d, nf_vid *p)
{
    nf_status st = NF_OK;
    const uint64_t cells = (uint64_t)head->n * head->n;
    *s = (nf__store){.journal = {.ctx = ctx, .fd = -1, .head = *head}, .fd = {-1, -1}, .memory = {d, (char *)p}};
    s->tiles = (uint32_t)(((uint64_t)head->n + head->tile - 1) / head->tile);
    for (int f = 0; f < 2; f++) {
        if (s->memory[f] != NULL || (f == 1 && (head->flags & NF__STORE_FOLLOW) == 0))
            continue;
        NF_TRY_ALLOC(s->memory[f], nf__alloc(nf__context_mem(ctx), cells, work_width(s, f)));
        s->own[f] = true;
    }
done:
    return st;
}

/* ---- the end ----------------------------------------------------------------------------------------------------- */

static nf_status finish_file(nf__store *s, int f)
{
    static const char *const kinds[] = {"", "<i4", "<u4", "<i8", "<u8", "<f4", "<f8"};
    nf_status st = NF_OK;
    const nf__journal_head *h = &s->journal.head;
    char text[HEAD + 1];
    const char *kind = f == 1 ? "<u4" : kinds[h->type];
    const int used =
        snprintf(text, sizeof text, "%cNUMPY%c%c%c%c{'descr': '%s', 'fortran_order': False, 'shape': (%u, %u), }", 0x93,
                 1, 'x', HEAD - 10, 'x', kind, h->n, h->n);
    text[7] = text[9] = '\0';
    memset(text + used, ' ', (size_t)(HEAD - used));
    text[HEAD - 1] = '\n';
    NF_TRY(nf__file_write(s->journal.ctx, s->fd[f], s->part[f], text, HEAD, 0));
    const uint64_t size = HEAD + (uint64_t)h->n * h->n * result_width(s, f);
    if (ftruncate(s->fd[f], (off_t)size) != 0 || fsync(s->fd[f]) != 0
        || (strcmp(s->part[f], s->name[f]) != 0 && rename(s->part[f], s->name[f]) != 0))
        st = nf__fail(NF_EIO, "%s: cannot be written: %s", s->name[f], strerror(errno));
done:
    return st;
}

nf_status nf__store_finish(nf__store *s)
{
    nf_status st = NF_OK;
    if (!s->lasting)
        return NF_OK;
    for (int f = 0; f < 2; f++)
        if (s->fd[f] >= 0)
            NF_TRY(finish_file(s, f));
    nf__journal_close(&s->journal, true);
done:
    return st;
}

void nf__store_close(nf__store *s, bool drop)
{
    const bool remove = s->ours && s->journal.fd >= 0 && (drop || s->journal.seq <= 1);
    for (int f = 0; f < 2; f++) {
        if (s->fd[f] >= 0 && remove)
            unlink(s->part[f]);
        if (s->fd[f] >= 0)
            close(s->fd[f]);
        if (s->own[f])
            nf__free(s->memory[f]);
        nf__free(s->part[f]);
        nf__free(s->name[f]);
        s->fd[f] = -1;
        s->memory[f] = NULL;
        s->part[f] = s->name[f] = NULL;
    }
    nf__journal_close(&s->journal, remove);
}
