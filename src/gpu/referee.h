/* referee.h - what a device leaves to the host when weights are negative: is a cycle of predecessors a negative one,
 * and rows where rounding or such a cycle keeps labels falling. C, so that both flavours of src/gpu use one compiled
 * copy. */
#ifndef NF_GPU_REFEREE_H
#define NF_GPU_REFEREE_H

#include "core/backend.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Looks for cycles among predecessors (NF_NO_VERTEX: none; pred[v] = v is a loop). One that is negative by the rule of
 * nearfar.h is set on the run: NF_ENEGCYCLE. *noise: there are others. Every (pred[v], v) is an arc. O(n); 8 n bytes.
 * */
nf_status nf__referee_look(nf__run *run, nf_type type, const nf_vid *pred, bool *noise);

/* The whole row by one thread: distances, parents (when not NULL; the deterministic tree when the run asks for it), or
 * the negative cycle. Bellman-Ford over a queue, O(n m) at worst; 28 n bytes. */
nf_status nf__referee_row(nf__run *run, nf__row *row);

#ifdef __cplusplus
}
#endif

#endif
