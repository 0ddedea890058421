/* file_calls.c - the public calls that read and write files (see fault.h). */
#include "fault.h"

#include <stdio.h>

static void in_path(const scene *s, const char *name, char path[600])
{
    snprintf(path, 600, "%s/%s", s->folder, name);
}

static nf_status run_read(scene *s, const call *c)
{
    char path[600], coordinates[600];
    in_path(s, c->text, path);
    in_path(s, "in.co", coordinates);
    nf_read_options o = {.size = sizeof o, .flags = c->flags, .weight_type = c->type, .duplicates = c->duplicates};
    o.coordinates = c->number ? coordinates : NULL;
    nf_status st = nf_graph_read(s->ctx, path, &o, &s->made_graph);
    nf_csr csr;
    return st == NF_OK ? nf_graph_view(s->ctx, s->made_graph, &csr) : st; /* a mapped file is checked at first use */
}

void list_read_calls(call_list *list)
{
    static const char *const names[] = {"in.gr",    "in.mtx",     "in.txt",    "in.csv",   "in.el",  "in.wel",
                                        "in.graph", "in.tsp",     "in.sg",     "in.wsg",   "in.npz", "in.nfg",
                                        "in.gr.gz", "in.wel.zst", "in.mtx.xz", "in.nfg.gz"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        call_list_add(list, run_read, "read %s", names[i])->text = names[i];
        call *c = call_list_add(list, run_read, "read %s undirected, no loops, minimum", names[i]);
        c->text = names[i], c->flags = NF_READ_UNDIRECTED | NF_READ_DROP_LOOPS, c->duplicates = NF_DUP_MIN;
        c = call_list_add(list, run_read, "read %s as f64, checksums", names[i]);
        c->text = names[i], c->type = NF_F64, c->flags = NF_READ_CHECKSUMS;
    }
    call *c = call_list_add(list, run_read, "read in.gr with coordinates");
    c->text = "in.gr", c->number = 1;
}

static nf_status run_write(scene *s, const call *c)
{
    snprintf(s->target, sizeof s->target, "%s/out%s", s->folder, c->text);
    files_clear(s->folder, "out");
    return nf_graph_write(s->ctx, s->graph, s->target, NULL);
}

void list_write_calls(call_list *list)
{
    static const char *const names[] = {".gr",  ".mtx", ".tsv",   ".el",      ".wel",    ".sg",    ".wsg",
                                        ".npz", ".nfg", ".gr.gz", ".wel.zst", ".mtx.xz", ".nfg.gz"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        call *c = call_list_add(list, run_write, "write %s", names[i]);
        c->text = names[i], c->writes = true;
    }
}

static nf_status run_result_write(scene *s, const call *c)
{
    snprintf(s->target, sizeof s->target, "%s/out%s", s->folder, c->text);
    files_clear(s->folder, "out");
    return nf_result_write(s->ctx, s->result, s->graph, s->target, NULL);
}

/* All pairs in a file, in tiles of five rows or run by run. */
static nf_status run_streamed(scene *s, const call *c)
{
    const char *const knobs[] = {c->text, "tile=5", "gap=1"};
    snprintf(s->target, sizeof s->target, "%s/out.npy", s->folder);
    files_clear(s->folder, "out");
    const nf_run_options o = {.size = sizeof o,
                              .algorithm = "streamed",
                              .flags = c->flags,
                              .distance_type = c->type,
                              .knobs = knobs,
                              .knob_count = 3,
                              .file = s->target};
    return nf_apsp(s->ctx, s->graph, &o, &s->made_result);
}

static nf_status run_result_read(scene *s, const call *c)
{
    char path[600];
    in_path(s, c->text, path);
    return nf_result_read(s->ctx, s->graph, path, NF_SSSP, NF_NONE, &s->made_result);
}

static nf_status run_sources_read(scene *s, const call *c)
{
    char path[600];
    uint64_t count = 0;
    in_path(s, c->text, path);
    return nf_sources_read(s->ctx, s->graph, path, &s->made_array, &count);
}

void list_result_calls(call_list *list)
{
    static const char *const names[] = {"res.txt", "res.tsv", "res.json", "res.npy", "res.nfd"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        call_list_add(list, run_result_read, "result read %s", names[i])->text = names[i];
        call *c = call_list_add(list, run_result_write, "result write %s", names[i] + 3);
        c->text = names[i] + 3, c->writes = true;
    }
    static const char *const ways[] = {"by=tiles", "by=rows"};
    for (size_t i = 0; i < 4; i++) {
        call *c = call_list_add(list, run_streamed, "apsp in a file, %s, parents %d", ways[i % 2], (int)i / 2);
        c->text = ways[i % 2], c->flags = i < 2 ? 0 : NF_RUN_PARENTS | NF_RUN_DETERMINISTIC;
        c->type = i < 2 ? NF_NONE : NF_F32;
    }
    call_list_add(list, run_sources_read, "sources read")->text = "in.ss";
}
