// A real compile server for a test, with its caches in the test's folder.
#pragma once

#include "backends/protocol.hpp"
#include "runtime/base/channel.hpp"

#include <sys/types.h>

#include <string>
#include <vector>

namespace kevolve::testing {

// A temporary folder that is removed at the end.
class scratch_folder {
public:
  scratch_folder();
  ~scratch_folder();
  scratch_folder(const scratch_folder&) = delete;
  scratch_folder& operator=(const scratch_folder&) = delete;
  const std::string& path() const { return path_; }

private:
  std::string path_;
};

struct server_setup {
  std::string program = "kevolve-compile-server";
  std::string cache;                                 // empty: a folder shared by all tests of this process
  std::string scratch;                               // empty: the test's own folder
  std::string path = "/usr/local/bin:/usr/bin:/bin"; // search path for compilers
  std::vector<std::string> more;                     // further arguments
};

class server_fixture {
public:
  explicit server_fixture(const server_setup& setup = {});
  ~server_fixture();
  server_fixture(const server_fixture&) = delete;
  server_fixture& operator=(const server_fixture&) = delete;

  channel& link() { return link_; }
  pid_t pid() const { return pid_; }
  const std::string& scratch() const { return scratch_; }
  helper_hello hello();

  void send(const compile_request& request);
  // Returns the next outcome and counts the progress frames before it.
  compile_outcome outcome();
  compile_outcome compile(const compile_request& request);
  int progress_frames() const { return progress_; }
  // Waits for a progress frame.
  void await_progress();
  // Closes the channel without waiting and returns the process's id.
  pid_t abandon();
  // Closes the channel and waits for the server's end. Returns the status as from waitpid.
  int stop();

private:
  scratch_folder own_;
  std::string scratch_;
  channel link_;
  pid_t pid_ = -1;
  int progress_ = 0;
};

compile_request request_for(std::string source, std::string flags = "O3");

// Returns a small source that takes the optimiser many seconds and little memory.
std::string slow_source();

// A compiled object, loaded into this process.
class loaded_object {
public:
  explicit loaded_object(const std::string& bytes);
  ~loaded_object();
  loaded_object(const loaded_object&) = delete;
  loaded_object& operator=(const loaded_object&) = delete;

  template <class F>
  F* entry(const char* name) const {
    return reinterpret_cast<F*>(find(name));
  }

private:
  void* find(const char* name) const;
  scratch_folder folder_;
  void* handle_ = nullptr;
};

} // namespace kevolve::testing
