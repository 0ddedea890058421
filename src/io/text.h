/* text.h - parallel reading of text: a body of lines cut into chunks at newlines, numbers, and lists of arcs.
 *
 * A body is looked at twice: once to count the data lines (and numbers) of every chunk, which fixes where each chunk's
 * items go in the final arrays, and once to parse, every chunk on its own. No memory is asked for while chunks are
 * parsed.
 *
 * Invariants
 *   T1 a chunk begins at a line's first byte and ends after a newline or at the end of the body;
 *   T2 the first bad place of the lowest bad chunk is the first bad place of the body, so messages do not depend on
 *      the number of threads;
 *   T3 no byte at or past `end` is read.
 */
#ifndef NF_IO_TEXT_H
#define NF_IO_TEXT_H

#include "io/io.h"

/* Loops over fewer items than this stay in one thread. */
#define NF__PARALLEL_LEAST 16384

/* ---- bodies and chunks (text.c) ---------------------------------------------------------------------------------- */

/* What begins a comment line. */
#define NF__COMMENT_C 1u       /* c: DIMACS */
#define NF__COMMENT_HASH 2u    /* # */
#define NF__COMMENT_PERCENT 4u /* % */
#define NF__COMMENT_SLASHES 8u /* // */
#define NF__COUNT_BLANK 16u    /* blank lines are data (METIS) */
#define NF__COUNT_NUMBERS 32u  /* also count the blank-separated items of data lines */

typedef struct nf__chunk {
    const char *begin, *end;
    uint64_t lines, numbers;           /* data lines in it; items, if counted */
    uint64_t first_line, first_number; /* those of the chunks before it */
    uint64_t max_id, loops, used;      /* what a parser found */
    int64_t low, high;                 /* the range of integer weights */
    bool real;                         /* a weight is no 32-bit integer */
    bool wide;                         /* an id needs 64 bits */
    const char *high_at;               /* the first weight above INT32_MAX */
    const char *bad;                   /* the first bad place, and what is wrong there */
    char what[240];
} nf__chunk;

typedef struct nf__text {
    const nf__input *in;
    const char *begin, *end;
    unsigned style; /* NF__COMMENT_*, NF__COUNT_* */
    uint64_t lines, numbers;
    nf__chunk *chunks;
    uint64_t count;
} nf__text;

/* Cuts [begin, end of input) into chunks and counts. Free with nf__text_free, also after a failure. */
nf_status nf__text_open(nf_context *ctx, const nf__input *in, const char *begin, const char *end, unsigned style,
                        nf__text *text);
void nf__text_free(nf__text *text);
/* Runs `parse` over all chunks in parallel, then fails with the first bad place, if any (T2). */
typedef void (*nf__parse_fn)(nf__chunk *chunk, void *arg);
nf_status nf__text_each(nf_context *ctx, nf__text *text, nf__parse_fn parse, void *arg);
/* Where data line i begins. */
const char *nf__line_place(const nf__text *text, uint64_t i);
/* Notes what is wrong at a place; the first note of a chunk stands. */
void nf__chunk_fail(nf__chunk *chunk, const char *at, const char *format, ...) NF_PRINTF(3, 4);

static inline bool nf__is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

static inline const char *nf__skip_blanks(const char *p, const char *end)
{
    while (p < end && nf__is_blank(*p))
        p++;
    return p;
}

/* The byte after the line that holds p. */
static inline const char *nf__next_line(const char *p, const char *end)
{
    const char *newline = memchr(p, '\n', (size_t)(end - p));
    return newline == NULL ? end : newline + 1;
}

/* True if a comment of the style begins at p. */
static inline bool nf__is_comment(const char *p, const char *end, unsigned style)
{
    switch (*p) {
    case 'c': return (style & NF__COMMENT_C) != 0;
    case '#': return (style & NF__COMMENT_HASH) != 0;
    case '%': return (style & NF__COMMENT_PERCENT) != 0;
    case '/': return (style & NF__COMMENT_SLASHES) != 0 && end - p > 1 && p[1] == '/';
    default: return false;
    }
}

/* The first byte that is neither blank nor in a blank or comment line, or end. */
static inline const char *nf__skip_to_data(const char *p, const char *end, unsigned style)
{
    for (;;) {
        while (p < end && (*p == '\n' || nf__is_blank(*p)))
            p++;
        if (p == end || !nf__is_comment(p, end, style))
            return p;
        p = nf__next_line(p, end);
    }
}

/* True at the end of a line or of the body. */
static inline bool nf__at_line_end(const char *p, const char *end)
{
    return p == end || *p == '\n';
}

/* True where a number may end. */
static inline bool nf__ends_token(const char *p, const char *end)
{
    return p == end || *p == '\n' || nf__is_blank(*p) || *p == ',' || *p == ';';
}

/* What may stand between two columns: blanks and, where allowed, one comma or semicolon. */
static inline const char *nf__next_column(bool separators, const char *p, const char *end)
{
    p = nf__skip_blanks(p, end);
    if (separators && p < end && (*p == ',' || *p == ';'))
        p = nf__skip_blanks(p + 1, end);
    return p;
}

static inline const char *nf__skip_column(const char *p, const char *end)
{
    while (!nf__ends_token(p, end))
        p++;
    return p;
}

/* ---- numbers (number.c) ------------------------------------------------------------------------------------------ */

/* How weights are kept while they are parsed. */
typedef enum nf__weight_mode {
    NF__W_NONE = 0,
    NF__W_SKIP, /* read, checked and dropped */
    NF__W_AUTO, /* the low 32 bits of integers; their range then says i32 or u32. Anything else sets chunk->real */
    NF__W_INT,  /* the same, but anything else is an error */
    NF__W_I32,
    NF__W_U32,
    NF__W_F32,
    NF__W_F64
} nf__weight_mode;

/* Enough to show a token in a message. */
typedef struct nf__shown {
    char text[40];
} nf__shown;
nf__shown nf__show_token(const char *p, const char *end);

/* Digits at *p: false when there are none. *overflow is set when they exceed 64 bits. Moves *p past them. */
bool nf__scan_long(const char **p, const char *end, uint64_t *value, bool *overflow);

/* The number that the first `count` (1 .. 8) of eight digits make; digits holds their values, the first in the lowest
 * byte. */
static inline uint64_t nf__join_digits(uint64_t digits, unsigned count)
{
    digits <<= 64 - 8 * count;
    digits = (digits * 10) + (digits >> 8);
    return (((digits & UINT64_C(0x000000ff000000ff)) * UINT64_C(0x000f424000000064))
            + (((digits >> 16) & UINT64_C(0x000000ff000000ff)) * UINT64_C(0x0000271000000001)))
           >> 32;
}

/* Up to eight digits in one go, without a branch on their number, where the machine's byte order and the input allow
 * it. */
static inline const char *nf__scan_eight(const char *p, const char *end, uint64_t *value)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    if (end - p >= 8) {
        uint64_t bytes;
        memcpy(&bytes, p, sizeof bytes);
        bytes ^= UINT64_C(0x3030303030303030);
        uint64_t others = ((bytes + UINT64_C(0x7676767676767676)) | bytes) & UINT64_C(0x8080808080808080);
        unsigned count = others == 0 ? 8 : (unsigned)__builtin_ctzll(others) / 8;
        if (count > 0)
            *value = nf__join_digits(bytes, count);
        return p + count;
    }
#endif
    const char *stop = end - p > 8 ? p + 8 : end;
    uint64_t v = 0;
    while (p < stop && (unsigned)(*p - '0') <= 9)
        v = v * 10 + (unsigned)(*p++ - '0');
    *value = v;
    return p;
}

static inline bool nf__scan_u64(const char **pp, const char *end, uint64_t *value, bool *overflow)
{
    uint64_t v = 0;
    const char *p = nf__scan_eight(*pp, end, &v);
    if (p == *pp)
        return false;
    if (p - *pp == 8) {
        const char *stop = end - p > 11 ? p + 11 : end; /* 19 digits always fit */
        while (p < stop && (unsigned)(*p - '0') <= 9)
            v = v * 10 + (unsigned)(*p++ - '0');
        if (p < end && p == stop && (unsigned)(*p - '0') <= 9)
            return nf__scan_long(pp, end, value, overflow);
    }
    *pp = p;
    *value = v;
    return true;
}

/* A decimal number, inf, infinity or nan, rounded to nearest: false when there is none. *overflow: finite but beyond
 * double. */
bool nf__scan_f64(const char **p, const char *end, double *value, bool *overflow);

/* A whole number from low to high at *p, or a note in the chunk that names `what`. */
bool nf__bad_id(nf__chunk *chunk, const char *p, const char *end, uint64_t low, uint64_t high, const char *what);
static inline bool nf__take_id(nf__chunk *chunk, const char **pp, const char *end, uint64_t low, uint64_t high,
                               const char *what, uint64_t *value)
{
    const char *p = *pp;
    bool overflow = false;
    if (!nf__scan_u64(&p, end, value, &overflow) || overflow || !nf__ends_token(p, end) || *value < low
        || *value > high)
        return nf__bad_id(chunk, *pp, end, low, high, what);
    *pp = p;
    return true;
}

/* A weight into element i of w, or a note in the chunk. */
bool nf__take_weight(nf__chunk *chunk, const char **p, const char *end, nf__weight_mode mode, void *w, uint64_t i);

/* Moves past blanks and the word, if that is what comes. */
static inline bool nf__take_word(const char **pp, const char *end, const char *word)
{
    const char *p = nf__skip_blanks(*pp, end);
    size_t size = strlen(word);
    if ((size_t)(end - p) < size || memcmp(p, word, size) != 0 || !nf__ends_token(p + size, end))
        return false;
    *pp = p + size;
    return true;
}

/* For headers, which are read before there are chunks: the same with NF_EFORMAT at once. */
nf_status nf__take_count(const nf__input *in, const char **p, const char *end, uint64_t high, const char *what,
                         uint64_t *value);
/* Nothing but blanks until the line's end, and past it. */
nf_status nf__take_line_end(const nf__input *in, const char **p, const char *end);

/* ---- lists of arcs (pairs.c) ------------------------------------------------------------------------------------- */

/* Lines "[lead] u v [...] [weight]"; what the caller sets, then what comes out. */
typedef struct nf__pairs {
    char lead;          /* the letter every line begins with; 0: none */
    bool separators;    /* a comma or semicolon may stand between columns */
    bool ragged;        /* further columns are ignored */
    uint64_t low, high; /* ids allowed; src and dst are id - low unless wide */
    int weight_column;  /* 0: none */
    nf__weight_mode mode;
    unsigned style;
    nf_vid *src, *dst; /* the arcs, blocks of the caller's; NULL when wide */
    uint64_t *wide_src, *wide_dst;
    void *w;
    nf_type type; /* of w */
    uint64_t m, max_id;
    const char *note; /* one more fact for `info`, or NULL */
} nf__pairs;

/* The weight mode that the options ask for; `integers`: what the format says, NF__W_INT or NF__W_AUTO or a float. */
nf__weight_mode nf__weight_mode_of(const nf_read_options *options, nf__weight_mode native);
nf_status nf__pairs_read(nf_context *ctx, nf__text *text, nf__pairs *pairs);
void nf__pairs_free(nf__pairs *pairs);
/* Adds to every arc u -> v of weight w the arc v -> u of weight -w. The type is i32, f32, f64 or none. */
nf_status nf__pairs_mirror_negated(nf_context *ctx, nf__pairs *pairs);
/* The type that a body's integer weights fit, NF_F64 if they fit neither (then parse again with NF__W_F64). */
nf_type nf__weight_type_found(const nf__text *text, nf__weight_mode mode);

/* Gives wide or narrow ids numbers 0 .. n-1 in ascending order: pairs->src and dst, and the labels (labels.c). */
nf_status nf__labels_compact(nf_context *ctx, const nf__input *in, nf__pairs *pairs, nf_vid *n, uint64_t **labels);

/* ---- matrices written out (values.c) ----------------------------------------------------------------------------- */

/* Which entries of an n x n matrix a text lists, row by row; with `swap`, column by column. */
typedef enum nf__stored { NF__FULL, NF__LOWER, NF__LOWER_DIAG, NF__UPPER, NF__UPPER_DIAG } nf__stored;

typedef struct nf__values {
    nf__weight_mode mode; /* not SKIP or NONE */
    void *w;              /* text->numbers values */
    nf_type type;
} nf__values;

/* How many numbers that is. */
uint64_t nf__stored_count(nf__stored stored, uint64_t n);
/* Reads every number of a body that was opened with NF__COUNT_NUMBERS. */
nf_status nf__values_read(nf_context *ctx, nf__text *text, nf__values *values);
/* Where number i of the body stands. */
const char *nf__number_place(const nf__text *text, uint64_t i);
/* The first entry of a full matrix that differs from its mirror image, or UINT64_MAX. */
uint64_t nf__values_asymmetry(const nf__values *values, uint64_t n);
/* Makes arcs of the off-diagonal entries (only those above the diagonal if `half`, for a full matrix) and, if `loops`,
 * of the diagonal ones that are not 0. Consumes the values. */
nf_status nf__values_to_pairs(nf_context *ctx, nf__values *values, nf_vid n, nf__stored stored, bool swap, bool half,
                              bool loops, nf__pairs *pairs);

/* ---- common ends of readers (text.c) ----------------------------------------------------------------------------- */

/* Holds a header's promise of n vertices and m items of at least `bytes` bytes against the size of the input. */
nf_status nf__check_promise(const nf__input *in, const char *at, uint64_t n, uint64_t m, uint64_t bytes,
                            const char *what);
/* The build flags for the directions that the options or, without them, the format ask for. */
uint32_t nf__directions(const nf_read_options *options, bool undirected);
/* Makes the graph of a list with n vertices: consumes the pairs, sets the label base and the facts. */
nf_status nf__pairs_build(nf_context *ctx, nf__pairs *pairs, nf_vid n, uint32_t flags, uint64_t base,
                          const char *format, nf_graph **out);

#endif
