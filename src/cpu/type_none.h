/* type_none.h - ends the previous type of a body; see distance.h. */
#undef D
#undef NAME
#undef UNREACHED
#undef WEIGHT
#undef ADD
#undef EPSILON
#undef CUTOFF
