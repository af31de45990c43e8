#include "backends/generator.hpp"

#include "backends/generators/configurations.hpp"
#include "backends/generators/transform/transform.hpp"
#include "runtime/base/ids.hpp"

namespace kevolve {

uint64_t genome_fingerprint(const std::string& genome) {
  return genome.empty() ? 0 : derive_id("genome", genome).lo;
}

result<std::unique_ptr<generator>> make_generator(const std::string& kind) {
  if (kind == "transform")
    return make_transform_generator();
  if (kind == "configurations")
    return make_configurations_generator();
  return fail(errc::not_found, "no generator '" + kind + "'; there are: transform, configurations");
}

} // namespace kevolve
