#include "store/postgres/connection.hpp"

#include "store/postgres/errors.hpp"

#include <libpq-fe.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <string_view>
#include <utility>

namespace kevolve::postgres {

namespace {

// PostgreSQL ends a statement itself, and says so. Beyond its limit and this time, nobody answers.
constexpr auto network_time = std::chrono::milliseconds{1'000};

bool succeeded(const PGresult* r) {
  const auto s = PQresultStatus(r);
  return s == PGRES_TUPLES_OK || s == PGRES_COMMAND_OK;
}

// Parameters as libpq takes them.
struct wire_parameters {
  std::vector<const char*> values;
  std::vector<int> lengths;
  std::vector<int> formats;
  std::vector<Oid> types;

  explicit wire_parameters(const std::vector<parameter>& from) {
    constexpr Oid bytea = 17;
    for (const auto& p : from) {
      values.push_back(p.value.c_str());
      lengths.push_back(static_cast<int>(p.value.size()));
      formats.push_back(p.bytes ? 1 : 0);
      types.push_back(p.bytes ? bytea : 0);
    }
  }
};

// Returns true if the server is reached without a network: TLS has no use there.
bool is_local(const std::map<std::string, std::string>& given) {
  const auto host = given.contains("hostaddr") ? given.at("hostaddr") : given.contains("host") ? given.at("host") : "";
  const auto local = [](std::string_view h) {
    return h.empty() || h.front() == '/' || h.starts_with("127.") || h == "::1" || h == "localhost";
  };
  size_t from = 0;
  while (from <= host.size()) {
    const auto end = std::min(host.find(',', from), host.size());
    if (!local(std::string_view{host}.substr(from, end - from)))
      return false;
    from = end + 1;
  }
  return true;
}

} // namespace

connection::connection(pg_conn* c) : conn_(c) {}
connection::~connection() {
  PQfinish(conn_);
}

result<std::unique_ptr<connection>> connection::open(const connection_options& options) {
  char* problem = nullptr;
  const std::unique_ptr<PQconninfoOption, void (*)(PQconninfoOption*)> parsed{
      PQconninfoParse(options.connection.c_str(), &problem), PQconninfoFree};
  if (!parsed) {
    const std::unique_ptr<char, void (*)(void*)> text{problem, PQfreemem};
    return fail(errc::bad_input, "the connection string of PostgreSQL: " + trimmed(text.get()));
  }
  std::map<std::string, std::string> given;
  for (const auto* o = parsed.get(); o->keyword != nullptr; ++o)
    if (o->val != nullptr)
      given.emplace(o->keyword, o->val);
  if (given.contains("password"))
    return fail(errc::bad_input,
                "the connection string of PostgreSQL holds a password; give password_file or password_env");
  if (!options.password.empty())
    given["password"] = options.password;
  const auto unless_given = [&](const char* key, std::string value) { given.emplace(key, std::move(value)); };
  unless_given("sslmode", is_local(given) ? "prefer" : "verify-full");
  unless_given("connect_timeout", std::to_string(std::max<int64_t>(options.connect_limit.count() / 1'000, 2)));
  unless_given("target_session_attrs", "read-write");
  unless_given("keepalives_idle", "5");
  unless_given("keepalives_interval", "2");
  unless_given("keepalives_count", "2");
  unless_given("tcp_user_timeout", std::to_string(options.statement_limit.count()));
  unless_given("application_name", options.name);
  unless_given("options",
               "-c statement_timeout=" + std::to_string(options.statement_limit.count())
                   + " -c idle_in_transaction_session_timeout=" + std::to_string(options.statement_limit.count()));
  std::vector<const char*> keys;
  std::vector<const char*> values;
  for (const auto& [key, value] : given) {
    keys.push_back(key.c_str());
    values.push_back(value.c_str());
  }
  keys.push_back(nullptr);
  values.push_back(nullptr);
  std::unique_ptr<connection> out{new connection{PQconnectdbParams(keys.data(), values.data(), 0)}};
  if (PQstatus(out->conn_) == CONNECTION_OK) {
    PQsetNoticeProcessor(out->conn_, [](void*, const char*) {}, nullptr);
    PQsetnonblocking(out->conn_, 1);
    out->answer_limit_ = options.statement_limit + network_time;
    return out;
  }
  return tl::unexpected(failure_to_connect(trimmed(PQerrorMessage(out->conn_))));
}

failure connection::silent() {
  broken_ = true; // a late answer would be taken for the next one's
  return {errc::timed_out,
          "PostgreSQL has not answered for " + std::to_string(answer_limit_.count()) + " ms; its network may be cut"};
}

// Marks a connection whose answers no longer belong to their questions.
failure connection::given_up(failure why) {
  broken_ = true;
  return why;
}

// Sends what is left to send, and returns the next part of the answer; null at the end of a statement.
result<pg_result*> connection::next_result() {
  for (;;) {
    const auto unsent = PQflush(conn_);
    if (unsent < 0)
      return tl::unexpected(failure_of(conn_, nullptr));
    if (unsent == 0 && PQisBusy(conn_) == 0)
      return PQgetResult(conn_);
    pollfd on{PQsocket(conn_), static_cast<short>(unsent > 0 ? POLLIN | POLLOUT : POLLIN), 0};
    if (::poll(&on, 1, static_cast<int>(answer_limit_.count())) == 0)
      return tl::unexpected(silent());
    if ((on.revents & ~POLLOUT) != 0 && PQconsumeInput(conn_) != 1)
      return tl::unexpected(failure_of(conn_, nullptr));
  }
}

// Returns the last answer to what was sent.
result<rows> connection::answer(bool sent) {
  if (broken_)
    return fail(errc::unavailable, "PostgreSQL: the connection is given up");
  if (!sent)
    return tl::unexpected(failure_of(conn_, nullptr));
  std::optional<rows> out;
  for (;;) {
    auto r = next_result();
    if (!r)
      return tl::unexpected(r.error());
    if (*r == nullptr)
      break;
    rows one{*r};
    if (!out || succeeded(out->raw()))
      out = std::move(one);
  }
  if (!out || !succeeded(out->raw()))
    return tl::unexpected(failure_of(conn_, out ? out->raw() : nullptr));
  return std::move(*out);
}

result<rows> connection::run(const statement& s) {
  const wire_parameters w{s.parameters};
  return answer(!broken_
                && PQsendQueryParams(conn_, s.text.c_str(), static_cast<int>(w.values.size()), w.types.data(),
                                     w.values.data(), w.lengths.data(), w.formats.data(), 0)
                       == 1);
}

result<std::vector<rows>> connection::run_all(const std::vector<statement>& group) {
  std::vector<rows> out;
  if (group.empty())
    return out;
  if (broken_)
    return fail(errc::unavailable, "PostgreSQL: the connection is given up");
  auto sent = PQenterPipelineMode(conn_) == 1;
  for (const auto& s : group) {
    const wire_parameters w{s.parameters};
    sent = sent
           && PQsendQueryParams(conn_, s.text.c_str(), static_cast<int>(w.values.size()), w.types.data(),
                                w.values.data(), w.lengths.data(), w.formats.data(), 0)
                  == 1;
  }
  if (!sent || PQpipelineSync(conn_) != 1)
    return tl::unexpected(given_up(failure_of(conn_, nullptr)));
  std::optional<failure> problem;
  auto at_end = false;
  for (auto synced = false; !synced;) {
    auto next = next_result();
    if (!next)
      return tl::unexpected(given_up(next.error()));
    auto* r = *next;
    if (r == nullptr) { // the end of one statement's answer
      // A second end without an answer between comes from a connection that was lost: no answer will follow.
      if (std::exchange(at_end, true) || PQstatus(conn_) == CONNECTION_BAD)
        return tl::unexpected(given_up(problem ? *problem : failure_of(conn_, nullptr)));
      continue;
    }
    at_end = false;
    rows one{r};
    const auto s = PQresultStatus(r);
    if (s == PGRES_PIPELINE_SYNC)
      synced = true;
    else if (succeeded(r))
      out.push_back(std::move(one));
    else if (!problem && s != PGRES_PIPELINE_ABORTED)
      problem = failure_of(conn_, r);
  }
  if (PQexitPipelineMode(conn_) != 1)
    return tl::unexpected(given_up(failure_of(conn_, nullptr)));
  if (problem)
    return tl::unexpected(std::move(*problem));
  return out;
}

result<void> connection::run_script(const std::string& text) {
  auto done = answer(!broken_ && PQsendQuery(conn_, text.c_str()) == 1);
  if (!done)
    return tl::unexpected(done.error());
  return {};
}

result<void> connection::listen(const std::string& channel) {
  return run_script("listen " + channel);
}

result<std::optional<connection::notification>> connection::wait(int wake, std::chrono::milliseconds limit) {
  const auto next = [&]() -> std::optional<notification> {
    const std::unique_ptr<PGnotify, void (*)(void*)> n{PQnotifies(conn_), PQfreemem};
    return n ? std::optional{notification{n->relname, n->extra}} : std::nullopt;
  };
  if (auto known = next())
    return known;
  std::array<pollfd, 2> on{{{PQsocket(conn_), POLLIN, 0}, {wake, POLLIN, 0}}};
  ::poll(on.data(), on.size(), static_cast<int>(limit.count()));
  if (on[0].revents != 0 && PQconsumeInput(conn_) != 1)
    return tl::unexpected(failure_of(conn_, nullptr));
  return next();
}

bool connection::broken() const {
  return broken_ || PQstatus(conn_) == CONNECTION_BAD;
}

} // namespace kevolve::postgres
