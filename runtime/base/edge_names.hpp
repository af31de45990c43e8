// The names of an argument's edge cases: values with which it is drawn beside its ordinary ones. Task files hold them.
#pragma once

namespace kevolve::edge_name {

inline constexpr const char* zeros = "zeros";
inline constexpr const char* large = "large";
inline constexpr const char* denormal = "denormal";
inline constexpr const char* cancellation = "cancellation"; // nearly equal values
inline constexpr const char* special = "special";           // infinities and NaN

} // namespace kevolve::edge_name
