/* rules.c - the rules that need a search along tight arcs: support (7), deterministic parents (9), owners (10).
 *
 * A tight arc u -> v has d[u] + w = d[v]. A breadth-first search along tight arcs from the roots reaches exactly the
 * vertices whose labels are lengths of real ways: labels that only hold each other up, on a zero-weight cycle, are not
 * reached. Its levels are the `hops` of the deterministic rule.
 *
 * Cost: O(n + m) time, O(n) memory.
 */
#include <stdlib.h>
#include <string.h>

#include "internal.h"

/* True if arc e from u is tight and, where owners matter, stays within one owner. */
static bool follows(const c_row *r, nf_vid u, nf_eid e, bool same_owner)
{
    const nf_vid v = r->csr.adj[e];
    if (!c_reached(&r->field, r->d[v]) || (same_owner && r->owners[u] != r->owners[v]))
        return false;
    const c_num w = c_weight(&r->field, r->hops ? NF_NONE : r->csr.weight_type, r->csr.weights, e);
    return c_compare(&r->field, c_add(&r->field, r->d[u], w), r->d[v]) == 0;
}

/* hops[v]: the fewest tight arcs from a root; -1 where none lead. queue has room for n. */
static void search(const c_row *r, bool same_owner, int64_t *hops, nf_vid *queue)
{
    nf_vid head = 0, tail = 0;
    for (nf_vid v = 0; v < r->csr.n; v++) {
        hops[v] = r->root[v] ? 0 : -1;
        if (r->root[v])
            queue[tail++] = v;
    }
    while (head < tail) {
        const nf_vid u = queue[head++];
        for (nf_eid e = c_off(&r->csr, u); e < c_off(&r->csr, u + 1); e++) {
            const nf_vid v = r->csr.adj[e];
            if (hops[v] < 0 && follows(r, u, e, same_owner)) {
                hops[v] = hops[u] + 1;
                queue[tail++] = v;
            }
        }
    }
}

/* Runs `search` in fresh memory; the caller frees *hops. */
static nf_status search_new(c_row *r, bool same_owner, int64_t **hops)
{
    const size_t n = (size_t)r->csr.n + 1;
    nf_vid *queue = malloc(n * sizeof *queue);
    *hops = malloc(n * sizeof **hops);
    nf_status st = NF_OK;
    if (queue == NULL || *hops == NULL)
        st = c_fail(r->report, NF_ENOMEM, "out of memory");
    else
        search(r, same_owner, *hops, queue);
    free(queue);
    return st;
}

nf_status c_check_support(c_row *r)
{
    int64_t *hops = NULL;
    const nf_status st = search_new(r, false, &hops);
    for (nf_vid v = 0; st == NF_OK && v < r->csr.n; v++) {
        if (c_reached(&r->field, r->d[v]) && hops[v] < 0) {
            char text[48];
            c_text(&r->field, r->d[v], text);
            c_broken(r->report, NF_CHECK_SUPPORT, v, NF_NO_VERTEX,
                     "vertex %u is at distance %s, but no tight arcs lead there from the source", v, text);
            break;
        }
    }
    free(hops);
    return st;
}

nf_status c_check_deterministic(c_row *r)
{
    int64_t *hops = NULL;
    nf_vid *want = malloc(((size_t)r->csr.n + 1) * sizeof *want);
    nf_status st = want == NULL ? c_fail(r->report, NF_ENOMEM, "out of memory") : search_new(r, false, &hops);
    if (st == NF_OK)
        memset(want, 0xff, r->csr.n * sizeof *want);
    for (nf_vid u = 0; st == NF_OK && u < r->csr.n; u++) {
        for (nf_eid e = c_off(&r->csr, u); hops[u] >= 0 && e < c_off(&r->csr, u + 1); e++) {
            const nf_vid v = r->csr.adj[e];
            if (want[v] == NF_NO_VERTEX && hops[v] == hops[u] + 1 && follows(r, u, e, false))
                want[v] = u;
        }
    }
    for (nf_vid v = 0; st == NF_OK && v < r->csr.n; v++) {
        if (hops[v] > 0 && r->parents[v] != want[v]) {
            c_broken(r->report, NF_CHECK_DETERMINISTIC, v, r->parents[v],
                     "vertex %u has parent %u, but the deterministic rule says %u", v, r->parents[v], want[v]);
            break;
        }
    }
    free(hops);
    free(want);
    return st;
}

/* Owners, vertex by vertex: none where unreached, itself for a root, its parent's when there are parents. */
static bool check_each_owner(c_row *r)
{
    for (nf_vid v = 0; v < r->csr.n; v++) {
        const nf_vid owner = r->owners[v];
        const bool reached = c_reached(&r->field, r->d[v]);
        if (reached ? owner >= r->csr.n : owner != NF_NO_VERTEX)
            return c_broken(r->report, NF_CHECK_OWNER, v, owner, "vertex %u is %sreached, but has owner %u", v,
                            reached ? "" : "un", owner);
        if (reached && r->root[v] && owner != v)
            return c_broken(r->report, NF_CHECK_OWNER, v, owner, "source %u belongs to %u, not to itself", v, owner);
        const nf_vid p = reached && r->parents != NULL ? r->parents[v] : NF_NO_VERTEX;
        if (p != NF_NO_VERTEX && c_reached(&r->field, r->d[p]) && r->owners[p] != owner)
            return c_broken(r->report, NF_CHECK_OWNER, v, owner, "vertex %u belongs to %u, but its parent %u to %u", v,
                            owner, p, r->owners[p]);
    }
    return true;
}

nf_status c_check_owners(c_row *r)
{
    int64_t *hops = NULL;
    if (!check_each_owner(r) || r->partial)
        return NF_OK;
    const nf_status st = search_new(r, true, &hops);
    for (nf_vid v = 0; st == NF_OK && v < r->csr.n; v++) {
        if (c_reached(&r->field, r->d[v]) && hops[v] < 0) {
            c_broken(r->report, NF_CHECK_OWNER, v, r->owners[v], "no shortest way leads to vertex %u from its owner %u",
                     v, r->owners[v]);
            break;
        }
    }
    free(hops);
    return st;
}
