// The text of module_footer.py, embedded by the build.
#pragma once

#include <string_view>

namespace kevolve {

std::string_view module_footer();

} // namespace kevolve
