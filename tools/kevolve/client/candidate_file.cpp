#include "tools/kevolve/client/candidate_file.hpp"

#include "config/document.hpp"
#include "runtime/base/kinds.hpp"
#include "tools/kevolve/client/connection.hpp"
#include "tools/kevolve/output/terminal.hpp"

#include <algorithm>

namespace kevolve {

result<candidate> candidate_of_file(const std::string& path, const std::string& flags, const target& hardware) {
  candidate out;
  out.language = language_of_file(path).name;
  const auto known = hardware.languages();
  if (std::find(known.begin(), known.end(), out.language) == known.end()) {
    std::string expected;
    for (const auto& l : known)
      expected += (expected.empty() ? "" : " or ") + source_extension(l);
    return fail(errc::bad_input, path + ": expected a " + expected + " file");
  }
  auto source = read_text_file(path);
  if (!source) // the reason stands in it
    return fail(errc::bad_input, to_string(source.error().front()));
  out.source = std::move(*source);
  std::vector<std::string> names;
  for (const auto& f : hardware.flag_menu()) {
    names.push_back(f.name);
    if (f.baseline && flags.empty())
      out.flags = f.name;
    if (f.name == flags)
      out.flags = f.name;
  }
  if (out.flags.empty())
    return fail(errc::bad_input, "--flags " + flags + ": no such flag set" + suggestion(flags, names));
  out.generator = "file";
  out.summary = path;
  return out;
}

} // namespace kevolve
