// The runner's side of the process that holds a PyTorch reference. Starts it in a sandbox, passes it the task's source
// and the arrays' memory, and requests outputs and times.
#pragma once

#include "backends/compile/workspace.hpp"
#include "backends/framework/framework_mode.hpp"
#include "backends/framework/framework_source.hpp"
#include "backends/judge/call_data.hpp"
#include "backends/judge/rejection.hpp"
#include "runtime/base/channel.hpp"

#include <sys/types.h>

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace kevolve::cuda {

struct framework_options {
  std::string python = "python3"; // an absolute path, or a name looked up in PATH
  int device = 0;
  bool on_host = false;                  // allows its tensors on the host, for devices that the framework does not know
  std::vector<std::string> environment;  // entries "KEY=value"; nothing else is passed on
  std::vector<std::string> done_without; // sandbox layers that the operator allows to be missing
};

class framework_client {
public:
  // Memory that the process maps: for input sets, for exchange between processes, and the examiner's memory on the
  // device: what candidates map too, and what they do not.
  enum class arena : uint8_t { pool = 0, exchange, device, device_pool };
  enum class program : uint8_t { reference = 0, oracle };

  framework_client() = default;
  framework_client(const framework_client&) = delete;
  framework_client& operator=(const framework_client&) = delete;
  ~framework_client() { end(); }

  // Starts the process. errc::not_found: there is no python3, or it lacks torch.
  result<void> start(const framework_options& options);
  // Returns the facts that the process reported: "torch", "python", "device".
  const std::map<std::string, std::string>& facts() const { return facts_; }
  const std::string& sandbox_level() const { return level_; }
  bool alive() const { return pid_ > 0; }
  pid_t pid() const { return pid_; }
  // Returns the number of starts so far. Loaded programs and mapped memory are lost with the process.
  uint64_t starts() const { return starts_; }
  void end();

  // Loads a program unless it is loaded already.
  std::optional<rejection> load(program which, const framework_source& source);
  std::optional<rejection> map(arena which, int fd, size_t bytes);
  // Maps device memory that another process has exported, unless memory of this number is mapped already.
  std::optional<rejection> map_device(int fd, size_t bytes, uint64_t number);
  // Does the same for the pool on the device.
  std::optional<rejection> map_device_pool(int fd, size_t bytes, uint64_t number);
  // Makes one call on arrays in the pool on the device: inputs as the task declares them, outputs compact and of these
  // types. An oracle's f16 and f32 inputs are widened to f64 first. In mode `eager`, `took` is the device's own time.
  struct pool_places {
    std::vector<uint64_t> inputs; // bytes from the pool's start, by argument
    std::vector<uint64_t> outputs;
    std::vector<dtype> types; // of outputs
  };
  std::optional<rejection> call_in_pool(program what, framework_mode mode, const contract& task, const call_data& data,
                                        const pool_places& places, std::chrono::nanoseconds limit,
                                        std::chrono::nanoseconds& took);
  // Makes one call on the arrays in that arena, `from` bytes from its start. After a rejection for a time limit or a
  // death, the process has ended.
  std::optional<rejection> call(program what, arena where, framework_mode mode, const contract& task,
                                const call_data& data, const arena_layout& layout, std::chrono::nanoseconds limit,
                                std::chrono::nanoseconds& took, uint64_t from = 0);

private:
  enum class word : uint8_t { hello = 1, load, map, call, answer };
  std::optional<rejection> ask(word kind, const std::string& text, std::chrono::nanoseconds limit, double* ns,
                               int fd = -1);
  result<void> greet();

  pid_t pid_ = -1;
  channel link_;
  std::string level_;
  std::map<program, std::string> loaded_;
  uint64_t device_arena_ = 0; // number of the mapped device arena; 0: none
  uint64_t device_pool_ = 0;  // number of the mapped pool; 0: none
  uint64_t starts_ = 0;
  std::optional<workspace> scratch_;
  std::map<std::string, std::string> facts_;
};

} // namespace kevolve::cuda
