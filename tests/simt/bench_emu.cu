/* bench_emu.cu - how fast the emulator is: sync points a second by kind, threads that never wait, a whole BFS.
 *
 * A sync point is one thread's arrival at a barrier or collective. Each line is the best of five runs; every result is
 * checked. The plain flavour has to reach 15 million sync points a second on one core.
 * Usage: bench_emu [SETTINGS]      as NEARFAR_EMULATOR
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "simt/simt.h"
#include "bfs_kernel.cuh"

namespace SIMT_FLAVOUR
{

static __global__ void block_barriers(unsigned *out, int rounds)
{
    for (int i = 0; i < rounds; i++)
        __syncthreads();
    atomicAdd(out, 1u);
}

static __global__ void grid_barriers(unsigned *out, int rounds)
{
    for (int i = 0; i < rounds; i++)
        simt_grid_sync();
    atomicAdd(out, 1u);
}

static __global__ void shuffles(unsigned *out, int rounds)
{
    unsigned x = 0;
    for (int i = 0; i < rounds; i++)
        x = __shfl_xor_sync(0xffffffffu, x, 1 + i % 31) + 1;
    atomicAdd(out, x == (unsigned)rounds ? 1u : 0u);
}

static __global__ void ballots(unsigned *out, int rounds)
{
    unsigned x = 0;
    for (int i = 0; i < rounds; i++)
        x += __ballot_sync(0xffffffffu, 1) == 0xffffffffu;
    atomicAdd(out, x == (unsigned)rounds ? 1u : 0u);
}

static __global__ void atomics(unsigned *out, int rounds)
{
    for (int i = 0; i < rounds; i++)
        atomicAdd(out, i == 0 ? 1u : 0u);
}

static __global__ void nothing(unsigned *out)
{
    if (threadIdx.x == 0)
        atomicAdd(out, blockDim.x);
}

} // namespace SIMT_FLAVOUR

using namespace SIMT_FLAVOUR;

#define RUNS 5

static double now()
{
    timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void must(cudaError_t error, const char *what)
{
    if (error == cudaSuccess)
        return;
    (void)fprintf(stderr, "%s: %s; %s\n", what, cudaGetErrorName(error), simt_fault_text());
    exit(1);
}

struct timing {
    const char *name, *unit;
    void (*kernel)(unsigned *, int);
    unsigned grid, block;
    int rounds;
    bool cooperative;
};

static double run_once(const timing *t, unsigned *out)
{
    unsigned got = 0;
    must(cudaMemset(out, 0, sizeof *out), "fill");
    const double start = now();
    must(t->cooperative ? SIMT_LAUNCH_GRID(t->kernel, t->grid, t->block, 0, nullptr, out, t->rounds)
                        : SIMT_LAUNCH(t->kernel, t->grid, t->block, 0, nullptr, out, t->rounds),
         t->name);
    must(cudaDeviceSynchronize(), t->name);
    const double seconds = now() - start;
    must(cudaMemcpy(&got, out, sizeof got, cudaMemcpyDeviceToHost), "copy");
    if (got != t->grid * t->block) {
        (void)fprintf(stderr, "%s: wrong result %u\n", t->name, got);
        exit(1);
    }
    return seconds;
}

static void time_one(const timing *t, unsigned *out)
{
    double best = 1e9;
    for (int i = 0; i < RUNS; i++) {
        const double seconds = run_once(t, out);
        best = seconds < best ? seconds : best;
    }
    const double steps = (double)t->grid * t->block * t->rounds;
    (void)printf("%-28s %8.1f million %s a second\n", t->name, steps / best / 1e6, t->unit);
}

static void time_threads(unsigned *out)
{
    const unsigned blocks = 4096, threads = 256;
    double best = 1e9;
    for (int i = 0; i < RUNS; i++) {
        const double start = now();
        must(SIMT_LAUNCH(nothing, blocks, threads, 0, nullptr, out), "nothing");
        must(cudaDeviceSynchronize(), "nothing");
        const double seconds = now() - start;
        best = seconds < best ? seconds : best;
    }
    (void)printf("%-28s %8.1f million threads a second\n", "threads without barriers", blocks * threads / best / 1e6);
}

template <typename T> static T *copy_of(const T *host, size_t count)
{
    T *p = nullptr;
    must(cudaMalloc(&p, count * sizeof(T)), "cudaMalloc");
    must(host != nullptr ? cudaMemcpy(p, host, count * sizeof(T), cudaMemcpyHostToDevice)
                         : cudaMemset(p, 0xff, count * sizeof(T)),
         "copy");
    return p;
}

static void time_bfs(unsigned n, unsigned degree)
{
    const size_t m = (size_t)n * degree;
    unsigned *off = (unsigned *)malloc((n + 1) * 4), *adj = (unsigned *)malloc(m * 4),
             *queue = (unsigned *)malloc(n * 4);
    int *expected = (int *)malloc(n * 4), *got = (int *)malloc(n * 4);
    double best = 1e9;
    if (off == nullptr || adj == nullptr || queue == nullptr || expected == nullptr || got == nullptr)
        exit(1);
    bfs_random_graph(n, degree, 1, off, adj);
    bfs_on_host(n, off, adj, 0, expected, queue);
    const bfs_graph g = {n, copy_of(off, n + 1), copy_of(adj, m)};
    const bfs_state s = {copy_of<int>(nullptr, n),
                         {copy_of<unsigned>(nullptr, n), copy_of<unsigned>(nullptr, n)},
                         copy_of<unsigned>(nullptr, 3)};
    for (int i = 0; i < RUNS; i++) {
        must(cudaMemset(s.depth, 0xff, n * 4), "fill");
        const double start = now();
        must(SIMT_LAUNCH_GRID(bfs_persistent, 4, 256, 0, nullptr, g, s, 0u), "bfs");
        must(cudaDeviceSynchronize(), "bfs");
        const double seconds = now() - start;
        best = seconds < best ? seconds : best;
        must(cudaMemcpy(got, s.depth, n * 4, cudaMemcpyDeviceToHost), "copy");
        if (memcmp(got, expected, n * 4) != 0) {
            (void)fprintf(stderr, "bfs: wrong result\n");
            exit(1);
        }
    }
    (void)printf("%-28s %8.3f s for %u vertices, %zu arcs\n", "persistent BFS", best, n, m);
    free(off), free(adj), free(queue), free(expected), free(got);
}

int main(int count, char **arguments)
{
    static const timing kernels[] = {
        {"__syncthreads, 4 x 256", "sync points", block_barriers, 4, 256, 2000, false},
        {"__syncthreads, 32 x 32", "sync points", block_barriers, 32, 32, 2000, false},
        {"simt_grid_sync, 4 x 256", "sync points", grid_barriers, 4, 256, 2000, true},
        {"__shfl_xor_sync, 4 x 256", "sync points", shuffles, 4, 256, 2000, false},
        {"__ballot_sync, 4 x 256", "sync points", ballots, 4, 256, 2000, false},
        {"atomicAdd, 4 x 256", "atomics", atomics, 4, 256, 2000, false},
    };
    char text[256];
    nf__emu *device = nullptr;
    if (nf__emu_open(count > 1 ? arguments[1] : "", &device, text, sizeof text) != cudaSuccess) {
        (void)fprintf(stderr, "%s\n", text);
        return 1;
    }
    (void)nf__emu_use(device);
    unsigned *out = copy_of<unsigned>(nullptr, 1);
    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++)
        time_one(&kernels[i], out);
    time_threads(out);
    time_bfs(100000, 8);
    nf__emu_close(device);
    return 0;
}
