// flags(F): another entry of the target's flag menu.
#include "backends/generators/transform/analysis/environment.hpp"
#include "backends/generators/transform/moves/candidates.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace kevolve::transform {

namespace {

result<void> choose_flags(program& p, const std::string& name, const environment& env) {
  if (std::find(env.flag_menu.begin(), env.flag_menu.end(), name) == env.flag_menu.end())
    return fail(errc::unsupported, "no flag set " + name);
  if (name == env.baseline_flags)
    return fail(errc::unsupported, name + " is what the reference is built with");
  p.flags = name;
  return {};
}

std::vector<move> other_flags(const move& m, const environment& env) {
  std::vector<move> out;
  if (m.args.size() == 1)
    for (const auto& f : env.flag_menu)
      if (f != m.args[0] && f != env.baseline_flags)
        out.push_back(made(moves::flags, {f}));
  return out;
}

} // namespace

constinit const move_descriptor moves::flags{
    .name = "flags",
    .takes = {a_word},
    .stands_last = true,
    .effect = move_effect::build,
    .where = site_kind::program,
    .apply = [](program& p, const move_arguments& a, const environment& env) -> result<void> {
      return choose_flags(p, a[0], env);
    },
    .candidates =
        [](const site& at, candidate_list& out) {
          for (const auto& f : at.env.flag_menu)
            if (f != at.whole.flags && f != at.env.baseline_flags)
              out.add(1.2 / static_cast<double>(at.env.flag_menu.size()), {f});
        },
    .variants = [](const move& m, const environment& env) { return other_flags(m, env); },
};

} // namespace kevolve::transform
