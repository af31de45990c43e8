// The fake driver, and packages of kernels that it knows.
#pragma once

#include "backends/launch_plan/package.hpp"
#include "tests/cuda/cubin_builder.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <string>

namespace kevolve::testing {

// Sets the variables with which child processes find the fake driver.
class with_fake_driver {
public:
  explicit with_fake_driver(const char* devices = "0") {
    const auto* folder = std::getenv("KEVOLVE_FAKE_DRIVER");
    REQUIRE_MESSAGE(folder != nullptr, "run through ctest");
    setenv("LD_LIBRARY_PATH", folder, 1);
    setenv("KEVOLVE_CUPTI", "/none", 1);
    setenv("CUDA_VISIBLE_DEVICES", devices, 1);
  }
  with_fake_driver(const with_fake_driver&) = delete;
  with_fake_driver& operator=(const with_fake_driver&) = delete;
  ~with_fake_driver() {
    unsetenv("LD_LIBRARY_PATH");
    unsetenv("KEVOLVE_CUPTI");
    unsetenv("CUDA_VISIBLE_DEVICES");
  }
};

// Returns a package with a kernel of tests/cuda/fake_driver.cpp for the task `iterate`. `more` are further arguments of
// its plan.
inline std::string fake_package(const std::string& kernel, const std::string& more = "") {
  cubin_builder code;
  code.add(".text." + kernel, SHT_PROGBITS, 0);
  const std::string scratch = more.empty() ? "" : "[[scratch]]\nname='s'\nbytes=10\n";
  return pack({{code.bytes()},
               scratch + "[[kernel]]\nname='" + kernel
                   + "'\ngrid=['ceildiv(n,256)']\nblock=[256]\narguments=['x','w','y','n'" + more + "]\n"});
}

} // namespace kevolve::testing
