/* svg.c - writes a map as SVG: one path a colour class, legend, sources, paths.
 *
 * Colours run from light (near) to dark (far) through a scale whose steps look equally large (the anchors of viridis,
 * from matplotlib, reversed and without its palest end); unreached edges are grey. The file appears under its name
 * only when whole.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "plot.h"

#define HEAD 78.0 /* above the map */
#define MARGIN 28.0
#define LEGEND 150.0 /* right of the map */
#define DOTS_UP_TO 2500
#define UNREACHED_COLOUR "#c9c9c9"
#define PATH_COLOUR "#e0103a"

#define ANCHORS 10
static const unsigned char anchors[ANCHORS][3] = {{0xdc, 0xe3, 0x19}, {0xa8, 0xdb, 0x34}, {0x6c, 0xcd, 0x5a},
                                                  {0x3b, 0xbb, 0x75}, {0x1f, 0xa1, 0x87}, {0x22, 0x8b, 0x8d},
                                                  {0x2c, 0x72, 0x8e}, {0x39, 0x56, 0x8c}, {0x46, 0x33, 0x7e},
                                                  {0x44, 0x01, 0x54}};

/* The colour at t in [0, 1]. */
static void colour_at(double t, char text[8])
{
    double at = t * (ANCHORS - 1.0);
    size_t i = at >= (ANCHORS - 1.0) ? ANCHORS - 2 : (size_t)at;
    unsigned c[3];
    for (int k = 0; k < 3; k++)
        c[k] = (unsigned)lround(anchors[i][k] + (at - (double)i) * (anchors[i + 1][k] - anchors[i][k]));
    snprintf(text, 8, "#%02x%02x%02x", c[0] & 255u, c[1] & 255u, c[2] & 255u);
}

static void class_colour(int class, char text[8])
{
    if (class == PLOT_CLASSES)
        snprintf(text, 8, "%s", UNREACHED_COLOUR);
    else
        colour_at((class + 0.5) / PLOT_CLASSES, text);
}

static void put_text(FILE *f, const char *text)
{
    for (const char *c = text; *c != '\0';) {
        size_t length = cli_utf8(c);
        if (*c == '<' || *c == '>' || *c == '&')
            fprintf(f, "&#%d;", *c);
        else if (length == 0 || (unsigned char)*c < 0x20)
            fputc('?', f);
        else
            fwrite(c, 1, length, f);
        c += length > 0 ? length : 1;
    }
}

/* ---- edges ------------------------------------------------------------------------------------------------------- */

/* An end of a segment, for finding the ones that meet at a point. */
typedef struct end {
    uint32_t point, segment;
} end;

static int compare_ends(const void *p, const void *q)
{
    const end *a = p, *b = q;
    if (a->point != b->point)
        return a->point < b->point ? -1 : 1;
    return a->segment < b->segment ? -1 : a->segment > b->segment;
}

/* An unused segment at a point, or `count`. */
static uint32_t next_at(const end *ends, uint32_t count, const bool *used, uint32_t point)
{
    uint32_t low = 0, high = 2 * count;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        if (ends[mid].point < point)
            low = mid + 1;
        else
            high = mid;
    }
    for (; low < 2 * count && ends[low].point == point; low++)
        if (!used[ends[low].segment])
            return ends[low].segment;
    return count;
}

static void put_step(FILE *f, uint32_t from, uint32_t to)
{
    int dx = (int)(to >> 16) - (int)(from >> 16), dy = (int)(to & 0xffff) - (int)(from & 0xffff);
    fprintf(f, "%s%d%s%d", dx < 0 ? "" : " ", dx, dy < 0 ? "" : " ", dy);
}

/* Strings the segments of one class into polylines. */
static void put_chains(FILE *f, const plot_segment *s, uint32_t count, end *ends, bool *used)
{
    for (uint32_t i = 0; i < count; i++) {
        ends[2 * i] = (end){s[i].a, i};
        ends[2 * i + 1] = (end){s[i].b, i};
        used[i] = false;
    }
    qsort(ends, 2 * (size_t)count, sizeof *ends, compare_ends);
    for (uint32_t i = 0; i < count; i++) {
        if (used[i])
            continue;
        uint32_t at = s[i].a, next = i;
        fprintf(f, "M%u %ul", (unsigned)(at >> 16), (unsigned)(at & 0xffff));
        for (; next < count; next = next_at(ends, count, used, at)) {
            uint32_t to = s[next].a == at ? s[next].b : s[next].a;
            used[next] = true;
            put_step(f, at, to);
            at = to;
        }
        fputc('\n', f);
    }
}

static double stroke_width(const plot_map *map)
{
    double spacing = sqrt(map->width * map->height / (map->n > 0 ? (double)map->n : 1.0));
    return fmin(fmax(fmax(0.5 * spacing, 0.9), 0.6 / map->grid), 5.0); /* a coarse grid still fills */
}

/* Unreached first, then from far to near, so that near lies on top. */
static bool put_edges(FILE *f, const plot_map *map)
{
    end *ends = malloc((2 * map->count + 1) * sizeof *ends);
    bool *used = malloc((map->count + 1) * sizeof *used);
    char colour[8];
    bool fine = ends != NULL && used != NULL;
    fprintf(f,
            "<g fill=\"none\" stroke-linecap=\"round\" stroke-linejoin=\"round\" stroke-width=\"%.2f\" "
            "transform=\"scale(%.6g)\">\n",
            stroke_width(map) * map->grid, 1.0 / map->grid);
    for (size_t to = map->count; fine && to > 0;) {
        size_t from = to;
        while (from > 0 && map->segments[from - 1].class == map->segments[to - 1].class)
            from--;
        class_colour(map->segments[from].class, colour);
        fprintf(f, "<path stroke=\"%s\" d=\"", colour);
        put_chains(f, map->segments + from, (uint32_t)(to - from), ends, used);
        fputs("\"/>\n", f);
        to = from;
    }
    fputs("</g>\n", f);
    free(ends);
    free(used);
    return fine;
}

static void put_dots(FILE *f, const plot_map *map)
{
    char colour[8];
    double x, y, r = fmin(stroke_width(map) * 1.3, 7.0);
    for (nf_vid v = 0; map->n <= DOTS_UP_TO && v < map->n; v++) {
        if (!plot_point(map, v, &x, &y))
            continue;
        class_colour(plot_class(map, (double)map->value[v]), colour);
        fprintf(f, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" fill=\"%s\"/>\n", x, y, r, colour);
    }
}

/* ---- what lies above --------------------------------------------------------------------------------------------- */

static void put_walk(FILE *f, const plot_map *map, const cli_walk *walk)
{
    double x, y, last_x = -1e9, last_y = -1e9;
    fputs("<polyline points=\"", f);
    for (uint64_t i = 0; i < walk->length; i++) {
        if (!plot_point(map, walk->vertices[i], &x, &y))
            continue;
        if (i + 1 < walk->length && i > 0 && fabs(x - last_x) < 0.4 && fabs(y - last_y) < 0.4)
            continue;
        fprintf(f, "%.1f,%.1f ", x, y);
        last_x = x, last_y = y;
    }
    fputs("\"/>\n", f);
}

static void put_walks(FILE *f, const plot_map *map, const cli_plot *plot)
{
    static const char *const styles[] = {"stroke=\"#ffffff\" stroke-width=\"7\" stroke-opacity=\"0.85\"",
                                         "stroke=\"" PATH_COLOUR "\" stroke-width=\"3.2\""};
    for (int layer = 0; plot->walk_count > 0 && layer < 2; layer++) {
        fprintf(f, "<g fill=\"none\" stroke-linecap=\"round\" stroke-linejoin=\"round\" %s>\n", styles[layer]);
        for (size_t i = 0; i < plot->walk_count; i++)
            put_walk(f, map, &plot->walks[i]);
        fputs("</g>\n", f);
    }
}

/* A mark with a label beside it, on the side where there is room. */
static void put_mark(FILE *f, const plot_map *map, const nf_graph *graph, nf_vid v, bool source, bool label)
{
    double x, y, r = source ? 7.0 : 6.0;
    if (!plot_point(map, v, &x, &y))
        return;
    fprintf(f, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" fill=\"%s\" stroke=\"%s\" stroke-width=\"2.5\"/>\n", x, y, r,
            source ? PATH_COLOUR : "#ffffff", source ? "#ffffff" : PATH_COLOUR);
    if (!label)
        return;
    bool left = x > map->width * 0.8;
    fprintf(f,
            "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" font-size=\"17\" font-weight=\"bold\" fill=\"#1a1a1a\" "
            "stroke=\"#ffffff\" "
            "stroke-width=\"4\" stroke-linejoin=\"round\" paint-order=\"stroke\">%s %" PRIu64 "</text>\n",
            left ? x - r - 7.0 : x + r + 7.0, y < 20.0 ? y + 16.0 : y - 5.0, left ? "end" : "start",
            source ? "source" : "target", nf_graph_label(graph, v));
}

static void put_marks(FILE *f, const plot_map *map, const cli_plot *plot, const nf_graph *graph)
{
    for (size_t i = 0; i < plot->walk_count; i++)
        if (plot->walks[i].length > 0)
            put_mark(f, map, graph, plot->walks[i].vertices[plot->walks[i].length - 1], false, plot->walk_count <= 8);
    for (uint64_t i = 0; i < plot->source_count; i++)
        put_mark(f, map, graph, plot->sources[i], true, plot->source_count <= 8);
}

/* A round step that parts the range into 4 to 8. */
static double tick_step(double range)
{
    double step = pow(10.0, floor(log10(range / 4.0)));
    static const double rounds[] = {1.0, 2.0, 5.0, 10.0};
    for (size_t i = 0; i < 4; i++)
        if (range / (step * rounds[i]) <= 8.0)
            return step * rounds[i];
    return step * 10.0;
}

static void put_tick(FILE *f, double y, double value)
{
    char text[32], digits[64];
    if (value == floor(value) && fabs(value) < 1e15)
        snprintf(digits, sizeof digits, "%s%s", value < 0 ? "-" : "", cli_grouped((uint64_t)fabs(value), text));
    else
        snprintf(digits, sizeof digits, "%.6g", value);
    fprintf(f, "<path d=\"M18 %.1fh6\" stroke=\"#444\"/><text x=\"30\" y=\"%.1f\" font-size=\"14\">%s</text>\n", y,
            y + 5.0, digits);
}

static void put_legend(FILE *f, const plot_map *map, const char *what)
{
    double height = fmin(fmax(map->height - 70.0, 90.0), 420.0), range = map->high - map->low;
    char colour[8];
    bool unreached = false;
    for (nf_vid v = 0; !unreached && v < map->n; v++)
        unreached = !isfinite(map->value[v]);
    fprintf(f,
            "<g transform=\"translate(%.1f %.1f)\" fill=\"#1a1a1a\">\n<text y=\"-12\" font-size=\"15\" "
            "font-weight=\"bold\">%s</text>\n",
            MARGIN * 2 + map->width, HEAD + 18.0, what);
    fputs("<defs><linearGradient id=\"scale\" x1=\"0\" y1=\"0\" x2=\"0\" y2=\"1\">", f);
    for (size_t i = 0; i < ANCHORS; i++) {
        colour_at((double)i / (ANCHORS - 1.0), colour);
        fprintf(f, "<stop offset=\"%.4f\" stop-color=\"%s\"/>", (double)i / (ANCHORS - 1.0), colour);
    }
    fprintf(f, "</linearGradient></defs>\n<rect width=\"18\" height=\"%.1f\" fill=\"url(#scale)\"/>\n", height);
    if (range > 0.0) {
        double step = tick_step(range);
        for (long i = lround(ceil(map->low / step)); (double)i * step <= map->high + step * 1e-9; i++)
            put_tick(f, ((double)i * step - map->low) / range * height, (double)i * step);
    } else {
        put_tick(f, 0.0, map->low);
    }
    if (unreached)
        fprintf(f,
                "<rect y=\"%.1f\" width=\"18\" height=\"14\" fill=\"" UNREACHED_COLOUR "\"/><text x=\"30\" y=\"%.1f\" "
                "font-size=\"14\">unreached</text>\n",
                height + 20.0, height + 32.0);
    fputs("</g>\n", f);
}

static bool put_all(FILE *f, const plot_map *map, const cli_plot *plot, const nf_graph *graph)
{
    nf_run_info info = {.size = sizeof info};
    double width = map->width + 3 * MARGIN + LEGEND, height = map->height + HEAD + MARGIN;
    nf_result_info(plot->result, &info);
    fprintf(f,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" "
            "font-family=\"Helvetica, Arial, sans-serif\">\n<title>",
            width, height, width, height);
    put_text(f, plot->title);
    fprintf(f,
            "</title>\n<rect width=\"100%%\" height=\"100%%\" fill=\"#fcfcfa\"/>\n<text x=\"%.0f\" y=\"34\" "
            "font-size=\"22\" "
            "font-weight=\"bold\" fill=\"#1a1a1a\">",
            MARGIN);
    put_text(f, plot->title);
    fprintf(f, "</text>\n<text x=\"%.0f\" y=\"57\" font-size=\"15\" fill=\"#555\">", MARGIN);
    put_text(f, plot->subtitle);
    fprintf(f, "</text>\n<g transform=\"translate(%.0f %.0f)\">\n", MARGIN, HEAD);
    bool fine = put_edges(f, map);
    put_dots(f, map);
    put_walks(f, map, plot);
    put_marks(f, map, plot, graph);
    fputs("</g>\n", f);
    put_legend(f, map, info.problem == NF_BFS ? "hops" : "distance");
    fputs("</svg>\n", f);
    return fine;
}

int plot_svg(cli_app *app, const plot_map *map, const cli_plot *plot, const char *path)
{
    char part[4096];
    int length = snprintf(part, sizeof part, "%s.%ld.part", path, (long)getpid());
    if (length < 0 || (size_t)length >= sizeof part)
        return cli_error(app, CLI_INPUT, "%s: the name is too long", path);
    FILE *f = fopen(part, "w");
    if (f == NULL)
        return cli_error(app, CLI_INPUT, "%s: cannot be written: %s", path, strerror(errno));
    bool memory = put_all(f, map, plot, app->graph);
    errno = 0;
    bool written = ferror(f) == 0;
    written = fclose(f) == 0 && written;
    if (memory && written && !cli_interrupted() && rename(part, path) == 0)
        return CLI_OK;
    int error = errno;
    unlink(part);
    if (!memory)
        return cli_error(app, CLI_MEMORY, "out of memory");
    if (cli_interrupted())
        return cli_fail(app, NF_ECANCELLED);
    return cli_error(app, CLI_INPUT, "%s: cannot be written: %s", path,
                     error != 0 ? strerror(error) : "a write failed");
}
