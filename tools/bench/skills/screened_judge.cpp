#include "tools/bench/skills/screened_judge.hpp"

#include <chrono>

namespace kevolve::bench {

namespace {

using steady = std::chrono::steady_clock;

constexpr int attempts = 3;      // of a judge that has trouble
constexpr double never = 1e-300; // an error level at which no comparison is decided early

double since(steady::time_point from) {
  return std::chrono::duration<double>(steady::now() - from).count();
}

} // namespace

result<std::string> screened_judge::code_of(const proposal& what) {
  const auto key = sha256_hex(what.language + '\0' + what.flags + '\0' + what.source);
  {
    std::lock_guard hold{known_.guard};
    ++known_.asked;
    if (const auto known = known_.codes.find(key); known != known_.codes.end())
      return known->second;
  }
  const auto from = steady::now();
  auto object = compile(compiler_, bench_.spec().task, what.language, what.source, what.flags, compile_role::candidate);
  const auto took = since(from);
  if (!object && object.error().code != errc::bad_input)
    return tl::unexpected(object.error());
  std::lock_guard hold{known_.guard};
  known_.compile_s += took;
  ++known_.compiled;
  auto& code = known_.codes[key];
  code = object ? sha256_hex(*object) : std::string{};
  if (object)
    known_.made.emplace(code, std::pair{std::move(*object), what.source});
  return code;
}

// The caller holds the guard.
result<score> screened_judge::screened(const std::string& object, const std::string& source, uint32_t ms) {
  for (int i = 1;; ++i) {
    const auto from = steady::now();
    auto o = bench_.screen(object, source, ms, never);
    known_.judge_s += since(from);
    if (!o && i < attempts)
      continue;
    if (!o)
      return tl::unexpected(o.error());
    known_.judge_own_s += static_cast<double>(o->judge_ns) / 1e9;
    return score{*o};
  }
}

result<judged_candidate> screened_judge::measure(const proposal& what) {
  const auto code = code_of(what);
  if (!code)
    return tl::unexpected(code.error());
  judged_candidate out;
  out.code = *code;
  if (code->empty()) {
    out.figures.result = verdict::compile_error;
    return out;
  }
  std::lock_guard hold{known_.guard};
  if (const auto known = known_.second.find(*code); known != known_.second.end()) {
    out.figures = known->second;
    return out;
  }
  auto known = known_.first.find(*code);
  if (known == known_.first.end()) {
    const auto& [object, source] = known_.made.at(*code);
    const auto found = screened(object, source, times_.first_ms);
    if (!found)
      return tl::unexpected(found.error());
    ++known_.screened;
    known = known_.first.emplace(*code, *found).first;
  }
  out.figures = known->second;
  return out;
}

result<score> screened_judge::confirm(const std::string& code) {
  std::lock_guard hold{known_.guard};
  if (const auto known = known_.second.find(code); known != known_.second.end())
    return known->second;
  const auto& [object, source] = known_.made.at(code);
  const auto found = screened(object, source, times_.second_ms);
  if (!found)
    return found;
  ++known_.confirmed;
  return known_.second.emplace(code, *found).first->second;
}

} // namespace kevolve::bench
