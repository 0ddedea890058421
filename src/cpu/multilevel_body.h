/* multilevel_body.h - the queue of digits.h as settle_body.h wants it, for one kind of key. */

static inline nf_status KNAME(push)(multilevel *q, const K *d, nf_vid v, K key, K old)
{
    return KNAME(digits_push)(&q->digits, d, v, key, old);
}

static inline bool KNAME(pop)(multilevel *q, const K *d, nf_vid *u, K *key)
{
    return KNAME(digits_pop)(&q->digits, d, u, key, &q->common.failure);
}
