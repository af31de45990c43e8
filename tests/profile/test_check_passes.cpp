// The dependencies of the registered passes, and of wrong ones.
#include "actors/evaluation/job_graph.hpp"
#include "backends/target.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>

using namespace kevolve;

namespace {

using kind = artefact_kind;

profile_pass pass(const char* name, const char* target, std::vector<kind> reads, std::vector<kind> uses,
                  std::vector<kind> makes) {
  profile_pass p;
  p.name = name;
  p.file = "backends/profile/a_file.cpp";
  p.targets = {target};
  p.reads = std::move(reads);
  p.uses = std::move(uses);
  p.makes = std::move(makes);
  return p;
}

std::string why(const std::vector<profile_pass>& passes) {
  const auto checked = check_passes(passes);
  return checked ? std::string{} : checked.error().detail;
}

} // namespace

TEST_CASE("every registered pass reads and uses only what is given or made, and names its file") {
  const auto checked = check_passes(profile_passes());
  CHECK_MESSAGE(checked, (checked ? "" : checked.error().detail));
  for (const auto& p : profile_passes()) {
    CAPTURE(p.name);
    CHECK(std::filesystem::exists(std::filesystem::path{std::getenv("KEVOLVE_SOURCE")} / p.file));
  }
}

TEST_CASE("passes name targets that there are, and every target is named by one") {
  const auto targets = target_names();
  std::set<std::string_view> named;
  for (const auto& p : profile_passes())
    for (const auto target : p.targets) {
      CHECK_MESSAGE(std::count(targets.begin(), targets.end(), target) == 1,
                    p.file << ": pass '" << p.name << "' names target '" << target << "', which there is not");
      named.insert(target);
    }
  for (const auto& target : targets)
    CHECK_MESSAGE(named.contains(target),
                  "target '" << target << "' has no pass of its own: name it in `targets` of those that apply, such as "
                             << "backends/profile/device_evidence.cpp");
}

TEST_CASE("a dependency that nothing provides is an error with file, key, artefact and those that there are") {
  const auto maker = pass("maker", "cpu", {kind::source}, {}, {kind::loops});
  CHECK(why({maker, pass("reader", "cpu", {kind::loops}, {kind::evidence}, {kind::ports})}).empty());
  const auto read = why({maker, pass("reader", "cpu", {kind::counters}, {}, {})});
  CHECK(read.find("backends/profile/a_file.cpp: pass 'reader', key 'reads': nothing makes 'counters'") == 0);
  CHECK(read.find("there are: source, ") != std::string::npos);
  CHECK(read.find("loops") != std::string::npos);
  const auto used = why({maker, pass("user", "cpu", {}, {kind::ceilings}, {kind::roof})});
  CHECK(used.find("key 'uses': nothing makes 'ceilings'") != std::string::npos);
  CHECK(used.find("Remove it from 'uses'") != std::string::npos);
}

TEST_CASE("a pass does not provide for itself, nor for a pass of another target") {
  CHECK(why({pass("own", "cpu", {}, {kind::roof}, {kind::roof})}).find("'roof'") != std::string::npos);
  const auto maker = pass("maker", "cpu", {}, {}, {kind::loops});
  CHECK(why({maker, pass("reader", "hip", {kind::loops}, {}, {})}).find("'loops'") != std::string::npos);
  auto any = pass("any", "hip", {}, {kind::loops}, {});
  any.targets.clear(); // of all targets, one of which has loops
  CHECK(why({maker, any}).empty());
}

TEST_CASE("two passes of one name are an error") {
  const auto p = pass("twice", "cpu", {}, {}, {});
  CHECK(why({p, p}).find("key 'name'") != std::string::npos);
}

TEST_CASE("the given artefacts are the source and those that the stages of an evaluation make") {
  std::set<kind> made{kind::source};
  for (const auto& p : stage_passes())
    made.insert(p.makes.begin(), p.makes.end());
  CHECK(made == std::set<kind>{given_artefacts.begin(), given_artefacts.end()});
}
