#include "store/postgres/queue.hpp"

#include "store/postgres/own_parameters.hpp"

#include <utility>

namespace kevolve::postgres {

namespace {

std::string keys_of(const std::vector<id128>& keys) {
  std::vector<std::string> texts;
  texts.reserve(keys.size());
  for (const auto& k : keys)
    texts.push_back(to_string(k));
  return array_of(texts);
}

} // namespace

result<std::vector<claimed_job>> claim(connection& c, const member& m, const offered_resource& free) {
  auto r = c.run({"select id, key, campaign, kind, target, hardware, claim, token, payload, waited_ms from "
                  "kevolve.claim_jobs($1, $2, $3, $4, $5, $6)",
                  own(m, {{free.kind}, {free.target}, {array_of({free.hardware})}, {std::to_string(free.slots)}})});
  if (!r)
    return tl::unexpected(r.error());
  std::vector<claimed_job> out;
  for (size_t i = 0; i < r->size(); ++i)
    out.push_back({r->integer(i, 0), id_of(r->text(i, 1)), id_of(r->text(i, 2)), r->text(i, 3), r->text(i, 4),
                   r->text(i, 5), r->integer(i, 6), r->text(i, 7), r->bytes(i, 8), r->number(i, 9)});
  return out;
}

result<std::string> fetch(connection& c, const std::string& token, const std::string& digest) {
  auto r = c.run({"select kevolve.fetch_blob($1, $2)", {{token}, {"\\x" + digest}}});
  if (!r)
    return tl::unexpected(r.error());
  if (r->size() == 0 || r->is_null(0, 0))
    return fail(errc::not_found, "the cluster has no blob " + digest);
  auto out = r->bytes(0, 0);
  if (sha256_hex(out) != digest)
    return fail(errc::corrupt, "the cluster's blob " + digest + " is damaged");
  return out;
}

result<std::vector<bool>> finish(connection& c, const std::vector<job_end>& ends) {
  std::vector<statement> group;
  group.reserve(ends.size());
  for (const auto& e : ends)
    group.push_back(e.failure.empty() ? statement{"select kevolve.finish_job($1, $2)", {{e.token}, {e.result, true}}}
                                      : statement{"select kevolve.return_job($1, $2, $3)",
                                                  {{e.token}, {e.failure}, {e.blamed ? "t" : "f"}}});
  auto r = c.run_all(group);
  if (!r)
    return tl::unexpected(r.error());
  std::vector<bool> out;
  out.reserve(r->size());
  for (const auto& one : *r)
    out.push_back(one.truth(0, 0));
  return out;
}

result<std::vector<std::string>> missing_blobs(connection& c, const std::vector<std::string>& digests) {
  auto r = c.run({"select encode(d, 'hex') from kevolve.missing_blobs($1) d", {{digests_of(digests)}}});
  if (!r)
    return tl::unexpected(r.error());
  std::vector<std::string> out;
  for (size_t i = 0; i < r->size(); ++i)
    out.push_back(r->text(i, 0));
  return out;
}

result<bool> put(connection& c, const member& m, const std::vector<std::string>& blobs,
                 const std::vector<queued_job>& jobs) {
  std::vector<statement> group;
  for (const auto& b : blobs)
    group.push_back({"select kevolve.put_blob($1, $2, $3)", own(m, {{b, true}})});
  for (const auto& j : jobs)
    group.push_back({"select kevolve.put_job($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)",
                     own(m, {{to_string(j.key)},
                             {to_string(j.campaign)},
                             {std::to_string(j.weight)},
                             {j.kind},
                             {j.target},
                             {j.hardware},
                             {array_of(j.labels)},
                             {std::to_string(j.memory_mib)},
                             {std::to_string(j.priority)},
                             {j.payload, true},
                             {digests_of(j.blobs)}})});
  auto r = c.run_all(group);
  if (!r)
    return tl::unexpected(r.error());
  auto ended = false;
  for (auto i = blobs.size(); i < r->size(); ++i)
    ended = ended || (*r)[i].text(0, 0) == "done";
  return ended;
}

result<std::vector<ended_job>> collect(connection& c, const member& m, int most) {
  auto r = c.run({"select key, state, result, reason, node from kevolve.collect_jobs($1, $2, $3)",
                  own(m, {{std::to_string(most)}})});
  if (!r)
    return tl::unexpected(r.error());
  std::vector<ended_job> out;
  for (size_t i = 0; i < r->size(); ++i)
    out.push_back({id_of(r->text(i, 0)), r->text(i, 1) == "dead", r->bytes(i, 2), r->text(i, 3), r->text(i, 4)});
  return out;
}

result<void> acknowledge(connection& c, const member& m, const std::vector<id128>& keys) {
  return nothing(c.run({"select kevolve.acknowledge_jobs($1, $2, $3)", own(m, {{keys_of(keys)}})}));
}

result<void> withdraw(connection& c, const member& m, const std::vector<id128>& keys) {
  std::vector<statement> group;
  group.reserve(keys.size());
  for (const auto& k : keys)
    group.push_back({"select kevolve.withdraw_job($1, $2, $3)", own(m, {{to_string(k)}})});
  return nothing(c.run_all(group));
}

result<std::vector<queue_row>> queue_figures(connection& c) {
  auto r = c.run({"select kind, target, queued, claimed, dead, oldest_s from kevolve.queue_figures()", {}});
  if (!r)
    return tl::unexpected(r.error());
  std::vector<queue_row> out;
  for (size_t i = 0; i < r->size(); ++i)
    out.push_back(
        {r->text(i, 0), r->text(i, 1), r->integer(i, 2), r->integer(i, 3), r->integer(i, 4), r->number(i, 5)});
  return out;
}

} // namespace kevolve::postgres
