/* test_simt_primitives.cu - each primitive of the layer against its definition, computed on the host the plain way. */
#include "simt_test.h"

#include <string.h>

namespace SIMT_FLAVOUR
{

enum { LANES = 32, WIDTHS = 6, KINDS = 4 };

/* ---- indices ----------------------------------------------------------------------------------------------------- */

static __global__ void indices(unsigned *out)
{
    const unsigned in_block = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    const unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    const unsigned i = block * (blockDim.x * blockDim.y * blockDim.z) + in_block;
    out[2 * i] = simt_lane();
    out[2 * i + 1] = simt_warp();
}

/* ---- warps ------------------------------------------------------------------------------------------------------- */

template <typename T>
static __global__ void shuffles(const T *in, const unsigned *argument, T *out, unsigned *masks, unsigned groups)
{
    const unsigned lane = simt_lane();
    const unsigned mask = masks[lane];
    for (unsigned w = 0; w < WIDTHS; w++) {
        const int width = 1 << w;
        T *row = out + w * KINDS * LANES;
        row[lane] = __shfl_sync(mask, in[lane], (int)argument[lane], width);
        row[LANES + lane] = __shfl_up_sync(mask, in[lane], argument[lane], width);
        row[2 * LANES + lane] = __shfl_down_sync(mask, in[lane], argument[lane], width);
        row[3 * LANES + lane] = __shfl_xor_sync(mask, in[lane], (int)argument[groups], width);
    }
}

struct votes {
    unsigned ballot, any, all, match32, match64, match_all;
    int same;
    unsigned add, least, most, either, both;
    int signed_add, signed_least, signed_most;
};

static __global__ void vote(const int *in, const unsigned *masks, votes *out)
{
    const unsigned lane = simt_lane(), mask = masks[lane];
    const int x = in[lane];
    votes v;
    v.ballot = __ballot_sync(mask, x > 2);
    v.any = (unsigned)__any_sync(mask, x > 2);
    v.all = (unsigned)__all_sync(mask, x > 2);
    v.match32 = __match_any_sync(mask, x);
    v.match64 = __match_any_sync(mask, (unsigned long long)x << 33);
    v.match_all = __match_all_sync(mask, x, &v.same);
    v.add = simt_reduce_add(mask, (unsigned)x);
    v.least = simt_reduce_min(mask, (unsigned)x);
    v.most = simt_reduce_max(mask, (unsigned)x);
    v.either = simt_reduce_or(mask, (unsigned)x);
    v.both = simt_reduce_and(mask, (unsigned)x);
    v.signed_add = simt_reduce_add(mask, x);
    v.signed_least = simt_reduce_min(mask, x);
    v.signed_most = simt_reduce_max(mask, x);
    __syncwarp(mask);
    out[lane] = v;
}

/* ---- blocks ------------------------------------------------------------------------------------------------------ */

static __global__ void block_votes(const int *in, int *out)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[3 * i] = __syncthreads_or(in[i] > 90);
    out[3 * i + 1] = __syncthreads_and(in[i] < 90);
    out[3 * i + 2] = __syncthreads_count(in[i] % 2);
}

/* ---- atomics ----------------------------------------------------------------------------------------------------- */

enum { ATOMICS = 11 };

/* Each operation once, on its own word; what was there and what is. */
template <typename T> static __global__ void each_atomic(T *words, T *before, T operand, T compare)
{
    before[0] = atomicAdd(&words[0], operand);
    before[1] = atomicSub(&words[1], operand);
    before[2] = atomicMin(&words[2], operand);
    before[3] = atomicMax(&words[3], operand);
    before[4] = atomicOr(&words[4], operand);
    before[5] = atomicAnd(&words[5], operand);
    before[6] = atomicXor(&words[6], operand);
    before[7] = atomicExch(&words[7], operand);
    before[8] = atomicCAS(&words[8], compare, operand);
    before[9] = atomicInc(&words[9], operand);
    before[10] = atomicDec(&words[10], operand);
}

template <typename T> static __global__ void add_floats(T *sum)
{
    atomicAdd(sum, (T)0.5);
}

/* ---- bits and small numbers -------------------------------------------------------------------------------------- */

static __global__ void bits(const unsigned long long *in, int *out, unsigned n)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const unsigned x = (unsigned)in[i];
    out[8 * i] = __popc(x);
    out[8 * i + 1] = __popcll(in[i]);
    out[8 * i + 2] = __ffs((int)x);
    out[8 * i + 3] = __ffsll((long long)in[i]);
    out[8 * i + 4] = __clz((int)x);
    out[8 * i + 5] = __clzll((long long)in[i]);
    out[8 * i + 6] = (int)__brev(x);
    out[8 * i + 7] = (int)__funnelshift_l(x, (unsigned)(in[i] >> 32), 7);
}

static __global__ void minima(const int *in, int *out)
{
    const unsigned i = threadIdx.x;
    const int a = in[3 * i], b = in[3 * i + 1], c = in[3 * i + 2];
    out[10 * i] = simt_addmin(a, b, c);
    out[10 * i + 1] = simt_min3(a, b, c);
    out[10 * i + 2] = (int)simt_addmin2((unsigned)a, (unsigned)b, (unsigned)c);
    out[10 * i + 3] = (int)simt_twice((unsigned)a, 0);
    out[10 * i + 4] = (int)simt_twice((unsigned)a, 1);
    out[10 * i + 5] = (int)simt_min3_2((unsigned)a, (unsigned)b, (unsigned)c);
    for (int k = 0; k < 4; k++)
        out[10 * i + 6 + k] = (int)simt_set_byte((unsigned)a, k, (unsigned)b);
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

struct pair {
    int a;
    float b;
};

static __global__ void shared_kinds(const uint4 *in, int *out)
{
    SIMT_SHARED(pair, pairs, 32);
    SIMT_SHARED(double, wide, 3);
    SIMT_SHARED_DYNAMIC(unsigned short, dynamic);
    const unsigned i = threadIdx.x;
    const bool fresh = pairs[i].a == (int)0xCDCDCDCD && dynamic[i] == 0xCDCD;
    const bool aligned = ((size_t)wide % 8 == 0) && ((size_t)dynamic % 16 == 0) && ((size_t)pairs % 4 == 0);
    pairs[i].a = (int)i;
    pairs[i].b = 0.5f;
    dynamic[i] = (unsigned short)i;
    if (i < 3)
        wide[i] = 1.5;
    __syncthreads();
    const uint4 four = simt_load16(&in[i]), once = simt_load16_once(&in[i]);
    out[i] = fresh && aligned && pairs[31 - i].a == 31 - (int)i && dynamic[31 - i] == 31 - i && wide[2] == 1.5
             && four.x == once.x && four.w == 4 * i + 3 && __ldg(&in[i].y) == 4 * i + 1
             && __ldcs(&in[i].z) == 4 * i + 2;
}

static __global__ void relaxed_kinds(unsigned char *b, unsigned short *s, unsigned *w, double *d, unsigned long long *t)
{
    simt_store_relaxed(b, (unsigned char)(simt_load_relaxed(b) + 1));
    simt_store_relaxed(s, (unsigned short)(simt_load_relaxed(s) + 2));
    simt_store_release(w, simt_load_acquire(w) + 3);
    simt_store_relaxed(d, simt_load_relaxed(d) + 0.25);
    t[0] = simt_clock();
    t[1] = simt_clock();
    t[2] = simt_add_acq_rel(&t[3], 1ull << 40);
    t[2] += simt_add_acq_rel(&t[3], 7);
}

static __global__ void big_cluster(unsigned *out)
{
    SIMT_SHARED(unsigned, mine, 1);
    if (threadIdx.x == 0)
        mine[0] = simt_cluster_rank() * 3;
    simt_cluster_sync();
    unsigned sum = 0;
    for (unsigned r = 0; r < simt_cluster_size(); r++)
        sum += *simt_cluster_at(&mine[0], r);
    simt_cluster_sync();
    if (threadIdx.x == 0)
        out[blockIdx.x] = sum;
}

} // namespace SIMT_FLAVOUR

using namespace SIMT_FLAVOUR;

static void test_indices(void **)
{
    unsigned got[2 * 24 * 60];
    nf__emu *device = simt_open("");
    unsigned *out = simt_new<unsigned>(2 * 24 * 60);
    SIMT_OK(SIMT_LAUNCH(indices, dim3(2, 3, 4), dim3(5, 3, 4), 0, nullptr, out));
    simt_get(got, out, 2 * 24 * 60);
    for (unsigned i = 0; i < 24 * 60; i++) {
        assert_int_equal(got[2 * i], i % 60 % 32);
        assert_int_equal(got[2 * i + 1], i % 60 / 32);
    }
    simt_close(device);
}

/* Whole warps, halves, and a mask of odd lanes beside one of even ones. */
static unsigned mask_of(int shape, unsigned lane)
{
    switch (shape) {
    case 0: return 0xffffffffu;
    case 1: return lane < 16 ? 0x0000ffffu : 0xffff0000u;
    default: return lane % 2 == 0 ? 0x55555555u : 0xaaaaaaaau;
    }
}

/* CUDA's rule for the lane a shuffle reads, with the reader itself where the source is outside its group. */
static unsigned source_lane(int kind, unsigned lane, unsigned argument, unsigned width)
{
    const unsigned base = lane / width * width;
    if (kind == 0)
        return base + argument % width;
    if (kind == 1)
        return lane >= base + argument ? lane - argument : lane;
    if (kind == 2)
        return lane + argument < base + width ? lane + argument : lane;
    return (lane ^ argument) < base + width ? lane ^ argument : lane;
}

template <typename T> static void check_shuffles(const char *order, unsigned distance)
{
    T in[LANES], got[WIDTHS * KINDS * LANES];
    unsigned arguments[LANES + 1], masks[LANES];
    nf__emu *device = simt_open(order);
    for (unsigned i = 0; i < LANES; i++) {
        in[i] = (T)(i * 1000 + 7);
        arguments[i] = distance;
        masks[i] = mask_of(0, i);
    }
    arguments[LANES] = distance;
    T *from = simt_new<T>(LANES), *out = simt_new<T>(WIDTHS * KINDS * LANES);
    unsigned *arg = simt_new<unsigned>(LANES + 1), *mask = simt_new<unsigned>(LANES);
    simt_put(from, in, LANES);
    simt_put(arg, arguments, LANES + 1);
    simt_put(mask, masks, LANES);
    SIMT_OK(SIMT_LAUNCH(shuffles<T>, 1, LANES, 0, nullptr, from, arg, out, mask, (unsigned)LANES));
    simt_get(got, out, WIDTHS * KINDS * LANES);
    for (unsigned w = 0; w < WIDTHS; w++)
        for (int kind = 0; kind < KINDS; kind++)
            for (unsigned lane = 0; lane < LANES; lane++) {
                const T expected = in[source_lane(kind, lane, distance, 1u << w)];
                assert_true(got[(w * KINDS + (unsigned)kind) * LANES + lane] == expected);
            }
    simt_close(device);
}

static void test_shuffles(void **)
{
    for (unsigned distance = 0; distance < 32; distance++) {
        check_shuffles<int>("order=random,seed=3", distance);
        check_shuffles<double>("", distance);
    }
    check_shuffles<unsigned long long>("order=lifo", 5);
    check_shuffles<float>("order=lifo,preempt=0.5", 9);
}

static void expect_votes(const int *in, unsigned mask, unsigned lane, const votes *got)
{
    votes v = {};
    v.least = v.both = ~0u;
    v.signed_least = INT32_MAX;
    v.signed_most = INT32_MIN;
    v.all = 1;
    for (unsigned i = 0; i < LANES; i++) {
        if ((mask >> i & 1u) == 0)
            continue;
        const unsigned x = (unsigned)in[i];
        v.ballot |= (in[i] > 2 ? 1u : 0u) << i;
        v.match32 |= (in[i] == in[lane] ? 1u : 0u) << i;
        v.add += x;
        v.least = x < v.least ? x : v.least;
        v.most = x > v.most ? x : v.most;
        v.either |= x;
        v.both &= x;
        v.signed_least = in[i] < v.signed_least ? in[i] : v.signed_least;
        v.signed_most = in[i] > v.signed_most ? in[i] : v.signed_most;
    }
    assert_int_equal(got->ballot, v.ballot);
    assert_int_equal(got->any, v.ballot != 0);
    assert_int_equal(got->all, v.ballot == mask);
    assert_int_equal(got->match32, v.match32);
    assert_int_equal(got->match64, v.match32);
    assert_int_equal(got->match_all, v.match32 == mask ? mask : 0);
    assert_int_equal(got->same, v.match32 == mask);
    assert_int_equal(got->add, v.add);
    assert_int_equal(got->least, v.least);
    assert_int_equal(got->most, v.most);
    assert_int_equal(got->either, v.either);
    assert_int_equal(got->both, v.both);
    assert_int_equal(got->signed_add, (int)v.add);
    assert_int_equal(got->signed_least, v.signed_least);
    assert_int_equal(got->signed_most, v.signed_most);
}

static void test_votes(void **)
{
    for (int k = 0; k < 3 * simt_order_count; k++) {
        int in[LANES];
        unsigned masks[LANES];
        votes got[LANES];
        nf__emu *device = simt_open(simt_orders[k / 3]);
        for (unsigned i = 0; i < LANES; i++) {
            in[i] = k % 4 == 0 ? 5 : (int)(i * 2654435761u >> 28) - 6;
            masks[i] = mask_of(k % 3, i);
        }
        int *from = simt_new<int>(LANES);
        unsigned *mask = simt_new<unsigned>(LANES);
        votes *out = simt_new<votes>(LANES);
        simt_put(from, in, LANES);
        simt_put(mask, masks, LANES);
        SIMT_OK(SIMT_LAUNCH(vote, 1, LANES, 0, nullptr, from, mask, out));
        simt_get(got, out, LANES);
        for (unsigned i = 0; i < LANES; i++)
            expect_votes(in, masks[i], i, &got[i]);
        simt_close(device);
    }
}

static void test_block_votes(void **)
{
    for (int k = 0; k < simt_order_count; k++) {
        int in[256], got[3 * 256];
        nf__emu *device = simt_open(simt_orders[k]);
        for (int i = 0; i < 256; i++)
            in[i] = i % 100 - (i < 64 ? 50 : 0);
        int *from = simt_new<int>(256), *out = simt_new<int>(3 * 256);
        simt_put(from, in, 256);
        SIMT_OK(SIMT_LAUNCH(block_votes, 4, 64, 0, nullptr, from, out));
        simt_get(got, out, 3 * 256);
        for (int b = 0; b < 4; b++) {
            int some = 0, all = 1, odd = 0;
            for (int i = 64 * b; i < 64 * b + 64; i++) {
                some |= in[i] > 90;
                all &= in[i] < 90;
                odd += in[i] % 2 != 0;
            }
            for (int i = 64 * b; i < 64 * b + 64; i++) {
                assert_int_equal(got[3 * i] != 0, some);
                assert_int_equal(got[3 * i + 1] != 0, all);
                assert_int_equal(got[3 * i + 2], odd);
            }
        }
        simt_close(device);
    }
}

template <typename T> static T applied(int op, T old, T x, T compare)
{
    switch (op) {
    case 0: return (T)(old + x);
    case 1: return (T)(old - x);
    case 2: return x < old ? x : old;
    case 3: return x > old ? x : old;
    case 4: return old | x;
    case 5: return old & x;
    case 6: return old ^ x;
    case 7: return x;
    case 8: return old == compare ? x : old;
    case 9: return old >= x ? 0 : (T)(old + 1);
    default: return old == 0 || old > x ? x : (T)(old - 1);
    }
}

template <typename T> static void check_atomics(T start, T operand, T compare)
{
    T words[ATOMICS], before[ATOMICS];
    nf__emu *device = simt_open("");
    T *at = simt_new<T>(ATOMICS), *old = simt_new<T>(ATOMICS);
    for (int i = 0; i < ATOMICS; i++)
        words[i] = start;
    simt_put(at, words, ATOMICS);
    SIMT_OK(SIMT_LAUNCH(each_atomic<T>, 1, 1, 0, nullptr, at, old, operand, compare));
    simt_get(words, at, ATOMICS);
    simt_get(before, old, ATOMICS);
    const int operations = (T)-1 > 0 ? ATOMICS : 9; /* inc and dec are for unsigned numbers */
    for (int i = 0; i < operations; i++) {
        assert_true(before[i] == start);
        assert_true(words[i] == applied(i, start, operand, compare));
    }
    simt_close(device);
}

static void test_atomics(void **)
{
    check_atomics<int>(-5, 3, -5);
    check_atomics<int>(5, -3, 4);
    check_atomics<unsigned>(0xfffffff0u, 3, 0xfffffff0u);
    check_atomics<unsigned>(2, 7, 3);
    check_atomics<unsigned>(0, 7, 0);
    check_atomics<long long>(-(1ll << 40), 1ll << 33, 0);
    check_atomics<unsigned long long>(1ull << 63, 5, 1ull << 63);
    check_atomics<unsigned long>(7, 1ul << 50, 7);
    for (int k = 0; k < simt_order_count; k++) {
        float f = 0;
        double d = 0;
        nf__emu *device = simt_open(simt_orders[k]);
        float *sum = simt_new<float>(1);
        double *wide = simt_new<double>(1);
        SIMT_OK(SIMT_LAUNCH(add_floats<float>, 7, 96, 0, nullptr, sum));
        SIMT_OK(SIMT_LAUNCH(add_floats<double>, 7, 96, 0, nullptr, wide));
        simt_get(&f, sum, 1);
        simt_get(&d, wide, 1);
        assert_true(f == 336 && d == 336);
        assert_int_equal(nf__emu_count(device).atomics, 2 * 7 * 96);
        simt_close(device);
    }
}

static void test_bits(void **)
{
    enum { COUNT = 130 };
    unsigned long long in[COUNT];
    int got[8 * COUNT];
    nf__emu *device = simt_open("");
    for (unsigned i = 0; i < COUNT; i++)
        in[i] = i < 64 ? 1ull << i : i < 65 ? 0 : i * 0x9e3779b97f4a7c15ull;
    unsigned long long *from = simt_new<unsigned long long>(COUNT);
    int *out = simt_new<int>(8 * COUNT);
    simt_put(from, in, COUNT);
    SIMT_OK(SIMT_LAUNCH(bits, 5, 32, 0, nullptr, from, out, (unsigned)COUNT));
    simt_get(got, out, 8 * COUNT);
    for (unsigned i = 0; i < COUNT; i++) {
        int popc = 0, popcll = 0, ffs = 0, ffsll = 0, clz = 32, clzll = 64;
        unsigned reversed = 0;
        for (int b = 63; b >= 0; b--) {
            if ((in[i] >> b & 1) == 0)
                continue;
            popcll++;
            ffsll = b + 1;
            clzll = clzll == 64 ? 63 - b : clzll;
            if (b < 32) {
                popc++;
                ffs = b + 1;
                clz = clz == 32 ? 31 - b : clz;
                reversed |= 1u << (31 - b);
            }
        }
        const int expected[8] = {popc, popcll, ffs, ffsll, clz, clzll, (int)reversed, (int)(unsigned)(in[i] >> 25)};
        assert_memory_equal(&got[8 * i], expected, sizeof expected);
    }
    simt_close(device);
}

static void test_minima(void **)
{
    int in[96], got[320];
    nf__emu *device = simt_open("");
    for (int i = 0; i < 96; i++)
        in[i] = (int)((unsigned)i * 2654435761u) >> 3;
    int *from = simt_new<int>(96), *out = simt_new<int>(320);
    simt_put(from, in, 96);
    SIMT_OK(SIMT_LAUNCH(minima, 1, 32, 0, nullptr, from, out));
    simt_get(got, out, 320);
    for (int i = 0; i < 32; i++) {
        const int a = in[3 * i], b = in[3 * i + 1], c = in[3 * i + 2], sum = (int)((unsigned)a + (unsigned)b);
        unsigned pair = 0, least = 0;
        for (int half = 0; half < 2; half++) {
            const short p = (short)(a >> 16 * half), q = (short)(b >> 16 * half), y = (short)(c >> 16 * half);
            const short x = (short)(p + q), z = p < q ? p : q;
            pair |= (unsigned)(unsigned short)(x < y ? x : y) << 16 * half;
            least |= (unsigned)(unsigned short)(z < y ? z : y) << 16 * half;
        }
        assert_int_equal(got[10 * i], sum < c ? sum : c);
        assert_int_equal(got[10 * i + 1], a < b ? (a < c ? a : c) : (b < c ? b : c));
        assert_int_equal((unsigned)got[10 * i + 2], pair);
        assert_int_equal((unsigned)got[10 * i + 5], least);
        for (int k = 0; k < 4; k++) {
            unsigned want = (unsigned)a;
            ((unsigned char *)&want)[k] = (unsigned char)b;
            assert_int_equal((unsigned)got[10 * i + 6 + k], want);
        }
        for (int half = 0; half < 2; half++) {
            const unsigned x = (unsigned short)((unsigned)a >> 16 * half);
            assert_int_equal((unsigned)got[10 * i + 3 + half], x << 16 | x);
        }
    }
    simt_close(device);
}

static void test_memory(void **)
{
    unsigned in[128];
    int got[32];
    nf__emu *device = simt_open("");
    for (unsigned i = 0; i < 128; i++)
        in[i] = i;
    unsigned *from = simt_new<unsigned>(128);
    int *out = simt_new<int>(32);
    simt_put(from, in, 128);
    SIMT_OK(SIMT_LAUNCH(shared_kinds, 1, 32, 64, nullptr, (const uint4 *)from, out));
    simt_get(got, out, 32);
    for (int i = 0; i < 32; i++)
        assert_int_equal(got[i], 1);
    unsigned char *b = simt_new<unsigned char>(1);
    unsigned short *s = simt_new<unsigned short>(1);
    unsigned *w = simt_new<unsigned>(1);
    double *d = simt_new<double>(1);
    unsigned long long *t = simt_new<unsigned long long>(4), times[4];
    SIMT_OK(SIMT_LAUNCH(relaxed_kinds, 1, 1, 0, nullptr, b, s, w, d, t));
    unsigned char gb;
    unsigned short gs;
    unsigned gw;
    double gd;
    simt_get(&gb, b, 1);
    simt_get(&gs, s, 1);
    simt_get(&gw, w, 1);
    simt_get(&gd, d, 1);
    simt_get(times, t, 4);
    assert_true(gb == 1 && gs == 2 && gw == 3 && gd == 0.25 && times[1] >= times[0]);
    assert_true(times[2] == 1ull << 40 && times[3] == (1ull << 40) + 7);
    simt_close(device);
}

static void test_big_cluster(void **)
{
    unsigned got[16];
    int clusters = 0;
    nf__emu *device = simt_open("profile=16x256,seed=2");
    unsigned *out = simt_new<unsigned>(16);
    assert_int_equal(SIMT_LAUNCH_CLUSTER(big_cluster, 16, 16, 256, 0, nullptr, out), cudaErrorInvalidClusterSize);
    SIMT_OK(cudaFuncSetAttribute(big_cluster, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    SIMT_OK(simt_max_clusters(&clusters, big_cluster, 16, 256, 0));
    assert_int_equal(clusters, 1);
    SIMT_OK(SIMT_LAUNCH_CLUSTER(big_cluster, 16, 16, 256, 0, nullptr, out));
    simt_get(got, out, 16);
    for (int i = 0; i < 16; i++)
        assert_int_equal(got[i], 3 * 120);
    assert_int_equal(nf__emu_count(device).cluster_barriers, 2);
    simt_close(device);
}

int main()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_indices),     cmocka_unit_test(test_shuffles), cmocka_unit_test(test_votes),
        cmocka_unit_test(test_block_votes), cmocka_unit_test(test_atomics),  cmocka_unit_test(test_bits),
        cmocka_unit_test(test_minima),      cmocka_unit_test(test_memory),   cmocka_unit_test(test_big_cluster),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
