// The table of moves: how a genome's entry is applied.
#include "backends/generators/transform/moves/moves.hpp"

#include "backends/generators/transform/ir/build.hpp"

#include <algorithm>
#include <charconv>
#include <functional>
#include <set>

namespace kevolve::transform {

namespace {

int64_t number(const std::string& text) {
  int64_t v = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), v);
  return error == std::errc{} && end == text.data() + text.size() ? v : 0;
}

bool takes(const move& m, size_t args, size_t first_number) {
  if (m.args.size() != args)
    return false;
  for (size_t i = first_number; i < args; ++i)
    if (number(m.args[i]) < 1 || number(m.args[i]) > (1 << 20))
      return false;
  return true;
}

} // namespace

result<void> apply(program& p, const move& m, const environment& env) {
  const auto& a = m.args;
  // These go by arrays' names where no loop's independence has to be known.
  static const std::set<std::string, std::less<>> by_name{"hold",   "skip",   "seek",      "pack",
                                                          "buffer", "stream", "recompute", "coalesce"};
  if (by_name.count(m.name) != 0)
    if (const auto pointer = own_pointer(p.body); !pointer.empty())
      return fail(errc::unsupported, "what '" + pointer + "' points to is not known");
  if (m.name == "tile" && takes(m, 2, 1))
    return tile(p, a[0], number(a[1]));
  if (m.name == "interchange" && takes(m, 2, 2))
    return interchange(p, a[0], a[1], env);
  if (m.name == "hint" && takes(m, 3, 1))
    return hint(p, a[0], number(a[1]), number(a[2]), env);
  if (m.name == "parallel" && takes(m, 1, 1))
    return run_parallel(p, a[0], env);
  if (m.name == "cut" && takes(m, 2, 2))
    return cut(p, a[0], a[1]);
  if (m.name == "jam" && takes(m, 2, 1) && number(a[1]) > 1 && number(a[1]) <= 64)
    return jam(p, a[0], number(a[1]), env);
  if (m.name == "unroll" && takes(m, 2, 1) && number(a[1]) > 1 && number(a[1]) <= 64)
    return unroll(p, a[0], number(a[1]));
  if (m.name == "split" && takes(m, 2, 1) && number(a[1]) > 1 && number(a[1]) <= 64)
    return split(p, a[0], number(a[1]), env);
  if (m.name == "vectorise" && takes(m, 2, 1) && number(a[1]) > 1 && number(a[1]) <= 128
      && (number(a[1]) & (number(a[1]) - 1)) == 0)
    return vectorise(p, a[0], number(a[1]), env);
  if (m.name == "select" && takes(m, 1, 1))
    return select(p, a[0]);
  if (m.name == "hold" && takes(m, 1, 1))
    return hold(p, a[0], env);
  if (m.name == "math" && a.empty())
    return fast_math(p, env);
  if (m.name == "skip" && takes(m, 2, 1) && number(a[1]) > 1 && number(a[1]) <= 4096)
    return skip(p, a[0], number(a[1]), env);
  if (m.name == "seek" && takes(m, 2, 1) && number(a[1]) > 1 && number(a[1]) <= 64)
    return seek(p, a[0], number(a[1]), env);
  if (m.name == "narrow" && takes(m, 1, 1))
    return narrow(p, a[0], 32);
  if (m.name == "narrow" && takes(m, 2, 1) && (number(a[1]) == 8 || number(a[1]) == 16))
    return narrow(p, a[0], number(a[1]));
  if (m.name == "halve" && takes(m, 1, 1))
    return halve(p, a[0]);
  if (m.name == "peel" && takes(m, 2, 2))
    return peel(p, a[0], a[1]);
  if (m.name == "clip" && takes(m, 1, 1))
    return clip(p, a[0]);
  if (m.name == "finish" && takes(m, 1, 1))
    return finish(p, a[0], env.task);
  if (m.name == "first" && takes(m, 2, 2) && number(a[1]) >= 0 && number(a[1]) <= 4096)
    return first(p, a[0], number(a[1]), env.task);
  if (m.name == "pack" && takes(m, 3, 3))
    return pack(p, a[0], a[1], a[2], env);
  if (m.name == "buffer" && takes(m, 2, 2))
    return buffer(p, a[0], a[1], env);
  if (m.name == "transpose" && takes(m, 1, 1))
    return transpose(p, a[0]);
  if (m.name == "stream" && takes(m, 1, 1))
    return stream(p, a[0]);
  if (m.name == "prefetch" && takes(m, 2, 1) && number(a[1]) <= 4096)
    return prefetch(p, a[0], number(a[1]), env);
  if (m.name == "mask" && takes(m, 1, 1))
    return mask(p, a[0], env);
  if (m.name == "coalesce" && takes(m, 1, 1))
    return coalesce(p, a[0], env);
  if (m.name == "fission" && takes(m, 2, 1))
    return fission(p, a[0], number(a[1]), env);
  if (m.name == "fuse" && takes(m, 2, 2))
    return fuse(p, a[0], a[1], env);
  if (m.name == "recompute" && takes(m, 2, 2))
    return recompute(p, a[0], a[1], env);
  if (m.name == "online" && takes(m, 3, 2))
    return online(p, a[0], a[1], number(a[2]), env);
  if (m.name == "restrict" && a.empty()) {
    for (const auto& x : env.task.arguments)
      if (x.alias)
        return fail(errc::unsupported, x.name + " may alias");
    bool any = std::any_of(p.parameters.begin(), p.parameters.end(),
                           [](const parameter& x) { return x.plain_pointer && !x.is_restrict; });
    if (!any || p.add_restrict)
      return fail(errc::unsupported, "no pointer to restrict");
    p.add_restrict = true;
    return {};
  }
  if (m.name == "aligned" && a.empty()) {
    uint32_t least = 0;
    for (const auto& x : env.task.arguments)
      if (x.role != argument_role::size && x.role != argument_role::scalar)
        least = least == 0 ? x.align : std::min(least, x.align);
    if (least < 16 || p.alignment > 0)
      return fail(errc::unsupported, "no alignment to promise");
    p.alignment = least;
    return {};
  }
  if (m.name == "flags" && takes(m, 1, 1)) {
    if (std::find(env.flag_menu.begin(), env.flag_menu.end(), a[0]) == env.flag_menu.end())
      return fail(errc::unsupported, "no flag set " + a[0]);
    if (a[0] == env.baseline_flags)
      return fail(errc::unsupported, a[0] + " is what the reference is built with");
    p.flags = a[0];
    return {};
  }
  return fail(errc::bad_input, "no move " + to_string(m));
}

} // namespace kevolve::transform
