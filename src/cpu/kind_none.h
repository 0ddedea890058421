/* kind_none.h - ends the previous kind of a body; see key.h. */
#undef K
#undef KNAME
#undef KINF
#undef KSUM
#undef KHOT
#undef KBIN
#undef KREAL
#undef KSMALL
