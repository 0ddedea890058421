/* settle.c - a row of one of Dijkstra's variants; see settle.h. */
#include "cpu/settle.h"

nf_status nf__settle_row(nf__run *run, nf__row *row, nf__settle *s, const nf__settle_kind kinds[4])
{
    nf_status st = NF_OK;
    bool hot = false;
    const bool whole = row->type == NF_I64;
    const bool small = whole && !s->wide && run->stats.weight_max < (double)UINT32_MAX;
    NF_TRY(kinds[small ? 0 : whole ? 1 : row->type == NF_F32 ? 2 : 3](run, row, &hot));
    if (small && hot) {
        s->wide = true;
        hot = false;
        NF_TRY(kinds[1](run, row, &hot));
    } else if (small)
        nf__widen(run, row->dist);
    if (hot)
        NF_TRY(nf__recheck_sums(run, row));
    if (run->deterministic)
        nf__tight_parents(run, row, NULL, &s->tight);
done:
    return st;
}
