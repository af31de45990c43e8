// The words of a cluster: roles of nodes, kinds of jobs, states of nodes and of a node's link. Settings, PostgreSQL and
// JSON hold them as they stand here.
#pragma once

namespace kevolve {

namespace cluster_role {
inline constexpr const char* home = "home";     // runs campaigns, and jobs of others
inline constexpr const char* worker = "worker"; // runs jobs of others alone
} // namespace cluster_role

// The records of a campaign are kept there before they are acknowledged.
namespace durable_on {
inline constexpr const char* node = "node";
inline constexpr const char* cluster = "cluster";
} // namespace durable_on

namespace job_kind {
inline constexpr const char* compile = "compile";
inline constexpr const char* judge = "judge";
inline constexpr const char* profile = "profile";
inline constexpr const char* model = "model";
inline constexpr const char* wait = "wait"; // does nothing; measures the queue
} // namespace job_kind

// A node's link to PostgreSQL.
namespace link_state {
inline constexpr const char* joined = "joined";
inline constexpr const char* away = "away";
inline constexpr const char* left = "left";
} // namespace link_state

// A node as PostgreSQL lists it. Those that are draining, quarantined, left or gone get no new jobs.
namespace node_state {
inline constexpr const char* live = "live";
inline constexpr const char* left = "left"; // in order
inline constexpr const char* gone = "gone"; // without a word
} // namespace node_state

// The channels on which PostgreSQL notifies nodes.
namespace cluster_channel {
inline constexpr const char* jobs = "kevolve_jobs";
inline constexpr const char* done = "kevolve_done";
inline constexpr const char* nodes = "kevolve_nodes";
} // namespace cluster_channel

} // namespace kevolve
