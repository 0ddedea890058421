/* bench_cpu.c - the suite `cpu`. */
#include "bench.h"

int bench_cpu(bench *b)
{
    return bench_auto_check(b);
}
