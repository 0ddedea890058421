/* put.c - floats as text that reads back to the same bits, short where that is cheap.
 *
 * Method: a float that is I / 10^k with I < 2^53 and k <= 15 is written from the integer I (the quotient of two
 * exact doubles is what a correct reader computes too: Clinger, How to read floating point numbers accurately,
 * 1990). All others go through snprintf with 15, 16 or 17 digits (6 to 9 for f32), the first that reads back.
 *
 * Invariant P1: strtod (strtof) of the text gives x again.
 * Cost: about 20 ns on the first way, 1 us on the second.
 */
#include "io/put.h"

#include <stdlib.h>

#define EXACT 9007199254740992.0 /* 2^53 */
#define MOST_DECIMALS 15

static const double power10[MOST_DECIMALS + 1] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                  1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};

/* The integer with a decimal point before its last k digits; "0.05" for 5 and 2. */
static char *put_decimal(char *p, uint64_t integer, int k)
{
    uint64_t scale = 1;
    for (int i = 0; i < k; i++)
        scale *= 10;
    p = nf__put_u64(p, integer / scale);
    *p++ = '.';
    if (k == 0) {
        *p++ = '0';
        return p;
    }
    uint64_t rest = integer % scale;
    for (int i = k; i > 0; i--) {
        p[i - 1] = (char)('0' + rest % 10);
        rest /= 10;
    }
    return p + k;
}

/* Half way between two floats: rounding a decimal to double and then to float may go the other way there. */
static bool float_midpoint(double d)
{
    uint64_t bits;
    memcpy(&bits, &d, sizeof bits);
    return (bits & UINT64_C(0x1fffffff)) == UINT64_C(0x10000000);
}

/* A number of few decimals; NULL when x is none. */
static char *put_short(char *p, double x, bool single)
{
    double a = fabs(x);
    if (a >= 1e15 || (a != 0 && a < 1e-5))
        return NULL;
    for (int k = 0; k <= MOST_DECIMALS; k++) {
        double scaled = a * power10[k];
        if (scaled >= EXACT)
            return NULL;
        double whole = nearbyint(scaled), back = whole / power10[k];
        bool same = single ? (float)back == (float)a && !float_midpoint(back) : back == a;
        if (same) {
            if (signbit(x))
                *p++ = '-';
            return put_decimal(p, (uint64_t)whole, k);
        }
    }
    return NULL;
}

/* Undoes a locale's decimal comma, and makes sure that the text looks like a float. */
static char *put_tidied(char *p, const char *text)
{
    bool is_float = false;
    for (; *text != '\0'; text++) {
        bool plain = (*text >= '0' && *text <= '9') || *text == '-' || *text == '+' || *text == 'e';
        is_float |= !plain || *text == 'e';
        *p++ = plain ? *text : '.';
    }
    if (!is_float) {
        *p++ = '.';
        *p++ = '0';
    }
    return p;
}

static char *put_infinite(char *p, double x)
{
    const char *text = isnan(x) ? "nan" : x < 0 ? "-inf" : "inf";
    size_t length = strlen(text);
    memcpy(p, text, length);
    return p + length;
}

char *nf__put_f64(char *p, double x)
{
    char text[NF__PUT_MAX];
    if (!isfinite(x))
        return put_infinite(p, x);
    char *end = put_short(p, x, false);
    if (end != NULL)
        return end;
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, x);
        if (strtod(text, NULL) == x)
            break;
    }
    return put_tidied(p, text);
}

char *nf__put_f32(char *p, float x)
{
    char text[NF__PUT_MAX];
    if (!isfinite(x))
        return put_infinite(p, (double)x);
    char *end = put_short(p, (double)x, true);
    if (end != NULL)
        return end;
    for (int digits = 6; digits <= 9; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, (double)x);
        if (strtof(text, NULL) == x)
            break;
    }
    return put_tidied(p, text);
}
