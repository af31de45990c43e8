// The kernel that benchmarks of the judge time: in every sweep over a block, y moves half-way to x.
#pragma once

#include "runtime/base/contract.hpp"

#include <cstdint>
#include <string>

namespace kevolve::bench {

struct kernel {
  std::string name;
  std::string bound;
  int64_t n = 0;
  int64_t block = 0; // elements per block, the working set of a sweep
  int sweeps = 0;
  bool threads = false; // distributes the blocks over all cores of the device
};

contract task_of(const kernel& k);
std::string text_of(int sweeps);

} // namespace kevolve::bench
