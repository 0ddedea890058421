/* folder.h - folders of a test's own, and whole files in memory. */
#ifndef NF_TESTS_FOLDER_H
#define NF_TESTS_FOLDER_H

#include "must.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct folder {
    char path[64];
    char name[192]; /* the last path made by in_folder */
} folder;

static inline folder folder_make(void)
{
    folder f = {.path = "/tmp/nearfar-files-XXXXXX", .name = ""};
    assert_non_null(mkdtemp(f.path));
    return f;
}

static inline const char *in_folder(folder *f, const char *name)
{
    (void)snprintf(f->name, sizeof f->name, "%s/%s", f->path, name);
    return f->name;
}

/* Removes the folder and returns how many files were in it. */
static inline int folder_remove(folder *f)
{
    int count = 0;
    DIR *d = opendir(f->path);
    assert_non_null(d);
    for (struct dirent *e = readdir(d); e != NULL; e = readdir(d)) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        char path[512];
        (void)snprintf(path, sizeof path, "%s/%s", f->path, e->d_name);
        assert_int_equal(unlink(path), 0);
        count++;
    }
    (void)closedir(d);
    assert_int_equal(rmdir(f->path), 0);
    return count;
}

typedef struct bytes {
    unsigned char *data;
    size_t size;
} bytes;

static inline bytes slurp(const char *path)
{
    FILE *in = fopen(path, "rb");
    assert_non_null(in);
    assert_int_equal(fseek(in, 0, SEEK_END), 0);
    bytes b = {.size = (size_t)ftell(in)};
    rewind(in);
    b.data = malloc(b.size + 1);
    assert_non_null(b.data);
    assert_int_equal(fread(b.data, 1, b.size, in), b.size);
    b.data[b.size] = 0;
    (void)fclose(in);
    return b;
}

static inline void spit(const char *path, const void *data, size_t size)
{
    (void)unlink(path); /* some file systems flush a file that is emptied and written again */
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(data, 1, size, out), size);
    assert_int_equal(fclose(out), 0);
}

static inline void expect_text(const char *path, const char *text)
{
    bytes b = slurp(path);
    assert_string_equal((char *)b.data, text);
    free(b.data);
}

#endif
