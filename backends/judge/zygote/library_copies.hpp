// Two copies of the code and constants of the libraries that kernels call, one for each process of a screening.
// Processes that map the same file share its cache lines, and clflush works by physical address. So a candidate could
// flush a library that only the baseline needs, and slow the baseline.
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

  // Copies the libraries loaded now, replacing earlier copies. Returns false with errno if memory is short.
  bool make();
  // Called once in a child: maps the copies of slot 0 or 1 over the libraries and makes all copies unreachable
  // otherwise.
  bool take(int slot);

private:
  struct part {
    std::byte* at; // page-aligned
    size_t bytes;
    int protection;
    size_t offset; // offset in a copy
  };

  void release();
  std::vector<part> parts_;
  size_t bytes_ = 0; // size of a copy
  std::array<std::byte*, 2> copies_{};
};

} // namespace kevolve
