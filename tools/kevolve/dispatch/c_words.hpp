// The words of C, and of the compilers' C, that may stand in a declaration.
#pragma once

#include <functional>
#include <set>
#include <string>

namespace kevolve::dispatch {

using word_set = std::set<std::string, std::less<>>;

const word_set& qualifiers(); // and storage classes: they name no type
const word_set& type_words();
const word_set& typeof_words();    // types that take brackets
const word_set& attribute_words(); // they take brackets
// Attributes that reach beyond the source's own names.
const word_set& far_reaching();

} // namespace kevolve::dispatch
