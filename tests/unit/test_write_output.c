/* Outputs: nothing half-written under the name, full disks, broken pipes, special files, standard output. */
#include "files.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>

static nf_graph *some_graph(void)
{
    return sample_graph(2000, 60000, NF_I32, 1, 0, 4);
}

static void test_full_disk(void **state)
{
    (void)state;
    nf_graph *g = some_graph();
    const char *formats[] = {"gr", "mtx", "edges", "el", "wel", "sg", "wsg", "npz", "nfg"};
    for (size_t i = 0; i < COUNT(formats); i++)
        FAILS(NF_EIO, "/dev/full: cannot write: No space left on device",
              nf_graph_write(NULL, g, "/dev/full", formats[i]));
    struct stat about;
    assert_int_equal(stat("/dev/full", &about), 0);
    assert_true(S_ISCHR(about.st_mode));
    nf_graph_free(g);
}

/* A limit on the size of files stands for the full disk: the temporary goes, the old file stays. */
static void test_limit(void **state)
{
    (void)state;
    nf_graph *g = some_graph();
    struct rlimit old, small;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    small = old;
    small.rlim_cur = 100000;
    (void)signal(SIGXFSZ, SIG_IGN);
    const char *names[] = {"g.gr", "g.nfg", "g.npz", "g.tsv.zst", "g.gr.gz"};
    for (size_t i = 0; i < COUNT(names); i++) {
        folder f = folder_make();
        spit(in_folder(&f, names[i]), "old", 3);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
        nf_status st = nf_graph_write(NULL, g, f.name, NULL);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
        assert_int_equal(st, NF_EIO);
        assert_non_null(strstr(nf_last_error(), "File too large"));
        expect_text(f.name, "old");
        assert_int_equal(folder_remove(&f), 1);
    }
    nf_graph_free(g);
}

static void test_places(void **state)
{
    (void)state;
    nf_graph *g = some_graph();
    folder f = folder_make();
    FAILS(NF_EIO, "No such file or directory", nf_graph_write(NULL, g, "/tmp/nearfar-no-such-folder/g.gr", NULL));
    FAILS(NF_EIO, "it is a directory", nf_graph_write(NULL, g, f.path, "gr"));
    FAILS(NF_EINVAL, "empty", nf_graph_write(NULL, g, "", "gr"));
    assert_int_equal(folder_remove(&f), 0);
    nf_graph_free(g);
}

/* A link stays a link, and the file behind it keeps its permissions. */
static void test_link(void **state)
{
    (void)state;
    nf_graph *g = some_graph();
    folder f = folder_make();
    char target[256], link[256];
    struct stat about;
    (void)snprintf(target, sizeof target, "%s", in_folder(&f, "real.gr"));
    (void)snprintf(link, sizeof link, "%s", in_folder(&f, "link.gr"));
    spit(target, "old", 3);
    assert_int_equal(chmod(target, 0640), 0);
    assert_int_equal(symlink("real.gr", link), 0);
    OK(nf_graph_write(NULL, g, link, NULL));
    assert_int_equal(lstat(link, &about), 0);
    assert_true(S_ISLNK(about.st_mode));
    assert_int_equal(stat(target, &about), 0);
    assert_int_equal(about.st_mode & 07777, 0640);
    assert_true(about.st_size > 100);
    assert_int_equal(folder_remove(&f), 2);
    nf_graph_free(g);
}

static void test_permissions(void **state)
{
    (void)state;
    nf_graph *g = some_graph();
    folder f = folder_make();
    struct stat about;
    mode_t mask = umask(027);
    OK(nf_graph_write(NULL, g, in_folder(&f, "new.gr"), NULL));
    (void)umask(mask);
    assert_int_equal(stat(f.name, &about), 0);
    assert_int_equal(about.st_mode & 07777, 0640);
    (void)folder_remove(&f);
    nf_graph_free(g);
}

static void test_broken_pipe(void **state)
{
    (void)state;
    nf_graph *g = some_graph();
    (void)signal(SIGPIPE, SIG_IGN);
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    (void)close(ends[0]);
    int saved = dup(STDOUT_FILENO);
    (void)fflush(stdout);
    assert_true(dup2(ends[1], STDOUT_FILENO) >= 0);
    nf_status st = nf_graph_write(NULL, g, "-", "gr");
    assert_true(dup2(saved, STDOUT_FILENO) >= 0);
    (void)close(saved);
    (void)close(ends[1]);
    assert_int_equal(st, NF_EIO);
    assert_string_equal(nf_last_error(), "standard output: cannot write: Broken pipe");
    nf_graph_free(g);
}

/* Runs the write with standard output going into a file. */
static void capture(const nf_graph *g, const char *path, const char *file)
{
    (void)fflush(stdout);
    int saved = dup(STDOUT_FILENO), to = open(file, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(saved >= 0 && to >= 0);
    assert_true(dup2(to, STDOUT_FILENO) >= 0);
    nf_status st = nf_graph_write(NULL, g, path, "gr");
    assert_true(dup2(saved, STDOUT_FILENO) >= 0);
    (void)close(saved);
    (void)close(to);
    OK(st);
}

static void test_standard_output(void **state)
{
    (void)state;
    nf_graph *g = some_graph();
    folder f = folder_make();
    const char *names[] = {"-", "/dev/stdout"};
    char plain[256];
    (void)snprintf(plain, sizeof plain, "%s", in_folder(&f, "plain.gr"));
    OK(nf_graph_write(NULL, g, plain, NULL));
    bytes expected = slurp(plain);
    for (size_t i = 0; i < COUNT(names); i++) {
        capture(g, names[i], in_folder(&f, "captured"));
        bytes got = slurp(f.name);
        assert_int_equal(got.size, expected.size);
        assert_memory_equal(got.data, expected.data, got.size);
        free(got.data);
    }
    free(expected.data);
    assert_int_equal(folder_remove(&f), 2);
    nf_graph_free(g);
}

/* A pipe with a name is written into, not replaced. */
static void test_named_pipe(void **state)
{
    (void)state;
    nf_graph *g = sample_graph(5, 10, NF_NONE, 1, 0, 1);
    folder f = folder_make();
    assert_int_equal(mkfifo(in_folder(&f, "pipe.el"), 0600), 0);
    int reader = open(f.name, O_RDONLY | O_NONBLOCK);
    assert_true(reader >= 0);
    OK(nf_graph_write(NULL, g, f.name, NULL));
    char text[256];
    assert_true(read(reader, text, sizeof text) > 20);
    (void)close(reader);
    struct stat about;
    assert_int_equal(stat(f.name, &about), 0);
    assert_true(S_ISFIFO(about.st_mode));
    (void)folder_remove(&f);
    nf_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_full_disk),       cmocka_unit_test(test_limit),
        cmocka_unit_test(test_places),          cmocka_unit_test(test_link),
        cmocka_unit_test(test_permissions),     cmocka_unit_test(test_broken_pipe),
        cmocka_unit_test(test_standard_output), cmocka_unit_test(test_named_pipe),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
