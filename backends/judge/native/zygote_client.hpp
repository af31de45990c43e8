// The judge's side of kevolve-zygote: starts it, starts it again when it has died, asks it for children.
#pragma once

#include "backends/judge/zygote/wire.hpp"
#include "runtime/base/result.hpp"

#include <sys/types.h>

#include <string>
#include <vector>

namespace kevolve {

class zygote_client {
public:
  // `path`: the executable. `cores`: all that a child may ever be given; the thread runtimes count them.
  zygote_client(std::string path, std::vector<int> cores);
  zygote_client(const zygote_client&) = delete;
  zygote_client& operator=(const zygote_client&) = delete;
  ~zygote_client();

  result<void> start();
  // Sets the libraries that its children find loaded beside C's library; another list starts another zygote.
  // errc::not_found if one of them does not load.
  result<void> provide(const std::vector<std::string>& libraries);
  // Starts a child of this process. Restarts a dead zygote once before it gives up.
  result<pid_t> launch(const wire::launch_request& request, int object_fd, int arena_fd, int command_fd);

  // Returns the layers, such as "landlock7+seccomp+rlimits+userns+netns+ipcns+utsns".
  const std::string& sandbox_level() const { return level_; }
  uint32_t restarts() const { return restarts_; }
  pid_t pid() const { return pid_; }

private:
  void stop();
  result<pid_t> try_launch(const wire::launch_request& request, int object_fd, int arena_fd, int command_fd);

  std::string path_;
  std::vector<int> cores_;
  std::vector<std::string> libraries_;
  std::string level_;
  int control_ = -1;
  pid_t pid_ = -1;
  uint32_t restarts_ = 0;
};

} // namespace kevolve
