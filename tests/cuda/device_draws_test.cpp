// The examiner's kernel that draws, on a device, beside the same code on the host. Reports if there is no device.
#include "backends/judge/random_stream.hpp"
#include "backends/nvidia/examiner/draws.hpp"
#include "backends/nvidia/runner/examiner_session.hpp"
#include "tests/cuda/runner_driver.hpp"

#include <doctest/doctest.h>

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <vector>

using namespace kevolve;
using namespace kevolve::cuda;
using namespace kevolve::testing;

namespace {

constexpr uint64_t count = 3'000'001; // no whole number of blocks
constexpr uint64_t room = count * 8 + 4096;

draw_order order_of(draw_kind kind, element type) {
  draw_order out;
  out.kind = kind;
  out.type = type;
  random_stream random{99};
  for (auto& word : out.key)
    word = static_cast<uint32_t>(random.next());
  out.stream = 5;
  out.count = out.span = count;
  out.first = kind == draw_kind::pairs || kind == draw_kind::constant ? 1.5 : -0.5;
  out.second = kind == draw_kind::large ? 39.86 : 2.5;
  out.low = -100;
  out.range = 1001;
  out.row = 1000;
  return out;
}

} // namespace

TEST_CASE("a device draws the bits that the host draws") {
  if (const auto why = why_no_device(); !why.empty()) {
    MESSAGE("skipped: " << why);
    return;
  }
  examiner_session session;
  const auto ready = session.open(0);
  REQUIRE_MESSAGE(ready.how.status == 0, ready.how.detail);
  if (!ready.unfit.empty()) {
    MESSAGE("skipped: " << ready.unfit);
    return;
  }
  const auto fd = memfd_create("kevolve-test", MFD_CLOEXEC);
  REQUIRE(ftruncate(fd, static_cast<off_t>(room)) == 0);
  auto* host = static_cast<unsigned char*>(mmap(nullptr, room, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
  REQUIRE(host != MAP_FAILED);
  REQUIRE(session.attach({room}, fd).how.status == 0);
  REQUIRE(session.hold({1, room}).how.status == 0);
  std::vector<draw_order> orders;
  for (const auto type : {element::f16, element::bf16, element::f32, element::f64})
    for (const auto kind : {draw_kind::normal, draw_kind::uniform, draw_kind::integer, draw_kind::large,
                            draw_kind::pairs, draw_kind::special_normal, draw_kind::special_uniform})
      orders.push_back(order_of(kind, type));
  for (uint32_t variant = 1; variant < 10; ++variant) {
    orders.push_back(order_of(draw_kind::large, element::f32));
    orders.back().variant = variant;
  }
  for (const auto type : {element::bytes1, element::bytes2, element::bytes4, element::bytes8})
    for (const auto kind : {draw_kind::integer, draw_kind::boolean, draw_kind::constant})
      orders.push_back(order_of(kind, type));
  orders.push_back(order_of(draw_kind::normal, element::f32));
  auto& rows = orders.back();
  rows.contiguous = 0;
  rows.rank = 2;
  rows.dims[0] = 1000;
  rows.dims[1] = 990;
  rows.strides[0] = 1001;
  rows.strides[1] = 1;
  rows.count = 990'000;
  rows.span = 999 * 1001 + 990;
  double milliseconds = 0.0;
  for (const auto& o : orders) {
    const auto drawn = session.draw({1, std::string{reinterpret_cast<const char*>(&o), sizeof(o)}});
    REQUIRE_MESSAGE(drawn.how.status == 0, drawn.how.detail);
    milliseconds += drawn.work_ns / 1e6;
    const auto bytes = o.span * width_of(o.type);
    REQUIRE(session.bring_set({1, 0, bytes}).how.status == 0);
    std::vector<unsigned char> expected(bytes);
    draw(expected.data(), o, {});
    CHECK_MESSAGE(std::memcmp(expected.data(), host, bytes) == 0, "kind " << static_cast<int>(o.kind) << ", type "
                                                                          << static_cast<int>(o.type) << ", variant "
                                                                          << o.variant);
  }
  std::printf("%zu arrays of %llu elements drawn in %.2f ms of the device\n", orders.size(),
              static_cast<unsigned long long>(count), milliseconds);
  munmap(host, room);
}

// The figures go to the output.
TEST_CASE("bench: a GiB drawn" * doctest::skip()) {
  REQUIRE(why_no_device().empty());
  examiner_session session;
  REQUIRE(session.open(0).how.status == 0);
  constexpr uint64_t bytes = uint64_t{1} << 30U;
  REQUIRE(session.hold({1, bytes}).how.status == 0);
  for (const auto type : {element::f16, element::f32, element::f64})
    for (const auto kind : {draw_kind::normal, draw_kind::uniform}) {
      auto o = order_of(kind, type);
      o.count = o.span = bytes / width_of(type);
      double least = 1e300;
      for (int i = 0; i < 3; ++i)
        least = std::min(least, session.draw({1, std::string{reinterpret_cast<const char*>(&o), sizeof(o)}}).work_ns);
      std::printf("kind %d, type %d: %.2f ms a GiB\n", static_cast<int>(kind), static_cast<int>(type), least / 1e6);
    }
}
