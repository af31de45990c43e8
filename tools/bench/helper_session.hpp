// A session with a helper program (backends/protocol.hpp) without a node, for benchmarks.
#pragma once

#include "backends/protocol.hpp"
#include "backends/target.hpp"
#include "runtime/base/channel.hpp"
#include "runtime/base/result.hpp"

#include <sys/types.h>

#include <chrono>
#include <optional>

namespace kevolve::bench {

class helper_session {
public:
  // Starts the helper on its cores and waits for its hello.
  static result<helper_session> start(const helper_command& command);
  helper_session(helper_session&& other) noexcept;
  helper_session& operator=(helper_session&&) = delete;
  ~helper_session(); // the helper ends when its socket closes

  const helper_hello& hello() const { return hello_; }
  result<compile_outcome> ask(const compile_request& request) {
    return ask<compile_outcome>(frame_kind::compile_request, frame_kind::compile_outcome, request);
  }
  result<judge_outcome> ask(const judge_request& request) {
    return ask<judge_outcome>(frame_kind::judge_request, frame_kind::judge_outcome, request);
  }

private:
  helper_session(pid_t pid, channel socket) : pid_(pid), socket_(std::move(socket)) {}

  template <class Outcome, class Request>
  result<Outcome> ask(frame_kind asked, frame_kind wanted, const Request& request) {
    if (auto sent = socket_.send_message(asked, request); !sent)
      return tl::unexpected(sent.error());
    auto answer = await(wanted, std::chrono::milliseconds{request.limit_ms} + std::chrono::seconds{30});
    if (!answer)
      return tl::unexpected(answer.error());
    auto out = decode<Outcome>(*answer);
    if (out && out->trouble)
      return fail(errc::internal, out->trouble.kind + ": " + out->trouble.detail);
    return out;
  }
  // Returns the payload of the next frame of that kind and skips progress frames.
  result<std::string> await(frame_kind wanted, std::chrono::milliseconds limit);

  pid_t pid_ = -1;
  channel socket_;
  helper_hello hello_;
};

// A target's compile server and the judge of its first device.
struct workbench {
  std::unique_ptr<target> hardware;
  device_description device;
  std::optional<helper_session> compiler;
  std::optional<helper_session> judge;
};
// Starts both helpers. Moves this process off the timing cores, as a node does.
result<workbench> open_workbench(const std::string& bin_dir, const std::string& target = "cpu",
                                 const target_options& options = {});
// Starts the compile server alone.
result<workbench> open_compiler(const std::string& bin_dir, const std::string& target,
                                const target_options& options = {});

// Returns the object of a source, or the compiler's messages as an error.
result<std::string> compile(workbench& bench, const contract& task, const std::string& language,
                            const std::string& source, const std::string& flags, compile_role role);
// Returns the name of the flag set for references.
std::string baseline_flags(const workbench& bench);

} // namespace kevolve::bench
