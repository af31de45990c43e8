// The examiner's kernel, compiled for the host, beside the host's own rules: what it lays out, what it accepts, what it
// finds. No device and no driver.
#include "backends/judge/call_check.hpp"
#include "backends/judge/numbers.hpp"
#include "backends/judge/random_stream.hpp"
#include "backends/nvidia/examiner/loops.hpp"
#include "backends/nvidia/runner/examination.hpp"
#include "tests/support/judge_tasks.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

using namespace kevolve;
using namespace kevolve::cuda;

namespace {

constexpr uint64_t threads = 5;
constexpr dtype every_type[]{dtype::f16, dtype::bf16, dtype::f32, dtype::f64,    dtype::i8,
                             dtype::u8,  dtype::i32,  dtype::i64, dtype::boolean};

// Runs a piece as a launch does: several threads, whose findings are combined.
finding run(byte_buffer& arena, byte_buffer& set, byte_buffer& kept, const piece& p) {
  finding out;
  auto* block = reinterpret_cast<unsigned char*>((p.block == 0 ? set : kept).data());
  for (uint64_t t = 0; t < threads; ++t) {
    const auto f = examine(reinterpret_cast<unsigned char*>(arena.data()), block, p, {t, threads});
    out.bad += f.bad;
    out.max_abs = std::max(out.max_abs, f.max_abs);
    out.max_rel = std::max(out.max_rel, f.max_rel);
    out.max_ulp = std::max(out.max_ulp, f.max_ulp);
    out.largest = std::max(out.largest, f.largest);
  }
  return out;
}

// Returns a task with everything that the examiner must handle: strides, a growing table, a counted prefix.
contract odd_task(dtype type) {
  contract c;
  c.name = c.entry = "odd";
  c.language = std::string(1, 'c');
  c.arguments = {array_argument("x", argument_role::input, type, {"rows", "cols"}),
                 array_argument("table", argument_role::inout, type, {"rows", "3"}),
                 array_argument("y", argument_role::output, type, {"rows", "cols"}),
                 array_argument("z", argument_role::output, type, {"rows", "cols"}),
                 array_argument("found", argument_role::output, dtype::i64, {"1"}),
                 size_argument("rows"),
                 size_argument("cols")};
  c.arguments[1].strides = {"7", "2"};
  c.arguments[2].strides = {"cols+3", "1"};
  if (size_bytes(type) != 2)
    c.arguments[3].strides = {"cols+1", "1"};
  c.arguments[3].extent = "found";
  c.arguments[3].tail_untouched = true;
  c.shapes = {shape_of("odd", {{"rows", 9}, {"cols", 13}})};
  tolerance t;
  t.relative = 1e-2;
  t.absolute = 1e-2;
  c.tolerances = {t};
  if (!is_floating(type)) {
    for (auto& a : c.arguments)
      a.fill = {"integer", 0.0, 1.0, 0.0, 100.0, "", 1.0};
    c.tolerances[0].mode = tolerance_mode::exact;
  }
  return c;
}

// One call's data and expected values, on the host and in the examiner's form.
struct scene {
  contract task;
  input_sets inputs;
  input_set& set;
  resident_set where;
  shared_arena shared;
  byte_buffer resident;
  byte_buffer arena;
  byte_buffer kept;
  arena_view view;
  uint64_t poison;

  scene(dtype type, uint64_t seed, bool wide, uint64_t pattern)
      : task(odd_task(type)), set(inputs.sets.emplace_back()), poison(pattern) {
    set.data = draw_call(task, task.shapes.front(), {.seed = seed}).value();
    set.layout = lay_out(task, set.data.geometries, seed);
    set.expected.resize(task.arguments.size());
    set.reference_output.resize(task.arguments.size());
    set.by_oracle = true;
    inputs.reference_error.assign(task.arguments.size(), 0.0);
    random_stream random{seed};
    for (size_t i = 1; i < 5; ++i) {
      const auto& g = set.data.geometries[i];
      auto& e = set.expected[i];
      e.type = wide && is_floating(g.type) ? dtype::f64 : g.type;
      e.values = byte_buffer(static_cast<size_t>(g.count) * size_bytes(e.type));
      set.reference_output[i] = byte_buffer(static_cast<size_t>(g.count) * size_bytes(g.type));
      for (int64_t k = 0; k < g.count; ++k) {
        const auto x = i == 4                ? 5.0
                       : is_floating(g.type) ? random.uniform() * 4 - 2
                                             : std::floor(random.uniform() * 90);
        store_number(g.type, set.reference_output[i].data(), k, x);
        store_number(e.type, e.values.data(), k, load_number(g.type, set.reference_output[i].data(), k));
      }
    }
    REQUIRE(shared.prepare(set.layout.total));
    where = place_set(set);
    resident = byte_buffer(where.bytes);
    for (const auto* parts : {&where.inputs, &where.expected, &where.reference})
      for (const auto& part : *parts)
        if (part.bytes != nullptr)
          std::memcpy(resident.data() + part.at, part.bytes->data(), part.bytes->size());
    view = {8192, set.layout.total + 3 * 4096};
    arena = byte_buffer(view.bytes);
    kept = byte_buffer(set.layout.total);
    for (size_t i = 0; i < arena.size(); ++i)
      arena.data()[i] = static_cast<std::byte>(i * 31);
    for (const auto& p : pieces_to_lay_out(task, set, where, poison, view))
      run(arena, resident, kept, p);
  }

  std::byte* in_arena(size_t argument) { return arena.data() + view.rotation + offset(argument); }
  size_t offset(size_t argument) const {
    for (const auto& place : set.layout.places)
      if (place.argument == argument)
        return place.offset;
    return 0;
  }
  // Computes the outputs of an honest kernel.
  void compute() {
    for (size_t i = 1; i < 5; ++i) {
      const auto& g = set.data.geometries[i];
      const auto width = static_cast<int64_t>(size_bytes(g.type));
      for_each_run(g, counted_elements(task, set, i), [&](int64_t storage, int64_t logical, int64_t n) {
        std::memcpy(in_arena(i) + storage * width, set.reference_output[i].data() + logical * width,
                    static_cast<size_t>(n * width));
      });
    }
  }
  examined look(bool full = false, rerun again = rerun::no) {
    const auto asked = pieces_to_check(task, set, inputs, where, poison, view, full, again);
    std::vector<finding> found;
    for (const auto& p : asked.pieces)
      found.push_back(run(arena, resident, kept, p));
    return read_findings(asked, found, set);
  }
  std::optional<rejection> host_says(correctness_report* report = nullptr) {
    call_memory memory{task, set.data, set.layout, shared};
    memory.expect(poison);
    std::memcpy(shared.data(), arena.data() + view.rotation, set.layout.total);
    check_options options;
    options.full = report != nullptr;
    return check_call(task, memory, inputs, set, options, report);
  }
};

void put(void* at, dtype t, int64_t i, double x) {
  store_number(t, at, i, x);
}

} // namespace

TEST_CASE("the device reads every 16-bit number as the host does") {
  for (uint32_t bits = 0; bits < 65'536; ++bits) {
    const auto narrow = static_cast<uint16_t>(bits);
    for (const auto& [type, as] : {std::pair{dtype::f16, element::f16}, std::pair{dtype::bf16, element::bf16}}) {
      const auto wanted = load_number(type, &narrow, 0);
      const auto got = number_at(as, reinterpret_cast<const unsigned char*>(&narrow), 0);
      const bool same =
          std::isnan(wanted) ? std::isnan(got) : wanted == got && std::signbit(wanted) == std::signbit(got);
      if (!same)
        FAIL_CHECK(bits << " is " << got << ", not " << wanted);
    }
  }
}

TEST_CASE("the device accepts exactly what accepts() accepts, for every type and rule") {
  random_stream random{11};
  const double odd[]{0.0,
                     -0.0,
                     1e-310,
                     6e-8,
                     65504.0,
                     1e300,
                     std::numeric_limits<double>::infinity(),
                     -std::numeric_limits<double>::infinity(),
                     std::numeric_limits<double>::quiet_NaN()};
  constexpr int64_t rows = 5;
  constexpr int64_t cols = 8;
  int yes = 0;
  int no = 0;
  for (const auto type : every_type)
    for (const bool wide : {false, true})
      for (const auto mode :
           {tolerance_mode::absrel, tolerance_mode::ulp, tolerance_mode::reference_error, tolerance_mode::exact})
        for (int trial = 0; trial < 300; ++trial) {
          comparison_rule rule;
          rule.mode = mode;
          rule.relative = random.uniform() * 0.02;
          rule.absolute = trial % 3 == 0 ? 0.0 : random.uniform() * 0.02;
          rule.limit = random.uniform() * 4;
          rule.reference_error = random.uniform() * 0.01;
          array_geometry g;
          g.type = type;
          g.dims = {rows, cols};
          g.count = rows * cols;
          g.contiguous = trial % 2 == 0;
          g.strides = g.contiguous ? std::vector<int64_t>{cols, 1} : std::vector<int64_t>{2 * cols + 3, 2};
          g.span = g.contiguous ? g.count : (rows - 1) * g.strides[0] + (cols - 1) * g.strides[1] + 1;
          expected_output expected;
          expected.type = wide && is_floating(type) ? dtype::f64 : type;
          expected.values = byte_buffer(static_cast<size_t>(g.count) * size_bytes(expected.type));
          byte_buffer storage(g.bytes());
          const auto elements = static_cast<int64_t>(random.below(static_cast<uint64_t>(g.count) + 1));
          int64_t logical = 0;
          for (int64_t r = 0; r < rows; ++r)
            for (int64_t k = 0; k < cols; ++k, ++logical) {
              const bool rare = random.below(400) == 0;
              const auto o = rare ? odd[random.below(std::size(odd))] : random.uniform() * 200 - 100;
              put(expected.values.data(), expected.type, logical, o);
              const auto near = load_number(expected.type, expected.values.data(), logical);
              const auto off = random.below(3) == 0 ? (random.uniform() - 0.5) * 0.03 * (1 + std::fabs(near)) : 0.0;
              const auto c = random.below(400) == 0 ? odd[random.below(std::size(odd))] : near + off * 0.7;
              put(storage.data(), type, r * g.strides[0] + k * g.strides[1], c);
            }
          piece p;
          p.kind = piece_kind::within;
          const auto bounds = is_floating(type) ? acceptance_bounds(type, rule) : acceptance{};
          // Describes an output with this rule, as the examination does.
          contract task;
          task.arguments = {array_argument("y", argument_role::output, type, {"5", "8"})};
          input_sets inputs;
          inputs.reference_error = {rule.reference_error};
          auto& set = inputs.sets.emplace_back();
          set.data.geometries = {g};
          set.data.inputs.resize(1);
          set.layout.places = {{0, 0, g.bytes()}};
          set.layout.total = g.bytes();
          set.expected.resize(1);
          set.expected[0].type = expected.type;
          set.expected[0].values = byte_buffer(expected.values.size());
          std::memcpy(set.expected[0].values.data(), expected.values.data(), expected.values.size());
          tolerance t;
          t.mode = mode;
          t.relative = rule.relative;
          t.absolute = rule.absolute;
          t.limit = rule.limit;
          task.tolerances = {t};
          const auto where = place_set(set);
          auto asked = pieces_to_check(task, set, inputs, where, 1, {0, g.bytes()}, false, rerun::no);
          const auto about = std::find_if(asked.questions.begin(), asked.questions.end(),
                                          [](const auto& q) { return q.what == examination::about::output; });
          REQUIRE(about != asked.questions.end());
          p = asked.pieces[static_cast<size_t>(about - asked.questions.begin())];
          if (is_floating(type)) {
            CHECK(p.absolute == bounds.absolute);
            CHECK(p.relative == bounds.relative);
          }
          p.count = static_cast<uint64_t>(elements);
          const bool host = accepts(g, storage.data(), expected, elements, rule);
          const bool device = run(storage, expected.values, expected.values, p).bad == 0;
          if (host != device)
            FAIL_CHECK(to_string(type) << (wide ? " in double, " : ", ") << to_string(mode) << ": the host says "
                                       << host << ", the device " << device);
          (host ? yes : no) += 1;
        }
  CHECK(yes > 1000);
  CHECK(no > 1000);
}

TEST_CASE("the device lays the arena out byte for byte like the host") {
  for (const auto type : every_type)
    for (const uint64_t poison : {nan_poison(5), uint64_t{0x4049'0fdb'4049'0fdb}, uint64_t{0}}) {
      scene s{type, 3, false, poison};
      call_memory memory{s.task, s.set.data, s.set.layout, s.shared};
      memory.set_up(poison);
      CHECK(std::memcmp(s.arena.data() + s.view.rotation, s.shared.data(), s.set.layout.total) == 0);
    }
}

TEST_CASE("the device accepts an honest call, with the host's figures") {
  for (const auto type : every_type)
    for (const bool wide : {false, true}) {
      CAPTURE(to_string(type));
      scene s{type, 4, wide, nan_poison(9)};
      s.compute();
      auto seen = s.look(true);
      CHECK(seen.well);
      CHECK(seen.bit_equal);
      CHECK_FALSE(seen.strayed);
      // Adds a small error within the tolerance.
      const auto& g = s.set.data.geometries[2];
      if (is_floating(type))
        for (int64_t i = 0; i < 5; ++i)
          put(s.in_arena(2), type, i, load_number(type, s.in_arena(2), i) * 1.004 + 1e-3);
      correctness_report report;
      report.bit_equal = true;
      CHECK_FALSE(s.host_says(&report));
      seen = s.look(true);
      CHECK(seen.well);
      CHECK(seen.max_abs == report.max_abs);
      CHECK(seen.max_rel == doctest::Approx(report.max_rel).epsilon(1e-12));
      CHECK(seen.max_ulp == report.max_ulp);
      CHECK(seen.bit_equal == report.bit_equal);
      CHECK(seen.bit_equal == !is_floating(g.type));
    }
}

TEST_CASE("every byte that a call may not write is checked, and wrong values are left to the host") {
  random_stream random{21};
  for (const auto type : {dtype::f16, dtype::f32, dtype::f64, dtype::u8, dtype::i32}) {
    scene s{type, 5, false, nan_poison(3)};
    s.compute();
    REQUIRE(s.look().well);
    REQUIRE_FALSE(s.host_says());
    std::map<std::string, int> rules;
    std::vector<size_t> places;
    for (size_t at = 0; at < s.arena.size(); at += 1 + random.below(2000))
      places.push_back(at);
    for (const auto& place : s.set.layout.places)
      for (size_t at = place.offset - 8; at < place.offset + place.bytes + 8; at += 1 + random.below(8))
        places.push_back(s.view.rotation + at);
    for (const auto at : places) {
      const auto was = s.arena.data()[at];
      s.arena.data()[at] ^= std::byte{0x40};
      const auto seen = s.look();
      const bool inside = at >= s.view.rotation && at < s.view.rotation + s.set.layout.total;
      if (seen.strayed == inside)
        FAIL_CHECK("byte " << at << (inside ? " inside" : " outside") << " strayed: " << seen.strayed);
      const auto refused = s.host_says();
      if (seen.well != !refused)
        FAIL_CHECK("byte " << at << ": the device says " << seen.well << ", the host "
                           << (refused ? refused->rule : "yes"));
      if (refused) {
        ++rules[refused->rule];
        const bool value = refused->rule == "tolerance" || refused->rule == "nonfinite";
        if (seen.bytes_differ == value)
          FAIL_CHECK("byte " << at << ": " << refused->rule << ", bytes differ: " << seen.bytes_differ);
      }
      s.arena.data()[at] = was;
    }
    CHECK(rules["guard_band"] > 10);
    CHECK(rules["input_changed"] > 10);
    CHECK(rules["tail"] > 10);
    CHECK(rules["tolerance"] > 10);
  }
}

TEST_CASE("gaps between rows and elements after the prefix are checked") {
  scene s{dtype::f32, 6, false, nan_poison(3)};
  s.compute();
  const auto touched = [&](size_t argument, size_t i) {
    auto* at = s.in_arena(argument) + 4 * i;
    float was = 0.0F;
    const float one = 1.0F;
    std::memcpy(&was, at, 4);
    std::memcpy(at, &one, 4);
    const auto seen = s.look();
    const auto refused = s.host_says();
    CHECK(seen.bytes_differ);
    std::memcpy(at, &was, 4);
    return refused ? refused->rule + " " + refused->detail : "nothing";
  };
  CHECK(touched(1, 1) == "guard_band wrote between the rows of 'table'");
  CHECK(touched(2, 14) == "guard_band wrote between the rows of 'y'");
  CHECK(touched(3, 70) == "tail output 'z': wrote past the elements that count");
  CHECK(s.look().well);
}

TEST_CASE("the device never accepts an infinite or missing value") {
  for (const auto type : {dtype::f16, dtype::bf16, dtype::f32, dtype::f64}) {
    scene s{type, 7, true, nan_poison(3)};
    s.compute();
    for (const double x : {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
      const auto was = load_number(type, s.in_arena(3), 3);
      put(s.in_arena(3), type, 3, x);
      CHECK_FALSE(s.look().well);
      CHECK(s.host_says()->rule == "nonfinite");
      // Non-finite values are rejected even where they are expected; only the host decides about these.
      const auto e = s.where.expected[3].at;
      const auto expected = load_number(dtype::f64, s.resident.data() + e, 3);
      put(s.resident.data() + e, dtype::f64, 3, x);
      CHECK_FALSE(s.look().well);
      put(s.resident.data() + e, dtype::f64, 3, expected);
      put(s.in_arena(3), type, 3, was);
    }
    // For the figures, an expected value beyond the type's range is its infinity.
    if (type == dtype::f16) {
      const auto e = s.where.expected[3].at;
      put(s.resident.data() + e, dtype::f64, 3, 65'510.0);
      put(s.in_arena(3), type, 3, 65'504.0);
      CHECK(s.look(false).well);
      CHECK_FALSE(s.look(true).well);
    }
  }
}

TEST_CASE("outputs that differ between calls on the same data are reported by name") {
  scene s{dtype::f32, 8, false, nan_poison(3)};
  s.compute();
  REQUIRE(s.look(true, rerun::keep).well);
  // Uses other poison with the same outputs.
  s.poison = 0;
  for (const auto& p : pieces_to_lay_out(s.task, s.set, s.where, s.poison, s.view))
    run(s.arena, s.resident, s.kept, p);
  s.compute();
  auto seen = s.look(true, rerun::compare);
  CHECK(seen.well);
  CHECK_FALSE(seen.differs);
  const auto x = load_number(dtype::f32, s.in_arena(2), 17);
  put(s.in_arena(2), dtype::f32, 17, x + 1e-3);
  seen = s.look(true, rerun::compare);
  CHECK(seen.well);
  REQUIRE(seen.differs);
  CHECK(*seen.differs == 2);
}

TEST_CASE("arrays with more dimensions than the kernel supports are checked by the host") {
  scene s{dtype::f32, 9, false, nan_poison(3)};
  s.compute();
  auto& g = s.set.data.geometries[2];
  while (g.dims.size() <= most_dimensions) {
    g.dims.insert(g.dims.begin(), 1);
    g.strides.insert(g.strides.begin(), g.span);
  }
  const auto seen = s.look();
  CHECK_FALSE(seen.complete);
  CHECK_FALSE(seen.well);
  CHECK_FALSE(seen.bytes_differ);
  CHECK_FALSE(s.host_says());
}
