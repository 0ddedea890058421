/* tree.c - parents from final labels; method and meaning in tree.h. */
#include "cpu/tree.h"

#include "cpu/distance.h"

#define BATCH 256 /* vertices a thread takes at once */

#include "cpu/type_i64.h"
#include "cpu/tree_body.h"

#include "cpu/type_f32.h"
#include "cpu/tree_body.h"

#include "cpu/type_f64.h"
#include "cpu/tree_body.h"

nf_status nf__tree_parents(nf__run *run, nf__row *row)
{
    return NF__BY_TYPE(row->type, tree_parents)(run, row);
}
