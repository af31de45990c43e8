#include "backends/judge/work_clock.hpp"

#include <doctest/doctest.h>

#include <condition_variable>
#include <mutex>
#include <thread>

using namespace kevolve;
using namespace std::chrono_literals;

TEST_CASE("a clock of work goes on with this thread's work and added calls, and stands still while others work") {
  work_clock mine;
  std::mutex mutex;
  std::condition_variable done;
  bool over = false;
  std::thread other{[&] {
    const work_clock its;
    while (its.spent() < 50ms) { // its own work
    }
    const std::lock_guard lock{mutex};
    over = true;
    done.notify_one();
  }};
  {
    std::unique_lock lock{mutex};
    done.wait(lock, [&] { return over; });
  }
  other.join();
  CHECK(mine.spent() < 50ms);
  const auto before = mine.spent();
  mine.add(7ms);
  CHECK(mine.spent() >= before + 7ms);
  const work_clock working;
  while (working.spent() < 1ms) {
  }
  CHECK(mine.spent() >= before + 8ms);
}
