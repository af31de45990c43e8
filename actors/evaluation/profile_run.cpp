#include "actors/evaluation/profile_run.hpp"

#include "actors/evaluation/diagnosis.hpp"
#include "actors/evaluation/profiler_client.hpp"
#include "runtime/base/wall_clock.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace kevolve {

namespace {

using nlohmann::json;

constexpr size_t longest_reason = 300; // tools may say more
constexpr size_t largest_artefact = 16U << 20U;

profile_question question_of(const profile_subject& s, const profile_order& order) {
  profile_question q;
  for (const auto& [kind, digest] : s.digests)
    q.have.insert(kind);
  q.budget_s = order.budget_s;
  q.only = order.only;
  return q;
}

result<job_plan> plan_of(const profile_subject& s, const profile_order& order) {
  if (auto whole = check_passes(profile_passes()); !whole)
    return tl::unexpected(whole.error());
  for (const auto& name : order.only) {
    const auto* known = find_pass(name);
    if (known != nullptr)
      continue;
    std::string names;
    for (const auto& p : profile_passes())
      names += (names.empty() ? "" : ", ") + std::string{p.name};
    return fail(errc::not_found, "there is no pass '" + name + "'; there are: " + names);
  }
  return plan_passes(passes_for(profile_passes(), s.request), question_of(s, order));
}

void add_findings(const std::string& text, std::vector<finding>& out) {
  const auto listed = json::parse(text, nullptr, false);
  if (listed.is_array())
    for (const auto& x : listed)
      if (auto f = finding_of_json(x))
        out.push_back(std::move(*f));
}

struct profile_making {
  profile_record record;
  artefacts have;
  std::map<artefact_kind, std::string> digests;
  std::vector<finding> findings;
  std::vector<std::string> blobs; // to store

  void add_artefact(profiled_pass& p, const std::string& kind, const std::string& content) {
    const auto known = parse_enum<artefact_kind>(kind);
    if (!known || content.size() > largest_artefact)
      return;
    p.artefacts[kind] = sha256_hex(content);
    digests[*known] = p.artefacts[kind];
    have[*known] = content;
    blobs.push_back(content);
  }
};

// Takes an earlier result over; false if one of its artefacts is gone.
bool reuse(const store& data, const profiled_pass& earlier, profile_making& m) {
  auto p = earlier;
  p.reused = true;
  artefacts there;
  for (const auto& [kind, digest] : p.artefacts) {
    const auto known = parse_enum<artefact_kind>(kind);
    auto bytes = data.blob(digest);
    if (!known || !bytes || !*bytes)
      return false;
    there[*known] = std::move(**bytes);
  }
  for (auto& [kind, content] : there) {
    m.digests[kind] = sha256_hex(content);
    m.have[kind] = std::move(content);
  }
  add_findings(p.findings, m.findings);
  m.record.passes.push_back(std::move(p));
  return true;
}

profiled_pass new_pass(const graph_pass& p) {
  profiled_pass out;
  out.name = p.name;
  out.use = to_string(p.use);
  out.instruments = p.instruments;
  return out;
}

void take_outcomes(const std::vector<graph_pass>& planned, const pass_ground& ground, profiler_answer answer,
                   profile_making& m) {
  for (const auto& p : planned) {
    auto out = new_pass(p);
    const auto ended =
        std::find_if(answer.passes.begin(), answer.passes.end(), [&](const auto& x) { return x.name == p.name; });
    if (ended == answer.passes.end()) {
      out.skipped = answer.died.empty() ? "the profiler left it out" : answer.died;
      m.record.passes.push_back(std::move(out));
      continue;
    }
    out.key = pass_key(p, ground, m.digests);
    out.seconds = std::isfinite(ended->seconds) ? ended->seconds : 0.0;
    out.perturbation = std::isfinite(ended->perturbation) ? ended->perturbation : 0.0;
    out.skipped = ended->skipped.substr(0, longest_reason);
    out.remedy = ended->remedy;
    out.findings = ended->findings;
    add_findings(out.findings, m.findings);
    for (const auto& [kind, content] : ended->made)
      m.add_artefact(out, kind, content);
    m.record.passes.push_back(std::move(out));
  }
  m.record.sandbox_level = answer.sandbox_level;
}

profile_job make_job(const profile_subject& s, const profile_order& order, const std::vector<graph_pass>& planned,
                     const profile_making& m) {
  profile_job job;
  const auto& q = s.request;
  job.task = q.task;
  job.shape = q.shape;
  job.target = q.target;
  job.source = q.source;
  job.language = q.language;
  job.flags = q.flags;
  job.object = q.object;
  for (const auto& [kind, content] : m.have)
    job.have[to_string(kind)] = content;
  for (const auto& p : planned)
    job.passes.push_back(p.name);
  job.budget_s = order.budget_s;
  job.limit_ms = static_cast<uint32_t>(std::clamp(order.limit_s, 0.001, 600.0) * 1e3);
  job.core = q.core;
  return job;
}

result<profiler_answer> run_here(const profiler_settings& settings, const profile_job& job,
                                 const std::function<void(const std::string&)>& starts) {
  if (job.passes.empty())
    return profiler_answer{};
  const auto decisions = settings.decisions.find(job.target);
  return run_profiler(profiler_command(settings.helper_dir,
                                       decisions == settings.decisions.end() ? target_options{} : decisions->second),
                      job, starts);
}

void synthesise(const profile_subject& s, profile_making& m) {
  diagnosis_facts facts;
  facts.task = s.request.task.name;
  facts.target = s.target;
  facts.index = m.record.index;
  facts.shape = m.record.shape;
  facts.source = s.request.source;
  facts.have = m.have;
  facts.findings = m.findings;
  auto p = new_pass(synthesis_pass());
  const auto text = diagnosis_of(facts).dump(-1, ' ', false, json::error_handler_t::replace);
  p.artefacts[to_string(artefact_kind::diagnosis)] = sha256_hex(text);
  m.record.diagnosis = sha256_hex(text);
  m.blobs.push_back(text);
  m.record.passes.push_back(std::move(p));
}

profile_making begun(const profile_subject& s, const profile_order& order) {
  profile_making m;
  m.record.index = order.index;
  m.record.candidate = s.candidate;
  m.record.shape = s.request.task.shapes[s.request.shape].name;
  m.record.budget_s = order.budget_s;
  m.record.time_ns = wall_clock_ns();
  m.have = s.request.have;
  m.digests = s.digests;
  list_first(s.stages, m.record, m.blobs);
  return m;
}

void add_omitted(const job_plan& plan, profile_making& m) {
  for (const auto& o : plan.omitted) {
    profiled_pass p;
    p.name = o.name;
    p.skipped = o.reason;
    p.remedy = o.remedy;
    m.record.passes.push_back(std::move(p));
  }
}

} // namespace

result<job_plan> plan_subject(const profile_subject& subject, const profile_order& order) {
  return plan_of(subject, order);
}

result<unstored_profile> profile_unstored(const profiler_settings& settings, const profile_subject& subject,
                                          const profile_order& order,
                                          const std::function<void(const std::string& pass)>& starts) {
  const auto plan = plan_of(subject, order);
  if (!plan)
    return tl::unexpected(plan.error());
  auto m = begun(subject, order);
  std::vector<graph_pass> planned;
  for (const auto& p : plan->passes)
    if (p.name != synthesis_pass().name)
      planned.push_back(p);
  auto answer = run_here(settings, make_job(subject, order, planned, m), starts);
  if (!answer)
    return tl::unexpected(answer.error());
  if (!planned.empty())
    take_outcomes(planned, subject.ground, std::move(*answer), m);
  synthesise(subject, m);
  add_omitted(*plan, m);
  return unstored_profile{std::move(m.record), std::move(m.blobs.back()), std::move(m.have)};
}

result<job_plan> plan_profile(const profiling_place& place, const profile_order& order) {
  const auto s = read_subject(place, order);
  return s ? plan_of(*s, order) : tl::unexpected(s.error());
}

struct profile_steps {
  profile_subject subject;
  profile_order order;
  job_plan plan;
  std::vector<graph_pass> planned; // that must run
  profile_making making;
  profile_job job;
};

result<std::shared_ptr<profile_steps>> begin_profile(const profiling_place& place, const profile_order& order) {
  auto s = read_subject(place, order);
  if (!s)
    return tl::unexpected(s.error());
  auto plan = plan_of(*s, order);
  if (!plan)
    return tl::unexpected(plan.error());
  auto out = std::make_shared<profile_steps>();
  auto& m = out->making = begun(*s, order);
  const auto known = order.again ? std::map<id128, profiled_pass>{} : stored_passes(place.data, order.campaign);
  for (const auto& p : plan->passes) {
    if (p.name == synthesis_pass().name)
      continue;
    const auto earlier = known.find(pass_key(p, s->ground, m.digests));
    if (earlier == known.end() || !reuse(place.data, earlier->second, m))
      out->planned.push_back(p);
  }
  out->job = make_job(*s, order, out->planned, m);
  out->subject = std::move(*s);
  out->order = order;
  out->plan = std::move(*plan);
  return out;
}

const profile_job& job_of(const profile_steps& steps) {
  return steps.job;
}
const std::string& wanted_hardware(const profile_steps& steps) {
  return steps.subject.judged_on;
}

result<profile_record> end_profile(const profiling_place& place, profile_steps& steps, profiler_answer answer) {
  auto& m = steps.making;
  auto evidence = std::move(answer.evidence);
  if (!steps.planned.empty())
    take_outcomes(steps.planned, steps.subject.ground, std::move(answer), m);
  if (!evidence.empty())
    m.have[artefact_kind::evidence] = std::move(evidence);
  synthesise(steps.subject, m);
  add_omitted(steps.plan, m);
  transaction t;
  for (auto& b : m.blobs)
    t.writes.push_back(write_op::put_blob(std::move(b)));
  t.writes.push_back(
      write_op::put(table::index, keys::profile(steps.order.campaign, steps.order.index), encode(m.record)));
  if (auto done = place.data.commit({&t, 1}); !done)
    return tl::unexpected(done.error());
  return std::move(m.record);
}

result<profile_record> profile_candidate(const profiling_place& place, const profile_order& order,
                                         const std::function<void(const std::string& pass)>& starts) {
  const auto steps = begin_profile(place, order);
  if (!steps)
    return tl::unexpected(steps.error());
  auto answer = run_here(place.settings, (*steps)->job, starts);
  if (!answer)
    return tl::unexpected(answer.error());
  return end_profile(place, **steps, std::move(*answer));
}

} // namespace kevolve
