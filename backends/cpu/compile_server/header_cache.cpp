#include "backends/cpu/compile_server/header_cache.hpp"

#include "backends/cpu/prelude.hpp"
#include "runtime/base/ids.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>

namespace kevolve {

namespace fs = std::filesystem;

namespace {

constexpr size_t most_header = 256U << 20U;
constexpr auto build_limit = std::chrono::seconds{60};

std::string key_of(const build_commands& commands) {
  std::string text = "header 1\n";
  for (const auto& w : commands.header)
    text += w + '\0';
  return sha256_hex(text + prelude_text("c") + prelude_text("cpp")).substr(0, 32);
}

std::string file_of(const build_commands& commands, const std::string& base) {
  return base + (commands.family == compiler_family::clang ? ".pch" : ".h.gch");
}

// Another server may write the same file at the same moment. An existing file is left as it is, since clang records its
// modification time.
result<void> publish(const std::string& content, const std::string& file, bool replace) {
  auto draft = file + ".XXXXXX";
  auto fd = ::mkstemp(draft.data());
  if (fd < 0)
    return tl::unexpected(from_errno(errno, draft));
  size_t done = 0;
  int error = 0;
  while (done < content.size() && error == 0) {
    auto n = ::write(fd, content.data() + done, content.size() - done);
    if (n >= 0)
      done += static_cast<size_t>(n);
    else if (errno != EINTR)
      error = errno;
  }
  ::close(fd);
  if (error == 0 && replace && ::rename(draft.c_str(), file.c_str()) != 0)
    error = errno;
  if (error == 0 && !replace && ::link(draft.c_str(), file.c_str()) != 0 && errno != EEXIST)
    error = errno;
  if (error != 0 || !replace)
    ::unlink(draft.c_str());
  if (error != 0)
    return tl::unexpected(from_errno(error, file));
  return {};
}

} // namespace

result<header_cache> header_cache::open(const std::string& folder) {
  std::error_code ec;
  fs::create_directories(fs::path{folder}.parent_path(), ec);
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST)
    return tl::unexpected(from_errno(errno, folder));
  struct stat st{};
  if (::lstat(folder.c_str(), &st) != 0)
    return tl::unexpected(from_errno(errno, folder));
  if (!S_ISDIR(st.st_mode) || st.st_uid != ::geteuid() || (st.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    return fail(errc::unauthorised, folder + " must be a folder that only this user may write to");
  return header_cache{folder};
}

void header_cache::doubt_if(std::string_view diagnostics, const build_commands& commands) {
  if (diagnostics.find("precompiled") != std::string_view::npos || diagnostics.find("PCH") != std::string_view::npos)
    tried_.erase(key_of(commands));
}

command_line header_cache::as_text(const build_commands& commands) const {
  return {"-include", folder_ + "/" + key_of(commands) + ".h"};
}

result<command_line> header_cache::use_as_text(const build_commands& commands, const std::string& language) const {
  const auto file = folder_ + "/" + key_of(commands) + ".h";
  if (std::error_code ec; !fs::exists(file, ec))
    if (auto written = publish(prelude_text(language), file, false); !written)
      return tl::unexpected(written.error());
  return as_text(commands);
}

result<command_line> header_cache::use(const build_commands& commands, const std::string& language,
                                       const workspace& work, const sandbox& lock, attention& listener) {
  auto key = key_of(commands);
  auto base = folder_ + "/" + key;
  auto words = commands.family == compiler_family::clang ? command_line{"-include-pch", base + ".pch"}
                                                         : command_line{"-include", base + ".h"};
  if (tried_[key])
    return words;
  std::error_code ec;
  if (!fs::exists(base + ".h", ec))
    if (auto written = publish(prelude_text(language), base + ".h", false); !written)
      return tl::unexpected(written.error());
  auto present = fs::exists(file_of(commands, base), ec);
  if (!present || !works(commands, words, work, lock, listener)) {
    if (auto built = build(commands, key, work, lock, listener); !built)
      return tl::unexpected(built.error());
    if (!works(commands, words, work, lock, listener))
      return fail(errc::internal, "the precompiled header does not work just after it was made");
  }
  tried_[key] = true;
  return words;
}

result<void> header_cache::build(const build_commands& commands, const std::string& key, const workspace& work,
                                 const sandbox& lock, attention& listener) const {
  auto base = folder_ + "/" + key;
  if (auto emptied = work.empty(); !emptied)
    return emptied;
  locked_command step{commands.header, work.path(), "output", "diagnostics",
                      std::chrono::steady_clock::now() + build_limit};
  step.argv.push_back(base + ".h");
  auto end = run_locked(step, lock, listener);
  if (end.end == step_end::given_up)
    return fail(errc::cancelled, "while making a precompiled header");
  if (end.end == step_end::not_started)
    return tl::unexpected(end.trouble);
  auto content = work.read("prelude.pch", most_header);
  if (end.end != step_end::exited || end.value != 0 || !content || content->empty()) {
    if (work.full())
      return fail(errc::no_space, work.path());
    return fail(errc::internal,
                "cannot make a precompiled header: " + work.read("diagnostics", 400, true).value_or(""));
  }
  return publish(*content, file_of(commands, base), true);
}

bool header_cache::works(const build_commands& commands, const command_line& words, const workspace& work,
                         const sandbox& lock, attention& listener) const {
  if (!work.empty() || !work.write(commands.source, "\n"))
    return false;
  locked_command step{commands.compile.front(), work.path(), "output", "diagnostics",
                      std::chrono::steady_clock::now() + build_limit};
  step.argv.insert(step.argv.end(), words.begin(), words.end());
  auto end = run_locked(step, lock, listener);
  return end.end == step_end::exited && end.value == 0;
}

} // namespace kevolve
