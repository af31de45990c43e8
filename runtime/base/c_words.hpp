// The words of C and of the compilers' extensions that may occur in a declaration.
#pragma once

#include <functional>
#include <set>
#include <string>

namespace kevolve {

using word_set = std::set<std::string, std::less<>>;

const word_set& qualifiers(); // includes storage classes; none of these names a type
const word_set& type_words();
const word_set& typeof_words();    // types with an argument in brackets
const word_set& attribute_words(); // words with an argument in brackets
// Attributes with effects beyond the source's own names.
const word_set& far_reaching();

} // namespace kevolve
