#include "tests/bundle/sample.hpp"

namespace kevolve::test {

bundle_input sample_bundle() {
  bundle_input b;
  b.basis = {0.957, 30, 1};
  auto& t = b.task;
  t.name = "scale";
  t.summary = "Every element times a";
  t.entry = "scale";
  t.language = "c";
  argument x;
  x.name = "x";
  x.shape = {"n"};
  argument y = x;
  y.name = "y";
  y.role = argument_role::output;
  argument n;
  n.name = "n";
  n.role = argument_role::size;
  t.arguments = {x, y, n};
  t.shapes = {{"n=8", {{"n", 8}}, false, 1.0}};
  b.reference_source = "void scale(const float *x, float *y, long n);\n";
  b.kernel_source = "/* kernel */\n";
  b.language = "c";
  b.flag_set = "O3";
  b.campaign = "1a2b3c4d5e6f";
  b.state = "finished";
  b.candidates = 12;
  b.valid = 9;
  b.node = 7;
  b.generator = "transform";
  b.summary = "unroll by 4";
  b.speedup = 2.5;
  b.ci_low = 2.4;
  b.ci_high = 2.6;
  b.final_confirmed = true;
  b.shapes = {{{2.5, 2.4, 2.6}, "n=8", false, 1.0, 1000, 400, 30, 8, 64}};
  b.progress = {{3, 2, 1.5}, {9, 7, 2.5}};
  b.kernel_build.version = "Debian clang version 19.1.4 (1~deb12u1)";
  b.kernel_build.clang_words = {"-std=gnu17", "-O3", "-march=native"};
  b.kernel_build.gcc_words = {"-std=gnu17", "-O3"};
  b.kernel_build.prelude = "#include <stdint.h>\n";
  b.reference_build = b.kernel_build;
  b.machine = {{"machine", "a processor"}};
  b.peaks = {{"flops_per_s", 1e11}, {"dram_bytes_per_s", 1e10}};
  b.verdict = "pass";
  b.version = "0.1.0";
  return b;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

size_t times(const std::string& text, const std::string& part) {
  size_t n = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size()))
    ++n;
  return n;
}

} // namespace kevolve::test
