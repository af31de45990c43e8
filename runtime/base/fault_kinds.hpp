// The kinds of faults: the words that stand in `kind` of a fault, in records, between processes and in metrics.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace kevolve::fault_kind {

inline constexpr const char* no_space = "no_space"; // on disk, in memory or on the device
inline constexpr const char* worker_killed = "worker_killed";
// A scheduler ends all processes of a job that stops by SIGTERM. Neither the job nor the node is to blame.
inline constexpr const char* helper_terminated = "worker_terminated";
inline constexpr const char* device_sick = "device_sick"; // it fails its known answer
inline constexpr const char* device_missing = "device_missing";
inline constexpr const char* toolchain_missing = "toolchain_missing";
inline constexpr const char* sandbox = "sandbox";           // it cannot be set up
inline constexpr const char* sandbox_weak = "sandbox_weak"; // layers are missing that nobody has waived
inline constexpr const char* protocol = "protocol";
inline constexpr const char* timed_out = "timed_out";
inline constexpr const char* cancelled = "cancelled";
inline constexpr const char* core_busy = "core_busy";         // another process has its turn on the core
inline constexpr const char* resource_gone = "resource_gone"; // before the job was tried
// The baseline crashed, hung or erred, so that the candidate was not judged. Result, rule, detail and evidence describe
// the baseline then.
inline constexpr const char* baseline_failed = "rival_failed";
inline constexpr const char* journal = "journal";
inline constexpr const char* generator = "generator";
inline constexpr const char* internal = "internal";

inline constexpr std::array<std::string_view, 17> all{
    no_space,      worker_killed, helper_terminated, device_sick, device_missing, toolchain_missing,
    sandbox,       sandbox_weak,  protocol,          timed_out,   cancelled,      core_busy,
    resource_gone, journal,       generator,         internal,    baseline_failed};

// Returns true for kinds that stay until a person installs or permits something: another attempt ends as this one.
constexpr bool needs_a_person(std::string_view kind) {
  return kind == sandbox_weak || kind == toolchain_missing;
}

// Returns true for kinds that say why nothing was tried. They say nothing about the device.
constexpr bool nothing_was_tried(std::string_view kind) {
  return kind == cancelled || kind == core_busy || kind == sandbox_weak;
}

constexpr bool is_known(std::string_view kind) {
  return std::find(all.begin(), all.end(), kind) != all.end();
}

} // namespace kevolve::fault_kind
