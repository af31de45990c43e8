#include "backends/compile/diagnosis.hpp"

#include "runtime/base/fault_kinds.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>

namespace kevolve {

namespace {

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// Messages of clang, gcc, as and ld about a full address space. They stand at the start of a line; a source that fakes
// one harms only itself.
bool ran_out_of_memory(std::string_view diagnostics) {
  static constexpr std::array signs{
      std::string_view{"LLVM ERROR: out of memory"},
      std::string_view{"cc1: out of memory"},
      std::string_view{"cc1plus: out of memory"},
      std::string_view{"virtual memory exhausted"},
      std::string_view{"std::bad_alloc"},
      std::string_view{"memory exhausted"},
      std::string_view{"Memory allocation failed"},
  };
  return std::any_of(signs.begin(), signs.end(), [&](auto sign) { return contains(diagnostics, sign); });
}

// A compiler that catches its own crash prints one of these and exits with a status.
constexpr std::array pleas{"PLEASE submit a bug report", "PLEASE ATTACH",
                           "Stack dump:", "Please submit a full bug report"};

// Returns a reason for the rejection, for compilers that print none.
std::string last_words(int status, std::string_view diagnostics) {
  if (std::any_of(pleas.begin(), pleas.end(), [&](auto plea) { return contains(diagnostics, plea); }))
    return "the compiler crashed, with status " + std::to_string(status);
  return diagnostics.empty() ? "the compiler said nothing and ended with status " + std::to_string(status) : "";
}

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  if (from.empty())
    return;
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

step_diagnosis refusal(verdict v, std::string log) {
  return {v, {}, std::move(log)};
}

} // namespace

fault fault_from(const failure& why) {
  switch (why.code) {
    case errc::no_space:
      return {fault_kind::no_space, why.detail, 0};
    case errc::unsupported:
    case errc::not_found:
      return {fault_kind::toolchain_missing, why.detail, 0};
    case errc::cancelled:
      return {fault_kind::cancelled, why.detail, 0};
    case errc::protocol:
      return {fault_kind::protocol, why.detail, 0};
    default:
      return {fault_kind::internal, to_string(why), 0};
  }
}

std::string missing_entry(std::string_view diagnostics, const std::string& entry) {
  if (diagnostics.find("the task's contract:") == std::string_view::npos)
    return {};
  for (const auto* what : {"undeclared function '", "undeclared identifier '", "implicit declaration of function '"})
    if (diagnostics.find(what + entry + "'") != std::string_view::npos)
      return "there is no function '" + entry + "': define it as the task declares it";
  return {};
}

std::string missing_library(std::string_view diagnostics, const std::vector<std::string>& allowed) {
  constexpr std::string_view before = "undefined reference to `";
  const auto at = diagnostics.find(before);
  if (at == std::string_view::npos)
    return {};
  constexpr size_t longest_name = 100; // the text is hostile, and this message is shown as ours
  auto symbol = diagnostics.substr(at + before.size());
  symbol = symbol.substr(0, std::min(symbol.find_first_of("'\n"), longest_name));
  auto out = std::string{symbol}
             + " is not defined in the source, so it must be in a library that the task allows: libc, libm";
  for (const auto& name : allowed)
    out += ", " + name;
  return out + "; others only by the task's permissions.libraries";
}

step_diagnosis diagnose(const step_result& step, std::string_view diagnostics) {
  switch (step.end) {
    case step_end::exited:
      if (step.value == 0)
        return {};
      if (ran_out_of_memory(diagnostics))
        return refusal(verdict::out_of_memory, "the compiler ran out of memory");
      return refusal(verdict::compile_error, last_words(step.value, diagnostics));
    case step_end::signalled:
      if (step.value == SIGXCPU)
        return refusal(verdict::timeout, "the compiler used up its processor time");
      if (step.value == SIGXFSZ)
        return refusal(verdict::compile_error, "the compiler's output is too large");
      // The kernel's out-of-memory killer, a service manager or a person sent the signal. The source is not blamed.
      if (step.value == SIGKILL || step.value == SIGTERM || step.value == SIGINT || step.value == SIGHUP)
        return {verdict::none, {fault_kind::worker_killed, "the compiler was killed from outside", 0}, ""};
      if (ran_out_of_memory(diagnostics))
        return refusal(verdict::out_of_memory, "the compiler ran out of memory");
      return refusal(verdict::compile_error, "the compiler crashed: " + std::string{::strsignal(step.value)});
    case step_end::over_time:
      return refusal(verdict::timeout, "the compiler exceeded its time limit");
    case step_end::given_up:
      return {verdict::none, {fault_kind::cancelled, "on request", 0}, ""};
    case step_end::not_started:
      return {verdict::none, fault_from(step.trouble), ""};
  }
  return {};
}

std::string clean_log(std::string_view diagnostics, const std::vector<std::string>& folders) {
  for (auto plea : pleas)
    if (auto at = diagnostics.find(plea); at != std::string_view::npos)
      diagnostics = diagnostics.substr(0, at);
  std::string out{diagnostics};
  for (const auto& folder : folders)
    replace_all(out, folder + "/", "");
  if (out.size() > most_log) {
    auto end = out.rfind('\n', most_log);
    auto keep = end == std::string::npos ? most_log : end + 1;
    auto more = out.size() - keep;
    out.resize(keep);
    out += "... " + std::to_string(more) + " more bytes\n";
  }
  return out;
}

} // namespace kevolve
