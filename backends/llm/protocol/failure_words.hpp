// Maps the provider's error texts to failure classes. Kept apart from failure.cpp because these are tables.
#pragma once

#include "backends/llm/protocol/failure.hpp"

namespace kevolve::llm {

// Returns the class that type, code or message indicate; none if nothing is recognised. The words take precedence over
// the status: a 400 may mean that no credit is left.
failure_class class_of_words(const reply_error& error);
failure_class class_of_status(int status);
// Returns advice for a person; empty if there is none.
std::string_view advice(failure_class c);

} // namespace kevolve::llm
