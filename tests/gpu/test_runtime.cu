/* test_runtime.cu - memory limits, transfers, faults: what the runtime promises when things go wrong. */
#include "gpu_test.h"

namespace SIMT_FLAVOUR
{

/* ---- memory ------------------------------------------------------------------------------------------------------ */

static void test_limit(void **)
{
    bed b = make_bed((uint64_t)1 << 20);
    uint32_t *p = NULL, *q = NULL, *r = NULL;
    uint64_t peak = 0;
    OK(device_alloc(b.d, 150000, &p));
    assert_int_equal(device_used(b.d, NULL), 600064); /* whole 256 bytes */
    FAILS(NF_EDEVMEM, "600064 bytes of device memory were asked for; 448512 of the memory limit of 1048576 are left",
          device_alloc(b.d, 150000, &q));
    assert_null(q);
    FAILS(NF_EDEVMEM, "the thing needs 448513 bytes", device_foresee(b.d, 448513, "the thing"));
    OK(device_foresee(b.d, 448512, "the thing"));
    device_free(b.d, p);
    OK(device_alloc(b.d, 250000, &q));
    assert_int_equal(device_used(b.d, &peak), 1000192);
    assert_int_equal(peak, 1000192);
    OK(device_alloc(b.d, 0, &r)); /* nothing is something */
    assert_non_null(r);
    device_free(b.d, q);
    device_free(b.d, r);
    device_free(b.d, NULL);
    end_bed(b);
}

/* More than the device has: refused with the bytes asked for and free, and the device goes on. */
static void test_too_much(void **)
{
    bed b = make_bed(0);
    char asked[64];
    uint64_t *p = NULL;
    const uint64_t huge = (uint64_t)1 << 50;
    snprintf(asked, sizeof asked, "%llu bytes of device memory were asked for", (unsigned long long)huge);
    FAILS(NF_EDEVMEM, asked, device_alloc(b.d, huge / 8, &p));
    FAILS(NF_EDEVMEM, "bytes of device memory were asked for", device_alloc(b.d, UINT64_MAX / 8, &p));
    FAILS(NF_EDEVMEM, "are free", device_foresee(b.d, huge, "the graph"));
    OK(device_alloc(b.d, 1000, &p));
    OK(device_fill_bytes(b.d, p, 0xff, 8000));
    OK(device_finish(b.d, "fill", 0));
    device_free(b.d, p);
    end_bed(b);
}

/* Every host allocation on the way fails once; nothing leaks. */
typedef struct miser {
    int left; /* allocations granted; -1: all */
    int live;
} miser;

static void *miser_alloc(void *user, size_t bytes)
{
    miser *m = static_cast<miser *>(user);
    if (m->left == 0)
        return NULL;
    m->left -= m->left > 0;
    m->live++;
    return malloc(bytes);
}

static void miser_free(void *user, void *p)
{
    static_cast<miser *>(user)->live -= p != NULL;
    free(p);
}

static nf_status use_device(nf_context *ctx)
{
    nf_status st = NF_OK;
    device *d = NULL;
    uint32_t *p = NULL;
    const uint32_t word = 7;
    NF_TRY(device_open(ctx, 0, &d));
    NF_TRY(device_enter(d));
    NF_TRY(device_alloc(d, 1, &p));
    NF_TRY(device_upload(d, p, &word, sizeof word, NULL));
    NF_TRY(device_finish(d, "upload", 0));
done:
    if (d != NULL)
        device_free(d, p);
    device_close(d);
    return st;
}

static void test_host_memory(void **)
{
    nf_status st = NF_ENOMEM;
    for (int k = 2; st != NF_OK; k++) {
        miser m = {-1, 0};
        nf_context *ctx = NULL;
        nf_context_options o = {};
        o.size = sizeof o;
        o.device = "cpu";
        o.allocator.alloc = miser_alloc;
        o.allocator.free = miser_free;
        o.allocator.user = &m;
        OK(nf_context_create(&o, &ctx));
        m.left = k - 2;
        st = use_device(ctx);
        assert_true(st == NF_OK || st == NF_ENOMEM);
        assert_true(k < 100);
        nf_context_free(ctx);
        assert_int_equal(m.live, 0);
    }
}

/* ---- transfers --------------------------------------------------------------------------------------------------- */

/* More than two pieces of staging, and a length that is no multiple of anything. */
static void test_upload(void **)
{
    bed b = make_bed(0);
    const uint64_t n = ((uint64_t)20 << 20) + 12345;
    unsigned char *from = static_cast<unsigned char *>(malloc(n)), *p = NULL;
    for (uint64_t i = 0; i < n; i++)
        from[i] = (unsigned char)(i * 131 >> 7);
    OK(device_alloc(b.d, n, &p));
    OK(device_upload(b.d, p, from, n, NULL));
    unsigned char *to = get(b.d, p, n);
    assert_memory_equal(from, to, n);
    device_free(b.d, p);
    free(from), free(to);
    end_bed(b);
}

static void test_cancel(void **)
{
    bed b = make_bed(0);
    uint32_t word = 1, *p = NULL;
    OK(device_alloc(b.d, 1, &p));
    nf_context_cancel(b.ctx);
    FAILS(NF_ECANCELLED, "cancelled", device_upload(b.d, p, &word, sizeof word, NULL));
    FAILS(NF_ECANCELLED, "cancelled", device_finish(b.d, "nothing", 0));
    device_free(b.d, p);
    end_bed(b);
}

/* ---- faults ------------------------------------------------------------------------------------------------------ */

/* The hook: the first run's first step launches a kernel that fails. It surfaces at the synchronisation, the device is
 * lost ever after, nothing leaks, and a fresh context works. */
static void test_fault(void **)
{
    setenv("NEARFAR_GPU_FAULT", "2", 1);
    bed b = make_bed(0);
    uint32_t *p = NULL, *q = NULL;
    OK(device_alloc(b.d, 1000, &p));
    OK(device_fill_bytes(b.d, p, 0, 4000));
    OK(device_finish(b.d, "before", 0));
    OK(device_enter(b.d)); /* the second entry: the faulty kernel is under way */
    FAILS(NF_ECUDA, "fault", device_finish(b.d, "after", 0));
    FAILS(NF_ECUDA, "lost its device", device_finish(b.d, "after", 0));
    FAILS(NF_ECUDA, "lost its device", device_enter(b.d));
    FAILS(NF_ECUDA, "lost its device", device_alloc(b.d, 1, &q));
    FAILS(NF_ECUDA, "lost its device", device_upload(b.d, p, &q, 4, NULL));
    FAILS(NF_ECUDA, "create a new context", device_download(b.d, &q, p, 4));
    device_free(b.d, p);
    end_bed(b);
    unsetenv("NEARFAR_GPU_FAULT");
    b = make_bed(0);
    OK(device_alloc(b.d, 1000, &p));
    OK(device_fill_bytes(b.d, p, 1, 4000));
    uint32_t *got = get(b.d, p, 1000);
    assert_int_equal(got[999], 0x01010101);
    free(got);
    device_free(b.d, p);
    end_bed(b);
}

/* Through the public calls: BFS on a device that fails in the middle. */
static void test_fault_in_run(void **)
{
    const nf_vid src[] = {0, 1, 2}, dst[] = {1, 2, 3};
    nf_coo coo = {};
    nf_graph *g = NULL;
    nf_result *r = NULL;
    nf_context *ctx = NULL;
    nf_context_options o = {};
    coo.n = 4, coo.m = 3, coo.src = src, coo.dst = dst;
    o.size = sizeof o;
    o.device = NF_DEVICE_NAME;
    OK(nf_graph_from_coo(NULL, &coo, NULL, &g));
    setenv("NEARFAR_GPU_FAULT", "1", 1);
    OK(nf_context_create(&o, &ctx));
    FAILS(NF_ECUDA, "fault", nf_bfs(ctx, g, 0, NULL, &r));
    assert_null(r);
    FAILS(NF_ECUDA, "lost its device", nf_bfs(ctx, g, 0, NULL, &r));
    nf_context_free(ctx);
    unsetenv("NEARFAR_GPU_FAULT");
    OK(nf_context_create(&o, &ctx));
    OK(nf_bfs(ctx, g, 0, NULL, &r));
    assert_int_equal(nf_result_hops(r, 0)[3], 3);
    nf_result_free(r);
    nf_context_free(ctx);
    nf_graph_free(g);
}

/* ---- listing ----------------------------------------------------------------------------------------------------- */

static void test_describe(void **)
{
    nf_device_info info;
    const char *absence = "";
    OK(device_describe(0, &info));
    assert_int_equal(strncmp(info.name, NF_DEVICE_NAME, strlen(NF_DEVICE_NAME)), 0);
    assert_true(info.memory_total >= info.memory_free && info.memory_free > 0 && info.threads > 0);
    assert_true(device_count(&absence) >= 1);
}

} /* namespace SIMT_FLAVOUR */

int main(void)
{
    using namespace SIMT_FLAVOUR;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_limit),        cmocka_unit_test(test_too_much), cmocka_unit_test(test_host_memory),
        cmocka_unit_test(test_upload),       cmocka_unit_test(test_cancel),   cmocka_unit_test(test_fault),
        cmocka_unit_test(test_fault_in_run), cmocka_unit_test(test_describe),
    };
    return RUN_GPU_TESTS(tests);
}
