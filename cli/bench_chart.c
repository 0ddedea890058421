/* bench_chart.c - lines or points over two logarithmic axes, or bars over names and one, as SVG. */
#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"

#define WIDTH 760.0
#define HEIGHT 520.0
#define LEFT 84.0
#define RIGHT 170.0
#define TOP 56.0
#define BOTTOM 64.0
#define BARS 0.8 /* of a place are bars */

static const char *const colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9",
                                      "#332288", "#882255", "#117733", "#999933", "#aa4499", "#666666"};

/* What is drawn lies between these. */
typedef struct frame {
    double x0, x1, y0, y1; /* exponents of ten; bars: x from 0 to the number of places */
} frame;

static bool is_drawn(const bench_line *line, size_t k, bool bars)
{
    return line->y[k] > 0 && isfinite(line->y[k]) && (bars || line->x[k] > 0);
}

static frame frame_of(const bench_picture *p)
{
    const bool bars = p->style == BENCH_BARS;
    frame f = {99, -99, 99, -99};
    for (size_t i = 0; i < p->count; i++)
        for (size_t k = 0; k < p->lines[i].count; k++) {
            const double x = p->lines[i].x[k], y = p->lines[i].y[k];
            if (!is_drawn(&p->lines[i], k, bars))
                continue;
            f.y0 = fmin(f.y0, floor(log10(y))), f.y1 = fmax(f.y1, ceil(log10(y)));
            if (!bars)
                f.x0 = fmin(f.x0, floor(log10(x) + 0.05)), f.x1 = fmax(f.x1, ceil(log10(x) - 0.05));
        }
    if (bars)
        f.x0 = 0, f.x1 = (double)p->place_count;
    if (f.y0 > f.y1) /* nothing to draw */
        f.y0 = 0, f.y1 = 1, f.x0 = bars ? f.x0 : 0;
    f.x1 = fmax(f.x1, f.x0 + 1), f.y1 = fmax(f.y1, f.y0 + 1);
    return f;
}

static double place_x(const frame *f, double exponent)
{
    return LEFT + (exponent - f->x0) / (f->x1 - f->x0) * (WIDTH - LEFT - RIGHT);
}

static double place_y(const frame *f, double exponent)
{
    return HEIGHT - BOTTOM - (exponent - f->y0) / (f->y1 - f->y0) * (HEIGHT - TOP - BOTTOM);
}

static void put_x_axis(FILE *out, const frame *f, const bench_picture *p)
{
    for (size_t i = 0; p->style == BENCH_BARS && i < p->place_count; i++)
        fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\" font-size=\"14\">%s</text>\n",
                place_x(f, (double)i + 0.5), HEIGHT - BOTTOM + 22, p->places[i]);
    for (double e = f->x0; p->style != BENCH_BARS && e <= f->x1; e++)
        fprintf(out,
                "<path d=\"M%.1f %.1fV%.1f\" stroke=\"#ddd\"/><text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\" "
                "font-size=\"14\">10<tspan dy=\"-6\" font-size=\"10\">%.0f</tspan></text>\n",
                place_x(f, e), TOP, HEIGHT - BOTTOM, place_x(f, e), HEIGHT - BOTTOM + 22, e);
}

static void put_axes(FILE *out, const frame *f, const bench_picture *p)
{
    put_x_axis(out, f, p);
    for (double e = f->y0; e <= f->y1; e++)
        fprintf(out,
                "<path d=\"M%.1f %.1fH%.1f\" stroke=\"#ddd\"/><text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\" "
                "font-size=\"14\">10<tspan dy=\"-6\" font-size=\"10\">%.0f</tspan></text>\n",
                LEFT, place_y(f, e), WIDTH - RIGHT, LEFT - 8, place_y(f, e) + 5, e);
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\" font-size=\"15\">%s</text>\n",
            (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 16, p->x_name);
    fprintf(out,
            "<text transform=\"translate(24 %.1f) rotate(-90)\" text-anchor=\"middle\" font-size=\"15\">%s</text>\n",
            (TOP + HEIGHT - BOTTOM) / 2, p->y_name);
}

/* The dashed line of slope 1 through the first point of the first line. */
static void put_guide(FILE *out, const frame *f, const bench_line *line)
{
    if (line->count == 0)
        return;
    const double shift = log10(line->y[0]) - log10(line->x[0]);
    const double x0 = fmax(f->x0, f->y0 - shift), x1 = fmin(f->x1, f->y1 - shift);
    fprintf(out, "<path d=\"M%.1f %.1fL%.1f %.1f\" stroke=\"#777\" stroke-dasharray=\"6 5\"/>\n", place_x(f, x0),
            place_y(f, x0 + shift), place_x(f, x1), place_y(f, x1 + shift));
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" font-size=\"14\" fill=\"#555\">linear (dashed)</text>\n",
            WIDTH - RIGHT + 12, TOP + 8);
}

static void put_bars(FILE *out, const frame *f, const bench_picture *p, size_t i, const char *colour)
{
    const bench_line *line = &p->lines[i];
    const double width = BARS / (double)p->count, base = place_y(f, f->y0);
    for (size_t k = 0; k < line->count; k++) {
        const double from = line->x[k] + (1 - BARS) / 2 + width * (double)i;
        if (is_drawn(line, k, true))
            fprintf(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>\n", place_x(f, from),
                    place_y(f, log10(line->y[k])), place_x(f, from + width) - place_x(f, from),
                    base - place_y(f, log10(line->y[k])), colour);
    }
}

static void put_points(FILE *out, const frame *f, const bench_picture *p, size_t i, const char *colour)
{
    const bench_line *line = &p->lines[i];
    if (p->style != BENCH_DOTS)
        fprintf(out, "<polyline fill=\"none\" stroke-width=\"2.2\" stroke=\"%s\" points=\"", colour);
    for (size_t k = 0; p->style != BENCH_DOTS && k < line->count; k++)
        if (is_drawn(line, k, false))
            fprintf(out, "%.1f,%.1f ", place_x(f, log10(line->x[k])), place_y(f, log10(line->y[k])));
    if (p->style != BENCH_DOTS)
        fputs("\"/>\n", out);
    for (size_t k = 0; k < line->count; k++)
        if (is_drawn(line, k, false))
            fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.6\" fill=\"%s\"/>\n", place_x(f, log10(line->x[k])),
                    place_y(f, log10(line->y[k])), colour);
}

static void put_line(FILE *out, const frame *f, const bench_picture *p, size_t i)
{
    const char *colour = colours[i % (sizeof colours / sizeof colours[0])];
    if (p->style == BENCH_BARS)
        put_bars(out, f, p, i, colour);
    else
        put_points(out, f, p, i, colour);
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" font-size=\"15\" font-weight=\"bold\" fill=\"%s\">%s</text>\n",
            WIDTH - RIGHT + 12, TOP + 34 + 22 * (double)i, colour, p->lines[i].name);
}

int bench_chart(cli_app *app, const char *path, const bench_picture *p)
{
    char part[4096];
    const frame f = frame_of(p);
    snprintf(part, sizeof part, "%s.%ld.part", path, (long)getpid());
    FILE *out = fopen(part, "w");
    if (out == NULL)
        return cli_error(app, CLI_INPUT, "%s: cannot be written: %s", path, strerror(errno));
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" "
            "font-family=\"Helvetica, Arial, sans-serif\" fill=\"#1a1a1a\">\n<title>%s</title>\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"#fcfcfa\"/>\n"
            "<text x=\"%.0f\" y=\"32\" font-size=\"19\" font-weight=\"bold\">%s</text>\n",
            WIDTH, HEIGHT, WIDTH, HEIGHT, p->title, LEFT, p->title);
    put_axes(out, &f, p);
    if (p->count > 0 && p->style == BENCH_GUIDE)
        put_guide(out, &f, &p->lines[0]);
    for (size_t i = 0; i < p->count; i++)
        put_line(out, &f, p, i);
    fputs("</svg>\n", out);
    bool written = ferror(out) == 0;
    written = fclose(out) == 0 && written;
    if (written && rename(part, path) == 0)
        return CLI_OK;
    unlink(part);
    return cli_error(app, CLI_INPUT, "%s: cannot be written", path);
}
