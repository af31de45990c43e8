// Shared by tests of references in PyTorch: their interpreter, and programs of the task `iterate`.
#pragma once

#include "backends/framework/framework_client.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <string>

namespace kevolve::testing {

// Returns the interpreter that KEVOLVE_PYTHON names, else python3.
inline std::string interpreter() {
  const auto* named = std::getenv("KEVOLVE_PYTHON");
  return named == nullptr ? "python3" : named;
}

// Returns true, and says so, where that interpreter cannot serve references.
inline bool skip() {
  static const auto why = [] {
    cuda::framework_client trial;
    const auto started = trial.start({interpreter(), 0, true, {}, {"landlock"}});
    return started ? std::string{} : to_string(started.error());
  }();
  if (!why.empty())
    MESSAGE("skipped: " << why);
  return !why.empty();
}

inline constexpr const char* doubling = "import torch\n"
                                        "def iterate(x, w):\n"
                                        "    return x * 2 + w[0]\n";

inline constexpr const char* iterate_in_torch = "import torch\n"
                                                "def iterate(x, w):\n"
                                                "    y = x\n"
                                                "    for k in range(256):\n"
                                                "        y = y * 0.5 + w[k & 7]\n"
                                                "    return y\n";

} // namespace kevolve::testing
