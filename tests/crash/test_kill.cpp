// Tests that kill -9 at any moment leaves a prefix of the written events that contains all acknowledged ones.
#include "work.hpp"

#include <doctest/doctest.h>

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <random>

namespace kevolve::test {

namespace {

struct committer {
  pid_t pid = -1;
  int acknowledgements = -1;
};

committer start(const std::string& directory) {
  int ends[2];
  REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
  auto pid = ::fork();
  REQUIRE(pid >= 0);
  if (pid == 0) {
    ::dup2(ends[1], STDOUT_FILENO);
    ::execl(CRASH_COMMITTER, CRASH_COMMITTER, directory.c_str(), nullptr);
    ::_exit(127);
  }
  ::close(ends[1]);
  return {pid, ends[0]};
}

// Reads acknowledgements for that time, kills the committer, and reads the rest of the pipe. Returns the last one.
uint64_t kill_after(const committer& c, std::chrono::microseconds life) {
  uint64_t last = 0;
  uint64_t number = 0;
  auto end = std::chrono::steady_clock::now() + life;
  auto read_one = [&] {
    if (::read(c.acknowledgements, &number, sizeof number) != sizeof number)
      return false;
    last = number;
    return true;
  };
  for (;;) {
    auto left = std::chrono::duration_cast<std::chrono::nanoseconds>(end - std::chrono::steady_clock::now());
    if (left.count() <= 0)
      break;
    pollfd p{c.acknowledgements, POLLIN, 0};
    timespec wait{left.count() / 1000000000, left.count() % 1000000000};
    if (::ppoll(&p, 1, &wait, nullptr) == 1 && !read_one())
      break;
  }
  ::kill(c.pid, SIGKILL);
  while (read_one()) {
  }
  ::close(c.acknowledgements);
  int status = 0;
  REQUIRE(::waitpid(c.pid, &status, 0) == c.pid);
  REQUIRE(WIFSIGNALED(status));
  REQUIRE(WTERMSIG(status) == SIGKILL);
  return last;
}

// Checks the log from `from` on, with everything written in the same batches. Returns its length.
uint64_t check_from(const std::string& directory, uint64_t from) {
  auto opened = store::open(directory);
  if (!opened)
    FAIL(to_string(opened.error()));
  auto& s = **opened;
  auto events = s.read_global(from, SIZE_MAX);
  if (!events)
    FAIL(to_string(events.error()));
  for (auto n = from; n < from + events->size(); ++n) {
    REQUIRE((*events)[n - from].sequence == n);
    REQUIRE((*events)[n - from].payload == payload_of(n));
    REQUIRE((*events)[n - from].campaign == campaign_of(n));
    REQUIRE(s.get(table::nodes, key_of({0, n})).value() == payload_of(n));
  }
  auto length = s.last_sequence();
  REQUIRE(length + 1 == from + events->size());
  if (length > 0) {
    REQUIRE(s.get(table::nodes, "length").value() == std::to_string(length));
    REQUIRE(s.get(table::skills, key_of({1, length % 7})).value() == payload_of(length));
  }
  REQUIRE(!s.get(table::nodes, key_of({0, length + 1})).value());
  uint64_t by_campaign = 0;
  auto campaigns = s.campaigns().value();
  for (const auto& c : campaigns)
    by_campaign += c.last_campaign_sequence;
  REQUIRE(by_campaign == length);
  return length;
}

} // namespace

TEST_CASE("after kill -9 at any moment the log is a prefix with everything acknowledged") {
  const auto* text = std::getenv("KEVOLVE_CRASH_ROUNDS");
  const auto rounds = text != nullptr ? std::strtoull(text, nullptr, 10) : 20;
  const auto* seed_text = std::getenv("KEVOLVE_CRASH_SEED");
  const auto seed = seed_text != nullptr ? std::strtoull(seed_text, nullptr, 10) : std::random_device{}();
  MESSAGE(rounds << " kills, KEVOLVE_CRASH_SEED=" << seed);
  std::mt19937_64 random{seed};
  auto directory = (std::filesystem::temp_directory_path() / "kevolve-crash-XXXXXX").string();
  REQUIRE(::mkdtemp(directory.data()) != nullptr);
  uint64_t length = 0;
  for (unsigned long long round = 0; round < rounds; ++round) {
    CAPTURE(round);
    // Kills it between its opening and hundreds of commits.
    auto acknowledged = kill_after(start(directory), std::chrono::microseconds{random() % 250000});
    CAPTURE(acknowledged);
    auto now = check_from(directory, length > 200 ? length - 200 : 1);
    REQUIRE(now >= acknowledged);
    REQUIRE(now >= length);
    length = now;
  }
  CHECK(check_from(directory, 1) == length);
  CHECK(length > rounds);
  MESSAGE(length << " events survived");
  std::filesystem::remove_all(directory);
}

} // namespace kevolve::test
