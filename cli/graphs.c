/* graphs.c - `info`, `convert` and `generate`: graphs in, graphs out. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

/* ---- info -------------------------------------------------------------------------------------------------------- */

static void print_formats(const cli_app *app)
{
    cli_json j = {.file = stdout};
    if (app->args.json)
        cli_json_begin(&j, NULL, '[');
    for (size_t i = 0; nf_format_get(i) != NULL; i++) {
        const nf_format_info *f = nf_format_get(i);
        if (app->args.json) {
            cli_json_begin(&j, NULL, '{');
            cli_json_text(&j, "name", f->name);
            cli_json_text(&j, "extensions", f->extensions);
            cli_json_text(&j, "summary", f->summary);
            cli_json_text(&j, "directed", f->directed);
            cli_json_text(&j, "weights", f->weights);
            cli_json_text(&j, "zeros", f->zeros);
            cli_json_bool(&j, "reads", f->reads);
            cli_json_bool(&j, "writes", f->writes);
            cli_json_end(&j, '}');
            continue;
        }
        printf("%s%s%s (%s): %s%s\n", cli_bold(app), f->name, cli_plain(app), f->extensions, f->summary,
               f->reads && f->writes ? ""
               : f->reads            ? "; read only"
                                     : "; written only");
        cli_line(stdout, "directions", "%s", f->directed);
        cli_line(stdout, "weights", "%s", f->weights);
        cli_line(stdout, "zeros", "%s", f->zeros);
    }
    if (app->args.json) {
        cli_json_end(&j, ']');
        cli_json_finish(&j);
    }
}

static void print_info_json(const cli_app *app, const nf_graph_info *g, const nf_graph_stats *s)
{
    cli_json j = {.file = stdout};
    cli_json_begin(&j, NULL, '{');
    cli_json_text(&j, "name", app->graph_name);
    cli_json_text(&j, "format", g->format);
    cli_json_text(&j, "facts", g->facts);
    cli_json_count(&j, "n", g->n);
    cli_json_count(&j, "m", g->m);
    cli_json_bool(&j, "directed", g->directed);
    cli_json_text(&j, "weight_type", nf_type_name(g->weight_type));
    cli_json_bool(&j, "negative_weights", g->negative_weights);
    cli_json_real(&j, "weight_min", s->weight_min);
    cli_json_real(&j, "weight_max", s->weight_max);
    cli_json_real(&j, "weight_mean", s->weight_mean);
    cli_json_int(&j, "weight_sign", s->weight_sign);
    cli_json_bool(&j, "coordinates", g->has_coordinates);
    cli_json_bool(&j, "sparse_labels", g->sparse_labels);
    cli_json_label(&j, "first_label", app->graph, g->n > 0 ? 0 : NF_NO_VERTEX);
    cli_json_label(&j, "last_label", app->graph, g->n > 0 ? g->n - 1 : NF_NO_VERTEX);
    cli_json_real(&j, "degree_mean", s->degree_mean);
    cli_json_real(&j, "degree_deviation", s->degree_deviation);
    cli_json_count(&j, "degree_max", s->degree_max);
    cli_json_label(&j, "degree_max_vertex", app->graph, s->degree_max_vertex);
    cli_json_count(&j, "isolated", s->isolated);
    cli_json_count(&j, "sinks", s->sinks);
    cli_json_count(&j, "loops", s->loops);
    cli_json_real(&j, "density", s->density);
    if (app->args.diameter)
        cli_json_int(&j, "diameter", s->diameter);
    cli_json_int(&j, "offset_bits", g->offset_bits);
    cli_json_count(&j, "bytes", g->bytes);
    cli_json_begin(&j, "time_ms", '{');
    cli_json_ms(&j, "read", app->read_ms);
    cli_json_end(&j, '}');
    cli_json_end(&j, '}');
    cli_json_finish(&j);
}

static void print_degrees(const cli_app *app, const nf_graph_stats *s)
{
    char a[32], b[32], c[32];
    if (s->degree_max_vertex != NF_NO_VERTEX)
        cli_line(stdout, "degrees", "mean %.4g, deviation %.4g, max %s (vertex %" PRIu64 ")", s->degree_mean,
                 s->degree_deviation, cli_grouped(s->degree_max, a), nf_graph_label(app->graph, s->degree_max_vertex));
    cli_line(stdout, "", "%s isolated, %s without an arc out, %s loop%s; density %.3g", cli_grouped(s->isolated, a),
             cli_grouped(s->sinks, b), cli_grouped(s->loops, c), s->loops == 1 ? "" : "s", s->density);
    if (app->args.diameter)
        cli_line(stdout, "diameter", "at least %" PRId64 " hops", s->diameter);
}

static void print_info(const cli_app *app, const nf_graph_info *g, const nf_graph_stats *s)
{
    char a[32], b[32];
    printf("%s%s%s: %s vertices, %s arcs, %s\n", cli_bold(app), app->graph_name, cli_plain(app), cli_grouped(g->n, a),
           cli_grouped(g->m, b), g->directed ? "directed" : "undirected");
    cli_line(stdout, "format", "%s", g->format);
    if (g->facts != NULL && g->facts[0] != '\0')
        cli_line(stdout, "", "%s", g->facts);
    if (g->weight_type == NF_NONE)
        cli_line(stdout, "weights", "none; every arc counts 1");
    else
        cli_line(stdout, "weights", "%s, %.9g to %.9g, mean %.6g, %s", nf_type_name(g->weight_type), s->weight_min,
                 s->weight_max, s->weight_mean,
                 s->weight_sign < 0    ? "some negative"
                 : s->weight_sign == 0 ? "some zero"
                                       : "all positive");
    if (g->n > 0)
        cli_line(stdout, "labels", "%" PRIu64 " to %" PRIu64 "%s", nf_graph_label(app->graph, 0),
                 nf_graph_label(app->graph, g->n - 1), g->sparse_labels ? ", with gaps" : "");
    print_degrees(app, s);
    cli_line(stdout, "coordinates", "%s", g->has_coordinates ? "yes" : "none");
    cli_line(stdout, "memory", "%s, %d-bit offsets; read in %s", cli_bytes(g->bytes, a), g->offset_bits,
             cli_ms(app->read_ms, b));
}

int cli_cmd_info(cli_app *app)
{
    nf_graph_info g = {.size = sizeof g};
    nf_graph_stats s = {.size = sizeof s};
    if (app->args.formats) {
        print_formats(app);
        return CLI_OK;
    }
    int code = cli_load(app, true);
    if (code != CLI_OK)
        return code;
    nf_status st = nf_graph_get_stats(app->ctx, app->graph, app->args.diameter ? NF_STATS_DIAMETER : 0, &s);
    cli_bar_end(app);
    if (st == NF_OK)
        st = nf_graph_get_info(app->graph, &g);
    if (st != NF_OK)
        return cli_fail(app, st);
    if (app->args.json)
        print_info_json(app, &g, &s);
    else if (!app->args.quiet)
        print_info(app, &g, &s);
    return CLI_OK;
}

static bool has_word(const char *words, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = words; at != NULL && *at != '\0';) {
        size_t here = strcspn(at, " ");
        if (here == length && memcmp(at, word, length) == 0)
            return true;
        at += here;
        at += strspn(at, " ");
    }
    return false;
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

/* Whether the name of an output says a format that is written; asked before the work that would be lost. */
static bool name_tells(const char *path)
{
    char word[16];
    size_t length = cli_unpacked(path);
    size_t at = length > 0 ? length - 1 : 0;
    while (at > 0 && path[at] != '.' && path[at] != '/')
        at--;
    if (path[at] != '.' || length - at >= sizeof word)
        return false;
    for (size_t i = at; i < length; i++)
        word[i - at] = (char)(path[i] >= 'A' && path[i] <= 'Z' ? path[i] - 'A' + 'a' : path[i]);
    word[length - at] = '\0';
    for (size_t i = 0; nf_format_get(i) != NULL; i++)
        if (nf_format_get(i)->writes && has_word(nf_format_get(i)->extensions, word))
            return true;
    return strcmp(word, ".co") == 0;
}

static int check_output(cli_app *app, const char *path)
{
    bool to_stdout = strcmp(path, "-") == 0;
    if (to_stdout && app->args.json)
        return cli_usage(app, "--json and output to - both want standard output");
    if (to_stdout && app->args.to == NULL)
        return cli_usage(app, "output to - needs a format: --to FORMAT (see `nearfar info --formats`)");
    if (app->args.to == NULL && !name_tells(path))
        return cli_usage(app,
                         "%s: the name tells no graph format that is written; name one with --to, or use an "
                         "extension such as .nfg, .gr or .mtx",
                         path);
    return CLI_OK;
}

/* A .gr file holds no coordinates: they go to X.co beside X.gr, packed the same way, where `--plot` finds them. */
static nf_status write_coordinates(cli_app *app, const char *path)
{
    char beside[4096];
    const size_t length_of_gr = 3, end = cli_unpacked(path);
    bool gr = end > length_of_gr && memcmp(path + end - length_of_gr, ".gr", length_of_gr) == 0;
    bool other = app->args.to != NULL && strcmp(app->args.to, "gr") != 0;
    if (nf_graph_coordinates(app->graph) == NULL || !gr || other)
        return NF_OK;
    int length = snprintf(beside, sizeof beside, "%.*s.co%s", (int)(end - length_of_gr), path, path + end);
    return length > 0 && (size_t)length < sizeof beside ? nf_graph_write(app->ctx, app->graph, beside, "co") : NF_OK;
}

/* Writes the graph and says so: on stderr when the graph itself went to stdout. */
static int write_graph(cli_app *app, const char *name, const char *path, double made_ms)
{
    nf_graph_info g = {.size = sizeof g};
    bool to_stdout = strcmp(path, "-") == 0;
    char n[32], m[32], a[32], b[32];
    double start = cli_now_ms();
    nf_status st = nf_graph_write(app->ctx, app->graph, path, app->args.to);
    if (st == NF_OK)
        st = write_coordinates(app, path);
    double write_ms = cli_now_ms() - start;
    cli_bar_end(app);
    if (st == NF_OK)
        st = nf_graph_get_info(app->graph, &g);
    if (st != NF_OK)
        return cli_fail(app, st);
    if (app->args.json) {
        cli_json j = {.file = stdout};
        cli_json_begin(&j, NULL, '{');
        cli_json_text(&j, app->command->bit == C_GENERATE ? "kind" : "input", name);
        cli_json_text(&j, "output", path);
        cli_json_count(&j, "n", g.n);
        cli_json_count(&j, "m", g.m);
        cli_json_bool(&j, "directed", g.directed);
        cli_json_text(&j, "weight_type", nf_type_name(g.weight_type));
        cli_json_bool(&j, "coordinates", g.has_coordinates);
        cli_json_begin(&j, "time_ms", '{');
        cli_json_ms(&j, app->command->bit == C_GENERATE ? "generate" : "read", made_ms);
        cli_json_ms(&j, "write", write_ms);
        cli_json_end(&j, '}');
        cli_json_end(&j, '}');
        cli_json_finish(&j);
    } else if (!app->args.quiet) {
        fprintf(to_stdout ? stderr : stdout, "%s: %s vertices, %s arcs, %s, %s%s; %s %s, written in %s to %s\n", name,
                cli_grouped(g.n, n), cli_grouped(g.m, m), g.directed ? "directed" : "undirected",
                g.weight_type == NF_NONE ? "unweighted" : nf_type_name(g.weight_type),
                g.has_coordinates ? ", coordinates" : "", app->command->bit == C_GENERATE ? "made in" : "read in",
                cli_ms(made_ms, a), cli_ms(write_ms, b), to_stdout ? "standard output" : path);
    }
    return CLI_OK;
}

int cli_cmd_convert(cli_app *app)
{
    int code = check_output(app, app->args.operand[1]);
    if (code == CLI_OK)
        code = cli_load(app, true);
    return code == CLI_OK ? write_graph(app, app->graph_name, app->args.operand[1], app->read_ms) : code;
}

/* ---- generate ---------------------------------------------------------------------------------------------------- */

static int print_kinds(const cli_app *app)
{
    cli_json j = {.file = stdout};
    if (app->args.json)
        cli_json_begin(&j, NULL, '[');
    for (size_t i = 0; nf_generator_get(i) != NULL; i++) {
        const nf_generator_info *g = nf_generator_get(i);
        if (app->args.json) {
            cli_json_begin(&j, NULL, '{');
            cli_json_text(&j, "name", g->name);
            cli_json_text(&j, "summary", g->summary);
            cli_json_text(&j, "parameters", g->parameters);
            cli_json_end(&j, '}');
        } else {
            printf("%s%-16s%s %s\n%*s%s\n", cli_bold(app), g->name, cli_plain(app), g->summary, 17, "", g->parameters);
        }
    }
    if (app->args.json) {
        cli_json_end(&j, ']');
        cli_json_finish(&j);
    }
    return CLI_OK;
}

/* Numbers parted by a sign: "0.57,0.19,0.19", "1:100". False unless there are exactly `count`. */
static bool read_numbers(const char *text, char sign, double *out, size_t count)
{
    char part[64];
    for (size_t i = 0; i < count; i++) {
        const char *end = i + 1 < count ? strchr(text, sign) : text + strlen(text);
        if (end == NULL || (size_t)(end - text) >= sizeof part)
            return false;
        memcpy(part, text, (size_t)(end - text));
        part[end - text] = '\0';
        if (!cli_read_real(part, &out[i]))
            return false;
        text = end + (i + 1 < count);
    }
    return true;
}

static int fill_weights(cli_app *app, nf_generate_options *o)
{
    const cli_args *a = &app->args;
    double range[2], abc[3];
    if (a->weights != NULL) {
        if (!read_numbers(a->weights, ':', range, 2) || range[0] > range[1])
            return cli_usage(app, "--weights: \"%s\" is not a range LO:HI", a->weights);
        o->weight_min = range[0];
        o->weight_max = range[1];
    }
    if (a->weight_type.given)
        o->weight_type = cli_type_of(a->weight_type.text);
    else if (a->weights != NULL)
        o->weight_type = NF_NONE;
    if (a->abc != NULL) {
        if (!read_numbers(a->abc, ',', abc, 3))
            return cli_usage(app, "--abc: \"%s\" is not three numbers A,B,C", a->abc);
        o->a = abc[0];
        o->b = abc[1];
        o->c = abc[2];
    }
    return CLI_OK;
}

static void fill_sizes(const cli_args *a, nf_generate_options *o)
{
    if (a->n.given)
        o->n = a->n.value;
    if (a->scale.given) {
        o->n = 0;
        o->scale = (uint32_t)a->scale.value;
    }
    if (a->edges.given)
        o->edges = a->edges.value;
    if (a->edge_factor.given) {
        o->edges = 0;
        o->edge_factor = a->edge_factor.value;
    }
    const struct {
        const cli_count *from;
        uint32_t *to;
    } counts[] = {{&a->k, &o->k}, {&a->rows, &o->rows}, {&a->cols, &o->cols}, {&a->depth, &o->depth}};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        if (counts[i].from->given)
            *counts[i].to = (uint32_t)counts[i].from->value;
    const struct {
        const cli_real *from;
        double *to;
    } reals[] = {{&a->p, &o->p}, {&a->forward, &o->forward}, {&a->backward, &o->backward}, {&a->drop, &o->drop}};
    for (size_t i = 0; i < sizeof reals / sizeof reals[0]; i++)
        if (reals[i].from->given)
            *reals[i].to = reals[i].from->value;
    if (a->seed.given)
        o->seed = a->seed.value;
    o->directed = o->directed || a->directed;
    o->keep_duplicates = o->keep_duplicates || a->keep_duplicates;
    o->permute = o->permute || a->permute;
}

/* Options that the kind does not look at are most likely a mistake. */
static void warn_unused(const cli_app *app, const char *kind)
{
    const cli_args *a = &app->args;
    const struct {
        bool given;
        const char *field, *option;
    } used[] = {{a->abc != NULL, "a", "abc"},
                {a->k.given, "k", "k"},
                {a->p.given, "p", "p"},
                {a->forward.given, "forward", "forward"},
                {a->backward.given, "backward", "backward"},
                {a->rows.given, "rows", "rows"},
                {a->cols.given, "cols", "cols"},
                {a->depth.given, "depth", "depth"},
                {a->drop.given, "drop", "drop"}};
    for (size_t i = 0; nf_generator_get(i) != NULL; i++) {
        const nf_generator_info *g = nf_generator_get(i);
        for (size_t k = 0; strcmp(g->name, kind) == 0 && k < sizeof used / sizeof used[0]; k++)
            if (used[k].given && !has_word(g->parameters, used[k].field))
                cli_warn(app, "%s does not look at --%s", kind, used[k].option);
    }
}

int cli_cmd_generate(cli_app *app)
{
    const cli_args *a = &app->args;
    nf_generate_options o = {.size = sizeof o};
    const char *kind = a->operand[0];
    if (a->kinds)
        return print_kinds(app);
    if (a->output == NULL)
        return cli_usage(app, "generate needs -o FILE to write to (- for standard output)");
    if (a->n.given && a->scale.given)
        return cli_usage(app, "--n and --scale both say how many vertices; give one");
    if (a->edges.given && a->edge_factor.given)
        return cli_usage(app, "--edges and --edge-factor both say how many edges; give one");
    nf_status st = nf_generate_defaults(kind, &o);
    if (st == NF_ENOTFOUND) /* a wrong word on the command line */
        return cli_usage(app, "%s", nf_last_error());
    if (st != NF_OK)
        return cli_fail(app, st);
    o.kind = kind;
    fill_sizes(a, &o);
    int code = check_output(app, a->output);
    if (code == CLI_OK)
        code = fill_weights(app, &o);
    if (code != CLI_OK)
        return code;
    warn_unused(app, kind);
    double start = cli_now_ms();
    st = nf_generate(app->ctx, &o, &app->graph);
    double made_ms = cli_now_ms() - start;
    cli_bar_end(app);
    if (st == NF_OK && cli_interrupted())
        st = NF_ECANCELLED;
    return st == NF_OK ? write_graph(app, kind, a->output, made_ms) : cli_fail(app, st);
}
