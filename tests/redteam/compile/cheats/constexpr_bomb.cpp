// about: evaluation at compile time without end
// expect: compile_error
// says: constant
// near: honest/templates.cpp
constexpr long f(long n) {
  long s = 0;
  while (n != 0)
    s += n++;
  return s;
}
static_assert(f(1) == 0);
