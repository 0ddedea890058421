/* print.c - JSON and the small texts of the summaries. */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "cli.h"

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

size_t cli_utf8(const char *text)
{
    const unsigned char *c = (const unsigned char *)text;
    size_t length = c[0] < 0x80             ? 1
                    : (c[0] & 0xe0) == 0xc0 ? 2
                    : (c[0] & 0xf0) == 0xe0 ? 3
                    : (c[0] & 0xf8) == 0xf0 ? 4
                                            : 0;
    uint32_t code = length > 1 ? c[0] & (0x7fu >> length) : c[0];
    for (size_t i = 1; i < length; i++) {
        if ((c[i] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (c[i] & 0x3fu);
    }
    bool short_form = (length == 2 && code < 0x80) || (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
    return short_form || code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ? 0 : length;
}

static void put_string(FILE *f, const char *text)
{
    fputc('"', f);
    for (const char *c = text; *c != '\0';) {
        size_t length = cli_utf8(c);
        if (*c == '"' || *c == '\\')
            fprintf(f, "\\%c", *c);
        else if (length == 0 || (unsigned char)*c < 0x20 || *c == 0x7f)
            fprintf(f, "\\u%04x", (unsigned char)*c); /* a byte that is no character: file names may have such */
        else
            fwrite(c, 1, length, f);
        c += length > 0 ? length : 1;
    }
    fputc('"', f);
}

static void put_key(cli_json *j, const char *key)
{
    if (j->comma[j->depth])
        fputs(", ", j->file);
    j->comma[j->depth] = true;
    if (key != NULL) {
        put_string(j->file, key);
        fputs(": ", j->file);
    }
}

void cli_json_begin(cli_json *j, const char *key, char bracket)
{
    put_key(j, key);
    fputc(bracket, j->file);
    j->comma[++j->depth] = false;
}

void cli_json_end(cli_json *j, char bracket)
{
    j->depth--;
    fputc(bracket, j->file);
}

void cli_json_text(cli_json *j, const char *key, const char *text)
{
    put_key(j, key);
    if (text == NULL)
        fputs("null", j->file);
    else
        put_string(j->file, text);
}

void cli_json_count(cli_json *j, const char *key, uint64_t value)
{
    put_key(j, key);
    fprintf(j->file, "%" PRIu64, value);
}

void cli_json_int(cli_json *j, const char *key, int64_t value)
{
    put_key(j, key);
    fprintf(j->file, "%" PRId64, value);
}

void cli_json_real(cli_json *j, const char *key, double value)
{
    put_key(j, key);
    if (isfinite(value))
        fprintf(j->file, "%.17g", value);
    else
        fputs("null", j->file);
}

void cli_json_ms(cli_json *j, const char *key, double value)
{
    put_key(j, key);
    fprintf(j->file, "%.3f", isfinite(value) && value > 0.0 ? value : 0.0);
}

void cli_json_bool(cli_json *j, const char *key, bool value)
{
    put_key(j, key);
    fputs(value ? "true" : "false", j->file);
}

void cli_json_number(cli_json *j, const char *key, const char *digits)
{
    put_key(j, key);
    bool number = digits[0] != '\0' && strspn(digits, "+-0123456789.eE") == strlen(digits);
    fputs(number ? digits : "null", j->file);
}

void cli_json_label(cli_json *j, const char *key, const nf_graph *graph, nf_vid v)
{
    if (v == NF_NO_VERTEX)
        cli_json_text(j, key, NULL);
    else
        cli_json_count(j, key, nf_graph_label(graph, v));
}

void cli_json_finish(cli_json *j)
{
    fputc('\n', j->file);
}

/* ---- texts ------------------------------------------------------------------------------------------------------- */

char *cli_grouped(uint64_t value, char *text)
{
    char digits[32];
    int length = snprintf(digits, sizeof digits, "%" PRIu64, value), at = 0;
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            text[at++] = ',';
        text[at++] = digits[i];
    }
    text[at] = '\0';
    return text;
}

char *cli_bytes(uint64_t bytes, char *text)
{
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB"};
    double value = (double)bytes;
    int unit = 0;
    for (; value >= 1024.0 && unit < 5; unit++)
        value /= 1024.0;
    snprintf(text, 32, unit == 0 ? "%.0f %s" : "%.1f %s", value, units[unit]);
    return text;
}

char *cli_ms(double ms, char *text)
{
    if (ms >= 60e3)
        snprintf(text, 32, "%.0f min %.0f s", floor(ms / 60e3), fmod(ms, 60e3) / 1e3);
    else if (ms >= 1e3)
        snprintf(text, 32, "%.2f s", ms / 1e3);
    else
        snprintf(text, 32, ms >= 10.0 ? "%.1f ms" : "%.2f ms", ms);
    return text;
}

/* A 64-bit integer, or "inf" where it is the type's value for unreached. */
static void put_integer(char *text, bool reached, bool negative, uint64_t magnitude)
{
    if (reached)
        snprintf(text, 32, "%s%" PRIu64, negative ? "-" : "", magnitude);
    else
        snprintf(text, 32, "inf");
}

static void put_signed(char *text, int64_t value, int64_t unreached)
{
    put_integer(text, value != unreached, value < 0, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

static void put_real(char *text, double value, int digits)
{
    snprintf(text, 32, "%.*g", digits, value);
    if (isinf(value))
        snprintf(text, 32, "%s", value < 0 ? "-inf" : "inf");
}

char *cli_number(nf_type type, const void *d, uint64_t i, char *text)
{
    if (d == NULL)
        snprintf(text, 32, "?");
    else if (type == NF_I32)
        put_signed(text, ((const int32_t *)d)[i], NF_UNREACHED_I32);
    else if (type == NF_I64)
        put_signed(text, ((const int64_t *)d)[i], NF_UNREACHED_I64);
    else if (type == NF_U32)
        put_integer(text, ((const uint32_t *)d)[i] != NF_UNREACHED_U32, false, ((const uint32_t *)d)[i]);
    else if (type == NF_U64)
        put_integer(text, ((const uint64_t *)d)[i] != NF_UNREACHED_U64, false, ((const uint64_t *)d)[i]);
    else if (type == NF_F32)
        put_real(text, (double)((const float *)d)[i], 9);
    else
        put_real(text, ((const double *)d)[i], 17);
    return text;
}

char *cli_distance(const nf_result *result, uint64_t row, nf_vid v, char *text)
{
    nf_run_info info = {.size = sizeof info};
    const int32_t *hops = nf_result_hops(result, row);
    nf_result_info(result, &info);
    if (hops == NULL)
        return cli_number(info.type, nf_result_distances(result, row), v, text);
    put_signed(text, hops[v], NF_NO_HOP);
    return text;
}

void cli_line(FILE *f, const char *name, const char *format, ...)
{
    va_list list;
    fprintf(f, "  %-11s ", name);
    va_start(list, format);
    vfprintf(f, format, list);
    va_end(list);
    fputc('\n', f);
}

const char *cli_bold(const cli_app *app)
{
    return app->colour_out ? "\033[1m" : "";
}

const char *cli_plain(const cli_app *app)
{
    return app->colour_out ? "\033[0m" : "";
}
