// The provider's words as a failure class; apart from failure.cpp because they are data.
#pragma once

#include "backends/llm/protocol/failure.hpp"

namespace kevolve::llm {

// What type, code or message say; none: nothing that is known. Words beat the status: a 400 may mean an empty purse.
failure_class class_of_words(const reply_error& error);
failure_class class_of_status(int status);
// For a person: what to do. Empty: nothing.
std::string_view advice(failure_class c);

} // namespace kevolve::llm
