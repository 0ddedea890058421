/* courier.cu - rows on their way out (courier.h).
 *
 * Method: rows are cut into pieces of PIECE_BYTES. While a piece is filtered, converted, summed up and handed to the
 * sink by the host's threads (nf__band), the next one is copied into the other of two page-locked bands. Rows that stay
 * in the result's memory as they are made go there by way of the device's staging memory instead. A courier that is
 * apart copies in a stream of its own, so that the device can make the next rows meanwhile.
 * Invariant: a band is written by the device only between its nf__band_begin and the event `sent`.
 * Cost: 2 PIECE_BYTES of host memory or two rows, half as much again where the type handed out differs, and the
 * parents; less where the context's limit does not leave as much.
 */
#include "gpu/courier.h"

namespace SIMT_FLAVOUR
{

/* Rows enough for every thread, on graphs of some 100,000 vertices too: to call them takes a while. */
#define PIECE_BYTES (64ull << 20)
/* Less than this is not page-locked, which takes a while itself. Other numbers were not tried. */
#define LOCK_BYTES (16ull << 20)

static void lock(courier *c, unsigned k, unsigned which, void *p, uint64_t bytes)
{
    if (p != NULL && cudaHostRegister(p, bytes, 0) == cudaSuccess)
        c->locked[k][which] = p;
    else if (p != NULL)
        (void)cudaGetLastError(); /* copies go through staging memory, and are no less right */
}

static nf_status open_band(courier *c, unsigned k, uint64_t most)
{
    nf_status st = NF_OK;
    nf__run *run = c->run;
    nf__band *b = &c->bands[k];
    const uint64_t n = run->csr.n, row = n * c->width;
    NF_TRY(nf__band_open(run, most, b));
    NF_TRY_CUDA((device *)run->device, cudaEventCreateWithFlags(&c->sent[k], cudaEventDisableTiming));
    if (run->rows * row < LOCK_BYTES)
        return NF_OK;
    lock(c, k, 0, b->final ? b->out : b->dist, b->most * row);
    lock(c, k, 1, b->parents, b->most * n * sizeof *b->parents);
done:
    return st;
}

nf_type courier_type(const nf__run *run, bool final)
{
    return final ? nf__run_place(run).type : run->work_type;
}

bool courier_can_be_final(const nf__run *run)
{
    return courier_type(run, true) != run->work_type && !run->has_cutoff && run->targets == NULL;
}

nf_status courier_open(courier *c, nf__run *run, uint64_t most, bool final)
{
    nf_status st = NF_OK;
    const size_t width = nf_type_size(courier_type(run, final));
    const uint64_t row = run->csr.n * width;
    const uint64_t fits = row == 0 || PIECE_BYTES / row > most ? most : PIECE_BYTES / row;
    const uint64_t each = fits == 0 ? 1 : fits;
    c->run = run;
    c->width = width;
    c->bands[0].final = c->bands[1].final = final;
    NF_TRY(open_band(c, 0, each));
    if (c->bands[0].most < most) {
        st = open_band(c, 1, c->bands[0].most);
        st = st == NF_ENOMEM ? NF_OK : st; /* one after another, then */
    }
    nf__log(run->ctx, NF_LOG_DEBUG, "courier: pieces of %llu rows, in %u bands, %s",
            (unsigned long long)c->bands[c->bands[1].rows != NULL].most, c->bands[1].rows != NULL ? 2u : 1u,
            c->locked[0][0] != NULL ? "page-locked" : "by staging memory");
done:
    return st;
}

nf_status courier_part(courier *c, bool *can)
{
    nf_status st = NF_OK;
    *can = c->bands[1].rows != NULL;
    for (unsigned k = 0; k < 2 && *can; k++)
        *can = c->locked[k][0] != NULL && (c->bands[k].parents == NULL || c->locked[k][1] != NULL);
    if (*can && c->apart == NULL)
        NF_TRY_CUDA((device *)c->run->device, cudaStreamCreateWithFlags(&c->apart, cudaStreamNonBlocking));
done:
    return st;
}

void courier_close(courier *c)
{
    for (unsigned k = 0; k < 2; k++) {
        if (c->sent[k] != NULL) {
            (void)cudaEventSynchronize(c->sent[k]); /* nothing is on its way when its memory goes */
            (void)cudaEventDestroy(c->sent[k]);
        }
        for (unsigned which = 0; which < 2; which++)
            if (c->locked[k][which] != NULL)
                (void)cudaHostUnregister(c->locked[k][which]);
        nf__band_close(&c->bands[k]);
    }
    if (c->apart != NULL)
        (void)cudaStreamDestroy(c->apart);
}

static cudaStream_t stream_of(const courier *c)
{
    return c->apart != NULL ? c->apart : ((const device *)c->run->device)->stream;
}

/* One array of a piece: at once, or, where it is not page-locked, before this returns. */
static nf_status fetch(courier *c, const void *locked, void *to, const void *from, uint64_t bytes)
{
    nf_status st = NF_OK;
    device *d = (device *)c->run->device;
    if (locked == NULL)
        return device_results(c->run, to, from, bytes);
    NF_TRY_CUDA(d, cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream_of(c)));
done:
    return st;
}

/* Rows `at` .. `at` + count - 1 of those made set out. */
static nf_status send(courier *c, unsigned k, const rows_made *made, uint64_t at, uint64_t count)
{
    nf_status st = NF_OK;
    device *d = (device *)c->run->device;
    nf__band *b = &c->bands[k];
    const uint64_t n = c->run->csr.n, width = c->width;
    NF_TRY(nf__band_begin(c->run, b, made->first + at, count));
    NF_TRY(fetch(c, c->locked[k][0], b->rows[0].dist, (const char *)made->dist + at * n * width, count * n * width));
    if (b->rows[0].parent != NULL)
        NF_TRY(fetch(c, c->locked[k][1], b->rows[0].parent, made->parent + at * n, count * n * sizeof(nf_vid)));
    NF_TRY_CUDA(d, cudaEventRecord(c->sent[k], stream_of(c)));
done:
    return st;
}

/* They have come. */
static nf_status receive(courier *c, unsigned k, const rows_made *made, const char *phase, courier_tell tell,
                         void *user)
{
    nf_status st = NF_OK;
    nf__run *run = c->run;
    nf__band *b = &c->bands[k];
    const double start = nf__now_ms();
    NF_TRY(nf__progress(run->ctx, phase, b->rows[0].index, run->rows));
    NF_TRY_CUDA((device *)run->device, cudaEventSynchronize(c->sent[k]));
    run->download_ms += nf__now_ms() - start;
    for (uint64_t i = 0; i < b->count; i++)
        NF_TRY(tell(user, b->rows[i].index - made->first, &b->rows[i]));
    NF_TRY(nf__band_end(run, b));
done:
    return st;
}

nf_status courier_deliver(courier *c, const rows_made *made, const char *phase, courier_tell tell, void *user)
{
    nf_status st = NF_OK;
    const unsigned ahead = c->bands[1].rows != NULL ? 1 : 0; /* a piece travels while the one before is handed out */
    const uint64_t each = c->bands[ahead].most;              /* the second is no larger than the first */
    const uint64_t pieces = (made->count + each - 1) / each;
    if (c->apart == NULL) /* else it is the next rows' by now */
        NF_TRY(device_read_clock(c->run));
    for (uint64_t i = 0; i < pieces + ahead; i++) {
        const uint64_t at = i * each;
        if (i < pieces)
            NF_TRY(send(c, i & ahead, made, at, made->count - at < each ? made->count - at : each));
        if (i >= ahead)
            NF_TRY(receive(c, (i - ahead) & ahead, made, phase, tell, user));
    }
done:
    return st;
}

} /* namespace SIMT_FLAVOUR */
