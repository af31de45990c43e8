#include "backends/generator.hpp"

#include "backends/generators/configurations.hpp"
#include "backends/generators/transform/moves/move.hpp"
#include "backends/generators/transform/transform.hpp"
#include "runtime/base/ids.hpp"
#include "runtime/base/kinds.hpp"

#include <array>

namespace kevolve {

uint64_t genome_fingerprint(const std::string& genome) {
  return genome.empty() ? 0 : derive_id("genome", transform::with_present_names(genome)).lo;
}

std::string text_of(const reference_reading& r, const std::string& file, bool kept, size_t most) {
  std::string out;
  size_t told = 0;
  size_t more = 0;
  for (const auto& x : r.remarks) {
    if (x.kept != kept)
      continue;
    if (told == most) {
      ++more;
      continue;
    }
    out +=
        (told++ == 0 ? "" : "; ") + (x.line > 0 ? file + ":" + std::to_string(x.line) + ": " : std::string{}) + x.what;
  }
  return more == 0 ? out : out + "; and " + std::to_string(more) + " more";
}

namespace {

struct embedded_generator {
  std::string_view kind; // runtime/base/kinds.hpp describes it
  std::unique_ptr<generator> (*make)();
};

// The generators that propose by themselves: a new one is a folder or file here and a line below.
constexpr auto embedded = std::to_array<embedded_generator>({
    {"transform", make_transform_generator},
    {"configurations", make_configurations_generator},
});

} // namespace

result<std::unique_ptr<generator>> make_generator(const std::string& kind) {
  std::vector<std::string> names;
  for (const auto& e : embedded) {
    if (e.kind == kind)
      return e.make();
    names.emplace_back(e.kind);
  }
  return fail(errc::not_found, "no generator '" + kind + "'; there are: " + comma_list(names));
}

} // namespace kevolve
