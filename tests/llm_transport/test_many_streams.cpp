// Measures our cost per call with 200 simultaneous streams. The provider is another process.
#include "tests/llm_transport/calls.hpp"
#include "tests/llm_transport/certificates.hpp"
#include "tests/llm_transport/many_streams.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <malloc.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <fstream>
#include <mutex>

using namespace kevolve;
using namespace kevolve::test;

namespace {

constexpr size_t streams = 200;

struct other_process {
  explicit other_process(const certificate_files& files) {
    std::array<int, 2> to{};
    std::array<int, 2> from{};
    REQUIRE(::pipe2(to.data(), O_CLOEXEC) == 0);
    REQUIRE(::pipe2(from.data(), O_CLOEXEC) == 0);
    posix_spawn_file_actions_t files_of_child;
    posix_spawn_file_actions_init(&files_of_child);
    posix_spawn_file_actions_adddup2(&files_of_child, to[0], 0);
    posix_spawn_file_actions_adddup2(&files_of_child, from[1], 1);
    std::array<std::string, 5> words{"/proc/self/exe", "--serve-streams", files.certificate, files.key, "token "};
    std::array<char*, 6> argv{};
    std::transform(words.begin(), words.end(), argv.begin(), [](std::string& w) { return w.data(); });
    REQUIRE(::posix_spawn(&pid, words[0].c_str(), &files_of_child, nullptr, argv.data(), environ) == 0);
    posix_spawn_file_actions_destroy(&files_of_child);
    ::close(to[0]);
    ::close(from[1]);
    in = to[1];
    const std::unique_ptr<FILE, int (*)(FILE*)> out{::fdopen(from[0], "r"), std::fclose};
    std::array<char, 64> said{};
    REQUIRE(std::fgets(said.data(), said.size(), out.get()) != nullptr);
    const std::string line{said.data()};
    port = line.substr(0, line.find(' '));
    path = line.substr(line.find(' ') + 1, line.find('\n') - line.find(' ') - 1);
  }
  ~other_process() {
    ::close(in);
    ::waitpid(pid, nullptr, 0);
  }
  other_process(const other_process&) = delete;
  other_process& operator=(const other_process&) = delete;

  pid_t pid = 0;
  int in = -1;
  std::string port;
  std::string path;
};

// Returns our resident pages, after returning free memory to the system.
size_t memory() {
  ::malloc_trim(0);
  std::ifstream in{"/proc/self/statm"};
  size_t all = 0;
  size_t resident = 0;
  in >> all >> resident;
  return resident * static_cast<size_t>(::sysconf(_SC_PAGESIZE));
}

struct measured {
  std::vector<attempt_end> ends;
  size_t bytes_a_stream = 0;
  size_t buffer_bytes = 0;
};

measured run(const std::string& url, const std::string& ca_file, const other_process& provider) {
  transport_options options;
  options.pool.per_origin = options.pool.total = 0; // every stream opens its own connection
  model_transport transport{options};
  measured out;
  std::mutex guard;
  std::condition_variable changed;
  std::vector<size_t> pieces(streams);
  size_t begun = 0;
  const auto before = memory();
  std::vector<std::promise<attempt_handle>> started(streams);
  for (size_t i = 0; i < streams; ++i) {
    auto a = attempt_at(url);
    a.network.ca_file = ca_file;
    const auto handle = std::make_shared<std::shared_future<attempt_handle>>(started[i].get_future().share());
    auto s = transport.start(
        a,
        [&, i, handle](const std::vector<llm::event>& events) {
          handle->get().took();
          const std::lock_guard lock{guard};
          begun += pieces[i] == 0 ? 1U : 0U;
          pieces[i] += events.size();
          changed.notify_all();
        },
        [&](attempt_end e) {
          const std::lock_guard lock{guard};
          out.ends.push_back(std::move(e));
          changed.notify_all();
        });
    REQUIRE(s);
    started[i].set_value(*s);
  }
  std::unique_lock lock{guard};
  REQUIRE(changed.wait_for(lock, 240s, [&] { return begun == streams; }));
  CHECK(transport.figures().in_flight == streams);
  CHECK(out.ends.empty());
  lock.unlock();
  out.bytes_a_stream = (memory() - std::min(before, memory())) / streams;
  REQUIRE(::write(provider.in, "\n", 1) == 1);
  lock.lock();
  REQUIRE(changed.wait_for(lock, 240s, [&] { return out.ends.size() == streams; }));
  out.buffer_bytes = transport.figures().most_buffer_bytes;
  return out;
}

void report(const char* what, measured& m) {
  std::sort(m.ends.begin(), m.ends.end(),
            [](const auto& a, const auto& b) { return a.times.own_cpu < b.times.own_cpu; });
  const auto cpu = [&](size_t at) { return static_cast<double>(m.ends[at].times.own_cpu.count()) / 1e6; };
  double sum = 0.0;
  for (size_t i = 0; i < streams; ++i)
    sum += cpu(i);
  MESSAGE(std::string{what} << ": " << streams << " streams of " << pieces_of_a_stream
                            << " pieces at once; own CPU a call " << sum / streams << " ms mean, " << cpu(streams / 2)
                            << " median, " << cpu(streams * 99 / 100) << " p99; " << m.bytes_a_stream / 1024
                            << " KiB resident a stream, buffers of at most " << m.buffer_bytes / 1024 << " KiB each");
}

void check(const measured& m) {
  for (const auto& end : m.ends) {
    CHECK(end.outcome == attempt_outcome::answered);
    CHECK(end.reply.text.size() == pieces_of_a_stream * 6);
  }
  CHECK(m.buffer_bytes <= 64 * 1024 + 8 * 1024);
}

} // namespace

TEST_CASE("200 streams at once, plain") {
  const other_process provider{{}};
  auto m = run("http://127.0.0.1:" + provider.port + provider.path, {}, provider);
  check(m);
  report("plain", m);
}

TEST_CASE("200 streams at once, TLS") {
  temporary_folder folder;
  const authority ca{folder.path(), "ca"};
  const other_process provider{ca.issue("leaf", "IP:127.0.0.1", 3600)};
  auto m = run("https://127.0.0.1:" + provider.port + provider.path, ca.certificate(), provider);
  check(m);
  report("TLS", m);
}
