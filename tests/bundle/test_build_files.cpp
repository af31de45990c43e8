#include "tests/bundle/sample.hpp"

#include <doctest/doctest.h>

using namespace kevolve;
using namespace kevolve::test;

TEST_CASE("CMake gets the flags of both compilers, and the one that measured first") {
  auto b = sample_bundle();
  auto text = cmake_lists(b);
  CHECK(has(text, "find_program(measured_C_compiler NAMES clang-19 clang)"));
  CHECK(has(text, "set(kernel_flags -std=gnu17 -O3 -march=native)"));
  CHECK(has(text, "set(kernel_flags -std=gnu17 -O3)"));
  CHECK(has(text, "if(NOT by_clang)"));
  CHECK(has(text, "LANGUAGES C)"));
  b.kernel_build.by_clang = false;
  b.kernel_build.version = "g++ (Debian 12.2.0-14) 12.2.0";
  text = cmake_lists(b);
  CHECK(has(text, "NAMES gcc-12 gcc)"));
  CHECK(has(text, "if(by_clang)\n  message(WARNING"));
  b.language = "cpp";
  text = cmake_lists(b);
  CHECK(has(text, "NAMES g++-12 g++)"));
  CHECK(has(text, "LANGUAGES C CXX)"));
  CHECK(has(text, "add_library(kernel_object OBJECT kernel.cpp)"));
}

TEST_CASE("a compiler of unknown version is called by its plain name") {
  auto b = sample_bundle();
  b.kernel_build.version = "\"; execute_process(COMMAND x) ${y}";
  const auto text = cmake_lists(b);
  CHECK(has(text, "NAMES clang clang)"));
  CHECK(has(text, R"(\"\; execute_process(COMMAND x) \${y}")"));
}

TEST_CASE("threads and libraries are linked where they are allowed") {
  auto b = sample_bundle();
  CHECK_FALSE(has(cmake_lists(b), "-fopenmp"));
  b.task.threads = true;
  b.kernel_build.libraries = {"-lopenblas"};
  CHECK(has(cmake_lists(b), "target_link_options(kernel PUBLIC -fopenmp)"));
  CHECK(has(cmake_lists(b), "target_link_libraries(kernel PUBLIC \"-lopenblas\" m)"));
}

TEST_CASE("the header declares the kernel for C and C++ and describes its arguments") {
  auto b = sample_bundle();
  b.task.arguments[1].strides = {"2"};
  const auto text = kernel_header(b);
  CHECK(has(text, "extern \"C\" {"));
  CHECK(has(text, "void scale(const float *x, float *y, int64_t n);"));
  CHECK(has(text, "x: input, f32[n], aligned to 64 bytes, overlaps no other; tried with normal, mean 0, deviation 1"));
  CHECK(has(text, "y: output, f32[n], strides in elements 2"));
  CHECK(has(text, "within 1e-06 + 1e-05 * |exact|"));
  CHECK(has(text, "n=8"));
}

TEST_CASE("the header says how much stack a call has used, where it is known") {
  auto b = sample_bundle();
  CHECK_FALSE(has(kernel_header(b), "KiB"));
  b.stack_kib = 1036.0;
  CHECK(has(kernel_header(b), "Of its thread's stack 1036 KiB were used after the judge's calls"));
}

TEST_CASE("a summary cannot end its comment") {
  auto b = sample_bundle();
  b.task.summary = "*/ int evil; /*";
  const auto text = kernel_header(b);
  CHECK(times(text, "*/") == 1);
  CHECK(times(text, "/*") == 1);
}

TEST_CASE("reference and exact result get separate names") {
  auto b = sample_bundle();
  CHECK(has(reference_wrapper(b), "#define scale kevolve_reference\n#include \"reference.c\"\n"));
  auto text = oracle_wrapper(b);
  CHECK(has(text, "#define float double\n"));
  CHECK(has(text, "#define scale kevolve_oracle\n#include \"reference.c\"\n"));
  CHECK_FALSE(has(text, "#line"));
  b.oracle_source = "void exact(void);";
  b.oracle_entry = "exact";
  text = oracle_wrapper(b);
  CHECK(has(text, "#define exact kevolve_oracle\n#include \"oracle.c\"\n"));
  CHECK_FALSE(has(text, "#define float"));
}
