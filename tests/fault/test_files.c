/* test_files.c - files that end early, trickle in, or cannot be written.
 *
 * Truncation: every proper prefix of every input file is read. A text may still make sense when cut; a binary or
 * compressed file never does. Writers: the disk is full at every possible byte (a limit on file size stands in for it),
 * the device is full, the reader of a pipe has gone. Always: a status that fits, a text, nothing left behind, nothing
 * leaked.
 */
#define _GNU_SOURCE
#include "fault.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- helpers ----------------------------------------------------------------------------------------------------- */

static char *slurp(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *bytes = malloc(1 << 20);
    assert_non_null(bytes);
    *size = fread(bytes, 1, 1 << 20, file);
    fclose(file);
    return bytes;
}

static void spill(const char *path, const char *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static void close_clean(scene *s, const char *what)
{
    scene_close(s);
    if (atomic_load(&s->faults.live) != 0)
        fail_msg("%s: %lld blocks leaked", what, atomic_load(&s->faults.live));
}

/* ---- truncation -------------------------------------------------------------------------------------------------- */

static nf_status read_view(scene *s, const char *path)
{
    nf_csr csr;
    const nf_read_options o = {.size = sizeof o, .flags = NF_READ_CHECKSUMS};
    nf_status st = nf_graph_read(s->ctx, path, &o, &s->made_graph);
    return st == NF_OK ? nf_graph_view(s->ctx, s->made_graph, &csr) : st;
}

static void cut_everywhere(const char *folder, const char *name, bool text)
{
    char path[600], cut[600];
    size_t size;
    scene s;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    snprintf(cut, sizeof cut, "%s/cut-%s", folder, name);
    char *bytes = slurp(path, &size);
    scene_open(&s, folder, NULL);
    for (size_t length = 0; length < size; length++) {
        spill(cut, bytes, length);
        const nf_status st = read_view(&s, cut);
        if (st != NF_EFORMAT && !(text && st == NF_OK))
            fail_msg("%s cut to %zu of %zu bytes: %s (%s)", name, length, size, nf_status_name(st), nf_last_error());
        if (st != NF_OK && strstr(nf_last_error(), name) == NULL)
            fail_msg("%s cut to %zu bytes: the text does not name the file: %s", name, length, nf_last_error());
        scene_drop(&s);
    }
    spill(cut, bytes, size);
    assert_int_equal(read_view(&s, cut), NF_OK);
    unlink(cut);
    free(bytes);
    close_clean(&s, name);
}

static void test_truncated(void **state)
{
    static const char *const texts[] = {"in.gr", "in.mtx", "in.txt", "in.csv", "in.el", "in.wel", "in.graph", "in.tsp"};
    static const char *const binaries[] = {"in.sg",    "in.wsg",     "in.npz",    "in.nfg",
                                           "in.gr.gz", "in.wel.zst", "in.mtx.xz", "in.nfg.gz"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        cut_everywhere(*state, texts[i], true);
    for (size_t i = 0; i < sizeof binaries / sizeof binaries[0]; i++)
        cut_everywhere(*state, binaries[i], false);
}

static void test_truncated_results(void **state)
{
    static const char *const names[] = {"res.txt", "res.tsv", "res.json", "res.npy", "res.nfd"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char path[600], cut[600];
        size_t size;
        scene s;
        snprintf(path, sizeof path, "%s/%s", (const char *)*state, names[i]);
        snprintf(cut, sizeof cut, "%s/cut-%s", (const char *)*state, names[i]);
        char *bytes = slurp(path, &size);
        scene_open(&s, *state, NULL);
        for (size_t length = 0; length < size; length++) {
            spill(cut, bytes, length);
            const nf_status st = nf_result_read(s.ctx, s.graph, cut, NF_SSSP, NF_NONE, &s.made_result);
            if (st != NF_EFORMAT && !(st == NF_OK && length + 6 >= size && i < 3)) /* a text may lose its last digits */
                fail_msg("%s cut to %zu of %zu bytes: %s (%s)", names[i], length, size, nf_status_name(st),
                         nf_last_error());
            scene_drop(&s);
        }
        unlink(cut);
        free(bytes);
        close_clean(&s, names[i]);
    }
}

/* ---- short reads ------------------------------------------------------------------------------------------------- */

/* A child process feeds a file through a pipe, a few bytes at a time; the graph comes from standard input. */
static void trickle(const char *folder, const char *name, const char *format, size_t chunk)
{
    char path[600];
    size_t size;
    int ends[2];
    scene s;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    char *bytes = slurp(path, &size);
    scene_open(&s, folder, NULL);
    const int keep = dup(STDIN_FILENO);
    assert_int_equal(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        for (size_t at = 0; at < size; at += chunk)
            if (write(ends[1], bytes + at, chunk < size - at ? chunk : size - at) < 0)
                _exit(1);
        _exit(0);
    }
    close(ends[1]);
    dup2(ends[0], STDIN_FILENO);
    close(ends[0]);
    const nf_read_options o = {.size = sizeof o, .format = format};
    const nf_status st = nf_graph_read(s.ctx, "-", &o, &s.made_graph);
    dup2(keep, STDIN_FILENO);
    close(keep);
    waitpid(child, NULL, 0);
    if (st != NF_OK)
        fail_msg("%s through a pipe, %zu bytes at a time: %s", name, chunk, nf_last_error());
    nf_graph *whole = NULL;
    assert_int_equal(nf_graph_read(s.ctx, path, &o, &whole), NF_OK);
    assert_int_equal(nf_graph_n(whole), nf_graph_n(s.made_graph));
    assert_int_equal(nf_graph_m(whole), nf_graph_m(s.made_graph));
    nf_graph_free(whole);
    free(bytes);
    close_clean(&s, name);
}

static void test_short_reads(void **state)
{
    static const char *const names[] = {"in.gr",  "in.mtx",   "in.wel",     "in.wsg",   "in.npz",
                                        "in.nfg", "in.gr.gz", "in.wel.zst", "in.mtx.xz"};
    static const char *const formats[] = {"gr", "mtx", "wel", "wsg", "npz", "nfg", "gr", "wel", "mtx"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        trickle(*state, names[i], formats[i], 1);
        trickle(*state, names[i], formats[i], 7);
    }
}

static void test_unreadable(void **state)
{
    scene s;
    scene_open(&s, *state, NULL);
    assert_int_equal(nf_graph_read(s.ctx, "no/such/file.gr", NULL, &s.made_graph), NF_EIO);
    assert_non_null(strstr(nf_last_error(), "no/such/file.gr"));
    assert_int_equal(nf_graph_read(s.ctx, *state, NULL, &s.made_graph), NF_EIO); /* a folder */
    assert_null(s.made_graph);
    close_clean(&s, "unreadable");
}

/* ---- full disks -------------------------------------------------------------------------------------------------- */

static void limit_file_size(rlim_t bytes)
{
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = bytes == RLIM_INFINITY ? limit.rlim_max : bytes;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static void fill_disk(const char *folder, call_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        const call *c = &list->items[i];
        struct stat whole;
        scene s;
        if (!c->writes)
            continue;
        scene_open(&s, folder, NULL);
        assert_int_equal(c->run(&s, c), NF_OK);
        assert_int_equal(stat(s.target, &whole), 0);
        const rlim_t step = whole.st_size > 2000 ? (rlim_t)whole.st_size / 200 : 1;
        for (rlim_t bytes = 0; bytes < (rlim_t)whole.st_size; bytes += step) {
            limit_file_size(bytes);
            const nf_status st = c->run(&s, c);
            limit_file_size(RLIM_INFINITY);
            if (st != NF_EIO || nf_last_error()[0] == '\0')
                fail_msg("%s with room for %llu bytes: %s", c->name, (unsigned long long)bytes, nf_status_name(st));
            if (files_count(folder, "out") != 0)
                fail_msg("%s with room for %llu bytes: left a file behind", c->name, (unsigned long long)bytes);
        }
        assert_int_equal(c->run(&s, c), NF_OK);
        files_clear(folder, "out");
        close_clean(&s, c->name);
    }
}

static void test_full_disk(void **state)
{
    call_list list = {0};
    signal(SIGXFSZ, SIG_IGN);
    list_write_calls(&list);
    fill_disk(*state, &list);
    call_list_free(&list);
}

static void test_full_disk_results(void **state)
{
    call_list list = {0};
    signal(SIGXFSZ, SIG_IGN);
    list_result_calls(&list);
    fill_disk(*state, &list);
    call_list_free(&list);
}

/* ---- standard output that fails ---------------------------------------------------------------------------------- */

static void write_to(const char *folder, int fd, const char *what)
{
    static const char *const formats[] = {"gr", "mtx", "wel", "sg", "npz", "nfg"};
    scene s;
    scene_open(&s, folder, NULL);
    fflush(stdout);
    const int keep = dup(STDOUT_FILENO);
    nf_status st[6], st_result;
    dup2(fd, STDOUT_FILENO);
    for (size_t i = 0; i < 6; i++)
        st[i] = nf_graph_write(s.ctx, s.graph, "-", formats[i]);
    st_result = nf_result_write(s.ctx, s.result, s.graph, "-", "json");
    dup2(keep, STDOUT_FILENO);
    close(keep);
    for (size_t i = 0; i < 6; i++)
        if (st[i] != NF_EIO)
            fail_msg("%s to %s: %s", formats[i], what, nf_status_name(st[i]));
    assert_int_equal(st_result, NF_EIO);
    close_clean(&s, what);
}

static void test_full_device(void **state)
{
    const int fd = open("/dev/full", O_WRONLY);
    if (fd < 0)
        skip();
    write_to(*state, fd, "a full device");
    close(fd);
}

static void test_broken_pipe(void **state)
{
    int ends[2];
    signal(SIGPIPE, SIG_IGN);
    assert_int_equal(pipe(ends), 0);
    close(ends[0]);
    write_to(*state, ends[1], "a broken pipe");
    close(ends[1]);
}

static void test_unwritable(void **state)
{
    scene s;
    scene_open(&s, *state, NULL);
    assert_int_equal(nf_graph_write(s.ctx, s.graph, "no/such/folder/out.gr", NULL), NF_EIO);
    assert_non_null(strstr(nf_last_error(), "no/such/folder"));
    assert_int_not_equal(nf_graph_write(s.ctx, s.graph, "out.unknown-format", NULL), NF_OK);
    close_clean(&s, "unwritable");
}

static int create_files(void **state)
{
    *state = files_create();
    return 0;
}

static int remove_files(void **state)
{
    files_remove(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_truncated),   cmocka_unit_test(test_truncated_results),
        cmocka_unit_test(test_short_reads), cmocka_unit_test(test_unreadable),
        cmocka_unit_test(test_full_disk),   cmocka_unit_test(test_full_disk_results),
        cmocka_unit_test(test_full_device), cmocka_unit_test(test_broken_pipe),
        cmocka_unit_test(test_unwritable),
    };
    return cmocka_run_group_tests(tests, create_files, remove_files);
}
