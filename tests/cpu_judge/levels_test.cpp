// Tests the judge on restricted machines: honest candidates pass, cheats are rejected, and every result names its
// sandbox level.
#include "tests/support/hindrance.hpp"
#include "tests/support/judge_driver.hpp"
#include "tests/support/judge_tasks.hpp"

#include <doctest/doctest.h>

#include <sys/wait.h>
#include <unistd.h>

using namespace kevolve;

namespace {

const char* honest = R"(#include <stdint.h>
void poly(const float *x, const float *w, float *y, int64_t n) {
  for (int64_t i = 0; i < n; i++) {
    float s = 0.0f;
    for (int k = 7; k >= 0; k--) s = s * x[i] + w[k];
    y[i] = s;
  }
}
)";
const char* opens = R"(#include <fcntl.h>
#include <stdint.h>
void poly(const float *x, const float *w, float *y, int64_t n) {
  y[0] = (float)open("/etc/passwd", O_RDONLY) + x[0] + w[0] + (float)n;
}
)";

judge_request check_of(const std::string& source) {
  auto r = request_for(poly_task(), compile_c(honest), compile_c(source), judge_mode::check);
  r.task.arguments[0].edge.clear();
  return r;
}

// Returns the level named by both outcomes.
std::string level_of(judge_driver& judge) {
  auto good = judge.ask(check_of(honest));
  CHECK_MESSAGE(good.result == verdict::pass, good.rule << " " << good.detail << good.trouble.detail);
  auto bad = judge.ask(check_of(opens));
  CHECK(bad.result == verdict::sandbox_violation);
  CHECK(bad.evidence["system_call"].rfind("open", 0) == 0);
  CHECK(good.sandbox_level == bad.sandbox_level);
  CHECK(good.sandbox_level == judge.hello().facts.at("sandbox"));
  return good.sandbox_level;
}

bool names(const std::string& level, const std::string& layer) {
  return ("+" + level + "+").find("+" + layer + "+") != std::string::npos;
}

// Returns whether another user could start the judge.
bool reachable_by_nobody() {
  auto pid = ::fork();
  if (pid == 0) {
    become_nobody();
    ::_exit(::access((std::string{std::getenv("KEVOLVE_BIN")} + "/kevolve-judge").c_str(), X_OK) == 0 ? 0 : 1);
  }
  int status = 0;
  ::waitpid(pid, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

} // namespace

TEST_CASE("the judge works as root, as an ordinary user and where user namespaces are forbidden") {
  judge_driver here;
  auto level = level_of(here);
  CHECK(names(level, "seccomp"));
  CHECK(names(level, "rlimits"));
  judge_driver without{{}, forbid_user_namespaces};
  CHECK_FALSE(names(level_of(without), "userns"));
  if (::getuid() != 0 || !reachable_by_nobody()) {
    MESSAGE("skipped: the judge as another user (needs root, and programs that nobody may read)");
    return;
  }
  judge_driver ordinary{{}, become_nobody};
  CHECK_FALSE(names(level_of(ordinary), "uid65533"));
  judge_driver poor{{}, [] {
                      become_nobody();
                      forbid_user_namespaces();
                    }};
  level = level_of(poor);
  CHECK_FALSE(names(level, "userns"));
  CHECK_FALSE(names(level, "netns"));
  CHECK(names(level, "seccomp"));
}

TEST_CASE("without Landlock native candidates are refused, unless the operator has named it") {
  judge_driver weak{{}, lose_landlock};
  CHECK(weak.hello().facts.at("sandbox").rfind("seccomp", 0) == 0);
  auto refused = weak.ask(check_of(honest));
  CHECK(refused.result == verdict::none);
  CHECK(refused.trouble.kind == "sandbox_weak");
  CHECK(refused.trouble.detail.find("--allow-weak-sandbox landlock") != std::string::npos);
  judge_driver accepted{{"--allow-weak-sandbox", "landlock"}, lose_landlock};
  CHECK(level_of(accepted).rfind("seccomp", 0) == 0);
}
