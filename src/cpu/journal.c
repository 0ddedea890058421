/* journal.c - see journal.h. Cost: a record is 64 bytes and 4 for every tile of every file, written and synced. */
#include "cpu/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define VERSION 1u
#define SLOTS_AT 4096
/* Read or written between two looks at a cancel: some 10 ms. */
#define PIECE ((uint64_t)16 << 20)

static const char magic[8] = {'\x93', 'N', 'F', 'J', 'O', 'U', 'R', 'N'};

typedef struct record {
    uint64_t seq;
    uint32_t stage, done, flags, crc; /* crc: of the record and its sums with this field zero */
    uint64_t steps, zero[4];
} record;

_Static_assert(sizeof(nf__journal_head) == 112 && sizeof(record) == 64, "no holes");

/* ---- bytes ------------------------------------------------------------------------------------------------------- */

nf_status nf__file_write(nf_context *ctx, int fd, const char *path, const void *data, uint64_t bytes, uint64_t at)
{
    nf_status st = NF_OK;
    const char *from = data;
    while (bytes > 0) {
        NF_TRY(nf__poll(ctx));
        const ssize_t done = pwrite(fd, from, bytes < PIECE ? bytes : PIECE, (off_t)at);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            NF_TRY(nf__fail(NF_EIO, "%s: cannot be written: %s", path, strerror(done < 0 ? errno : ENOSPC)));
        from += done;
        at += (uint64_t)done;
        bytes -= (uint64_t)done;
    }
done:
    return st;
}

nf_status nf__file_read(nf_context *ctx, int fd, const char *path, void *data, uint64_t bytes, uint64_t at)
{
    nf_status st = NF_OK;
    char *to = data;
    while (bytes > 0) {
        NF_TRY(nf__poll(ctx));
        const ssize_t done = pread(fd, to, bytes < PIECE ? bytes : PIECE, (off_t)at);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            NF_TRY(nf__fail(NF_EIO, "%s: cannot be read: %s", path, strerror(errno)));
        if (done == 0)
            NF_TRY(nf__fail(NF_EFORMAT, "%s: at byte %llu: the file is cut short", path, (unsigned long long)at));
        to += done;
        at += (uint64_t)done;
        bytes -= (uint64_t)done;
    }
done:
    return st;
}

char *nf__joined(nf__mem *mem, const char *a, const char *b)
{
    const size_t first = strlen(a), second = strlen(b) + 1;
    char *text = nf__alloc(mem, first + second, 1);
    if (text != NULL) {
        memcpy(text, a, first);
        memcpy(text + first, b, second);
    }
    return text;
}

/* ---- records ----------------------------------------------------------------------------------------------------- */

static uint32_t head_crc(nf_context *ctx, nf__journal_head head)
{
    head.crc = 0;
    return nf__crc32(ctx, &head, sizeof head);
}

static uint32_t slot_crc(const nf__journal *j)
{
    record *r = (record *)(void *)j->slot;
    const uint32_t kept = r->crc;
    r->crc = 0;
    const uint32_t crc = nf__crc32(j->ctx, j->slot, sizeof *r + j->tiles * sizeof *j->sums);
    r->crc = kept;
    return crc;
}

static uint64_t slot_at(const nf__journal *j, uint64_t seq)
{
    return SLOTS_AT + (seq & 1) * j->slot_bytes;
}

static nf_status create_slot(nf__journal *j)
{
    nf_status st = NF_OK;
    nf__mem *mem = nf__context_mem(j->ctx);
    j->slot_bytes = (sizeof(record) + (size_t)j->tiles * sizeof *j->sums + 4095) / 4096 * 4096;
    NF_TRY_ALLOC(j->slot, nf__zalloc(mem, j->slot_bytes, 1));
    NF_TRY_ALLOC(j->sums, nf__zalloc(mem, j->tiles, sizeof *j->sums));
done:
    return st;
}

nf_status nf__journal_save(nf__journal *j)
{
    nf_status st = NF_OK;
    record *r = (record *)(void *)j->slot;
    *r = (record){.seq = j->seq + 1, .stage = j->stage, .done = j->done, .flags = j->flags, .steps = j->steps};
    memcpy(j->slot + sizeof *r, j->sums, (size_t)j->tiles * sizeof *j->sums);
    r->crc = slot_crc(j);
    NF_TRY(nf__file_write(j->ctx, j->fd, j->path, j->slot, j->slot_bytes, slot_at(j, j->seq + 1)));
    if (fdatasync(j->fd) != 0)
        NF_TRY(nf__fail(NF_EIO, "%s: cannot be written: %s", j->path, strerror(errno)));
    j->seq++;
done:
    return st;
}

/* The newer of the two records that are whole. */
static nf_status load_record(nf__journal *j)
{
    nf_status st = NF_OK;
    record *r = (record *)(void *)j->slot;
    bool found = false;
    for (uint64_t k = 0; k < 2; k++) {
        struct stat file;
        if (fstat(j->fd, &file) != 0 || (uint64_t)file.st_size < slot_at(j, k) + j->slot_bytes)
            continue; /* the second slot is not there until the second record is */
        NF_TRY(nf__file_read(j->ctx, j->fd, j->path, j->slot, j->slot_bytes, slot_at(j, k)));
        if (r->crc != slot_crc(j) || (r->seq & 1) != k || (found && r->seq < j->seq))
            continue;
        found = true;
        j->seq = r->seq;
        j->stage = r->stage;
        j->done = r->done;
        j->flags = r->flags;
        j->steps = r->steps;
        memcpy(j->sums, j->slot + sizeof *r, (size_t)j->tiles * sizeof *j->sums);
    }
    if (!found)
        NF_TRY(nf__fail(NF_EFORMAT, "%s: no record of the journal is whole: nothing can be resumed", j->path));
done:
    return st;
}

/* ---- the file ---------------------------------------------------------------------------------------------------- */

static nf_status lock(const nf__journal *j)
{
    if (flock(j->fd, LOCK_EX | LOCK_NB) == 0)
        return NF_OK;
    return nf__fail(NF_EIO, "%s: another process is at work on this file", j->path);
}

/* N3: gives the file its name, unless there is one of that name. Disks that know no links have it renamed. */
static nf_status publish(const char *fresh, const char *path)
{
    if (link(fresh, path) == 0)
        return NF_OK;
    if (errno == EEXIST || access(path, F_OK) == 0)
        return nf__fail(NF_EINVAL, "%s: an unfinished run is there; resume it, or remove that file", path);
    if (rename(fresh, path) == 0)
        return NF_OK;
    return nf__fail(NF_EIO, "%s: cannot be written: %s", path, strerror(errno));
}

nf_status nf__journal_create(nf__journal *j, nf_context *ctx, const char *path, const nf__journal_head *head,
                             uint64_t tiles)
{
    nf_status st = NF_OK;
    nf__mem *mem = nf__context_mem(ctx);
    char *fresh = NULL;
    bool made = false;
    *j = (nf__journal){.ctx = ctx, .fd = -1, .head = *head, .tiles = tiles};
    NF_TRY_ALLOC(j->path, nf__strdup(mem, path));
    NF_TRY_ALLOC(fresh, nf__joined(mem, path, ".new"));
    NF_TRY(create_slot(j));
    j->fd = open(fresh, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    made = j->fd >= 0;
    if (!made)
        NF_TRY(nf__fail(NF_EIO, "%s: cannot be written: %s", path, strerror(errno)));
    NF_TRY(lock(j));
    memcpy(j->head.magic, magic, sizeof magic);
    j->head.version = VERSION;
    j->head.crc = head_crc(ctx, j->head);
    NF_TRY(nf__file_write(ctx, j->fd, path, &j->head, sizeof j->head, 0));
    NF_TRY(nf__journal_save(j));
    NF_TRY(publish(fresh, path));
done:
    if (made)
        unlink(fresh);
    nf__free(fresh);
    return st;
}

nf_status nf__journal_open(nf__journal *j, nf_context *ctx, const char *path, bool *found)
{
    nf_status st = NF_OK;
    *j = (nf__journal){.ctx = ctx, .fd = -1};
    *found = false;
    NF_TRY_ALLOC(j->path, nf__strdup(nf__context_mem(ctx), path));
    j->fd = open(path, O_RDWR | O_CLOEXEC);
    if (j->fd < 0 && errno == ENOENT)
        goto done;
    if (j->fd < 0)
        NF_TRY(nf__fail(NF_EIO, "%s: cannot be opened: %s", path, strerror(errno)));
    NF_TRY(lock(j));
    NF_TRY(nf__file_read(ctx, j->fd, path, &j->head, sizeof j->head, 0));
    const nf__journal_head *h = &j->head;
    if (memcmp(h->magic, magic, sizeof magic) != 0)
        NF_TRY(nf__fail(NF_EFORMAT, "%s: at byte 0: this is no journal", path));
    if (h->version != VERSION)
        NF_TRY(nf__fail(NF_EFORMAT, "%s: at byte 8: version %u of the journal; this library resumes version %u", path,
                        h->version, VERSION));
    if (h->crc != head_crc(ctx, *h) || h->tile == 0 || h->block == 0 || h->n == 0)
        NF_TRY(nf__fail(NF_EFORMAT, "%s: the head of the journal is damaged: nothing can be resumed", path));
    j->tiles = 2 * (((uint64_t)h->n + h->tile - 1) / h->tile);
    NF_TRY(create_slot(j));
    NF_TRY(load_record(j));
    *found = true;
done:
    return st;
}

void nf__journal_close(nf__journal *j, bool remove)
{
    if (remove && j->fd >= 0)
        unlink(j->path);
    if (j->fd >= 0)
        close(j->fd);
    nf__free(j->path);
    nf__free(j->slot);
    nf__free(j->sums);
    *j = (nf__journal){.fd = -1};
}
