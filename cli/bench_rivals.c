/* bench_rivals.c - other libraries as processes of their own that keep the graph and answer one search at a time.
 *
 * The protocol is that of bench/rivals/rival.h. A rival that gives another answer, or none in time, is not timed.
 * Invariants
 *   V1 a rival's process lives from bench_rivals_start to bench_rivals_stop, or is gone earlier: pid 0;
 *   V2 the files in b->folder are removed by bench_rivals_stop, the folder by bench_rivals_close.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

#define LOAD_MS 600000.0 /* reading the graph may take so long */

static const bench_rival known[BENCH_RIVALS] = {{.name = "Boost", .program = "boost"},
                                                {.name = "igraph", .program = "igraph"},
                                                {.name = "SciPy", .program = "scipy"},
                                                {.name = "GraphBLAS", .program = "graphblas", .threads = true}};

/* ---- processes --------------------------------------------------------------------------------------------------- */

static void end_process(bench_rival *r)
{
    if (r->pid == 0)
        return;
    close(r->to);
    close(r->from);
    kill(r->pid, SIGKILL); /* our own child; it has nothing to save */
    while (waitpid(r->pid, NULL, 0) < 0 && errno == EINTR)
        ;
    r->pid = 0;
}

/* In the child: becomes the rival. */
static void become(const bench_rival *r, const char *argument, const int in[2], const int out[2])
{
    const int nothing = open("/dev/null", O_WRONLY);
    dup2(in[0], STDIN_FILENO);
    dup2(out[1], STDOUT_FILENO);
    if (nothing >= 0)
        dup2(nothing, STDERR_FILENO);
    execl(r->path, r->path, argument, (char *)NULL);
    _exit(127);
}

/* A pipe that other rivals do not inherit. */
static bool make_pipe(int ends[2])
{
    if (pipe(ends) != 0)
        return false;
    (void)fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    (void)fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    return true;
}

static bool begin_process(bench_rival *r, const char *argument)
{
    int in[2], out[2];
    if (!make_pipe(in))
        return false;
    if (!make_pipe(out)) {
        close(in[0]), close(in[1]);
        return false;
    }
    r->pid = fork();
    if (r->pid == 0)
        become(r, argument, in, out);
    close(in[0]), close(out[1]);
    r->to = in[1], r->from = out[0];
    r->held = 0;
    if (r->pid > 0)
        return true;
    r->pid = 0;
    close(in[1]), close(out[0]);
    return false;
}

/* The rival's next line, without its end; false: none came in time. */
static bool read_line(bench_rival *r, double limit_ms, char *text, size_t capacity)
{
    const double until = cli_now_ms() + limit_ms;
    for (;;) {
        char *end = memchr(r->line, '\n', r->held);
        if (end != NULL) {
            const size_t length = (size_t)(end - r->line);
            snprintf(text, capacity, "%.*s", (int)length, r->line);
            memmove(r->line, end + 1, r->held - length - 1);
            r->held -= length + 1;
            return true;
        }
        struct pollfd in = {.fd = r->from, .events = POLLIN};
        const double left = until - cli_now_ms();
        if (left <= 0 || r->held == sizeof r->line || cli_interrupted() || poll(&in, 1, (int)fmin(left, 1e6)) < 0)
            return false;
        const ssize_t got = in.revents != 0 ? read(r->from, r->line + r->held, sizeof r->line - r->held) : 0;
        if (in.revents != 0 && got <= 0)
            return false;
        r->held += (size_t)got;
    }
}

bench_outcome bench_ask(bench_rival *r, const char *problem, int threads, nf_vid source, const bench_answer *want,
                        double limit_ms, double *ms)
{
    char text[256];
    uint64_t reached = 0, hash = 0;
    if (r->pid == 0 || (threads > 1 && !r->threads))
        return BENCH_NONE;
    const int length = snprintf(text, sizeof text, "%s %d %u\n", problem, threads, source);
    if (write(r->to, text, (size_t)length) != length || !read_line(r, limit_ms, text, sizeof text)) {
        end_process(r);
        return BENCH_LATE;
    }
    if (strcmp(text, "no") == 0)
        return BENCH_NONE;
    if (sscanf(text, "%lf %" SCNu64 " %" SCNu64, ms, &reached, &hash) != 3)
        return BENCH_FALSE;
    return reached == want->reached && hash == want->hash ? BENCH_RIGHT : BENCH_FALSE;
}

/* ---- finding ----------------------------------------------------------------------------------------------------- */

static bool try_folder(bench_rival *r, const char *folder, const char *more)
{
    const int length = snprintf(r->path, sizeof r->path, "%s%s/bench_rival_%s", folder, more, r->program);
    if (length < 0 || (size_t)length >= sizeof r->path || access(r->path, X_OK) != 0 || !begin_process(r, "--version"))
        return false;
    const bool good = read_line(r, 60000.0, r->version, sizeof r->version);
    end_process(r);
    return good;
}

void bench_rivals_find(bench *b)
{
    char here[512] = "";
    const char *given = getenv("NEARFAR_RIVALS"), *wanted = b->app->args.rivals;
    const ssize_t length = readlink("/proc/self/exe", here, sizeof here - 1);
    char *slash = length > 0 ? strrchr(here, '/') : NULL;
    if (slash != NULL)
        *slash = '\0';
    for (size_t i = 0; i < BENCH_RIVALS; i++) {
        bench_rival *r = &b->rivals[i];
        *r = known[i];
        if (bench_listed(wanted, r->name))
            r->found =
                (given != NULL && try_folder(r, given, ""))
                || (slash != NULL && (try_folder(r, here, "/bench") || try_folder(r, here, "/../libexec/nearfar")));
    }
    b->gap = bench_listed(wanted, "GAP") ? b->app->args.gap : NULL;
}

void bench_rivals_tell(const bench *b, char *text, size_t capacity)
{
    size_t used = (size_t)snprintf(text, capacity, "Rivals: %s", b->gap != NULL ? "GAP" : "");
    const char *missing = "; not found or not asked for:";
    for (size_t i = 0; i < BENCH_RIVALS && used < capacity; i++)
        if (b->rivals[i].found)
            used += (size_t)snprintf(text + used, capacity - used, "%s%s", used > 8 ? ", " : "", b->rivals[i].version);
    for (size_t i = 0; i < BENCH_RIVALS && used < capacity; i++)
        if (!b->rivals[i].found) {
            used += (size_t)snprintf(text + used, capacity - used, "%s %s", missing, b->rivals[i].name);
            missing = ",";
        }
    if (b->gap == NULL && used < capacity)
        snprintf(text + used, capacity - used, "%s GAP (--gap DIR)", missing);
}

/* ---- the graph --------------------------------------------------------------------------------------------------- */

static int write_graph(bench *b, const nf_graph *graph)
{
    const char *base = getenv("TMPDIR");
    char path[300];
    if (b->folder[0] == '\0') {
        snprintf(b->folder, sizeof b->folder, "%s/nearfar-bench-XXXXXX", base != NULL ? base : "/tmp");
        if (mkdtemp(b->folder) == NULL) {
            b->folder[0] = '\0';
            return cli_error(b->app, CLI_INPUT, "no folder for the rivals' graphs: %s", strerror(errno));
        }
    }
    snprintf(path, sizeof path, "%s/graph.wsg", b->folder);
    nf_status st = nf_graph_write(b->app->ctx, graph, path, NULL);
    snprintf(path, sizeof path, "%s/graph.sg", b->folder);
    if (st == NF_OK && b->gap != NULL)
        st = nf_graph_write(b->app->ctx, graph, path, NULL);
    return st == NF_OK ? CLI_OK : cli_fail(b->app, st);
}

int bench_rivals_start(bench *b, const nf_graph *graph)
{
    char path[300], text[64];
    bool any = b->gap != NULL;
    for (size_t i = 0; i < BENCH_RIVALS; i++)
        any = any || b->rivals[i].found;
    int code = any ? write_graph(b, graph) : CLI_OK;
    snprintf(path, sizeof path, "%s/graph.wsg", b->folder);
    for (size_t i = 0; code == CLI_OK && i < BENCH_RIVALS; i++) {
        bench_rival *r = &b->rivals[i];
        if (!r->found || !begin_process(r, path))
            continue;
        if (!read_line(r, LOAD_MS, text, sizeof text) || strcmp(text, "ready") != 0) {
            bench_say(b, "%s could not read the graph", r->name);
            end_process(r);
        }
        if (cli_interrupted())
            code = cli_fail(b->app, NF_ECANCELLED);
    }
    return code;
}

static void remove_file(const bench *b, const char *name)
{
    char path[300];
    snprintf(path, sizeof path, "%s/%s", b->folder, name);
    (void)unlink(path);
}

void bench_rivals_stop(bench *b)
{
    for (size_t i = 0; i < BENCH_RIVALS; i++)
        end_process(&b->rivals[i]);
    remove_file(b, "graph.wsg");
    remove_file(b, "graph.sg");
}

void bench_rivals_close(bench *b)
{
    if (b->folder[0] != '\0')
        (void)rmdir(b->folder);
}
