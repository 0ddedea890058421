/* npy.c - see npy.h. The header is a Python dictionary of three known keys; a small strict parser reads just that.
 *
 * Invariant Y1: the array has exactly the bytes that type and shape call for, without overflow.
 */
#include "io/npy.h"

static const char magic[6] = {'\x93', 'N', 'U', 'M', 'P', 'Y'};

/* A place in the header's text. */
typedef struct cursor {
    const char *p, *end;
} cursor;

static void skip_spaces(cursor *c)
{
    while (c->p < c->end && (*c->p == ' ' || *c->p == '\n' || *c->p == '\t'))
        c->p++;
}

static bool take(cursor *c, char what)
{
    skip_spaces(c);
    if (c->p == c->end || *c->p != what)
        return false;
    c->p++;
    return true;
}

/* A quoted string without escapes; the span between the quotes. */
static bool take_string(cursor *c, const char **text, size_t *length)
{
    skip_spaces(c);
    if (c->p == c->end || (*c->p != '\'' && *c->p != '"'))
        return false;
    char quote = *c->p++;
    const char *close = memchr(c->p, quote, (size_t)(c->end - c->p));
    if (close == NULL)
        return false;
    *text = c->p;
    *length = (size_t)(close - c->p);
    c->p = close + 1;
    return true;
}

static bool take_word(cursor *c, const char *word)
{
    size_t length = strlen(word);
    skip_spaces(c);
    if ((size_t)(c->end - c->p) < length || memcmp(c->p, word, length) != 0)
        return false;
    c->p += length;
    return true;
}

static bool take_count(cursor *c, uint64_t *value)
{
    skip_spaces(c);
    const char *start = c->p;
    *value = 0;
    for (; c->p < c->end && *c->p >= '0' && *c->p <= '9'; c->p++)
        if (__builtin_mul_overflow(*value, (uint64_t)10, value)
            || __builtin_add_overflow(*value, (uint64_t)(*c->p - '0'), value))
            return false;
    if (c->p < c->end && *c->p == 'L') /* Python 2 */
        c->p++;
    return c->p > start;
}

static bool take_shape(cursor *c, nf__npy *npy)
{
    if (!take(c, '('))
        return false;
    npy->dims = 0;
    while (!take(c, ')')) {
        if (npy->dims == NF__NPY_DIMS || !take_count(c, &npy->shape[npy->dims++]))
            return false;
        if (!take(c, ',')) {
            if (!take(c, ')'))
                return false;
            break;
        }
    }
    return true;
}

/* "<i8" and its like. */
static bool read_descr(const char *text, size_t length, nf__npy *npy)
{
    static const struct {
        const char *descr;
        nf__element element;
    } known[] = {{"b1", NF__E_BOOL}, {"i1", NF__E_I8},  {"u1", NF__E_U8},  {"i2", NF__E_I16},
                 {"u2", NF__E_U16},  {"i4", NF__E_I32}, {"u4", NF__E_U32}, {"i8", NF__E_I64},
                 {"u8", NF__E_U64},  {"f4", NF__E_F32}, {"f8", NF__E_F64}};
    if (length >= 3 && (text[1] == 'S' || text[1] == 'U') && text[0] != '>') {
        cursor c = {text + 2, text + length};
        npy->text_kind = text[1];
        return take_count(&c, &npy->text_width) && c.p == c.end;
    }
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (length == 3 && memcmp(text + 1, known[i].descr, 2) == 0) {
            npy->array.element = known[i].element;
            bool one_byte = text[2] == '1';
            return text[0] == '<' || (one_byte && (text[0] == '|' || text[0] == '>'));
        }
    return false;
}

static nf_status fail_at(const char *name, const char *what)
{
    return nf__fail(NF_EFORMAT, "%s: %s", name, what);
}

static nf_status read_dictionary(const char *name, cursor c, nf__npy *npy)
{
    bool descr = false, order = false, shape = false, fortran = false;
    if (!take(&c, '{'))
        return fail_at(name, "the .npy header is no dictionary");
    while (!take(&c, '}')) {
        const char *key, *text;
        size_t key_length, length;
        if (!take_string(&c, &key, &key_length) || !take(&c, ':'))
            return fail_at(name, "the .npy header is malformed; expected a key");
        if (key_length == 5 && memcmp(key, "descr", 5) == 0) {
            if (!take_string(&c, &text, &length) || !read_descr(text, length, npy))
                return fail_at(name, "the .npy element type is not supported; expected "
                                     "bool, int8 to int64, uint8 to uint64, float32 or "
                                     "float64, little-endian");
            descr = true;
        } else if (key_length == 13 && memcmp(key, "fortran_order", 13) == 0) {
            fortran = take_word(&c, "True");
            if (!fortran && !take_word(&c, "False"))
                return fail_at(name, "the .npy header is malformed; expected True or False");
            order = true;
        } else if (key_length == 5 && memcmp(key, "shape", 5) == 0) {
            if (!take_shape(&c, npy))
                return fail_at(name, "the .npy shape is not supported; expected at most two dimensions");
            shape = true;
        } else {
            return fail_at(name, "the .npy header has an unknown key");
        }
        (void)take(&c, ',');
    }
    if (!descr || !order || !shape)
        return fail_at(name, "the .npy header lacks descr, fortran_order or shape");
    if (fortran && npy->dims == 2 && npy->shape[0] > 1 && npy->shape[1] > 1)
        return fail_at(name, "the array is in Fortran order; expected C order");
    return NF_OK;
}

nf_status nf__npy_parse(const char *name, const char *bytes, uint64_t size, nf__npy *npy)
{
    nf_status st = NF_OK;
    memset(npy, 0, sizeof *npy);
    if (size < 10 || memcmp(bytes, magic, sizeof magic) != 0)
        return fail_at(name, "at byte 0: not a .npy array");
    unsigned version = (unsigned char)bytes[6];
    if (version < 1 || version > 3)
        return nf__fail(NF_EFORMAT, "%s: at byte 6: version %u of .npy; expected 1 to 3", name, version);
    uint64_t start = version == 1 ? 10 : 12, length = (unsigned char)bytes[8] | (uint64_t)(unsigned char)bytes[9] << 8;
    if (version > 1 && size >= start)
        length |= (uint64_t)(unsigned char)bytes[10] << 16 | (uint64_t)(unsigned char)bytes[11] << 24;
    if (size < start || length > size - start)
        return fail_at(name, "at byte 8: the .npy header is cut short");
    NF_TRY(read_dictionary(name, (cursor){bytes + start, bytes + start + length}, npy));
    uint64_t width = nf__element_size(npy->array.element), count = 1, want = 0;
    if (npy->text_kind != 0 && __builtin_mul_overflow(npy->text_width, npy->text_kind == 'U' ? 4u : 1u, &width))
        return fail_at(name, "the .npy text is too wide");
    bool wraps = false;
    for (int i = 0; i < npy->dims; i++)
        wraps |= __builtin_mul_overflow(count, npy->shape[i], &count);
    wraps |= __builtin_mul_overflow(count, width, &want);
    if (wraps || want != size - start - length)
        return nf__fail(NF_EFORMAT,
                        "%s: at byte %llu: the shape calls for %llu elements of "
                        "%llu bytes, but %llu bytes follow",
                        name, (unsigned long long)(start + length), (unsigned long long)count,
                        (unsigned long long)width, (unsigned long long)(size - start - length));
    npy->data = bytes + start + length;
    npy->bytes = want;
    npy->array.data = npy->data;
    npy->array.count = count;
done:
    return st;
}

void nf__npy_header(char header[NF__NPY_HEADER], nf__element element, unsigned text_width, int dims,
                    const uint64_t *shape)
{
    static const char *const descr[] = {"|b1", "|i1", "|u1", "<i2", "<u2", "<i4", "<u4", "<i8", "<u8", "<f4", "<f8"};
    char type[16], sizes[64] = "()";
    if (text_width > 0)
        snprintf(type, sizeof type, "|S%u", text_width);
    else
        snprintf(type, sizeof type, "%s", descr[element]);
    if (dims == 1)
        snprintf(sizes, sizeof sizes, "(%llu,)", (unsigned long long)shape[0]);
    else if (dims == 2)
        snprintf(sizes, sizeof sizes, "(%llu, %llu)", (unsigned long long)shape[0], (unsigned long long)shape[1]);
    memset(header, ' ', NF__NPY_HEADER);
    memcpy(header, magic, sizeof magic);
    header[6] = 1;
    header[7] = 0;
    header[8] = NF__NPY_HEADER - 10;
    header[9] = 0;
    char text[NF__NPY_HEADER];
    int length = snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': %s, }", type, sizes);
    memcpy(header + 10, text, (size_t)length);
    header[NF__NPY_HEADER - 1] = '\n';
}
