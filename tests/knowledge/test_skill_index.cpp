#include "actors/knowledge/skill_match.hpp"
#include "runtime/base/random.hpp"
#include "tests/support/skills.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using namespace kevolve;
using namespace kevolve::test;

namespace {

using texts = std::vector<std::string>;

std::string one_of(splitmix64& random, const texts& values) {
  return values[random.below(values.size())];
}

// Returns a skill of drawn conditions and applications; gains repeat, so that weights tie.
skill drawn_skill(splitmix64& random, uint64_t number) {
  auto s = a_skill("tile(_1," + std::to_string(number) + ")");
  auto& c = s.conditions;
  c.families = {one_of(random, {"reduction", "softmax", "matmul"})};
  c.dtypes = random.below(3) == 0 ? texts{} : texts{one_of(random, {"f32", "f64"})};
  c.bound = one_of(random, {"", "scalar_code", "compute"});
  c.target = random.below(5) == 0 ? "cuda" : "cpu";
  if (random.below(4) == 0)
    s.step = {"", "splits the sum", "a;", "b;"};
  s.features = random.below(10) == 0 ? skill_features_version + 1 : skill_features_version;
  s.provenance.campaign = {1, random.below(4)};
  for (uint64_t i = random.below(7); i > 0; --i) {
    auto a = an_application(0.1 * static_cast<double>(random.below(8)) - 0.3, 10 + i, c.families.front());
    a.time_ns = static_cast<int64_t>(random.below(200)) * a_day_ns;
    a.hardware = {"x86-64", one_of(random, {"zen3", "zen3", "icelake"})};
    s.applications.push_back(std::move(a));
  }
  s = judged_anew(std::move(s), 200 * a_day_ns);
  if (random.below(20) == 0)
    s = revoked(std::move(s), "somebody", "", 0);
  s.id = {number, skill_id(s).lo};
  return s;
}

skill_situation drawn_situation(splitmix64& random) {
  skill_situation out;
  out.signals = {"target:cpu",
                 "language:c",
                 "family:" + one_of(random, {"reduction", "softmax", "scan"}),
                 "dtype:" + one_of(random, {"f32", "f64"}),
                 "hardware:x86-64",
                 "hardware:" + one_of(random, {"zen3", "icelake", "zen5"})};
  if (random.below(2) == 0)
    out.signals.push_back("bound:" + one_of(random, {"scalar_code", "compute"}));
  out.moves = random.below(3) != 0;
  out.seed = random.next();
  out.most = static_cast<uint32_t>(random.below(8));
  return out;
}

struct weighed {
  skill_ptr what;
  double weight = 0.0;
};

// Looks at every skill: the order that the index must give. Hypotheses are returned as the set that may be drawn.
std::pair<std::vector<weighed>, std::vector<weighed>> exhaustive(const skill_list& all, const skill_situation& wanted,
                                                                 const skill_moment& when) {
  std::vector<weighed> believed;
  std::vector<weighed> unproven;
  for (const auto& s : all) {
    const auto fit = relevance_of(*s, wanted.signals);
    const auto state = state_here(*s, wanted.signals);
    if (fit <= 0.0 || state == skill_state::rejected || state == skill_state::revoked
        || (when.campaign && s->provenance.campaign == when.campaign)
        || (s->step.moves.empty() && (wanted.moves || s->step.after.empty())))
      continue;
    const auto p = posterior_of(*s, when.now_ns);
    if (state == skill_state::hypothesis)
      unproven.push_back({s, fit * (std::max(0.0, p.mean) + p.deviation)});
    else if (const auto w = fit * weight_of(*s, when.now_ns); w > 0.0)
      believed.push_back({s, w});
  }
  const auto before = [](const weighed& a, const weighed& b) {
    return a.weight != b.weight ? a.weight > b.weight : a.what->id < b.what->id;
  };
  std::sort(believed.begin(), believed.end(), before);
  std::sort(unproven.begin(), unproven.end(), before);
  return {believed, unproven};
}

void check_the_same(const skill_list& all, const skill_index& index, const skill_situation& wanted,
                    const skill_moment& when) {
  const auto found = find_skills(index, wanted, when);
  auto [believed, unproven] = exhaustive(all, wanted, when);
  const auto tried = std::min({believed.empty() ? size_t{4} : size_t{2}, unproven.size(), size_t{wanted.most}});
  const auto kept = std::min(believed.size(), wanted.most - tried);
  REQUIRE(found.size() == kept + tried);
  for (size_t i = 0; i < kept; ++i) {
    CHECK(found[i].id == believed[i].what->id);
    CHECK(found[i].weight == believed[i].weight);
  }
  splitmix64 random{wanted.seed ^ 0x736b696c6c73ULL};
  unproven.resize(std::min<size_t>(unproven.size(), 8));
  for (size_t i = kept; i < found.size(); ++i) {
    const auto at = unproven.begin() + static_cast<std::ptrdiff_t>(random.below(unproven.size()));
    CHECK(found[i].id == at->what->id);
    unproven.erase(at);
  }
}

} // namespace

TEST_CASE("the index finds what looking at every skill finds, in the same order") {
  splitmix64 random{49};
  skill_list all;
  for (uint64_t i = 1; i <= 400; ++i)
    all.push_back(std::make_shared<const skill>(drawn_skill(random, i)));
  const auto index = skill_index::of(all);
  CHECK(index.groups().size() > 20);
  for (int i = 0; i < 300; ++i)
    // Some moments are before applications were measured: a clock may be set back.
    check_the_same(all, index, drawn_situation(random),
                   {static_cast<int64_t>(random.below(400)) * a_day_ns, {1, random.below(6)}});
}

TEST_CASE("an index that took changes one by one is that of the changed skills") {
  splitmix64 random{50};
  skill_list all;
  skill_index index;
  for (uint64_t i = 1; i <= 60; ++i) {
    all.push_back(std::make_shared<const skill>(drawn_skill(random, i)));
    index.put(all.back());
  }
  const auto before = index;
  const auto old = all;
  for (int i = 0; i < 200; ++i) {
    auto& place = all[random.below(all.size())];
    auto a = an_application(0.1 * static_cast<double>(random.below(8)) - 0.3, 100 + static_cast<uint64_t>(i));
    auto now = std::make_shared<const skill>(applied(*place, std::move(a), 200 * a_day_ns));
    index.put(now, place);
    place = now;
  }
  for (int i = 0; i < 50; ++i) {
    const auto wanted = drawn_situation(random);
    check_the_same(all, index, wanted, {300 * a_day_ns, {}});
    check_the_same(old, before, wanted, {300 * a_day_ns, {}}); // the copy has not changed
  }
  for (const auto& s : all)
    index.put(std::make_shared<const skill>(revoked(*s, "somebody", "", 0)), s);
  CHECK(index.empty());
}
