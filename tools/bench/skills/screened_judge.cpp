#include "tools/bench/skills/screened_judge.hpp"

#include <chrono>

namespace kevolve::bench {

namespace {

using steady = std::chrono::steady_clock;

constexpr int attempts = 3; // of a judge that has trouble

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
  auto object = compiled_(what);
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

result<score> screened_judge::screened(const std::string& code, uint32_t ms) {
  std::pair<std::string, std::string> made;
  {
    std::lock_guard hold{known_.guard};
    made = known_.made.at(code);
  }
  for (int i = 1;; ++i) {
    const auto from = steady::now();
    auto found = measured_(made.first, made.second, ms);
    const auto took = since(from);
    std::lock_guard hold{known_.guard};
    known_.judge_s += took;
    if (found || i == attempts)
      return found;
  }
}

// Two threads that measure the same code at once both get the figure that is there first.
result<score> screened_judge::known_or_screened(const std::string& code, figures& where, uint32_t ms) {
  {
    std::lock_guard hold{known_.guard};
    if (const auto known = where.find(code); known != where.end())
      return known->second;
  }
  auto found = screened(code, ms);
  if (!found)
    return found;
  std::lock_guard hold{known_.guard};
  return where.emplace(code, *found).first->second;
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
  {
    std::lock_guard hold{known_.guard};
    if (const auto known = known_.second.find(*code); known != known_.second.end()) {
      out.figures = known->second;
      return out;
    }
  }
  const auto found = known_or_screened(*code, known_.first, times_.first_ms);
  if (!found)
    return tl::unexpected(found.error());
  out.figures = *found;
  return out;
}

result<score> screened_judge::confirm(const std::string& code) {
  return known_or_screened(code, known_.second, times_.second_ms);
}

} // namespace kevolve::bench
