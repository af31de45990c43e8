// The outcomes of a document that a step retrieved, as retrieval records hold them.
#pragma once

namespace kevolve::document_outcome {

inline constexpr const char* quoted = "quoted"; // it stands in the prompt; every other text says why it was cut

} // namespace kevolve::document_outcome
