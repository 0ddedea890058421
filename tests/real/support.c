/* support.c - what the tests on real graphs stand on. */
#include "support.h"

#include <unistd.h>

const matrix_file matrix_files[MATRIX_FILES] = {{"dense/br17.atsp.xz", 17},
                                                {"dense/swiss42.tsp.xz", 42},
                                                {"dense/gr48.tsp.xz", 48},
                                                {"dense/ftv170.atsp.xz", 171},
                                                {"dense/si175.tsp.xz", 175}};

const char *data_folder(void)
{
    const char *folder = getenv("NEARFAR_DATA");
    return folder != NULL ? folder : NF_DATA_FOLDER;
}

const char *data_path(const char *name)
{
    enum { MOST = 64 }; /* more names than any test uses at once; a name keeps its place */
    static char paths[MOST][1024];
    static unsigned next;
    char wanted[1024], *path = NULL;
    snprintf(wanted, sizeof wanted, "%s/%s", data_folder(), name);
    for (unsigned i = 0; i < MOST && path == NULL; i++)
        path = strcmp(paths[i], wanted) == 0 ? paths[i] : NULL;
    if (path == NULL)
        path = strcpy(paths[next++ % MOST], wanted);
    if (access(path, R_OK) == 0)
        return path;
    print_message("skipped: %s is not here\n", path);
    return NULL;
}

char *slurp(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    size_t size = 0, room = 0;
    while (file != NULL && !feof(file)) {
        if (size + 65536 + 1 > room) {
            room = room * 2 + 65536 + 1;
            char *more = realloc(text, room);
            if (more == NULL)
                break;
            text = more;
        }
        size += fread(text + size, 1, 65536, file);
        if (ferror(file))
            break;
    }
    const bool ok = file != NULL && feof(file);
    if (file != NULL)
        fclose(file);
    if (!ok) {
        free(text);
        return NULL;
    }
    text[size] = '\0';
    return text;
}

/* ---- JSON, as far as flat answers need it ------------------------------------------------------------------------ */

static const char *find_key(const char *from, const char *key)
{
    char quoted[96];
    snprintf(quoted, sizeof quoted, "\"%s\":", key);
    const char *at = strstr(from, quoted);
    return at != NULL ? at + strlen(quoted) : NULL;
}

double json_number(const char **from, const char *key)
{
    const char *at = find_key(*from, key);
    if (at == NULL)
        return (double)NAN;
    char *end = NULL;
    const double value = strtod(at, &end);
    *from = end;
    return value;
}

void json_text(const char **from, const char *key, char *text, size_t capacity)
{
    const char *at = find_key(*from, key);
    const char *open = at != NULL ? strchr(at, '"') : NULL;
    text[0] = '\0';
    if (open == NULL)
        return;
    const size_t length = strcspn(open + 1, "\"");
    snprintf(text, capacity, "%.*s", (int)length, open + 1);
    *from = open + 1 + length;
}

/* ---- SHA-256 ----------------------------------------------------------------------------------------------------- */

static const uint32_t round_constants[64] = {0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
                                             0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
                                             0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
                                             0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
                                             0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
                                             0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
                                             0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
                                             0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
                                             0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
                                             0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
                                             0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t turn(uint32_t x, int k)
{
    return (x >> k) | (x << (32 - k));
}

static void digest_block(uint32_t h[8], const unsigned char *p)
{
    uint32_t w[64], s[8];
    for (int i = 0; i < 16; i++)
        w[i] = (uint32_t)p[4 * i] << 24 | (uint32_t)p[4 * i + 1] << 16 | (uint32_t)p[4 * i + 2] << 8 | p[4 * i + 3];
    for (int i = 16; i < 64; i++)
        w[i] = w[i - 16] + w[i - 7] + (turn(w[i - 15], 7) ^ turn(w[i - 15], 18) ^ (w[i - 15] >> 3))
               + (turn(w[i - 2], 17) ^ turn(w[i - 2], 19) ^ (w[i - 2] >> 10));
    memcpy(s, h, sizeof s);
    for (int i = 0; i < 64; i++) {
        const uint32_t a = s[7] + (turn(s[4], 6) ^ turn(s[4], 11) ^ turn(s[4], 25)) + ((s[4] & s[5]) ^ (~s[4] & s[6]))
                           + round_constants[i] + w[i];
        const uint32_t b =
            (turn(s[0], 2) ^ turn(s[0], 13) ^ turn(s[0], 22)) + ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
        memmove(s + 1, s, 7 * sizeof *s);
        s[4] += a;
        s[0] = a + b;
    }
    for (int i = 0; i < 8; i++)
        h[i] += s[i];
}

void sha256_hex(const void *data, size_t bytes, char hex[65])
{
    uint32_t h[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    const unsigned char *p = data;
    unsigned char last[128] = {0};
    size_t rest = bytes;
    for (; rest >= 64; rest -= 64, p += 64)
        digest_block(h, p);
    const size_t total = rest < 56 ? 64 : 128;
    memcpy(last, p, rest);
    last[rest] = 0x80;
    for (size_t i = 0; i < 8; i++)
        last[total - 1 - i] = (unsigned char)((uint64_t)bytes * 8 >> (8 * i));
    for (size_t at = 0; at < total; at += 64)
        digest_block(h, last + at);
    for (size_t i = 0; i < 8; i++)
        snprintf(hex + 8 * i, 9, "%08x", h[i]);
}

/* ---- graphs and results ------------------------------------------------------------------------------------------ */

nf_graph *must_read(const char *path, const nf_read_options *options)
{
    nf_graph *g = NULL;
    const nf_status st = nf_graph_read(NULL, path, options, &g);
    if (st != NF_OK)
        print_error("%s: %s\n", path, nf_last_error());
    assert_int_equal(st, NF_OK);
    return g;
}

void must_have(const nf_graph *graph, nf_vid n, nf_eid m)
{
    assert_int_equal(nf_graph_n(graph), n);
    assert_int_equal(nf_graph_m(graph), m);
}

void must_be_right(const nf_graph *graph, const nf_result *result, const nf_check_options *options)
{
    nf_check_report report;
    const nf_status st = nf_check_result(NULL, graph, result, options, &report);
    if (!report.ok)
        print_error("%s: %s\n", nf_check_rule_name(report.rule), report.message);
    assert_int_equal(st, NF_OK);
    assert_true(report.ok);
}
