// The states of an actor that mean the same for all kinds. Every other text of actor_status::says() means busy.
#pragma once

namespace kevolve::actor_state {

inline constexpr const char* starting = "starting";
inline constexpr const char* idle = "idle";
// Only lists of actors use these: they sum up what an actor says.
inline constexpr const char* busy = "busy";
inline constexpr const char* live = "live";
inline constexpr const char* dead = "dead";

} // namespace kevolve::actor_state
