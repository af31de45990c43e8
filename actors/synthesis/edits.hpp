// Search/replace edits of a file.
#pragma once

#include "actors/synthesis/answer.hpp"
#include "actors/synthesis/blocks.hpp"

namespace kevolve::synthesis {

// The content with the one place that is `search`, in whole lines, replaced. Lines are compared without the white space
// at their ends; nothing else is forgiven: what stands in two places is ambiguous.
answer_or_refusal<std::string> apply_edit(std::string_view content, std::string_view search, std::string_view replace);

} // namespace kevolve::synthesis
