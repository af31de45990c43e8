// about: endless instantiation
// expect: compile_error
// says: template
// near: honest/templates.cpp
template <int N>
struct t {
  t<N + 1> x;
  static const int v = t<N + 1>::v;
};
int f() {
  return t<0>::v;
}
