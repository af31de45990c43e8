// A cache of precompiled headers, one per exact compile command. All servers of this user share its folder, and no
// compiler may write to it. Files: KEY.h (the text), KEY.pch (clang) or KEY.h.gch (gcc).
#pragma once

#include "backends/compile/locked_command.hpp"
#include "backends/compile/workspace.hpp"
#include "backends/cpu/toolchain.hpp"

#include <map>
#include <string>

namespace kevolve {

class header_cache {
public:
  // Opens the folder. errc::unauthorised: someone else owns the folder or may write to it.
  static result<header_cache> open(const std::string& folder);

  const std::string& folder() const { return folder_; }

  // Returns the words that make the compile command start after the header. Makes the header in the workspace at first
  // use and tests it once per server. clang rejects a header older than the system's own; it is then made again.
  result<command_line> use(const build_commands& commands, const std::string& language, const workspace& work,
                           const sandbox& lock, attention& listener);
  // Returns the words that include the header's text, for sources that fail with its precompiled form.
  command_line as_text(const build_commands& commands) const;
  // Returns the options that include the header as text, after publishing that text if it is missing. A sanitised build
  // uses it: its compile step reads preprocessed text, on which no precompiled header could be tried.
  result<command_line> use_as_text(const build_commands& commands, const std::string& language) const;
  // If these diagnostics complain about a header, tests it again before its next use. The system's headers may have
  // been upgraded since the server started.
  void doubt_if(std::string_view diagnostics, const build_commands& commands);

private:
  explicit header_cache(std::string folder) : folder_(std::move(folder)) {}
  result<void> build(const build_commands& commands, const std::string& key, const workspace& work, const sandbox& lock,
                     attention& listener) const;
  bool works(const build_commands& commands, const command_line& words, const workspace& work, const sandbox& lock,
             attention& listener) const;

  std::string folder_;
  std::map<std::string, bool> tried_; // tested headers by key
};

} // namespace kevolve
