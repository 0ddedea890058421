/* output.h - what the writers ask of an output beyond io.h. */
#ifndef NF_IO_OUTPUT_H
#define NF_IO_OUTPUT_H

#include "io/io.h"

/* The path as the caller gave it: a writer may look at its extension. */
const char *nf__output_path(const nf__output *out);

#endif
