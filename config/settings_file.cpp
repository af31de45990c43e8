#include "config/settings_file.hpp"

#include <utility>

namespace kevolve {

result_or_errors<settings_file> read_settings_file(const std::string& path, const std::vector<std::string>& overrides) {
  auto text = read_text_file(path);
  if (!text)
    return tl::unexpected(text.error());
  auto root = parse_document(*text, path);
  if (!root)
    return tl::unexpected(root.error());
  settings_file out{std::move(*text), std::move(*root), {}};
  apply_overrides(out.root, overrides, out.bad_overrides);
  return out;
}

} // namespace kevolve
