// The compile server's protocol. It serves the requests of one channel one at a time, in order, and reads cancels while
// a compiler runs. If the node goes away during a long compile, the compile is completed for a later request.
#pragma once

#include "backends/compile/compile_engine.hpp"
#include "backends/compile/kept_builds.hpp"
#include "runtime/base/channel.hpp"

#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kevolve {

class compile_server final : public attention {
public:
  // Compiles on this process's cores while nobody uses them for timing.
  compile_server(channel link, std::unique_ptr<compile_engine> engine, kept_builds kept,
                 std::chrono::milliseconds kept_after);

  // Serves until the node closes the channel. Returns the process's exit status.
  int run();

  int descriptor() const override { return lead_ ? lead_->descriptor() : link_.fd(); }
  bool attend() override;

private:
  void greet();
  bool heard();
  void receive();
  void serve(const compile_request& request);
  std::optional<compile_outcome> kept(const compile_request& request);
  bool follow(const open_file& joined);
  bool outlast();
  compile_outcome compile(const compile_request& request);
  void report_progress();

  channel link_;
  std::unique_ptr<compile_engine> engine_;
  kept_builds kept_;
  std::chrono::milliseconds kept_after_;
  std::string fingerprint_;        // hash of the compilers
  std::string digest_;             // of the current request
  std::optional<build_lead> lead_; // set while the node is gone and the current request continues
  std::vector<int> cores_;
  std::deque<compile_request> waiting_;
  std::optional<id128> current_;
  bool cancelled_ = false; // the current request was cancelled
  bool closed_ = false;
  std::chrono::steady_clock::time_point started_;
  std::chrono::steady_clock::time_point reported_;
};

} // namespace kevolve
