/* bench_cpu.c - the suite `cpu`: its parts, as asked for. */
#include "bench.h"

int bench_cpu(bench *b)
{
    if (b->app->args.auto_check)
        return bench_auto_check(b);
    bench_rivals_find(b);
    int code = CLI_OK;
    if ((b->problems & (1u << NF_BFS | 1u << NF_SSSP)) != 0)
        code = bench_ratios(b);
    bench_rivals_close(b);
    return code;
}
