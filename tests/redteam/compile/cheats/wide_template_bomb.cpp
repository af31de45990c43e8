// about: instantiation that doubles at each level
// expect: timeout|out_of_memory|compile_error
// limit: 1200
// near: honest/templates.cpp
template <int N, int M>
struct t {
  static const long v = t<N - 1, 2 * M>::v + t<N - 1, 2 * M + 1>::v;
};
template <int M>
struct t<0, M> {
  static const long v = M;
};
long f() {
  return t<28, 1>::v;
}
