// Tests the layout of arrays and the physics floor.
#include "backends/judge/geometry.hpp"
#include "backends/judge/memory_need.hpp"
#include "backends/judge/physics.hpp"
#include "tests/support/arguments.hpp"

#include <doctest/doctest.h>

#include <set>

using namespace kevolve;

TEST_CASE("judging takes six times the arguments of the largest shape") {
  contract task;
  task.arguments = {input_argument("x", dtype::f32, {"n"}, "normal"),
                    array_argument("y", argument_role::output, dtype::f64, {"n"}),
                    array_argument("n", argument_role::size, dtype::i64, {})};
  task.shapes = {shape_of("", {{"n", 1000}}), shape_of("", {{"n", 1 << 20}})};
  CHECK(bytes_to_judge(task, task.shapes[0]) == 6 * 1000 * 12);
  CHECK(mebibytes_to_judge(task) == 6 * 12);
  task.shapes.pop_back();
  CHECK(mebibytes_to_judge(task) == 1); // rounded up
}

TEST_CASE("arrays are aligned, guarded and disjoint") {
  contract c;
  c.arguments = {array_argument("a", argument_role::input, dtype::f32, {"n"}),
                 array_argument("b", argument_role::output, dtype::i8, {"3"}),
                 array_argument("n", argument_role::size, dtype::i64, {}),
                 array_argument("z", argument_role::output, dtype::f64, {"n", "n"})};
  c.arguments[3].align = 4096;
  std::vector<array_geometry> g;
  for (const auto& a : c.arguments) {
    auto r = resolve_geometry(a, {{"n", 33}}, {});
    REQUIRE(r.has_value());
    g.push_back(*r);
  }
  const auto layout = lay_out(c, g);
  REQUIRE(layout.places.size() == 3);
  CHECK(layout.places[1].bytes == 3);
  CHECK(layout.places[2].argument == 3);
  CHECK(layout.places[2].offset % 4096 == 0);
  CHECK(layout.places[2].bytes == 33 * 33 * 8);
  size_t from = 0;
  for (const auto& p : layout.places) {
    CHECK(p.offset % 64 == 0);
    CHECK(p.offset >= from + guard_bytes);
    from = p.offset + p.bytes;
  }
  CHECK(layout.total >= from + guard_bytes);
  // Guards and arrays cover the whole arena.
  size_t covered = 0;
  for (const auto& [a, b] : guard_ranges(layout))
    covered += b - a;
  for (const auto& p : layout.places)
    covered += p.bytes;
  CHECK(covered == layout.total);
}

TEST_CASE("arrays have equal offsets in their pages, or random ones") {
  contract c;
  c.arguments = {array_argument("a", argument_role::input, dtype::f32, {"n"}),
                 array_argument("b", argument_role::input, dtype::f32, {"n"}),
                 array_argument("w", argument_role::weight, dtype::f32, {"n"}),
                 array_argument("n", argument_role::size, dtype::i64, {})};
  c.arguments[1].align = 1024;
  c.arguments[2].align = 4096;
  std::vector<array_geometry> g;
  for (const auto& a : c.arguments)
    g.push_back(*resolve_geometry(a, {{"n", 300'000}}, {}));
  const auto alike = lay_out(c, g);
  for (const auto& p : alike.places)
    CHECK(p.offset % 4096 == 0);
  std::set<size_t> first;
  std::set<size_t> second;
  for (uint64_t placement = 1; placement <= 400; ++placement) {
    const auto drawn = lay_out(c, g, placement);
    CHECK(drawn.total == alike.total); // the arena's size is the same for all placements
    first.insert(drawn.places[0].offset % 4096);
    second.insert(drawn.places[1].offset % 4096);
    CHECK(drawn.places[2].offset % 4096 == 0);
    for (size_t i = 0; i < 2; ++i)
      CHECK(drawn.places[i].offset + drawn.places[i].bytes + guard_bytes <= drawn.places[i + 1].offset);
    CHECK(drawn.places[2].offset + drawn.places[2].bytes + guard_bytes <= drawn.total);
  }
  CHECK(first.size() > 55); // of 64 lines
  CHECK(second.size() == 4);
}

TEST_CASE("an array begins within a cache line where the task promises no more") {
  contract c;
  c.arguments = {array_argument("a", argument_role::input, dtype::f32, {"n"})};
  c.arguments[0].align = 4;
  const std::vector<array_geometry> g{*resolve_geometry(c.arguments[0], {{"n", 1000}}, {})};
  std::set<size_t> within;
  for (uint64_t placement = 1; placement <= 400; ++placement)
    within.insert(lay_out(c, g, placement).places[0].offset % 64);
  CHECK(within.size() == 16);
}

TEST_CASE("between fences an array touches the room's front or back, whatever its size") {
  contract c;
  c.arguments = {array_argument("x", argument_role::input, dtype::f32, {"n"}),
                 {},
                 array_argument("y", argument_role::output, dtype::f64, {"n"})};
  c.arguments[1].role = argument_role::size;
  c.arguments[2].align = 256;
  for (const int64_t n : {0, 1, 16, 1000, 1024, 2000}) {
    const std::vector<array_geometry> g{
        *resolve_geometry(c.arguments[0], {{"n", n}}, {}), {}, *resolve_geometry(c.arguments[2], {{"n", n}}, {})};
    const auto rooms = fence_rooms(c, {8000, 0, 16000});
    REQUIRE(rooms.rooms.size() == 2);
    REQUIRE(rooms.fences.size() == 3);
    size_t at = 0;
    for (size_t i = 0; i < 3; ++i) { // fence, room, fence, room, fence: whole pages without gaps
      CHECK(rooms.fences[i].first == at);
      CHECK(rooms.fences[i].second >= at + guard_bytes);
      CHECK(rooms.fences[i].second % 4096 == 0);
      at = rooms.fences[i].second;
      if (i == 2)
        continue;
      CHECK(rooms.rooms[i] == std::pair{at, at + (i == 0 ? size_t{8192} : size_t{16384})});
      at = rooms.rooms[i].second;
    }
    CHECK(rooms.total == at);
    CHECK(rooms.read_only == byte_ranges{rooms.rooms[0]}); // the input's
    const auto front = lay_out_in(rooms, c, g, room_side::front);
    const auto back = lay_out_in(rooms, c, g, room_side::back);
    const size_t bytes[2] = {4 * static_cast<size_t>(n), 8 * static_cast<size_t>(n)};
    const size_t align[2] = {64, 256};
    for (size_t i = 0; i < 2; ++i) {
      CHECK(front.places[i].argument == 2 * i);
      CHECK(front.places[i].offset == rooms.rooms[i].first);
      CHECK(back.places[i].bytes == bytes[i]);
      CHECK(back.places[i].offset % align[i] == 0);
      CHECK(back.places[i].offset + bytes[i] <= rooms.rooms[i].second);
      CHECK(back.places[i].offset + bytes[i] + align[i] > rooms.rooms[i].second);
    }
    CHECK(back.total == rooms.total);
  }
}

TEST_CASE("invalid shapes are refused") {
  auto a = array_argument("a", argument_role::input, dtype::f32, {"n"});
  CHECK(!resolve_geometry(a, {{"n", -1}}, {}));
  CHECK(!resolve_geometry(a, {}, {}));
  CHECK(!resolve_geometry(a, {{"n", int64_t{1} << 40}}, {}));
  a.shape = {"n", "n"};
  CHECK(!resolve_geometry(a, {{"n", int64_t{1} << 20}}, {}));
  a.strides = {"n"};
  CHECK(!resolve_geometry(a, {{"n", 4}}, {}));
  a.strides = {"n - 1", "1"};
  CHECK(!resolve_geometry(a, {{"n", 4}}, {}));
  a.strides = {"n + 1", "1"};
  CHECK(resolve_geometry(a, {{"n", 4}}, {})->span == 19);
  CHECK(resolve_geometry(a, {{"n", 0}}, {})->span == 0);
}

TEST_CASE("the working set counts the arrays without guard bands") {
  call_data d;
  auto x = array_argument("x", argument_role::input, dtype::f32, {"n"});
  d.geometries.push_back(*resolve_geometry(x, {{"n", 1000}}, {}));
  d.geometries.push_back(*resolve_geometry(x, {{"n", 24}}, {}));
  d.geometries.emplace_back(); // a size argument
  CHECK(working_set_bytes(d) == 4096);
}

TEST_CASE("the floor is the largest of work over rate, at the level that holds the data") {
  contract c;
  c.arguments = {array_argument("x", argument_role::input, dtype::f32, {"n"})};
  c.work_flops = "2*n";
  c.work_bytes = "4*n";
  call_data d;
  d.sizes = {{"n", 1'000'000}};
  device_peaks p;
  p.flops_per_second = 1e9;
  p.levels = {{"l1", 32 << 10, 4e12}, {"l2", 1 << 20, 2e12}, {"dram", 0, 1e9}};
  CHECK(*physics_floor_ns(c, d, 1000, p) == doctest::Approx(2e6));
  CHECK(*physics_floor_ns(c, d, 8 << 20, p) == doctest::Approx(4e6));
  c.work_flops.clear();
  CHECK(*physics_floor_ns(c, d, 1000, p) == doctest::Approx(1000.0));
  CHECK(*physics_floor_ns(c, d, 100'000, p) == doctest::Approx(2000.0));
  c.work_bytes.clear();
  CHECK(*physics_floor_ns(c, d, 1000, p) == 0.0);
  c.arguments.push_back(array_argument("y", argument_role::output, dtype::f32, {"n"})); // it is always written
  d.geometries = {*resolve_geometry(c.arguments[0], {{"n", 500}}, {}),
                  *resolve_geometry(c.arguments[1], {{"n", 500}}, {})};
  CHECK(*physics_floor_ns(c, d, 1000, p) == doctest::Approx(0.5));
  c.arguments[1].extent = "n_out"; // the extent is unknown
  CHECK(*physics_floor_ns(c, d, 1000, p) == 0.0);
  c.work_bytes = "nonsense";
  CHECK(!physics_floor_ns(c, d, 1000, p));
}
