/* bench_table.c - tables of the benchmarks: aligned text, Markdown, JSON.
 *
 * A table is a list of rows of cells; a cell is text, or a number with its text. JSON keys are the column names.
 */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

bench_table *bench_table_add(bench *b, const char *name, const char *title, const char *const *columns, size_t count)
{
    bench_table *t = &b->tables[b->table_count++];
    *t = (bench_table){.name = name, .title = title, .column_count = count};
    memcpy(t->columns, columns, count * sizeof *columns);
    return t;
}

bool bench_row(bench_table *t)
{
    bench_cell(*grown)[BENCH_COLUMNS] = realloc(t->rows, (t->row_count + 1) * sizeof *grown);
    if (grown == NULL)
        return false;
    t->rows = grown;
    for (size_t c = 0; c < BENCH_COLUMNS; c++)
        grown[t->row_count][c] = (bench_cell){.text = "-", .value = (double)NAN};
    t->row_count++;
    t->at = 0;
    return true;
}

void bench_text(bench_table *t, const char *format, ...)
{
    va_list list;
    bench_cell *cell = &t->rows[t->row_count - 1][t->at++];
    va_start(list, format);
    vsnprintf(cell->text, sizeof cell->text, format, list);
    va_end(list);
}

void bench_number(bench_table *t, double value, int decimals)
{
    bench_cell *cell = &t->rows[t->row_count - 1][t->at++];
    cell->value = value;
    if (isfinite(value))
        snprintf(cell->text, sizeof cell->text, "%.*f", decimals, value);
}

void bench_say_row(const bench *b, const bench_table *t)
{
    char line[BENCH_COLUMNS * sizeof((bench_cell *)0)->text] = "";
    size_t used = 0;
    for (size_t c = 0; c < t->column_count && used < sizeof line; c++) {
        const bench_cell *cell = &t->rows[t->row_count - 1][c];
        const bool number = !isnan(cell->value);
        if (strcmp(cell->text, "-") != 0)
            used += (size_t)snprintf(line + used, sizeof line - used, "%s%s%s%s", used > 0 ? "  " : "",
                                     number ? t->columns[c] : "", number ? " " : "", cell->text);
    }
    bench_say(b, "%s", line);
}

static size_t width_of(const bench_table *t, size_t c)
{
    size_t width = strlen(t->columns[c]);
    for (size_t r = 0; r < t->row_count; r++)
        width = strlen(t->rows[r][c].text) > width ? strlen(t->rows[r][c].text) : width;
    return width;
}

/* Numbers to the right; a column is one of numbers when any of its cells is. */
static bool is_numeric(const bench_table *t, size_t c)
{
    for (size_t r = 0; r < t->row_count; r++)
        if (!isnan(t->rows[r][c].value))
            return true;
    return false;
}

static void print_cells(const bench_table *t, FILE *f, size_t row, bool heading, bool markdown)
{
    for (size_t c = 0; c < t->column_count; c++) {
        const int width = (int)width_of(t, c);
        const char *text = heading ? t->columns[c] : t->rows[row][c].text;
        fprintf(f, "%s%*s", markdown ? "| " : c > 0 ? "  " : "", is_numeric(t, c) ? width : -width, text);
        if (markdown)
            fputc(' ', f);
    }
    fputs(markdown ? "|\n" : "\n", f);
}

static void print_table(const bench_table *t, FILE *f, bool markdown)
{
    fprintf(f, markdown ? "%s:\n\n" : "%s\n", t->title);
    print_cells(t, f, 0, true, markdown);
    for (size_t c = 0; markdown && c < t->column_count; c++)
        fprintf(f, "%s", is_numeric(t, c) ? "|---:" : "|---");
    if (markdown)
        fputs("|\n", f);
    for (size_t r = 0; r < t->row_count; r++)
        print_cells(t, f, r, false, markdown);
    if (t->note[0] != '\0')
        fprintf(f, "%s%s\n", markdown ? "\n" : "", t->note);
}

void bench_tables_print(const bench *b, FILE *f, bool markdown)
{
    for (size_t i = 0; i < b->table_count; i++) {
        if (i > 0)
            fputc('\n', f);
        print_table(&b->tables[i], f, markdown);
    }
}

static void put_row(cli_json *j, const bench_table *t, size_t r)
{
    cli_json_begin(j, NULL, '{');
    for (size_t c = 0; c < t->column_count; c++) {
        const bench_cell *cell = &t->rows[r][c];
        if (!isnan(cell->value))
            cli_json_real(j, t->columns[c], cell->value);
        else
            cli_json_text(j, t->columns[c], strcmp(cell->text, "-") != 0 ? cell->text : NULL);
    }
    cli_json_end(j, '}');
}

void bench_tables_json(const bench *b, FILE *f)
{
    cli_json j = {.file = f};
    nf_device_info device = {.description = ""};
    (void)nf_device_get(0, &device);
    cli_json_begin(&j, NULL, '{');
    cli_json_text(&j, "version", nf_version());
    cli_json_text(&j, "machine", device.description);
    cli_json_count(&j, "seed", b->seed);
    for (size_t i = 0; i < b->table_count; i++) {
        cli_json_begin(&j, b->tables[i].name, '[');
        for (size_t r = 0; r < b->tables[i].row_count; r++)
            put_row(&j, &b->tables[i], r);
        cli_json_end(&j, ']');
    }
    cli_json_end(&j, '}');
    cli_json_finish(&j);
}

int bench_table_tsv(const bench *b, const bench_table *t, const char *path)
{
    FILE *f = fopen(path, "w");
    if (f == NULL)
        return cli_error(b->app, CLI_INPUT, "%s: cannot be written: %s", path, strerror(errno));
    for (size_t c = 0; c < t->column_count; c++)
        fprintf(f, "%s%s", c > 0 ? "\t" : "", t->columns[c]);
    for (size_t r = 0; r < t->row_count; r++)
        for (size_t c = 0; c < t->column_count; c++) {
            const bench_cell *cell = &t->rows[r][c];
            fputs(c > 0 ? "\t" : "\n", f);
            if (isnan(cell->value))
                fputs(cell->text, f);
            else
                fprintf(f, "%.10g", cell->value);
        }
    fputc('\n', f);
    const bool written = ferror(f) == 0;
    if (fclose(f) == 0 && written)
        return CLI_OK;
    return cli_error(b->app, CLI_INPUT, "%s: cannot be written", path);
}

void bench_tables_free(bench *b)
{
    for (size_t i = 0; i < b->table_count; i++)
        free(b->tables[i].rows);
    b->table_count = 0;
}
