/* stream.c - rows of distances on their way to a .npy file, tile by tile, so that they never have to fit in memory.
 *
 * The file is the one that nf_result_write makes: NumPy's format 1.0, C order, little endian, rows x n.
 * Invariants
 *   S1 the file has another name until every tile is in it;
 *   S2 a tile may be any rectangle: its rows go to their own places.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "run.h"

#define HEADER 128 /* bytes, a multiple of 64 */

bool cli_stream_fits(const char *path)
{
    size_t length = path != NULL ? strlen(path) : 0;
    return length > 4 && strcmp(path + length - 4, ".npy") == 0;
}

static bool put_at(cli_stream *s, const void *data, size_t bytes, uint64_t at)
{
    const char *from = data;
    while (bytes > 0) {
        ssize_t done = pwrite(s->file, from, bytes, (off_t)at);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0) {
            s->error = done < 0 ? errno : ENOSPC;
            return false;
        }
        from += done;
        at += (uint64_t)done;
        bytes -= (size_t)done;
    }
    return true;
}

static bool put_header(cli_stream *s, nf_type type)
{
    static const char *const names[] = {"", "<i4", "<u4", "<i8", "<u8", "<f4", "<f8"};
    char text[HEADER + 1];
    int used = snprintf(text, sizeof text,
                        "%cNUMPY%c%c%c%c{'descr': '%s', 'fortran_order': False, 'shape': (%" PRIu64 ", %u), }", 0x93, 1,
                        'x', HEADER - 10, 'x', names[type], s->rows, s->n);
    text[7] = text[9] = '\0';
    memset(text + used, ' ', (size_t)(HEADER - used));
    text[HEADER - 1] = '\n';
    s->type = type;
    return put_at(s, text, HEADER, 0);
}

int cli_stream_open(cli_app *app, const char *path, uint64_t rows, cli_stream *s)
{
    *s = (cli_stream){.rows = rows, .n = nf_graph_n(app->graph), .path = path, .file = -1};
    int length = snprintf(s->part, sizeof s->part, "%s.%ld.part", path, (long)getpid());
    if (length < 0 || (size_t)length >= sizeof s->part)
        return cli_error(app, CLI_INPUT, "%s: the name is too long", path);
    s->file = open(s->part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    return s->file >= 0 ? CLI_OK : cli_error(app, CLI_INPUT, "%s: cannot be written: %s", path, strerror(errno));
}

nf_status cli_stream_tile(void *user, const nf_tile *tile)
{
    cli_stream *s = user;
    size_t size = nf_type_size(tile->type);
    if (s->type == NF_NONE && !put_header(s, tile->type))
        return NF_EIO;
    if (tile->cols == s->n && tile->stride == s->n) {
        bool fine = put_at(s, tile->distances, tile->rows * tile->cols * size, HEADER + tile->row0 * s->n * size);
        return fine ? NF_OK : NF_EIO;
    }
    for (uint64_t i = 0; i < tile->rows; i++) {
        const char *row = (const char *)tile->distances + i * tile->stride * size;
        if (!put_at(s, row, tile->cols * size, HEADER + ((tile->row0 + i) * s->n + tile->col0) * size)) /* S2 */
            return NF_EIO;
    }
    return NF_OK;
}

int cli_stream_close(cli_app *app, cli_stream *s, const nf_result *result)
{
    nf_run_info info = {.size = sizeof info};
    if (s->file < 0)
        return CLI_OK;
    bool whole = result != NULL && s->error == 0 && !cli_interrupted();
    if (whole && s->type == NF_NONE) { /* no rows at all */
        nf_result_info(result, &info);
        whole = put_header(s, info.type);
    }
    if (close(s->file) != 0 && s->error == 0)
        s->error = errno;
    s->file = -1;
    if (whole && s->error == 0 && rename(s->part, s->path) != 0)
        s->error = errno;
    if (whole && s->error == 0)
        return CLI_OK;
    unlink(s->part);
    return s->error == 0 ? CLI_OK : cli_error(app, CLI_INPUT, "%s: cannot be written: %s", s->path, strerror(s->error));
}
