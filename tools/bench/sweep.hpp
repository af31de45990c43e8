// The kernel that benchmarks of the judge time: y moves half-way to x in every sweep over a block.
#pragma once

#include "runtime/base/contract.hpp"

#include <cstdint>
#include <string>

namespace kevolve::bench {

struct kernel {
  std::string name;
  std::string bound;
  int64_t n = 0;
  int64_t block = 0; // elements swept at a time: what the working set of a sweep is
  int sweeps = 0;
  bool threads = false; // its blocks, over all cores of the device
};

contract task_of(const kernel& k);
std::string text_of(int sweeps);

} // namespace kevolve::bench
