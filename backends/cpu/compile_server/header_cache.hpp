// Precompiled headers, one per exact compile command, kept in a folder that all servers of this user share and no
// compiler may write to. Files: KEY.h (the text), KEY.pch (clang) or KEY.h.gch (gcc).
#pragma once

#include "backends/compile/locked_command.hpp"
#include "backends/compile/workspace.hpp"
#include "backends/cpu/toolchain.hpp"

#include <map>
#include <string>

namespace kevolve {

class header_cache {
public:
  // errc::unauthorised if someone else owns the folder or may write to it.
  static result<header_cache> open(const std::string& folder);

  const std::string& folder() const { return folder_; }

  // Words to add to the compile command so that it starts after the header. Makes the header at first use, in the
  // workspace, and tries it once per server: a header older than the system's own is refused by clang and made anew.
  result<command_line> use(const build_commands& commands, const std::string& language, const workspace& work,
                           const sandbox& lock, attention& listener);
  // The same with the header's text, for a source that its precompiled form breaks.
  command_line as_text(const build_commands& commands) const;
  // Tries the header again before its next use if these diagnostics complain of one: the system's headers may have
  // been upgraded under a running server.
  void doubt_if(std::string_view diagnostics, const build_commands& commands);

private:
  explicit header_cache(std::string folder) : folder_(std::move(folder)) {}
  result<void> build(const build_commands& commands, const std::string& key, const workspace& work, const sandbox& lock,
                     attention& listener) const;
  bool works(const build_commands& commands, const command_line& words, const workspace& work, const sandbox& lock,
             attention& listener) const;

  std::string folder_;
  std::map<std::string, bool> tried_; // by key
};

} // namespace kevolve
