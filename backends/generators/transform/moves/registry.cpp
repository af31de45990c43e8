#include "backends/generators/transform/moves/registry.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

namespace kevolve::transform {

namespace {

constexpr std::array all{
#define KEVOLVE_MOVE(name) &moves::name,
#include "backends/generators/transform/moves/registry.def"
#undef KEVOLVE_MOVE
};

std::optional<int64_t> number_in(const std::string& text) {
  int64_t v = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), v);
  if (error != std::errc{} || end != text.data() + text.size())
    return {};
  return v;
}

} // namespace

std::span<const move_descriptor* const> all_moves() {
  return all;
}

const move_descriptor* find_move(std::string_view name) {
  const auto it = std::find_if(all.begin(), all.end(), [&](const auto* m) {
    return m->name == name || (!m->former_name.empty() && m->former_name == name);
  });
  return it == all.end() ? nullptr : *it;
}

move made(const move_descriptor& what, std::vector<std::string> args) {
  return {std::string{what.name}, std::move(args)};
}

bool is(const move& m, const move_descriptor& what) {
  return m.name == what.name;
}

int64_t move_arguments::number(size_t i) const {
  return number_in(texts_[i]).value_or(0);
}

bool move_descriptor::fits(const std::vector<std::string>& args) const {
  const auto count = static_cast<size_t>(
      std::count_if(takes.begin(), takes.end(), [](const argument_rule& r) { return r.kind != argument_kind::none; }));
  if (args.size() > count || (args.size() < count && !takes[args.size()].may_be_left_out))
    return false;
  for (size_t i = 0; i < args.size(); ++i) {
    const auto& rule = takes[i];
    if (rule.kind != argument_kind::number)
      continue;
    const auto n = number_in(args[i]);
    if (!n || *n < rule.least || *n > rule.most || (rule.power_of_two && (*n & (*n - 1)) != 0))
      return false;
  }
  return true;
}

result<void> apply(program& p, const move& m, const environment& env) {
  const auto* what = find_move(m.name);
  if (what != nullptr && what->goes_by_arrays)
    if (const auto pointer = own_pointer(p.body); !pointer.empty())
      return fail(errc::unsupported, "what '" + pointer + "' points to is not known");
  if (what == nullptr || !what->fits(m.args))
    return fail(errc::bad_input, "no move " + to_string(m));
  return what->apply(p, move_arguments{m.args}, env);
}

std::vector<move> variants(const move& m, const environment& env) {
  const auto* what = find_move(m.name);
  return what == nullptr || what->variants == nullptr ? std::vector<move>{} : what->variants(m, env);
}

} // namespace kevolve::transform
