// about: text behind a zero byte
// expect: compile_error
// near: honest/macros.c
int x;
// zero
void f(
