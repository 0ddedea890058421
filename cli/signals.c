/* signals.c - Ctrl-C, and the sign of life of work that reports no progress.
 *
 * Ctrl-C and SIGTERM ask the library to end the call that is running; a second one kills, as the handler is then the
 * system's again. The checkers know no cancelling: while they run (between cli_still_begin and cli_still_end) nothing
 * is open that would have to be cleaned up, so the handler ends the process itself, and a timer shows on a terminal
 * that time goes by.
 * Invariants
 *   G1 the variables below are the command's only mutable globals; they exist because a signal handler has no argument;
 *   G2 handlers call nothing but nf_context_cancel, write and _exit.
 */
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "cli.h"

static nf_context *volatile signal_context;
static volatile sig_atomic_t signal_number;
static volatile sig_atomic_t still;         /* in work that cannot be cancelled */
static volatile sig_atomic_t still_json;    /* ... and an end must be told in JSON */
static volatile sig_atomic_t still_bar;     /* ... and something has been drawn */
static volatile sig_atomic_t still_seconds; /* ... for so long */

static void put(int file, const char *text)
{
    ssize_t written = write(file, text, strlen(text));
    (void)written;
}

static void on_signal(int number)
{
    signal_number = number;
    if (signal_context != NULL)
        nf_context_cancel(signal_context);
    if (!still)
        return;
    if (still_bar)
        put(STDERR_FILENO, "\r\033[K");
    if (still_json)
        put(STDOUT_FILENO,
            number == SIGTERM
                ? "{\"error\": {\"status\": \"NF_ECANCELLED\", \"message\": \"interrupted\", \"exit\": 143}}\n"
                : "{\"error\": {\"status\": \"NF_ECANCELLED\", \"message\": \"interrupted\", \"exit\": 130}}\n");
    put(STDERR_FILENO, "nearfar: interrupted\n");
    _exit(number == SIGTERM ? 128 + SIGTERM : CLI_CANCELLED);
}

static void on_second(int number)
{
    char text[] = "\r\033[Kverify            s";
    size_t at = sizeof text - 4;
    (void)number;
    still_seconds++;
    for (int left = still_seconds; left > 0 && text[at] == ' '; left /= 10)
        text[at--] = (char)('0' + left % 10);
    still_bar = 1;
    put(STDERR_FILENO, text);
}

int cli_interrupted(void)
{
    return signal_number;
}

void cli_catch_signals(nf_context *ctx)
{
    struct sigaction once = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND};
    struct sigaction tick = {.sa_handler = on_second, .sa_flags = SA_RESTART};
    sigemptyset(&once.sa_mask);
    sigemptyset(&tick.sa_mask);
    signal_context = ctx;
    sigaction(SIGINT, &once, NULL);
    sigaction(SIGTERM, &once, NULL);
    sigaction(SIGALRM, &tick, NULL);
}

void cli_forget_context(void)
{
    signal_context = NULL;
}

static void set_timer(int seconds)
{
    struct itimerval each = {.it_interval = {.tv_sec = seconds}, .it_value = {.tv_sec = seconds}};
    setitimer(ITIMER_REAL, &each, NULL);
}

void cli_still_begin(const cli_app *app)
{
    fflush(stdout);
    still_json = app->args.json;
    still_seconds = still_bar = 0;
    still = 1;
    if (app->bar_wanted)
        set_timer(1);
}

void cli_still_end(void)
{
    set_timer(0);
    still = 0;
    if (still_bar)
        put(STDERR_FILENO, "\r\033[K");
    still_bar = 0;
}
