/* number.c - numbers in text: ids, counts and weights, exact and independent of the locale.
 *
 * Decimals: up to 19 significant digits and a power of ten within 10^-27 .. 10^27 are rounded once, from a 128-bit
 * product or quotient (Clinger, How to Read Floating Point Numbers Accurately, PLDI 1990, for the short ones; exact
 * integers for the rest). All others are rewritten as whole digits with an exponent, which strtod reads the same in
 * every locale.
 *
 * Invariants
 *   D1 the result is the double nearest to the decimal, ties to even;
 *   D2 a token is taken whole or refused: "12x" is no number.
 * Cost: about 1 ns a digit; 30 ns more for a decimal that Clinger's test does not take.
 */
#include "io/text.h"

#include <stdlib.h>

typedef unsigned __int128 u128;

#define DIGITS_FAST 19  /* that many always fit 64 bits */
#define POWER_FAST 27   /* 5^27 is the greatest below 2^63 */
#define DIGITS_SLOW 780 /* no double or midpoint of two has more significant digits; what follows only breaks ties */

nf__shown nf__show_token(const char *p, const char *end)
{
    nf__shown shown;
    size_t k = 0;
    if (p < end && (*p == ',' || *p == ';'))
        shown.text[k++] = *p;
    while (k < sizeof shown.text - 4 && !nf__ends_token(p, end)) {
        shown.text[k++] = *p >= ' ' && *p < 127 ? *p : '?';
        p++;
    }
    if (k == sizeof shown.text - 4 && !nf__ends_token(p, end)) {
        memcpy(shown.text + k, "...", 3);
        k += 3;
    }
    shown.text[k] = '\0';
    return shown;
}

/* ---- whole numbers ----------------------------------------------------------------------------------------------- */

bool nf__scan_long(const char **pp, const char *end, uint64_t *value, bool *overflow)
{
    const char *p = *pp;
    uint64_t v = 0;
    for (; p < end && (unsigned)(*p - '0') <= 9; p++) {
        uint64_t digit = (uint64_t)(*p - '0');
        if (v > (UINT64_MAX - digit) / 10)
            *overflow = true;
        else
            v = v * 10 + digit;
    }
    if (p == *pp)
        return false;
    *pp = p;
    *value = v;
    return true;
}

bool nf__bad_id(nf__chunk *chunk, const char *p, const char *end, uint64_t low, uint64_t high, const char *what)
{
    nf__shown token = nf__show_token(p, end);
    char range[64];
    (void)snprintf(range, sizeof range, "%llu to %llu", (unsigned long long)low, (unsigned long long)high);
    if (high < low)
        (void)snprintf(range, sizeof range, "none, since there are 0 vertices");
    const char *digits = p < end && *p == '-' ? p + 1 : p;
    uint64_t v;
    bool overflow = false;
    if (nf__at_line_end(p, end))
        nf__chunk_fail(chunk, p, "the line ends too soon; expected a %s (%s)", what, range);
    else if (nf__scan_u64(&digits, end, &v, &overflow) && nf__ends_token(digits, end))
        nf__chunk_fail(chunk, p, "%s %s is out of range; expected %s", what, token.text, range);
    else
        nf__chunk_fail(chunk, p, "'%s' is not a %s; expected a whole number (%s)", token.text, what, range);
    return false;
}

nf_status nf__take_count(const nf__input *in, const char **p, const char *end, uint64_t high, const char *what,
                         uint64_t *value)
{
    nf__chunk chunk = {.bad = NULL};
    *p = nf__skip_blanks(*p, end);
    if (!nf__take_id(&chunk, p, end, 0, high, what, value))
        return nf__input_fail(in, chunk.bad, "%s", chunk.what);
    return NF_OK;
}

nf_status nf__take_line_end(const nf__input *in, const char **p, const char *end)
{
    *p = nf__skip_blanks(*p, end);
    if (!nf__at_line_end(*p, end))
        return nf__input_fail(in, *p, "'%s' follows; expected the end of the line", nf__show_token(*p, end).text);
    if (*p < end)
        ++*p;
    return NF_OK;
}

/* ---- decimals ---------------------------------------------------------------------------------------------------- */

/* A decimal as it stands in the text: digits * 10^power, of which `mantissa` holds the first 19. */
typedef struct decimal {
    const char *digits, *digits_end; /* with at most one point among them */
    uint64_t mantissa;
    int64_t power;    /* of the mantissa */
    int64_t exponent; /* as written */
    bool cut;         /* digits other than 0 did not fit the mantissa */
} decimal;

/* m * 10^e for |e| <= 27, rounded once (D1). */
static double scale_exactly(uint64_t m, int e)
{
    static const uint64_t five[POWER_FAST + 1] = {1,
                                                  5,
                                                  25,
                                                  125,
                                                  625,
                                                  3125,
                                                  15625,
                                                  78125,
                                                  390625,
                                                  1953125,
                                                  9765625,
                                                  48828125,
                                                  244140625,
                                                  1220703125,
                                                  UINT64_C(6103515625),
                                                  UINT64_C(30517578125),
                                                  UINT64_C(152587890625),
                                                  UINT64_C(762939453125),
                                                  UINT64_C(3814697265625),
                                                  UINT64_C(19073486328125),
                                                  UINT64_C(95367431640625),
                                                  UINT64_C(476837158203125),
                                                  UINT64_C(2384185791015625),
                                                  UINT64_C(11920928955078125),
                                                  UINT64_C(59604644775390625),
                                                  UINT64_C(298023223876953125),
                                                  UINT64_C(1490116119384765625),
                                                  UINT64_C(7450580596923828125)};
    if (m == 0)
        return 0;
    if (e >= 0)
        return ldexp((double)((u128)m * five[e]), e);
    int shift = __builtin_clzll(m);
    u128 top = (u128)(m << shift) << 64;
    u128 quotient = top / five[-e];
    if (quotient * five[-e] != top)
        quotient |= 1; /* more than 64 bits: the lowest is below every rounding point */
    return ldexp((double)quotient, e - 64 - shift);
}

static double short_decimal(uint64_t m, int e)
{
    static const double ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    if (m <= UINT64_C(1) << 53 && e >= -22 && e <= 22)
        return e < 0 ? (double)m / ten[-e] : (double)m * ten[e];
    return scale_exactly(m, e);
}

/* Any decimal, through strtod with neither point nor locale. */
static double long_decimal(const decimal *d)
{
    char text[DIGITS_SLOW + 40];
    size_t k = 0;
    int64_t power = d->exponent;
    bool point = false, rest = false;
    for (const char *p = d->digits; p < d->digits_end; p++) {
        if (*p == '.') {
            point = true;
            continue;
        }
        if (k == DIGITS_SLOW) {
            rest = rest || *p != '0';
            power += point ? 0 : 1;
        } else {
            if (k > 0 || *p != '0')
                text[k++] = *p;
            power -= point ? 1 : 0;
        }
    }
    if (k == 0)
        return 0;
    if (rest) {
        text[k++] = '1';
        power--;
    }
    power = power > 99999 ? 99999 : power < -99999 ? -99999 : power;
    (void)snprintf(text + k, sizeof text - k, "e%d", (int)power);
    return strtod(text, NULL);
}

/* Digits with a point somewhere; false when there is no digit. */
static bool scan_digits(const char **pp, const char *end, decimal *d)
{
    const char *p = *pp;
    int kept = 0;
    bool point = false, any = false;
    for (; p < end; p++) {
        unsigned digit = (unsigned)(*p - '0');
        if (digit <= 9) {
            any = true;
            if (kept < DIGITS_FAST) {
                d->mantissa = d->mantissa * 10 + digit;
                kept += d->mantissa != 0;
                d->power -= point;
            } else {
                d->cut = d->cut || digit != 0;
                d->power += !point;
            }
        } else if (*p == '.' && !point) {
            point = true;
        } else {
            break;
        }
    }
    d->digits = *pp;
    d->digits_end = p;
    *pp = p;
    return any;
}

/* Up to 7 digits, a point, and as many more as keep all within 19: what files mostly hold, eight digits at a time. */
static bool scan_plain(const char **pp, const char *end, decimal *d)
{
    static const uint64_t ten[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
    uint64_t v = 0, part = 0;
    const char *p = nf__scan_eight(*pp, end, &v), *point = p;
    ptrdiff_t whole = p - *pp;
    if (whole == 0 || whole == 8)
        return false;
    if (p < end && *p == '.') {
        point = ++p;
        for (ptrdiff_t got = 8; got == 8 && whole + (p - point) <= 11;) {
            const char *next = nf__scan_eight(p, end, &part);
            got = next - p;
            v = got > 0 ? v * ten[got] + part : v;
            p = next;
        }
        while (p < end && (unsigned)(*p - '0') <= 9 && whole + (p - point) < DIGITS_FAST)
            v = v * 10 + (unsigned)(*p++ - '0');
        if (p < end && (unsigned)(*p - '0') <= 9)
            return false;
    }
    d->digits = *pp;
    d->digits_end = p;
    d->mantissa = v;
    d->power = point - p;
    *pp = p;
    return true;
}

static void scan_exponent(const char **pp, const char *end, decimal *d)
{
    const char *p = *pp;
    if (p == end || (*p != 'e' && *p != 'E' && *p != 'd' && *p != 'D'))
        return;
    p++;
    bool minus = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+'))
        p++;
    uint64_t v;
    bool overflow = false;
    if (!nf__scan_u64(&p, end, &v, &overflow))
        return;
    int64_t e = overflow || v > 1000000000000 ? 1000000000000 : (int64_t)v;
    d->exponent = minus ? -e : e;
    d->power += d->exponent;
    *pp = p;
}

/* "inf", "infinity" or "nan" in any case. */
static bool scan_word(const char **pp, const char *end, double *value)
{
    static const struct {
        const char *word;
        double value;
    } words[] = {{"infinity", INFINITY}, {"inf", INFINITY}, {"nan", NAN}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        size_t k = 0;
        while (words[i].word[k] != '\0' && end - *pp > (ptrdiff_t)k && ((*pp)[k] | 0x20) == words[i].word[k])
            k++;
        if (words[i].word[k] == '\0') {
            *pp += k;
            *value = words[i].value;
            return true;
        }
    }
    return false;
}

bool nf__scan_f64(const char **pp, const char *end, double *value, bool *overflow)
{
    const char *p = *pp;
    bool minus = p < end && *p == '-';
    decimal d = {.mantissa = 0};
    if (p < end && (*p == '-' || *p == '+'))
        p++;
    double v = 0;
    if (p == end || (*p | 0x20) < 'a' || !scan_word(&p, end, &v)) {
        if (!scan_plain(&p, end, &d) && !scan_digits(&p, end, &d))
            return false;
        scan_exponent(&p, end, &d);
        if (!d.cut && d.power >= -POWER_FAST && d.power <= POWER_FAST)
            v = short_decimal(d.mantissa, (int)d.power);
        else
            v = long_decimal(&d);
        if (isinf(v))
            *overflow = true;
    }
    *value = minus ? -v : v;
    *pp = p;
    return true;
}

/* ---- weights ----------------------------------------------------------------------------------------------------- */

static bool unfit(nf__chunk *c, const char *at, const char *end, nf__weight_mode mode)
{
    const char *range = mode == NF__W_U32   ? "a whole number from 0 to 4294967295"
                        : mode == NF__W_I32 ? "a whole number from -2147483648 to 2147483647"
                        : mode == NF__W_F32 ? "a number within the range of f32"
                        : mode == NF__W_INT ? "a whole number of 32 bits (weight type f64 takes any number)"
                                            : "a number within the range of f64";
    nf__chunk_fail(c, at, "weight %s does not fit; expected %s", nf__show_token(at, end).text, range);
    return false;
}

/* A whole number, magnitude v, in an integer mode. */
static bool keep_integer(nf__chunk *c, const char *at, const char *end, nf__weight_mode mode, bool minus, uint64_t v,
                         uint32_t *out)
{
    bool small = minus ? v <= (uint64_t)1 << 31 : v <= UINT32_MAX;
    if (!small && mode == NF__W_AUTO) {
        c->real = true;
        *out = 0;
        return true;
    }
    if (!small || (mode == NF__W_I32 && !minus && v > INT32_MAX) || (mode == NF__W_U32 && minus && v != 0))
        return unfit(c, at, end, mode);
    int64_t value = minus ? -(int64_t)v : (int64_t)v;
    if (value < c->low)
        c->low = value;
    if (value > c->high) {
        c->high = value;
        if (value > INT32_MAX && c->high_at == NULL)
            c->high_at = at;
    }
    *out = (uint32_t)value;
    return true;
}

/* A decimal in an integer mode: 3.0 and 1e3 are whole. */
static bool keep_decimal(nf__chunk *c, const char *at, const char *end, nf__weight_mode mode, double v, uint32_t *out)
{
    if (mode == NF__W_AUTO) {
        c->real = true;
        *out = 0;
        return true;
    }
    if (mode == NF__W_INT || v != trunc(v) || fabs(v) > 4294967295.0)
        return unfit(c, at, end, mode);
    return keep_integer(c, at, end, mode, v < 0, (uint64_t)fabs(v), out);
}

static bool keep_float(nf__chunk *c, const char *at, const char *end, nf__weight_mode mode, double v, void *w,
                       uint64_t i)
{
    if (mode == NF__W_F64) {
        ((double *)w)[i] = v;
    } else if (mode == NF__W_F32) {
        ((float *)w)[i] = (float)v;
        if (isinf((float)v) && !isinf(v))
            return unfit(c, at, end, mode);
    }
    return true;
}

/* Anything but a plain integer that fits 64 bits. */
static bool take_decimal(nf__chunk *c, const char **pp, const char *end, nf__weight_mode mode, void *w, uint64_t i)
{
    const char *p = *pp;
    double v = 0;
    bool overflow = false;
    if (nf__at_line_end(p, end)) {
        nf__chunk_fail(c, p, "the line ends too soon; expected a weight");
        return false;
    }
    if (!nf__scan_f64(&p, end, &v, &overflow) || !nf__ends_token(p, end)) {
        nf__chunk_fail(c, *pp, "'%s' is not a weight; expected a number", nf__show_token(*pp, end).text);
        return false;
    }
    if (isnan(v) || (isinf(v) && v < 0 && !overflow)) {
        nf__chunk_fail(c, *pp, "weight %s is refused; expected a finite number, or inf for no arc",
                       nf__show_token(*pp, end).text);
        return false;
    }
    if (overflow)
        return unfit(c, *pp, end, mode);
    const char *at = *pp;
    *pp = p;
    if (mode == NF__W_SKIP)
        return true;
    if (mode == NF__W_F64 || mode == NF__W_F32)
        return keep_float(c, at, end, mode, v, w, i);
    return keep_decimal(c, at, end, mode, v, &((uint32_t *)w)[i]);
}

bool nf__take_weight(nf__chunk *c, const char **pp, const char *end, nf__weight_mode mode, void *w, uint64_t i)
{
    const char *p = *pp;
    bool overflow = false, minus = p < end && *p == '-';
    uint64_t v;
    if (p < end && (*p == '-' || *p == '+'))
        p++;
    if (!nf__scan_u64(&p, end, &v, &overflow) || overflow || !nf__ends_token(p, end))
        return take_decimal(c, pp, end, mode, w, i);
    const char *at = *pp;
    *pp = p;
    switch (mode) {
    case NF__W_NONE:
    case NF__W_SKIP: return true;
    case NF__W_F32: ((float *)w)[i] = minus ? -(float)v : (float)v; return true;
    case NF__W_F64: ((double *)w)[i] = minus ? -(double)v : (double)v; return true;
    default: return keep_integer(c, at, end, mode, minus, v, &((uint32_t *)w)[i]);
    }
}
