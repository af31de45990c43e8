#include "backends/cpu/compile_server/compiler.hpp"

#include "backends/compile/diagnosis.hpp"
#include "backends/cpu/build_recipe.hpp"
#include "backends/cpu/checked_intrinsics.hpp"
#include "backends/cpu/compile_server/syntax_tree.hpp"
#include "backends/cpu/prelude.hpp"
#include "backends/cpu/sanitizers.hpp"
#include "runtime/base/fault_kinds.hpp"
#include "runtime/base/kinds.hpp"
#include "runtime/base/printable.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>

namespace kevolve {

namespace {

using steady = std::chrono::steady_clock;

constexpr size_t most_source = 4U << 20U;
constexpr size_t most_artifact = 64U << 20U;
constexpr size_t most_preprocessed = 64U << 20U;
constexpr uint64_t usual_memory = 4ULL << 30U; // default limit; half of the machine's memory if that is less

uint64_t memory_limit(uint64_t asked) {
  if (asked != 0)
    return asked;
  auto machine = static_cast<uint64_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<uint64_t>(::sysconf(_SC_PAGE_SIZE));
  return std::min(usual_memory, machine / 2);
}

// Returns the paths that compilers read: their own files and the system's headers and libraries. Files of the user are
// excluded.
std::vector<std::string> toolchain_folders(const toolchain& tools) {
  std::vector<std::string> out{"/usr/include", "/usr/lib", "/usr/lib64", "/usr/libexec",     "/usr/local/include",
                               "/usr/bin",     "/lib",     "/lib64",     "/etc/ld.so.cache", "/dev/null"};
  for (const auto& program : {tools.clang, tools.gcc, tools.linker}) {
    std::error_code ec;
    auto real = std::filesystem::canonical(program, ec);
    if (!ec && !real.string().starts_with("/usr/"))
      out.push_back(real.parent_path().parent_path().string());
  }
  return out;
}

void refuse(compile_outcome& out, std::string why) {
  out.result = verdict::compile_error;
  out.log = std::move(why);
}

std::string menu_names(const toolchain& tools) {
  std::string out;
  for (const auto* entry : tools.menu())
    out += (out.empty() ? "" : ", ") + entry->about.name;
  return out;
}

} // namespace

result<std::unique_ptr<compile_engine>> compiler::make(const compiler_options& options, const std::string& cache) {
  auto work = workspace::make(options.scratch);
  if (!work)
    return tl::unexpected(work.error());
  auto headers = header_cache::open(cache);
  if (!headers)
    return tl::unexpected(headers.error());
  auto tools = find_toolchain();
  sandbox_policy policy;
  policy.profile = sandbox_profile::compiler;
  policy.readable = toolchain_folders(tools);
  policy.readable.push_back(headers->folder());
  policy.writable = {work->path()};
  policy.memory_bytes = memory_limit(options.memory_bytes);
  policy.file_size_bytes = most_artifact;
  policy.cpu_seconds = 3600;
  policy.keep_fds = {0, 1, 2, 3};
  policy.parent_pid = ::getpid();
  auto lock = sandbox::prepare(policy);
  if (!lock)
    return tl::unexpected(lock.error());
  std::unique_ptr<compiler> out{
      new compiler{std::move(tools), std::move(*work), std::move(*headers), std::move(*lock)}};
  out->level_ = out->lock_.level() + (options.around.empty() ? "" : "+" + options.around);
  out->too_weak_ = refusal_of_level(out->level_, options.done_without);
  return out;
}

std::string compiler::fingerprint() const {
  return toolchain_fingerprint(tools_);
}

std::map<std::string, std::string> compiler::facts() const {
  return {{"sandbox", level_},
          {"clang", tools_.clang_version},
          {"gcc", tools_.gcc_version},
          {"linker", tools_.linker_version}};
}

compile_outcome compiler::run(const compile_request& request, attention& listener) {
  compile_outcome out;
  out.job = request.job;
  out.sandbox_level = level_;
  auto begin = steady::now();
  const auto* entry = request.role == compile_role::oracle ? &oracle_flags() : find_flags(request.flags);
  if (!too_weak_.empty())
    out.trouble = {fault_kind::sandbox_weak, too_weak_, 0};
  else if (!tools_.usable())
    out.trouble = {fault_kind::toolchain_missing, "clang-19 and ld.bfd are missing: apt-get install clang-19 binutils",
                   0};
  else if (entry == nullptr)
    refuse(out, "there is no flag set '" + request.flags + "'; there are: " + menu_names(tools_) + "\n");
  else if (!is_native(request.language))
    refuse(out, "there is no language '" + request.language + "'; there are: c, cpp\n");
  else if (request.source.size() > most_source)
    refuse(out, "the source has more than " + std::to_string(most_source) + " bytes\n");
  else if (auto commands = commands_for(request, *entry); !commands)
    out.trouble = fault_from(commands.error());
  else
    build(request, **commands, listener, out);
  out.log = clean_log(out.log, {work_.path(), headers_.folder()});
  out.compile_ns = std::chrono::duration_cast<std::chrono::nanoseconds>(steady::now() - begin).count();
  return out;
}

result<const build_commands*> compiler::commands_for(const compile_request& request, const menu_entry& entry) {
  build_variant variant;
  variant.family = tools_.family_for(entry);
  variant.sanitised = request.role == compile_role::sanitised;
  if (request.kind == compile_kind::syntax_tree)
    variant.family = compiler_family::clang;
  variant.flags = variant.family == compiler_family::clang ? entry.clang : entry.gcc;
  if (variant.flags.empty()) // a gcc entry was asked for what only clang makes
    variant.flags = cpu_flag_menu().front().clang;
  variant.language = request.language;
  variant.threads = request.threads;
  variant.libraries = request.libraries;
  variant.remarks = request.role == compile_role::candidate;
  variant.tree = request.kind == compile_kind::syntax_tree;
  auto key = entry.about.name + "/" + request.language + (variant.threads ? "/threads" : "")
             + (variant.remarks ? "/remarks" : "") + (request.kind == compile_kind::syntax_tree ? "/tree" : "")
             + (variant.sanitised ? "/sanitised" : "");
  for (const auto& library : variant.libraries)
    key += "/" + library;
  auto it = known_.find(key);
  if (it == known_.end()) {
    auto commands = resolve_commands(tools_, variant);
    if (!commands)
      return tl::unexpected(commands.error());
    it = known_.emplace(key, std::move(*commands)).first;
  }
  return &it->second;
}

// Returns true if the step passed; else the outcome holds the verdict or fault.
bool compiler::run_step(command_line argv, const compile_request& request, steady::time_point deadline,
                        attention& listener, compile_outcome& out) {
  auto end = run_locked({std::move(argv), work_.path(), "output", "diagnostics", deadline}, lock_, listener);
  auto said = work_.read("diagnostics", 2 * most_log, true).value_or("");
  auto diagnosis = diagnose(end, said);
  out.log += said;
  if (end.end == step_end::exited && end.value == 0)
    return true;
  if (auto missing_requirements = missing_entry(said, request.entry);
      !missing_requirements.empty() && diagnosis.result == verdict::compile_error)
    diagnosis.log = std::move(missing_requirements);
  else if (auto unknown = missing_library(said, request.libraries);
           !unknown.empty() && diagnosis.result == verdict::compile_error)
    diagnosis.log = std::move(unknown);
  // On a full disk, the compiler reports an error in the source, so the disk itself is checked.
  if (diagnosis.result != verdict::none && work_.full())
    diagnosis = {verdict::none, {fault_kind::no_space, work_.path() + " is full", 0}, ""};
  out.result = diagnosis.result;
  out.trouble = diagnosis.trouble;
  if (!diagnosis.log.empty())
    out.log = diagnosis.log + (end.end == step_end::over_time ? " of " + std::to_string(request.limit_ms) + " ms" : "")
              + "\n" + out.log;
  return false;
}

void compiler::build(const compile_request& request, const build_commands& commands, attention& listener,
                     compile_outcome& out) {
  const bool preprocessed = !commands.preprocess.empty();
  auto header = preprocessed ? headers_.use_as_text(commands, request.language)
                             : headers_.use(commands, request.language, work_, lock_, listener);
  if (!header) {
    out.trouble = fault_from(header.error());
    return;
  }
  auto source = request.source;
  if (request.role == compile_role::oracle)
    source = promotion_text() + source;
  auto ready = work_.empty();
  if (ready)
    ready = work_.write(commands.source, source);
  const bool candidate = request.role == compile_role::candidate || request.role == compile_role::sanitised;
  if (ready)
    ready = work_.write(exports_file, exports_text(candidate ? request.entry : ""));
  if (ready && preprocessed)
    ready = work_.write(checked_intrinsics_file, checked_intrinsics(commands.family));
  if (!ready) {
    out.trouble = fault_from(ready.error());
    return;
  }
  // The time limit counts for the source alone; making a precompiled header is not charged to it.
  auto deadline = steady::now() + std::chrono::milliseconds{request.limit_ms};
  auto run_after = [&](const command_line& before, command_line words) {
    words.insert(words.end(), before.begin(), before.end());
    if (request.role == compile_role::oracle)
      words.push_back("-Werror=incompatible-pointer-types");
    return run_step(std::move(words), request, deadline, listener, out);
  };
  auto run_with_header = [&](const command_line& words) {
    if (run_after(*header, words))
      return true;
    const bool in_doubt = commands.family == compiler_family::clang && is_cpp(request.language);
    if (!in_doubt || out.result != verdict::compile_error || out.log.find("va_list") == std::string::npos)
      return false;
    // clang 19 finds two types behind va_list if a precompiled header meets a C++ source that names it. Compile again
    // with the header as text.
    out.log.clear();
    return run_after(headers_.as_text(commands), words);
  };
  if (request.kind == compile_kind::syntax_tree) {
    bool ran = true;
    // The filter matches every declaration whose name contains the given one. Without the header, there are few of
    // these.
    bool alone = true;
    auto tree = entry_and_helpers(request.entry, [&](const std::string& name) -> result<std::string> {
      auto dump = commands.tree;
      dump.push_back("-ast-dump-filter=" + name);
      ran = alone && run_after({}, dump);
      if (!ran && out.result == verdict::compile_error && name == request.entry) {
        alone = false;
        out.result = verdict::none;
        out.log.clear();
      }
      ran = ran || (!alone && run_with_header(dump));
      if (ran)
        return work_.read("output", most_artifact);
      if (name == request.entry || out.result == verdict::none)
        return fail(errc::unsupported, out.log);
      ran = true; // the output is too large, so the function is treated as unknown
      out.result = verdict::none;
      out.log.clear();
      return std::string{};
    });
    if (!ran)
      return headers_.doubt_if(out.log, commands);
    if (!tree)
      return refuse(out, tree.error().detail + "\n" + out.log);
    out.artifact = std::move(*tree);
  } else {
    if (preprocessed) {
      if (!run_after(*header, commands.preprocess))
        return;
      auto text = work_.read("candidate.i", most_preprocessed);
      if (!text)
        return refuse(out, "after the preprocessor: " + text.error().detail + "\n");
      if (auto word = evasion_in(*text, is_cpp(request.language)); !word.empty()) {
        refuse(out, "the source has '" + printable(word) + "', by which code escapes the sanitizers\n");
        out.evidence[evades_sanitizers] = word;
        return;
      }
    }
    for (size_t i = 0; i < commands.compile.size(); ++i)
      if (!(i == 0 && !preprocessed ? run_with_header(commands.compile[i])
                                    : run_step(commands.compile[i], request, deadline, listener, out)))
        return headers_.doubt_if(out.log, commands);
    if (!run_step(commands.link, request, deadline, listener, out))
      return;
    auto object = work_.read("candidate.so", most_artifact);
    if (!object) {
      out.trouble = fault_from(object.error());
      return;
    }
    out.artifact = std::move(*object);
  }
  out.result = verdict::pass;
}

} // namespace kevolve
