// Compares a gemm kernel with OpenBLAS's sgemm: one pinned process with one or more threads, the same inputs, and calls
// in random order. Both are shared objects loaded at run time, so the build needs no BLAS. OPENBLAS_CORETYPE selects
// the core type; the library reads it while it is loaded.
#include "backends/host_machine.hpp"
#include "runtime/base/random.hpp"
#include "tools/bench/report.hpp"
#include "tools/command_line/command_line.hpp"

#include <dlfcn.h>
#include <sched.h>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>

namespace kevolve::bench {

namespace {

using steady = std::chrono::steady_clock;
using kernel_function = void (*)(const float*, const float*, float*, int64_t, int64_t, int64_t);
using sgemm_function = void (*)(int order, int transpose_a, int transpose_b, int m, int n, int k, float alpha,
                                const float* a, int lda, const float* b, int ldb, float beta, float* c, int ldc);
constexpr int row_major = 101;
constexpr int no_transpose = 111;

struct sizes {
  int m = 0;
  int n = 0;
  int k = 0;
};

template <class F>
F symbol(void* library, const char* name) {
  return reinterpret_cast<F>(::dlsym(library, name));
}

struct aligned_free {
  void operator()(float* p) const { std::free(p); }
};
using buffer = std::unique_ptr<float[], aligned_free>;

buffer allocate(size_t n) {
  constexpr size_t alignment = 4096;
  auto bytes = (n * sizeof(float) + alignment - 1) / alignment * alignment;
  return buffer{static_cast<float*>(std::aligned_alloc(alignment, bytes))};
}

template <class F>
double nanoseconds(F call) {
  auto begin = steady::now();
  call();
  return std::chrono::duration<double, std::nano>(steady::now() - begin).count();
}

struct processes {
  kernel_function ours = nullptr;
  sgemm_function theirs = nullptr;
};

json measure(const processes& who, const sizes& s, int pairs, uint64_t seed) {
  auto count = [](int rows, int cols) { return static_cast<size_t>(rows) * static_cast<size_t>(cols); };
  auto a = allocate(count(s.m, s.k));
  auto b = allocate(count(s.k, s.n));
  auto c = allocate(count(s.m, s.n));
  auto d = allocate(count(s.m, s.n));
  random_stream random{seed};
  for (size_t i = 0; i < count(s.m, s.k); ++i)
    a[i] = static_cast<float>(random.normal());
  for (size_t i = 0; i < count(s.k, s.n); ++i)
    b[i] = static_cast<float>(random.normal());
  auto ours = [&] { who.ours(a.get(), b.get(), c.get(), s.m, s.n, s.k); };
  auto theirs = [&] {
    who.theirs(row_major, no_transpose, no_transpose, s.m, s.n, s.k, 1.0F, a.get(), s.k, b.get(), s.n, 0.0F, d.get(),
               s.n);
  };
  for (int i = 0; i < 3; ++i) {
    ours();
    theirs();
  }
  double worst = 0.0;
  for (size_t i = 0; i < count(s.m, s.n); ++i)
    worst = std::max(worst, static_cast<double>(std::fabs(c[i] - d[i])));
  std::vector<double> our_ns;
  std::vector<double> their_ns;
  std::vector<double> ratios;
  for (int i = 0; i < pairs; ++i) {
    auto first = (random.next() & 1U) != 0;
    if (first)
      our_ns.push_back(nanoseconds(ours));
    their_ns.push_back(nanoseconds(theirs));
    if (!first)
      our_ns.push_back(nanoseconds(ours));
    ratios.push_back(their_ns.back() / our_ns.back());
  }
  auto flops = 2.0 * s.m * s.n * s.k;
  return {{"m", s.m},
          {"n", s.n},
          {"k", s.k},
          {"ours_ns", median(our_ns)},
          {"openblas_ns", median(their_ns)},
          {"ours_gflops", flops / median(our_ns)},
          {"openblas_gflops", flops / median(their_ns)},
          {"of_library", median(ratios)},
          {"pairs", pairs},
          {"largest_difference", worst}};
}

void pin_to_timing_core() {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<size_t>(plan_cores(usable_cores()).timing), &one);
  ::sched_setaffinity(0, sizeof one, &one);
}

} // namespace

} // namespace kevolve::bench

int main(int argc, char** argv) {
  using namespace kevolve::bench;
  std::string object;
  std::string library = "libopenblas.so.0";
  std::vector<std::string> shapes;
  int pairs = 200;
  uint64_t seed = 1;
  int threads = 1;
  kevolve::declared_program app{"A gemm kernel beside OpenBLAS, in one process"};
  app.add_option("--object", object, "shared object with the entry gemm")->required();
  app.add_option("--library", library, "OpenBLAS")->capture_default_str();
  app.add_option("--shape", shapes, "MxNxK; may be repeated")->required();
  app.add_option("--pairs", pairs)->capture_default_str();
  app.add_option("--seed", seed)->capture_default_str();
  app.add_option("--threads", threads, "of OpenBLAS; the kernel's are its own")->capture_default_str();
  if (const auto ended = app.ended_by(argc, argv))
    return *ended;
  if (threads == 1)
    pin_to_timing_core();
  auto* blas = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (blas == nullptr)
    return give_up("OpenBLAS cannot be loaded (apt-get install libopenblas0-pthread): " + library);
  auto* own = ::dlopen(object.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (own == nullptr)
    return give_up(std::string{"the kernel cannot be loaded: "} + ::dlerror());
  processes who{symbol<kernel_function>(own, "gemm"), symbol<sgemm_function>(blas, "cblas_sgemm")};
  auto* set_threads = symbol<void (*)(int)>(blas, "openblas_set_num_threads");
  auto* core_name = symbol<char* (*)()>(blas, "openblas_get_corename");
  auto* config = symbol<char* (*)()>(blas, "openblas_get_config");
  if (who.ours == nullptr || who.theirs == nullptr || set_threads == nullptr || core_name == nullptr
      || config == nullptr)
    return give_up("gemm or an OpenBLAS function is missing");
  set_threads(threads);
  auto rows = json::array();
  for (const auto& text : shapes) {
    sizes s;
    if (std::sscanf(text.c_str(), "%dx%dx%d", &s.m, &s.n, &s.k) != 3)
      return give_up("--shape " + text + ": expected MxNxK");
    rows.push_back(measure(who, s, pairs, seed));
  }
  const auto* asked = std::getenv("OPENBLAS_CORETYPE");
  return print({{"asked_core_type", asked == nullptr ? "" : asked},
                {"core_type", core_name()},
                {"config", config()},
                {"threads", threads},
                {"seed", seed},
                {"machine", machine()},
                {"rows", rows}});
}
