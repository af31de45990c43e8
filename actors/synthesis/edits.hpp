// Search/replace edits of a file.
#pragma once

#include "actors/synthesis/answer.hpp"
#include "actors/synthesis/blocks.hpp"

namespace kevolve::synthesis {

// Returns the content with the only occurrence of `search`, in whole lines, replaced. Lines are compared without
// trailing white space and must otherwise be equal. Several occurrences are ambiguous.
answer_or_refusal<std::string> apply_edit(std::string_view content, std::string_view search, std::string_view replace);

} // namespace kevolve::synthesis
