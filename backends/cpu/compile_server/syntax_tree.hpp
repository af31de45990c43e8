// Takes one function's JSON document out of what clang -ast-dump=json -ast-dump-filter prints.
#pragma once

#include "runtime/base/result.hpp"

#include <string>
#include <string_view>

namespace kevolve {

// The dump is a run of documents, possibly with "Dumping NAME:" lines between: every declaration whose name contains
// the filter. The one wanted is the function of exactly that name with a body. errc::not_found if there is none.
result<std::string> select_function(std::string_view dump, const std::string& entry);

} // namespace kevolve
