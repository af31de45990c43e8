// about: two hundred thousand parentheses
// expect: compile_error
// says: bracket nesting
// near: honest/macros.c
int g(void) { return
// repeat 200000 (
