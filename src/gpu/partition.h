/* partition.h - the vertices of a graph in parts of about equal size with few arcs between them, and who stands at the
 * border. C, so that both flavours of src/gpu use one compiled copy. */
#ifndef NF_GPU_PARTITION_H
#define NF_GPU_PARTITION_H

#include "core/base.h"
#include "graph/graph.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct nf__partition {
    nf_vid n;
    uint32_t parts;    /* none of them empty */
    bool by_metis;     /* else grown */
    nf_vid border;     /* vertices with an arc to or from another part */
    nf_vid largest;    /* vertices of the largest part */
    uint32_t *part;    /* n: whose a vertex is */
    nf_vid *place;     /* n: where it stands in its part; the border comes first */
    nf_vid *size;      /* parts */
    nf_vid *border_of; /* parts: vertices of its border */
} nf__partition;

typedef enum nf__partitioner { NF__PARTITION_AUTO, NF__PARTITION_METIS, NF__PARTITION_GROW } nf__partitioner;

/* At most `parts` parts, 1 .. n. AUTO: METIS where it is in the build and has room, else growing. METIS is not asked
 * for parts of fewer than 16 vertices, for which it is not made: these are grown. */
nf_status nf__partition_make(nf_context *ctx, const nf_csr *csr, bool directed, uint32_t parts, nf__partitioner how,
                             nf__partition *out);
void nf__partition_free(nf__partition *p);

/* "METIS 5.1.0", or "" where the build has none. */
const char *nf__partition_library(void);

/* Of methods that cut graphs: `parts`, and `partition`, whose choices are those of the build. */
#define NF__PARTITION_KNOB_COUNT 2
extern const nf_knob_info nf__partition_knobs[NF__PARTITION_KNOB_COUNT];

#ifdef __cplusplus
}
#endif

#endif
