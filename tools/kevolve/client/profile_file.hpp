// Makes a candidate's file the subject of a profile, without a campaign: the compiler builds it, and nothing judges it.
#pragma once

#include "actors/evaluation/profile_run.hpp"
#include "actors/messages/records.hpp"
#include "config/task.hpp"

namespace kevolve {

// Judges a file before its profile. `shape`: the name of a declared shape; empty: the first. errc::not_found: there is
// no such shape; errc::bad_input: the candidate does not compile; errc::unavailable: a fault of the compiler or the
// machine.
result<profile_subject> subject_of_file(const task_spec& task, const target& hardware, const candidate& what,
                                        const std::string& shape);

} // namespace kevolve
