// Processes that map the same file share its lines in every cache: a candidate that flushes those of a library it does
// not need slows the baseline's calls, which do (clflush works by physical address). So the code and constants of the
// libraries that kernels call lie in two copies, one for each of the two processes of a screening.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

namespace kevolve {

class library_copies {
public:
  library_copies() = default;
  library_copies(const library_copies&) = delete;
  library_copies& operator=(const library_copies&) = delete;
  ~library_copies() { release(); }

  // Of what is loaded now, in place of earlier copies; false, with errno, if memory is short.
  bool make();
  // In a child, once: slot 0 or 1 puts its copies where the libraries are, and neither can be reached besides.
  bool take(int slot);

private:
  struct part {
    std::byte* at; // page-aligned
    size_t bytes;
    int protection;
    size_t offset; // in a copy
  };

  void release();
  std::vector<part> parts_;
  size_t bytes_ = 0; // of a copy
  std::array<std::byte*, 2> copies_{};
};

} // namespace kevolve
