#include "tools/kevolve/client/reference_check.hpp"

#include "backends/judge/call_data.hpp"
#include "backends/target.hpp"
#include "config/document.hpp"
#include "runtime/base/kinds.hpp"
#include "runtime/base/program_directory.hpp"
#include "tools/kevolve/client/own_compile_server.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>

namespace kevolve {

namespace {

constexpr uint32_t compile_limit_ms = 60'000;
constexpr const char* contract_name = "the task's contract"; // as c_call_check calls its lines
constexpr const char* entry_name = "the task's entry";
constexpr const char* module_name = "reference.py"; // as the check of a framework's source calls it

std::string file_name(const task_spec& task) {
  return std::filesystem::path{task.reference_path}.filename().string();
}

// Returns the target that takes such references.
result<std::unique_ptr<target>> target_for(const std::string& language) {
  for (const auto& name : target_names()) {
    auto made = make_target(name, helper_directory());
    if (!made)
      return made;
    const auto known = (*made)->reference_languages();
    if (std::find(known.begin(), known.end(), language) != known.end())
      return made;
  }
  return fail(errc::unavailable, "no compiler here is locked for language '" + language + "'");
}

// Builds the reference as admission does: with the file's own line numbers, and a call with the declared arguments
// after it.
compile_request request_for(const task_spec& task, const target& hardware) {
  compile_request q;
  q.job = random_id();
  q.role = compile_role::reference;
  q.language = task.task.language;
  q.source = find_language(q.language).runs_in_framework
                 ? task.reference_source
                 : "#line 1 \"" + file_name(task) + "\"\n" + task.reference_source
                       + c_call_check(task.task, task.task.language);
  // An inline function that others may call must name nothing static (C11 6.7.4): so a static entry is refused.
  if (find_language(q.language).dialect == c_dialect::c)
    q.source += "#line 1 \"" + std::string{entry_name} + "\"\n#pragma GCC diagnostic error \"-Wstatic-in-inline\"\n"
                + "inline void kevolve_entry_check(void) { (void)&" + task.task.entry + "; }\n";
  q.entry = task.task.entry;
  q.task = task.task;
  q.threads = task.task.threads;
  q.libraries = task.task.libraries;
  q.limit_ms = compile_limit_ms;
  for (const auto& f : hardware.flag_menu())
    if (f.baseline)
      q.flags = f.name;
  return q;
}

// "file:3:5: error: what"
struct remark {
  std::string file;
  int line = 0;
  int column = 0;
  bool error = false;
  std::string what;
};

// Takes a number off the end, and the colon before it.
std::optional<int> take_number(std::string_view& text) {
  auto colon = text.rfind(':');
  if (colon == std::string_view::npos)
    return std::nullopt;
  int out = 0;
  const auto* end = text.data() + text.size();
  auto [at, error] = std::from_chars(text.data() + colon + 1, end, out);
  if (error != std::errc{} || at != end)
    return std::nullopt;
  text = text.substr(0, colon);
  return out;
}

std::optional<remark> read_remark(std::string_view line) {
  for (std::string_view mark : {": error: ", ": fatal error: ", ": note: "}) {
    auto at = line.find(mark);
    if (at == std::string_view::npos)
      continue;
    auto place = line.substr(0, at);
    auto column = take_number(place);
    auto row = take_number(place);
    if (column && row)
      return remark{std::string{place}, *row, *column, mark != ": note: ", std::string{line.substr(at + mark.size())}};
  }
  return std::nullopt;
}

// Tells if a compiler's message is about an undeclared name, in the words of clang, gcc and g++.
bool says_undeclared(const std::string& what) {
  for (const auto* words : {"undeclared", "implicit declaration", "not declared"})
    if (what.find(words) != std::string::npos)
      return true;
  return false;
}

// Points at the task file's own line for a key.
diagnostic at_key(const task_spec& task, const std::string& key, const std::string& message) {
  auto root = parse_document(task.text, task.path);
  if (!root)
    return {task.path, 0, 0, key, message};
  error_list errors{task.path, *root};
  errors.add(key, message);
  return errors.take().front();
}

} // namespace

std::vector<diagnostic> read_compiler_words(const task_spec& task, const std::string& words,
                                            const std::string& section) {
  std::vector<remark> remarks;
  for (size_t from = 0; from < words.size();) {
    auto end = std::min(words.find('\n', from), words.size());
    if (auto r = read_remark(std::string_view{words}.substr(from, end - from)))
      remarks.push_back(std::move(*r));
    from = end + 1;
  }
  const auto own = find_language(task.task.language).runs_in_framework ? module_name : file_name(task);
  const auto wanted = "the task declares " + c_prototype(task.task);
  std::vector<diagnostic> out;
  for (size_t i = 0; i < remarks.size(); ++i) {
    const auto& r = remarks[i];
    if (!r.error)
      continue;
    if (r.file == entry_name) {
      // Where there is no such function, or another one, the call has been refused as well.
      if (out.empty())
        out.push_back(at_key(task, section + ".entry",
                             "'" + task.task.entry + "' in " + task.reference_path
                                 + " is static: nobody outside the file can call it"));
      continue;
    }
    if (r.file != contract_name) {
      out.push_back({r.file == own ? task.reference_path : r.file, r.line, r.column, "", r.what});
      continue;
    }
    if (says_undeclared(r.what)) {
      out.push_back(at_key(task, section + ".entry",
                           "there is no function '" + task.task.entry + "' in " + task.reference_path + "; " + wanted));
      continue;
    }
    // The call is ours: what it does not fit is in the note behind it.
    diagnostic d{task.reference_path, 0, 0, "", "'" + task.task.entry + "' does not fit: " + r.what + "; " + wanted};
    for (size_t n = i + 1; n < remarks.size() && !remarks[n].error; ++n)
      if (remarks[n].file == own) {
        d.line = remarks[n].line;
        d.column = remarks[n].column;
        break;
      }
    out.push_back(std::move(d));
  }
  if (out.empty())
    out.push_back({task.reference_path, 0, 0, "", words.substr(0, words.find('\n'))});
  return out;
}

contract oracle_contract(const task_spec& task) {
  auto out = promoted(task.task);
  out.entry = task.oracle_entry;
  return out;
}

result<std::vector<diagnostic>> check_reference(const task_spec& task) {
  const auto not_here = [](const std::string& why) { return tl::unexpected(failure{errc::unavailable, why}); };
  auto hardware = target_for(task.task.language);
  if (!hardware)
    return not_here(hardware.error().detail);
  own_compile_server server;
  if (auto started = server.start((*hardware)->compile_server()); !started)
    return not_here(to_string(started.error()));
  std::vector<diagnostic> out;
  const auto look = [&](const task_spec& what, const std::string& section) -> result<void> {
    auto outcome = server.compile(request_for(what, **hardware));
    if (!outcome)
      return not_here("the compile server: " + to_string(outcome.error()));
    if (outcome->trouble)
      return not_here(outcome->trouble.kind + ": " + outcome->trouble.detail);
    if (outcome->result != verdict::pass)
      for (auto& d : read_compiler_words(what, outcome->log, section))
        out.push_back(std::move(d));
    return {};
  };
  if (auto ok = look(task, "reference"); !ok)
    return tl::unexpected(ok.error());
  if (task.oracle_source.empty())
    return out;
  auto oracle = task;
  oracle.task = oracle_contract(task);
  oracle.reference_path = task.oracle_path;
  oracle.reference_source = task.oracle_source;
  if (auto ok = look(oracle, "oracle"); !ok)
    return tl::unexpected(ok.error());
  return out;
}

result<reference_objects> build_reference(const task_spec& task) {
  auto hardware = target_for(task.task.language);
  if (!hardware)
    return fail(errc::unavailable, hardware.error().detail);
  own_compile_server server;
  if (auto started = server.start((*hardware)->compile_server()); !started)
    return fail(errc::unavailable, to_string(started.error()));
  const auto object = [&](compile_role role, const std::string& flags) -> result<std::string> {
    auto q = request_for(task, **hardware);
    q.role = role;
    q.source = task.reference_source;
    if (!flags.empty())
      q.flags = flags;
    auto outcome = server.compile(q);
    if (!outcome)
      return fail(errc::unavailable, "the compile server: " + to_string(outcome.error()));
    if (outcome->trouble)
      return fail(errc::unavailable, outcome->trouble.kind + ": " + outcome->trouble.detail);
    if (outcome->result != verdict::pass)
      return fail(errc::bad_input, outcome->log.substr(0, outcome->log.find('\n')));
    return std::move(outcome->artifact);
  };
  reference_objects out;
  auto built = object(compile_role::reference, {});
  if (!built)
    return tl::unexpected(built.error());
  out.reference = std::move(*built);
  built = object(compile_role::oracle, {});
  if (!built)
    return tl::unexpected(built.error());
  out.oracle = std::move(*built);
  const auto menu = (*hardware)->flag_menu();
  const auto fast = std::find_if(menu.begin(), menu.end(), [](const flag_set& f) { return f.fast_math; });
  if (fast != menu.end())
    if (built = object(compile_role::candidate, fast->name); built)
      out.reordered = std::move(*built);
  return out;
}

result<std::string> syntax_tree_of(const std::string& path, const std::string& text, const std::string& language,
                                   const std::string& entry) {
  auto hardware = target_for(language);
  if (!hardware)
    return fail(errc::unavailable, hardware.error().detail);
  own_compile_server server;
  if (auto started = server.start((*hardware)->compile_server()); !started)
    return fail(errc::unavailable, to_string(started.error()));
  task_spec task;
  task.task.language = language;
  task.task.entry = entry;
  task.reference_path = path;
  task.reference_source = text;
  auto wanted = request_for(task, **hardware);
  wanted.kind = compile_kind::syntax_tree;
  wanted.source = text;
  auto outcome = server.compile(wanted);
  if (!outcome)
    return fail(errc::unavailable, "the compile server: " + to_string(outcome.error()));
  if (outcome->trouble)
    return fail(errc::unavailable, outcome->trouble.kind + ": " + outcome->trouble.detail);
  if (outcome->result != verdict::pass)
    return fail(errc::bad_input, outcome->log.substr(0, outcome->log.find('\n')));
  return std::move(outcome->artifact);
}

result<reference_reading> read_by_generator(const task_spec& task) {
  auto hardware = target_for(task.task.language);
  if (!hardware)
    return tl::unexpected(hardware.error());
  auto embedded = make_generator("transform");
  if (!embedded || !is_native(task.task.language))
    return fail(errc::unsupported, "no embedded generator reads language '" + task.task.language + "'");
  own_compile_server server;
  if (auto started = server.start((*hardware)->compile_server()); !started)
    return tl::unexpected(started.error());
  auto wanted = request_for(task, **hardware);
  wanted.kind = compile_kind::syntax_tree;
  wanted.source = task.reference_source;
  auto outcome = server.compile(wanted);
  if (!outcome)
    return tl::unexpected(outcome.error());
  if (outcome->trouble)
    return fail(errc::unavailable, outcome->trouble.kind + ": " + outcome->trouble.detail);
  synthesis_context context;
  context.task = task.task;
  context.reference_source = task.reference_source;
  context.hardware = (*hardware)->hardware();
  if (outcome->result == verdict::pass)
    context.syntax_tree = std::make_shared<const std::string>(std::move(outcome->artifact));
  auto reading = (*embedded)->read_reference(context);
  return reading ? result<reference_reading>{std::move(*reading)}
                 : fail(errc::unsupported, "the generator reads no references");
}

} // namespace kevolve
