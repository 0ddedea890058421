/* replay_main.c - a main for compilers without libFuzzer: calls the target once for every file named, and for every
 * file in every folder named. */
#define _GNU_SOURCE
#include "fuzz.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int replay_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0)
        return perror(path), 1;
    const long size = ftell(file);
    uint8_t *data = malloc(size > 0 ? (size_t)size : 1); /* of just this size: the sanitizer sees every byte past it */
    rewind(file);
    const size_t got = data != NULL && size > 0 ? fread(data, 1, (size_t)size, file) : 0;
    fclose(file);
    if (data != NULL && size >= 0 && got == (size_t)size)
        LLVMFuzzerTestOneInput(data, got);
    free(data);
    return got == (size_t)size ? 0 : 1;
}

static int replay(const char *path, int *count)
{
    struct stat info;
    struct dirent **names = NULL;
    int bad = 0;
    if (stat(path, &info) != 0)
        return perror(path), 1;
    if (!S_ISDIR(info.st_mode))
        return ++*count, replay_file(path);
    const int entries = scandir(path, &names, NULL, alphasort);
    for (int i = 0; i < entries; i++) {
        char inner[4096];
        snprintf(inner, sizeof inner, "%s/%s", path, names[i]->d_name);
        if (names[i]->d_name[0] != '.')
            bad |= replay(inner, count);
        free(names[i]);
    }
    free(names);
    return bad;
}

int main(int argc, char **argv)
{
    int bad = 0, count = 0;
    for (int i = 1; i < argc; i++)
        bad |= replay(argv[i], &count);
    printf("%d inputs\n", count);
    return bad != 0 || count == 0;
}
