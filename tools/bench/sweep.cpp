#include "tools/bench/sweep.hpp"

namespace kevolve::bench {

namespace {

// In every sweep y moves half-way to x. After twenty sweeps, another one changes nothing beyond rounding.
constexpr const char* source = R"(#include <stdint.h>
void sweep(const float *x, float *y, int64_t n, int64_t block) {
#ifdef _OPENMP
#pragma omp parallel for
#endif
  for (int64_t b = 0; b < n; b += block) {
    for (int64_t i = 0; i < block; ++i)
      y[b + i] = 0.5f * x[b + i];
    for (int64_t s = 1; s < SWEEPS; ++s)
      for (int64_t i = 0; i < block; ++i)
        y[b + i] = 0.5f * y[b + i] + 0.5f * x[b + i];
  }
}
)";

argument array(const char* name, argument_role role) {
  argument a;
  a.name = name;
  a.role = role;
  a.shape = {"n"};
  return a;
}

argument size(const char* name) {
  argument a;
  a.name = name;
  a.role = argument_role::size;
  a.type = dtype::i64;
  return a;
}

} // namespace

contract task_of(const kernel& k) {
  contract c;
  c.name = k.name;
  c.entry = "sweep";
  c.language.assign(1, 'c');
  c.arguments = {array("x", argument_role::input), array("y", argument_role::output), size("n"), size("block")};
  shape_case s;
  s.name = "n=" + std::to_string(k.n);
  s.sizes = {{"n", k.n}, {"block", k.block}};
  c.shapes = {s};
  tolerance t;
  t.relative = 1e-4;
  t.absolute = 1e-5;
  c.tolerances = {t};
  c.threads = k.threads;
  return c;
}

std::string text_of(int sweeps) {
  return "#define SWEEPS " + std::to_string(sweeps) + "\n" + source;
}

} // namespace kevolve::bench
