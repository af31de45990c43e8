// The runner's side of the process that holds a PyTorch reference: starts it in a sandbox, hands it the task's source
// and the arrays' memory, and asks it for outputs and times.
#pragma once

#include "backends/compile/workspace.hpp"
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
  std::string python = "python3"; // absolute, or looked for in PATH
  int device = 0;
  bool on_host = false;                  // its tensors may live on the host: for a device that no framework knows
  std::vector<std::string> environment;  // "KEY=value"; nothing else is passed on
  std::vector<std::string> done_without; // sandbox layers that the operator accepts to lack
};

// How the reference is called: as it is, untimed; timed; timed as torch.compile makes it.
enum class framework_mode : uint8_t { plain = 0, eager, compiled };

class framework_client {
public:
  // Memory that the process maps: where the pools are made, what processes exchange, and the examiner's on the
  // device.
  enum class arena : uint8_t { pool = 0, exchange, device };
  enum class program : uint8_t { reference = 0, oracle };

  framework_client() = default;
  framework_client(const framework_client&) = delete;
  framework_client& operator=(const framework_client&) = delete;
  ~framework_client() { end(); }

  // errc::not_found: there is no python3, or it has no torch.
  result<void> start(const framework_options& options);
  // What it said of itself: "torch", "python", "device".
  const std::map<std::string, std::string>& facts() const { return facts_; }
  const std::string& sandbox_level() const { return level_; }
  bool alive() const { return pid_ > 0; }
  pid_t pid() const { return pid_; }
  // How many times it has been started: what was loaded and mapped is gone with the process.
  uint64_t starts() const { return starts_; }
  void end();

  // What is loaded already is not loaded again.
  std::optional<rejection> load(program which, const framework_source& source);
  std::optional<rejection> map(arena which, int fd, size_t bytes);
  // Device memory that another process has exported; the same one of this number is not mapped again.
  std::optional<rejection> map_device(int fd, size_t bytes, uint64_t number);
  // One call on the arrays as they lie in that arena, `from` bytes from its start. On a rejection of a limit or a death
  // the process has ended.
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
  uint64_t device_arena_ = 0; // the number of the one that is mapped; 0: none
  uint64_t starts_ = 0;
  std::optional<workspace> scratch_;
  std::map<std::string, std::string> facts_;
};

} // namespace kevolve::cuda
