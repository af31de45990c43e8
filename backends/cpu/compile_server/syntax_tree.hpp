// Extracts functions' JSON documents from the output of clang -ast-dump=json -ast-dump-filter.
#pragma once

#include "runtime/base/result.hpp"

#include <functional>
#include <string>
#include <string_view>

namespace kevolve {

// Returns the function of exactly that name with a body. The dump has a document for every declaration whose name
// contains the filter, possibly with "Dumping NAME:" lines between. errc::not_found: there is no such function.
result<std::string> select_function(std::string_view dump, const std::string& entry);

// Returns the entry's document. Functions that it calls, directly or indirectly, and that have a body are added: then
// the result is a TranslationUnitDecl with the entry first. At most 24 names are looked up. `dump` runs the compiler
// with the name as filter; its errors are passed on. errc::not_found: there is no entry.
result<std::string> entry_and_helpers(const std::string& entry,
                                      const std::function<result<std::string>(const std::string& name)>& dump);

} // namespace kevolve
