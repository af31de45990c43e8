// Shared by tests of references in PyTorch: their interpreter, and programs of the task `iterate`.
#pragma once

#include "backends/framework/framework_source.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <string>

namespace kevolve::testing {

// Returns the interpreter that KEVOLVE_PYTHON names, else python3.
inline std::string interpreter() {
  const auto* named = std::getenv("KEVOLVE_PYTHON");
  return named == nullptr ? "python3" : named;
}

// Returns true, and says so, where that interpreter has no PyTorch. It is looked up, not imported: that takes seconds.
inline bool skip() {
  static const bool missing = [] {
    const auto question =
        interpreter() + " -I -c 'import importlib.util, sys; sys.exit(importlib.util.find_spec(\"torch\") is None)'";
    return std::system(question.c_str()) != 0;
  }();
  if (missing)
    MESSAGE("skipped: " << interpreter() << " has no PyTorch: pip install torch");
  return missing;
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

// Computes the same in one step: the halvings leave nothing of x, and each weight comes with its power of two.
inline constexpr const char* iterate_at_once = "import torch\n"
                                               "def iterate(x, w):\n"
                                               "    k = torch.arange(256)\n"
                                               "    return x * 0.5 ** 256 + (w[k & 7] * 0.5 ** (255.0 - k)).sum()\n";

} // namespace kevolve::testing
