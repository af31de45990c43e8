#include "backends/generator.hpp"

#include "backends/generators/transform/transform.hpp"

namespace kevolve {

result<std::unique_ptr<generator>> make_generator(const std::string& kind) {
  if (kind == "transform")
    return make_transform_generator();
  return fail(errc::not_found, "no generator '" + kind + "'; there are: transform");
}

} // namespace kevolve
