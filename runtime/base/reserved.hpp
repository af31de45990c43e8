// Names that are documented and reserved, and stand for nothing in this build. Each is refused where it may stand, with
// words that tell it from a misspelt name. A name leaves the table when what it promises is there.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kevolve {

// The places where a reserved name can occur.
enum class reserved_place : uint8_t {
  policy = 0,         // search.policy and search.policies of a campaign
  generator,          // generator[].kind of a campaign
  reference_language, // reference.language of a task
  argument_setting,   // a key of argument[] of a task
  store_record,       // what a write is
  trust_tier,         // what a target says of its results
};

struct reserved_name {
  reserved_place place;
  std::string_view name;
  std::string_view advice; // what to do without it, where no other name takes its place
};

std::span<const reserved_name> reserved_names();
bool is_reserved(reserved_place place, std::string_view name);
// Returns the reserved names of a place, to be told as not there yet.
std::vector<std::string> reserved_at(reserved_place place);

// Returns the refusal: "generator 'replay' is not there yet; use one of transform, llm". Without names to use it ends
// with the table's advice.
std::string not_there_yet(reserved_place place, std::string_view name, const std::vector<std::string>& instead = {});

} // namespace kevolve
