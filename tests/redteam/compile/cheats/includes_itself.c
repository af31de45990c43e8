// about: a source that includes itself twice
// expect: compile_error
// says: nested too deeply
// near: honest/includes_headers.c
#include "candidate.c"
#include "candidate.c"
