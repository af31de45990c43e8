// Takes functions' JSON documents out of what clang -ast-dump=json -ast-dump-filter prints.
#pragma once

#include "runtime/base/result.hpp"

#include <functional>
#include <string>
#include <string_view>

namespace kevolve {

// The dump is a run of documents, possibly with "Dumping NAME:" lines between: every declaration whose name contains
// the filter. The one wanted is the function of exactly that name with a body. errc::not_found if there is none.
result<std::string> select_function(std::string_view dump, const std::string& entry);

// The entry's document. Where functions that it calls, themselves or through others, have a body too, they are with it
// in a TranslationUnitDecl, the entry first; no more than 24 names are looked for. `dump` runs the compiler with
// the name for a filter; its error is the answer's, as is errc::not_found of the entry.
result<std::string> entry_and_helpers(const std::string& entry,
                                      const std::function<result<std::string>(const std::string& name)>& dump);

} // namespace kevolve
