// The check of the registered passes' dependencies, before any of them runs.
#include "backends/profile/pass.hpp"

#include <algorithm>
#include <set>

namespace kevolve {

namespace {

bool shares_target(const profile_pass& a, const profile_pass& b) {
  return a.targets.empty() || b.targets.empty() || std::any_of(a.targets.begin(), a.targets.end(), [&](const auto& t) {
           return std::find(b.targets.begin(), b.targets.end(), t) != b.targets.end();
         });
}

// Returns the artefacts that the pass can get: the given ones, and those that other passes make for one of its targets.
std::set<artefact_kind> within_reach(std::span<const profile_pass> passes, const profile_pass& p) {
  std::set<artefact_kind> out{given_artefacts.begin(), given_artefacts.end()};
  for (const auto& other : passes)
    if (other.name != p.name && shares_target(other, p))
      out.insert(other.makes.begin(), other.makes.end());
  return out;
}

std::string about(const profile_pass& p) {
  return (p.file.empty() ? std::string{} : std::string{p.file} + ": ") + "pass '" + std::string{p.name} + "'";
}

result<void> check_key(const profile_pass& p, const char* key, const std::vector<artefact_kind>& wanted,
                       const std::set<artefact_kind>& there) {
  for (const auto k : wanted) {
    if (there.contains(k))
      continue;
    std::string names;
    for (const auto x : there)
      names += (names.empty() ? "" : ", ") + to_string(x);
    return fail(errc::bad_input, about(p) + ", key '" + key + "': nothing makes '" + to_string(k)
                                     + "' for its targets; there are: " + names + ". Remove it from '" + key
                                     + "', or register a pass that makes it in backends/profile/registry.cpp");
  }
  return {};
}

} // namespace

result<void> check_passes(std::span<const profile_pass> passes) {
  std::set<std::string_view> names;
  for (const auto& p : passes) {
    if (!names.insert(p.name).second)
      return fail(errc::bad_input, about(p) + ", key 'name': another pass has this name");
    const auto there = within_reach(passes, p);
    if (auto ok = check_key(p, "reads", p.reads, there); !ok)
      return ok;
    if (auto ok = check_key(p, "uses", p.uses, there); !ok)
      return ok;
  }
  return {};
}

} // namespace kevolve
