// The examiner's side of the device: a context of its own, with the sets that are resident and the arena that workers
// map. Does pieces of work on them. Lives as long as its process.
#pragma once

#include "backends/nvidia/examiner/draws.hpp"
#include "backends/nvidia/examiner/pieces.hpp"
#include "backends/nvidia/runner/examiner_wire.hpp"
#include "backends/nvidia/runner/shared_device_memory.hpp"

#include <map>
#include <vector>

namespace kevolve::cuda {

class examiner_session {
public:
  cuda_wire::examiner_ready open(int device);
  // Makes the arena. `fd`: of it, if the answer is good; the caller's to close.
  cuda_wire::arena_made make_arena(const cuda_wire::make_arena& order, int& fd);
  cuda_wire::acknowledged attach(const cuda_wire::attach& order, int fd);
  cuda_wire::acknowledged hold(const cuda_wire::hold& order);
  cuda_wire::acknowledged put(const cuda_wire::put& order);
  cuda_wire::acknowledged drop(const cuda_wire::drop& order);
  cuda_wire::acknowledged bring_back(const cuda_wire::bring_back& order);
  cuda_wire::worked work(const cuda_wire::work& order);
  cuda_wire::worked draw(const cuda_wire::draw& order);
  cuda_wire::arena_made make_pool(const cuda_wire::make_pool& order, int& fd);
  cuda_wire::acknowledged bring_set(const cuda_wire::bring_set& order);

private:
  struct block {
    device_pointer at = 0;
    uint64_t bytes = 0;
  };

  bool well(status s, const char* what, cuda_wire::answer& how);
  bool prepare_lists(size_t bytes, cuda_wire::answer& how);
  static bool within_bounds(const piece& p, uint64_t arena, const block& set, const block& kept);
  bool run(function kernel, uint32_t rows, uint64_t steps, void** parameters, const std::vector<char>& lists,
           uint64_t answer_bytes, bool answered, cuda_wire::worked& out);

  const driver* call_ = nullptr;
  int device_ = 0;
  stream stream_ = nullptr;
  event begin_ = nullptr;
  event end_ = nullptr;
  code_module code_ = nullptr;
  function kernel_ = nullptr;
  function draw_ = nullptr;
  uint32_t blocks_ = 0;
  shared_device_memory arena_;
  shared_device_memory pool_;
  std::map<uint64_t, block> held_;
  std::byte* host_ = nullptr;
  uint64_t host_bytes_ = 0;
  device_pointer lists_ = 0; // pieces, then findings
  size_t room_ = 0;          // bytes
};

} // namespace kevolve::cuda
