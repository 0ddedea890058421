/* help.c - `nearfar help`, `--help` and the word lists that the completion script asks for, all from the two tables. */
#include <string.h>

#include "cli.h"

#define COLUMN 26
#define WIDTH 100

/* Words of `text` from column COLUMN on, wrapped at WIDTH. */
static void put_wrapped(FILE *f, const char *text)
{
    size_t at = COLUMN;
    while (*text != '\0') {
        size_t word = strcspn(text, " ");
        if (at > COLUMN && at + 1 + word > WIDTH) {
            fprintf(f, "\n%*s", COLUMN, "");
            at = COLUMN;
        } else if (at > COLUMN) {
            fputc(' ', f);
            at++;
        }
        fwrite(text, 1, word, f);
        at += word;
        text += word;
        text += strspn(text, " ");
    }
    fputc('\n', f);
}

static void put_entry(FILE *f, const char *name, const char *text)
{
    int used = fprintf(f, "  %-*s", COLUMN - 2, name);
    if (used >= COLUMN && strlen(name) + 2 >= COLUMN)
        fprintf(f, "\n%*s", COLUMN, "");
    put_wrapped(f, text);
}

void cli_help_overview(FILE *f)
{
    fputs("nearfar: how far is everything? Breadth-first search and shortest paths.\n\n"
          "usage: nearfar COMMAND [OPTIONS]\n\ncommands:\n",
          f);
    for (size_t i = 0; cli_command_get(i) != NULL; i++)
        put_entry(f, cli_command_get(i)->name, cli_command_get(i)->summary);
    fputs("\nexamples:\n"
          "  nearfar generate road --n 100000 --seed 1 -o road.nfg\n"
          "  nearfar sssp road.nfg --source 0 --verify --plot map.svg\n"
          "  nearfar path road.nfg --source 0 --target 99999\n\n"
          "`nearfar COMMAND --help` tells more; `man nearfar` tells all, the exit codes among it.\n",
          f);
}

static void put_options(FILE *f, uint32_t bit, bool common)
{
    for (size_t i = 0; cli_option_get(i) != NULL; i++) {
        const cli_option *o = cli_option_get(i);
        bool is_common = (o->commands & (C_READ | C_ALL)) == C_READ || (o->commands & C_WORK) == C_WORK;
        char name[64];
        if ((o->commands & bit) == 0 || is_common != common)
            continue;
        snprintf(name, sizeof name, "%s%c%s--%s%s%s", o->letter ? "-" : "", o->letter ? o->letter : ' ',
                 o->letter ? ", " : "   ", o->name, o->value != NULL ? " " : "", o->value != NULL ? o->value : "");
        put_entry(f, name, o->help);
    }
}

void cli_help_command(FILE *f, const cli_command *c)
{
    fprintf(f, "nearfar %s: %s\n\nusage: nearfar %s%s%s [OPTIONS]\n", c->name, c->summary, c->name,
            c->operands[0] ? " " : "", c->operands);
    if (c->about[0] != '\0')
        fprintf(f, "\n%s", c->about);
    fputs("\noptions:\n", f);
    put_options(f, c->bit, false);
    fputs("\ncommon options:\n", f);
    put_options(f, c->bit, true);
    fprintf(f, "\nexamples:\n%s", c->examples);
}

/* ---- words for completion ---------------------------------------------------------------------------------------- */

static void list_algorithms(void)
{
    const char *last = "";
    puts("auto");
    for (size_t i = 0; nf_algorithm_get(i) != NULL; i++) {
        const char *name = nf_algorithm_get(i)->name;
        if (strcmp(name, "auto") != 0 && strcmp(name, last) != 0)
            puts(name);
        last = name;
    }
}

/* The values an option can have, one a line; nothing for free text and files. */
static void list_values(const cli_option *o)
{
    char text[16];
    for (int i = 0; o->choices != NULL && cli_choice_get(o->choices, i, text, sizeof text); i++)
        puts(text);
    if (strcmp(o->name, "algorithm") == 0)
        list_algorithms();
    if (strcmp(o->name, "format") == 0 || strcmp(o->name, "to") == 0)
        for (size_t i = 0; nf_format_get(i) != NULL; i++)
            puts(nf_format_get(i)->name);
    if (strcmp(o->name, "source") == 0)
        puts("max-degree\nrandom:1");
    nf_device_info device;
    if (strcmp(o->name, "device") == 0) {
        puts("auto");
        for (size_t i = 0; nf_device_get(i, &device) == NF_OK; i++)
            puts(device.name);
    }
}

/* help --words: commands; help --words COMMAND: its options (and kinds); help --words COMMAND OPTION: values. */
static int list_words(const cli_app *app)
{
    const cli_command *c = app->args.operands > 0 ? cli_command_find(app->args.operand[0]) : NULL;
    if (app->args.operands == 0)
        for (size_t i = 0; cli_command_get(i) != NULL; i++)
            puts(cli_command_get(i)->name);
    for (size_t i = 0; c != NULL && cli_option_get(i) != NULL; i++) {
        const cli_option *o = cli_option_get(i);
        if ((o->commands & c->bit) == 0)
            continue;
        if (app->args.operands == 1)
            printf("--%s%s\n", o->name, o->value != NULL ? "=" : "");
        else if (strcmp(app->args.operand[1], o->name) == 0)
            list_values(o);
    }
    if (c != NULL && c->bit == C_GENERATE && app->args.operands == 1)
        for (size_t i = 0; nf_generator_get(i) != NULL; i++)
            puts(nf_generator_get(i)->name);
    if (c != NULL && c->bit == C_BENCH && app->args.operands == 1)
        for (size_t i = 0; cli_suite(i) != NULL; i++)
            puts(cli_suite(i));
    return CLI_OK;
}

int cli_cmd_help(cli_app *app)
{
    if (app->args.words)
        return list_words(app);
    if (app->args.operands == 0) {
        cli_help_overview(stdout);
        return CLI_OK;
    }
    const cli_command *c = cli_command_find(app->args.operand[0]);
    if (c == NULL)
        return cli_usage(app, "no command is called \"%s\"; see `nearfar help`", app->args.operand[0]);
    cli_help_command(stdout, c);
    return CLI_OK;
}
