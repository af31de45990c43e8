// The kinds of resources that the scheduler leases.
#pragma once

namespace kevolve::resource_kind {

inline constexpr const char* compiler = "compiler";
inline constexpr const char* device = "device";

} // namespace kevolve::resource_kind
