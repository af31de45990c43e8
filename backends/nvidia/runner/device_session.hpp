// The worker's side of one candidate: one context, one stream, one arena. Does what the runner orders and reports what
// the driver and the device's own clock said. Lives as long as its process.
#pragma once

#include "backends/nvidia/driver.hpp"
#include "backends/nvidia/runner/shared_device_memory.hpp"
#include "backends/nvidia/runner/wire.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace kevolve::cuda {

class device_session {
public:
  // Does what is possible before there is a context, and takes nothing of the device.
  void wake(bool records);
  cuda_wire::hello open(int device);
  cuda_wire::loaded load(const cuda_wire::load& order, int arena_fd);
  cuda_wire::staged stage(cuda_wire::stage order);
  cuda_wire::done go();
  // Runs the plan's kernels, with nothing around them.
  cuda_wire::done go_plain();
  cuda_wire::fetched fetch();
  cuda_wire::measured measure();

  // After an error of the device nothing works any more in this process.
  bool broken() const { return broken_; }

protected:
  struct kernel {
    std::string name;
    function entry = nullptr;
    kernel_facts facts;
  };
  struct scratch_place {
    std::string name;
    uint64_t offset = 0;
    uint64_t bytes = 0;
    bool zeroed = false;
  };

  // Returns true if the call succeeded; else describes the failure in the answer.
  bool well(status s, const char* phase, cuda_wire::answer& how);
  int attribute(int which) const;
  bool load_code(cuda_wire::answer& how);
  bool make_room(device_pointer& block, uint64_t& have, uint64_t bytes, const char* what, cuda_wire::answer& how);
  bool load_own_code(cuda_wire::answer& how);
  // Takes the arena: the examiner's, or memory of its own that the exchange is copied to and from.
  bool take_arena(const cuda_wire::load& order, int arena_fd, cuda_wire::answer& how);
  // Everything queued between these two runs only once the second is called.
  status close_gate();
  void open_gate();
  bool place_scratch(cuda_wire::answer& how);
  bool wipe_around(cuda_wire::answer& how);
  void copy_back(cuda_wire::fetched& out);
  bool holds_byte(device_pointer from, uint64_t bytes, unsigned char value, cuda_wire::answer& how);
  device_pointer address_of(const std::string& buffer) const;
  bool encode_maps(cuda_wire::answer& how);
  status launch_all();
  status launch_one(const resolved_launch& l);
  double best_rate(device_pointer to, device_pointer from, uint64_t bytes, uint64_t moved, cuda_wire::answer& how);
  double empty_call_ns(device_pointer block, cuda_wire::answer& how);

  const driver* call_ = nullptr;
  int device_ = 0;
  context context_ = nullptr;
  stream stream_ = nullptr;
  event before_ = nullptr; // the sweep
  event begin_ = nullptr;
  event end_ = nullptr;
  uint64_t l2_bytes_ = 0;
  bool records_ = false;  // activities
  std::string recording_; // by which library, or why not
  code_module own_code_ = nullptr;
  function probe_ = nullptr;
  function gate_ = nullptr;
  uint32_t* flag_ = nullptr; // host memory that the gate watches
  bool broken_ = false;

  std::vector<std::string> images_;
  std::vector<code_module> modules_;
  std::vector<kernel> kernels_;

  std::byte* exchange_ = nullptr; // shared with the runner; none where the arena is the examiner's
  shared_device_memory shared_;
  device_pointer arena_ = 0;
  uint64_t arena_bytes_ = 0;
  device_pointer sweep_ = 0; // written before a cold call
  uint64_t sweep_bytes_ = 0;
  device_pointer scratch_ = 0;
  uint64_t scratch_bytes_ = 0;
  std::vector<scratch_place> scratch_places_;
  cuda_wire::stage order_;
  std::vector<tensor_map> maps_;
};

} // namespace kevolve::cuda
