#include "backends/generator.hpp"

#include "backends/generators/configurations.hpp"
#include "backends/generators/transform/moves/move.hpp"
#include "backends/generators/transform/transform.hpp"
#include "runtime/base/ids.hpp"

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

result<std::unique_ptr<generator>> make_generator(const std::string& kind) {
  if (kind == "transform")
    return make_transform_generator();
  if (kind == "configurations")
    return make_configurations_generator();
  return fail(errc::not_found, "no generator '" + kind + "'; there are: transform, configurations");
}

} // namespace kevolve
