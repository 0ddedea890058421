/* bench_cpu.c - the suite `cpu`: its parts, as asked for. */
#include "bench.h"

int bench_cpu(bench *b)
{
    static const struct {
        uint32_t problems;
        int (*run)(bench *b);
    } parts[] = {{1u << NF_BFS | 1u << NF_SSSP, bench_ratios},
                 {1u << NF_APSP, bench_apsp},
                 {1u << BENCH_MANY, bench_many},
                 {1u << BENCH_PATH, bench_paths}};
    int code = CLI_OK;
    if (b->app->args.auto_check)
        return bench_auto_check(b, "cpu", b->problems);
    if (b->app->args.growth)
        return bench_growth(b);
    bench_rivals_find(b);
    for (size_t i = 0; code == CLI_OK && i < sizeof parts / sizeof parts[0]; i++)
        if ((b->problems & parts[i].problems) != 0)
            code = parts[i].run(b);
    bench_rivals_close(b);
    return code;
}
