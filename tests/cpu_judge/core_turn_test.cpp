#include "backends/judge/core_turn.hpp"

#include <doctest/doctest.h>

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <functional>
#include <optional>
#include <thread>
#include <utility>

using namespace kevolve;
using namespace std::chrono_literals;

namespace {

result<core_turn> take(std::chrono::milliseconds limit, int* waits = nullptr, bool given_up = false) {
  auto count = [waits] {
    if (waits != nullptr)
      ++*waits;
  };
  return core_turn::take(0, limit, count, [given_up] { return given_up; });
}

struct channel_of_letters {
  channel_of_letters() { REQUIRE(::pipe(ends) == 0); }
  ~channel_of_letters() {
    ::close(ends[0]);
    ::close(ends[1]);
  }
  channel_of_letters(const channel_of_letters&) = delete;
  channel_of_letters& operator=(const channel_of_letters&) = delete;
  void write(char c) const { (void)!::write(ends[1], &c, 1); }
  char read() const {
    char c = 0;
    return ::read(ends[0], &c, 1) == 1 ? c : '-';
  }
  int ends[2] = {-1, -1};
};

// Another process on this machine. It is killed if it still runs at the end.
struct other_process {
  explicit other_process(const std::function<void()>& what) : pid(::fork()) {
    if (pid != 0)
      return;
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    what();
    ::_exit(0);
  }
  ~other_process() { kill(); }
  other_process(const other_process&) = delete;
  other_process& operator=(const other_process&) = delete;
  void kill() {
    if (pid > 0) {
      ::kill(pid, SIGKILL);
      ::waitpid(pid, nullptr, 0);
    }
    pid = -1;
  }
  pid_t pid;
};

// Writes 'w' while it waits and 'T' once it has the turn; holds it until it may go on.
void take_a_turn(const channel_of_letters& out, const channel_of_letters* go_on = nullptr) {
  auto turn = core_turn::take(0, 60s, [&] { out.write('w'); }, [] { return false; });
  out.write('T');
  if (go_on != nullptr)
    go_on->read();
}

// Returns a turn that a test can release, also in a forked process, which has a copy of it.
std::optional<core_turn> mine_now() {
  auto t = take(60s);
  REQUIRE(t);
  return std::optional<core_turn>{std::move(*t)};
}

char next_but(char c, const channel_of_letters& in) {
  auto x = in.read();
  while (x == c)
    x = in.read();
  return x;
}

} // namespace

TEST_CASE("a core has one exclusive holder, and a waiter comes next") {
  int waits = 0;
  auto first = take(10s, &waits);
  REQUIRE(first);
  CHECK(waits == 0);
  auto refused = take(1ms, &waits);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == errc::timed_out);
  auto left = take(10s, &waits, true);
  REQUIRE_FALSE(left);
  CHECK(left.error().code == errc::cancelled);
  CHECK(waits == 2);
  CHECK_FALSE(take(1500ms, &waits));
  CHECK(waits >= 4); // reported again within the second
  std::optional<core_turn> held{std::move(*first)};
  std::thread other{[&] { held.reset(); }};
  CHECK(take(60s, &waits));
  other.join();
}

TEST_CASE("turns at different cores are independent, and unknown cores are not locked") {
  auto here = take(10s);
  REQUIRE(here);
  for (auto core : {1, 100'000}) {
    int waits = 0;
    CHECK(core_turn::take(core, 60s, [&] { ++waits; }, [] { return false; }));
    CHECK(waits == 0);
  }
}

TEST_CASE("a holder that wants the core again at once lets waiters go first") {
  for (int round = 0; round < 20; ++round) {
    CAPTURE(round);
    auto mine = mine_now();
    channel_of_letters order;
    other_process other{[&] {
      mine.reset();
      take_a_turn(order);
    }};
    REQUIRE(order.read() == 'w');
    mine.reset();
    {
      auto again = take(60s);
      order.write('A');
    }
    CHECK(next_but('w', order) == 'T');
    CHECK(next_but('w', order) == 'A');
  }
}

TEST_CASE("a killed waiter's place goes to the next, and a killed holder's turn as well") {
  auto mine = mine_now();
  channel_of_letters first_says;
  channel_of_letters second_says;
  channel_of_letters go_on;
  other_process first{[&] {
    mine.reset();
    take_a_turn(first_says);
  }};
  REQUIRE(first_says.read() == 'w');
  other_process second{[&] {
    mine.reset();
    take_a_turn(second_says, &go_on);
  }};
  REQUIRE(second_says.read() == 'w'); // waits behind the first
  first.kill();
  mine.reset();
  CHECK(next_but('w', second_says) == 'T');
  bool killed = false;
  auto kill_it = [&] {
    second.kill();
    killed = true;
  };
  CHECK(core_turn::take(0, 60s, kill_it, [] { return false; }));
  CHECK(killed);
}

TEST_CASE("many can share a core, one can have it alone, and a waiter for that precedes new sharers") {
  auto one = core_turn::try_share(0);
  auto two = core_turn::try_share(0);
  REQUIRE(one);
  REQUIRE(two);
  CHECK_FALSE(take(1ms));
  channel_of_letters says;
  channel_of_letters go_on;
  other_process alone{[&] {
    one.reset();
    two.reset();
    take_a_turn(says, &go_on);
  }};
  REQUIRE(says.read() == 'w');
  CHECK_FALSE(core_turn::try_share(0));
  one.reset();
  two.reset();
  CHECK(next_but('w', says) == 'T');
  CHECK_FALSE(core_turn::try_share(0));
  int waits = 0;
  const auto let_go = [&] {
    if (++waits == 1)
      go_on.write('g');
  };
  CHECK(core_turn::share(0, 60s, let_go, [] { return false; }));
  CHECK(waits >= 1);
}

TEST_CASE("the free ones of several cores are shared, and all can be held at once") {
  {
    const auto mine = mine_now();
    const auto some = share_cores({0, 1}, 60s, [](int) { FAIL("waited"); }, [] { return false; });
    REQUIRE(some);
    CHECK(some->cores == std::vector<int>{1});
    const auto none = share_cores({0}, 1ms, [](int core) { CHECK(core == 0); }, [] { return false; });
    REQUIRE_FALSE(none);
    CHECK(none.error().code == errc::timed_out);
    CHECK_FALSE(take_cores({1, 0}, 1ms, [](int) {}, [] { return false; }));
  }
  const auto all = take_cores({1, 0, 1}, 60s, [](int) { FAIL("waited"); }, [] { return false; });
  REQUIRE(all);
  CHECK(all->size() == 2);
}

TEST_CASE("the holder of a core and its start are visible to every process") {
  using std::chrono::system_clock;
  auto now_ms = [] {
    return std::chrono::duration_cast<std::chrono::milliseconds>(system_clock::now().time_since_epoch()).count();
  };
  const auto before = now_ms();
  {
    auto mine = mine_now();
    auto holder = holder_of(0);
    REQUIRE(holder);
    CHECK(holder->pid == ::getpid());
    CHECK(holder->command.find("judge-parts-test") == 0);
    CHECK(holder->since_ms >= before);
    CHECK(holder->since_ms <= now_ms());
    holder->since_ms = now_ms() - 12'345;
    CHECK(describe(holder).find("held by " + std::to_string(::getpid()) + " (judge-parts-test") == 0);
    CHECK(describe(holder).find(") for 12 s") != std::string::npos);
    // A waiting process is not the holder.
    channel_of_letters says;
    other_process waiter{[&] {
      mine.reset();
      take_a_turn(says);
    }};
    REQUIRE(says.read() == 'w');
    CHECK(holder_of(0)->pid == ::getpid());
  }
  // The holder is reported as the program that its judge works for, since a person can end that.
  channel_of_letters says;
  channel_of_letters go_on;
  other_process judge{[&] {
    ::prctl(PR_SET_NAME, "kevolve-judge");
    take_a_turn(says, &go_on);
  }};
  CHECK(next_but('w', says) == 'T');
  REQUIRE(holder_of(0));
  CHECK(holder_of(0)->pid == ::getpid());
  judge.kill();
  CHECK_FALSE(holder_of(0));
  CHECK(describe(std::nullopt) == "held by a process that cannot be seen from here");
}
