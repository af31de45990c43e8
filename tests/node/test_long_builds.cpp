// Tests compiles that take longer than their node lives.
#include "actors/messages/keys.hpp"
#include "actors/messages/records.hpp"
#include "runtime/base/codec.hpp"
#include "store/store.hpp"
#include "tests/node/live_node.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

using namespace kevolve;
using namespace kevolve::test;

namespace {

using steady = std::chrono::steady_clock;
constexpr auto compile_limit = std::chrono::seconds{16};

// Returns the task's reference and a function whose optimisation exceeds every limit.
candidate endless() {
  candidate c;
  c.language = std::string{"c"};
  c.flags = "O3";
  c.source = "#include <stdint.h>\n#define A(x) x; x; x; x; x; x; x; x;\n#define B(x) A(A(A(A(x))))\n"
             "double v;\nvoid f(void) { B(A(v = v * v + 1)) }\n"
             "void row_energy(const float *x, float *y, int64_t rows, int64_t cols) {\n"
             "  for (int64_t i = 0; i < rows; i++) {\n    float s = 0.0f;\n"
             "    for (int64_t j = 0; j < cols; j++)\n      s += x[i * cols + j] * x[i * cols + j];\n"
             "    y[i] = s;\n  }\n}\n";
  return c;
}

// Waits until a compiler has worked on one job for that long.
void await_compile(live_node& n, const id128& id, std::chrono::seconds age) {
  const auto is_old = [&](const actor_status_view& v) {
    const auto at = v.state.find(": compile ");
    return v.kind == "compiler_worker" && at != std::string::npos
           && std::strtod(v.state.c_str() + at + 10, nullptr) >= static_cast<double>(age.count());
  };
  n.await(id, [&](const campaign_status&) {
    const auto statuses = n.get().statuses()->list();
    return std::any_of(statuses.begin(), statuses.end(), is_old);
  });
}

// Returns whether the process exists and is no zombie; nobody waits for processes that a node left behind.
bool alive(pid_t pid) {
  std::ifstream in{"/proc/" + std::to_string(pid) + "/stat"};
  std::string text;
  std::getline(in, text);
  const auto after_name = text.rfind(") ");
  return after_name != std::string::npos && text[after_name + 2] != 'Z';
}

std::ptrdiff_t compiling() {
  const auto all = helpers("kevolve-compile-server");
  return std::count_if(all.begin(), all.end(), alive);
}

node_record stored_node(const std::string& data_dir, const id128& campaign, uint64_t index) {
  auto data = store::open(data_dir);
  REQUIRE(data);
  auto bytes = (*data)->get(table::nodes, keys::node(campaign, index));
  REQUIRE(bytes);
  REQUIRE(*bytes);
  auto record = decode_older<node_record>(**bytes);
  REQUIRE(record);
  return *record;
}

const std::vector<std::string> settings{"budget.candidates=1000", "judge.compile_limit=16s"};

} // namespace

TEST_CASE("a long compile continues over a restart of its node, and runs once" * doctest::test_suite("long")) {
  scratch_folder dir;
  id128 id;
  uint64_t given = 0;
  {
    live_node n{dir.path};
    id = n.submit("row_energy", settings);
    n.await(id, [](const campaign_status& s) { return s.candidates >= 1; });
    steer_request q;
    q.action = steer_action::inject;
    q.by = "alice";
    q.index = 1;
    q.what = endless();
    auto injected = n.steer(id, q);
    REQUIRE_MESSAGE(injected, (injected ? "" : to_string(injected.error())));
    given = injected->index;
    await_compile(n, id, std::chrono::seconds{11});
  }
  CHECK(compiling() == 1);
  const auto begin = steady::now();
  {
    live_node n{dir.path};
    n.submit("row_energy", settings);
    n.await(id, [&](const campaign_status&) {
      const auto tree = n.tree(id);
      return std::any_of(tree.begin(), tree.end(),
                         [&](const node_brief& b) { return b.index == given && b.state == "finished"; });
    });
  }
  const auto second_session = std::chrono::nanoseconds{steady::now() - begin}.count();
  const auto node = stored_node(dir.path, id, given);
  CHECK(node.result == verdict::timeout);
  CHECK(node.compile_ns >= std::chrono::nanoseconds{compile_limit}.count());
  CHECK(node.compile_ns > second_session);
}

TEST_CASE("a compile that continues without its node ends when its campaign is cancelled"
          * doctest::test_suite("long")) {
  scratch_folder dir;
  id128 id;
  {
    live_node n{dir.path};
    id = n.submit("row_energy", {"budget.candidates=1000", "judge.compile_limit=10m"});
    n.await(id, [](const campaign_status& s) { return s.candidates >= 1; });
    steer_request q;
    q.action = steer_action::inject;
    q.by = "alice";
    q.index = 1;
    q.what = endless();
    REQUIRE(n.steer(id, q));
    await_compile(n, id, std::chrono::seconds{11});
  }
  live_node n{dir.path};
  n.submit("row_energy", {"budget.candidates=1000", "judge.compile_limit=10m"});
  await_compile(n, id, std::chrono::seconds{4}); // joins the running compile; a new one would take longer
  REQUIRE(n.cancel(id, "enough"));
  n.await_end(id, std::chrono::seconds{60});
  n.await(id, [](const campaign_status&) { return compiling() == 1; }); // the node's own compile
  n.stop();
  CHECK(compiling() == 0);
}
