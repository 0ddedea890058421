/* cpu.c - the CPU backend: one device, always there, graphs used where they lie. What it keeps for a context is the
 * memory of searches between two vertices. */
#include "cpu/cpu.h"

#include <omp.h>
#include <stdlib.h>
#include <unistd.h>

#include "cpu/search.h"

static int device_count(void)
{
    return 1;
}

/* The value after "key...:" in a file of such lines; false when there is none. */
static bool find_line(const char *path, const char *key, char *value, size_t capacity)
{
    char line[256];
    bool found = false;
    FILE *f = fopen(path, "r");
    while (f != NULL && !found && fgets(line, sizeof line, f) != NULL) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, key, strlen(key)) != 0 || colon == NULL)
            continue;
        colon += 1 + strspn(colon + 1, " \t");
        snprintf(value, capacity, "%.*s", (int)strcspn(colon, "\n"), colon);
        found = true;
    }
    if (f != NULL)
        fclose(f);
    return found;
}

static nf_status device_info(int index, nf_device_info *info)
{
    char text[96];
    (void)index;
    memset(info, 0, sizeof *info);
    snprintf(info->name, sizeof info->name, "cpu");
    info->threads = omp_get_num_procs();
    if (!find_line("/proc/cpuinfo", "model name", text, sizeof text))
        snprintf(text, sizeof text, "CPU");
    snprintf(info->description, sizeof info->description, "%s, %d thread%s", text, info->threads,
             info->threads == 1 ? "" : "s");
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    if (pages > 0 && page > 0)
        info->memory_total = (uint64_t)pages * (uint64_t)page;
    if (find_line("/proc/meminfo", "MemAvailable", text, sizeof text))
        info->memory_free = strtoull(text, NULL, 10) << 10;
    return NF_OK;
}

static nf_status open_device(nf_context *ctx, int index, void **device)
{
    nf__search *s = nf__zalloc(nf__context_mem(ctx), 1, sizeof *s);
    (void)index;
    *device = s;
    if (s == NULL)
        return NF_ENOMEM;
    s->mem = nf__context_mem(ctx);
    return NF_OK;
}

static void close_device(void *device)
{
    nf__search_free(device);
}

static const nf__algorithm *const algorithms[] = {
    &nf__cpu_bfs_auto,
    &nf__cpu_bfs_serial,
    &nf__cpu_bfs_top_down,
    &nf__cpu_bfs_direction,
    &nf__cpu_bfs_bits,
    &nf__cpu_bfs_edge,
    &nf__cpu_bfs_matrix,
    &nf__cpu_sssp_auto,
    &nf__cpu_sssp_dijkstra,
    &nf__cpu_sssp_bellman_ford,
    &nf__cpu_sssp_dijkstra_4ary,
    &nf__cpu_sssp_dijkstra_radix,
    &nf__cpu_sssp_dijkstra_buckets,
    &nf__cpu_sssp_bellman_ford_frontier,
    &nf__cpu_sssp_workfront,
    &nf__cpu_sssp_delta_stepping,
    &nf__cpu_sssp_near_far,
    &nf__cpu_sssp_stepping,
    &nf__cpu_sssp_bucket_heap,
    &nf__cpu_apsp_auto,
    &nf__cpu_apsp_floyd_warshall,
    &nf__cpu_apsp_johnson,
    &nf__cpu_apsp_blocked_floyd_warshall,
    &nf__cpu_apsp_min_plus,
    &nf__cpu_apsp_recursive,
    &nf__cpu_apsp_n_sssp,
    &nf__cpu_apsp_johnson_parallel,
    &nf__cpu_apsp_streamed,
    &nf__cpu_path_auto,
    &nf__cpu_path_one_way,
    &nf__cpu_path_bidirectional,
    &nf__cpu_path_one_way_bfs,
    &nf__cpu_path_bidirectional_bfs,
};

const nf__backend nf__cpu_backend = {
    .abi = NF__BACKEND_ABI,
    .name = "cpu",
    .device_count = device_count,
    .device_info = device_info,
    .open = open_device,
    .close = close_device,
    .algorithms = algorithms,
    .algorithm_count = sizeof algorithms / sizeof *algorithms,
    .heaps = &nf__cpu_heaps,
    .batch = nf__cpu_batch,
    .streamed = nf__cpu_streamed,
};
