#include "actors/evaluation/profiler_client.hpp"

#include "backends/helper_words.hpp"
#include "runtime/base/channel.hpp"
#include "runtime/base/helper_process.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>

namespace kevolve {

namespace {

constexpr auto grace = std::chrono::seconds{90}; // its wait for the core, and its start
constexpr std::chrono::milliseconds look_every{200};

// A helper that ends with this object.
class child {
public:
  child() = default;
  child(const child&) = delete;
  child& operator=(const child&) = delete;
  ~child() {
    link.close();
    if (pid > 0) {
      ::kill(pid, SIGKILL);
      ::waitpid(pid, nullptr, 0);
    }
  }

  result<void> start(const helper_command& how) {
    auto pair = make_channel_pair();
    if (!pair)
      return tl::unexpected(pair.error());
    auto words = how.argv;
    std::vector<std::string> settings;
    for (const auto& [name, value] : how.environment)
      settings.push_back(name + "=" + value);
    const auto pointers = [](std::vector<std::string>& from) {
      std::vector<char*> out;
      for (auto& x : from)
        out.push_back(x.data());
      out.push_back(nullptr);
      return out;
    };
    const auto argv = pointers(words);
    const auto environment_words = pointers(settings);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, pair->second.fd(), helper_socket_fd);
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    const auto failed = ::posix_spawn(&pid, argv[0], &actions, nullptr, argv.data(), environment_words.data());
    posix_spawn_file_actions_destroy(&actions);
    if (failed != 0) {
      pid = -1;
      return failed == ENOENT
                 ? fail(errc::not_found, words[0] + " is missing: build all programs (cmake --build build)")
                 : result<void>{tl::unexpected(from_errno(failed, words[0]))};
    }
    link = std::move(pair->first);
    return {};
  }

  pid_t pid = -1;
  channel link;
};

} // namespace

helper_command profiler_command(const std::string& helper_dir, const target_options& options) {
  helper_command out{{helper_dir + "/kevolve-profiler"}, helper_environment(), {}};
  accept_weakness(out.argv, options);
  // The places of the driver, of the vendor's tools and of Python, and the devices that may be used.
  for (const auto* name : {"LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES", "KEVOLVE_CUPTI",
                           "KEVOLVE_NCU", "KEVOLVE_PYTHON"})
    if (auto value = environment(name); !value.empty())
      out.environment[name] = std::move(value);
  out.environment["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID";
  return out;
}

result<profiler_answer> run_profiler(const helper_command& how, const profile_job& job,
                                     const std::function<void(const std::string& pass)>& starts,
                                     const std::function<bool()>& given_up) {
  using std::chrono::milliseconds;
  using std::chrono::steady_clock;
  child helper;
  if (auto ok = helper.start(how); !ok)
    return tl::unexpected(ok.error());
  if (auto ok = helper.link.send_message(profile_frame::job, job); !ok)
    return tl::unexpected(ok.error());
  profiler_answer out;
  const auto end = steady_clock::now() + milliseconds{job.limit_ms} + most_wait_for_core + grace;
  for (;;) {
    const auto left = std::chrono::duration_cast<milliseconds>(end - steady_clock::now());
    if (given_up && given_up())
      return fail(errc::cancelled, "nobody waits for the profile any more");
    auto got = helper.link.receive(std::clamp(left, milliseconds{1}, given_up ? look_every : milliseconds::max()));
    if (!got && got.error().code == errc::timed_out && left > look_every)
      continue;
    if (!got) {
      out.died = "kevolve-profiler ended before its last pass: " + got.error().detail;
      return out;
    }
    switch (static_cast<profile_frame>(got->kind)) {
      case profile_frame::progress:
        starts(got->payload);
        break;
      case profile_frame::outcome:
        if (auto x = decode<pass_outcome>(got->payload))
          out.passes.push_back(std::move(*x));
        break;
      case profile_frame::end: {
        const auto x = decode<profile_end>(got->payload);
        if (!x)
          return tl::unexpected(x.error());
        if (x->trouble)
          return fail(errc::unavailable, x->trouble.kind + ": " + x->trouble.detail);
        out.sandbox_level = x->sandbox_level;
        return out;
      }
      case profile_frame::job:
        break;
    }
  }
}

} // namespace kevolve
