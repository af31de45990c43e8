#include "runtime/node/cluster_parts.hpp"

#include "runtime/base/cluster_words.hpp"
#include "runtime/base/codec.hpp"
#include "runtime/base/log.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace kevolve {

namespace {

std::string without_line_end(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r'))
    text.pop_back();
  return text;
}

std::string about(const target& t) {
  std::string out;
  for (const auto& [name, value] : t.about())
    out += (out.empty() ? "" : ", ") + value;
  constexpr size_t shown = 200;
  return out.substr(0, shown);
}

} // namespace

std::vector<postgres::offered_resource>
resources_of(const std::map<std::string, std::shared_ptr<const target>>& targets, const std::set<std::string>& batch,
             const std::map<std::string, uint32_t>& compilers, uint32_t waits, bool profiles) {
  std::vector<postgres::offered_resource> out;
  out.push_back({job_kind::wait, "", "any", waits, "jobs that only wait"});
  for (const auto& [name, t] : targets) {
    if (const auto slots = compilers.find(name); slots != compilers.end() && slots->second > 0)
      out.push_back({job_kind::compile, name, t->toolchain_fingerprint({}), slots->second, about(*t)});
    if (batch.contains(name))
      continue;
    std::map<std::string, uint32_t> devices;
    for (const auto& d : t->devices())
      ++devices[t->device_fingerprint(d)];
    for (const auto& [fingerprint, slots] : devices) {
      const auto hardware = judge_hardware(fingerprint, t->harness_fingerprint());
      out.push_back({job_kind::judge, name, hardware, slots, about(*t)});
      if (profiles)
        out.push_back({job_kind::profile, name, hardware, slots, about(*t)});
    }
  }
  return out;
}

postgres::member member_of(const cluster_spec& spec, const id128& instance, const id128& id) {
  postgres::member out;
  out.deployment = spec.deployment;
  out.name = node_name(spec);
  out.instance = instance;
  out.id = id;
  out.role = spec.role;
  out.version = KEVOLVE_VERSION;
  out.labels = spec.labels;
  out.memory_mib = static_cast<int64_t>(::sysconf(_SC_PHYS_PAGES)) * (::sysconf(_SC_PAGESIZE) >> 10) >> 10;
  return out;
}

std::vector<stored_value> to_be_shared(const std::vector<transaction>& group) {
  std::vector<stored_value> out;
  for (const auto& t : group)
    for (const auto& w : t.writes) {
      if (w.what == write_op::action::put && w.where == table::skills)
        out.push_back({to_string(table::skills), w.key, w.value});
      if (w.what != write_op::action::put || w.where != table::evaluations)
        continue;
      const auto record = decode_older<evaluation_record>(w.value);
      if (!record)
        continue;
      const auto object = std::find_if(t.writes.begin(), t.writes.end(), [&](const write_op& b) {
        return b.what == write_op::action::put_blob && b.key == record->object;
      });
      if (!record->object.empty() && object == t.writes.end())
        continue;
      out.push_back({to_string(table::evaluations), w.key, w.value});
      if (object != t.writes.end())
        out.push_back({to_string(table::blobs), object->key, object->value});
    }
  return out;
}

result<postgres::connection_options> connection_options_of(const cluster_spec& spec) {
  postgres::connection_options out;
  out.connection = spec.postgres;
  out.name = "kevolve " + node_name(spec);
  if (!spec.password_env.empty()) {
    const auto* value = std::getenv(spec.password_env.c_str());
    if (value == nullptr)
      return fail(errc::bad_input, "cluster.password_env: the environment has no " + spec.password_env);
    out.password = value;
  }
  if (!spec.password_file.empty()) {
    std::ifstream in{spec.password_file};
    if (!in)
      return fail(errc::bad_input,
                  "cluster.password_file: cannot read " + spec.password_file + ": " + std::strerror(errno));
    out.password = without_line_end({std::istreambuf_iterator<char>{in}, {}});
  }
  return out;
}

bool keeps_campaigns(const cluster_spec& spec) {
  return !spec.postgres.empty() && spec.role == cluster_role::home && spec.durable == durable_on::cluster;
}

result<void> may_join(const cluster_spec& spec) {
  if (spec.postgres.empty())
    return {};
  if (const auto options = connection_options_of(spec); !options)
    return tl::unexpected(options.error());
  std::error_code ec;
  const auto readers = std::filesystem::perms::group_read | std::filesystem::perms::others_read;
  if (!spec.password_file.empty()
      && (std::filesystem::status(spec.password_file, ec).permissions() & readers) != std::filesystem::perms::none)
    log::warn("cluster", "cluster.password_file: {} may be read by other users: chmod 600 it", spec.password_file);
  return {};
}

std::string node_name(const cluster_spec& spec) {
  if (!spec.node.empty())
    return spec.node;
  std::array<char, 65> host{};
  ::gethostname(host.data(), host.size() - 1);
  return host.data();
}

} // namespace kevolve
