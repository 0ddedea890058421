/* edges.h - what format detection asks of edge lists. */
#ifndef NF_IO_EDGES_H
#define NF_IO_EDGES_H

#include "io/io.h"

/* True if the first line, after comments and a header of words, begins with two whole numbers. */
bool nf__looks_like_edges(const nf__input *in);

#endif
