#include "store/postgres/connection.hpp"

#include <libpq-fe.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <string_view>

namespace kevolve::postgres {

namespace {

std::string trimmed(const char* text) {
  std::string out = text == nullptr ? "" : text;
  while (!out.empty() && (out.back() == '\n' || out.back() == ' '))
    out.pop_back();
  std::replace(out.begin(), out.end(), '\n', ' ');
  return out;
}

// Codes of PostgreSQL's errors (appendix A of its manual) whose meaning is known here, by code or by class.
struct known_error {
  std::string_view code;
  errc meaning;
};
constexpr std::array known_errors{
    known_error{"KV401", errc::unauthorised}, known_error{"KV409", errc::conflict},
    known_error{"KV410", errc::bad_input},    known_error{"KV411", errc::cancelled},
    known_error{"42501", errc::unauthorised}, // insufficient privilege
    known_error{"25006", errc::read_only},    // read-only transaction
    known_error{"57014", errc::timed_out},    // statement timeout
    known_error{"53100", errc::no_space},     known_error{"53200", errc::no_space},
    known_error{"53", errc::unavailable},     known_error{"57", errc::unavailable},
    known_error{"08", errc::unavailable},     known_error{"28", errc::unauthorised},
    known_error{"3F", errc::not_found},       known_error{"42883", errc::not_found}, // no schema, no function
    known_error{"3D", errc::not_found},                                              // no database
};

errc meaning_of(std::string_view code) {
  for (const auto& k : known_errors)
    if (code.starts_with(k.code))
      return k.meaning;
  return errc::internal;
}

failure failure_of(const PGconn* c, const PGresult* r) {
  if (r == nullptr || PQstatus(c) == CONNECTION_BAD)
    return {errc::unavailable, "PostgreSQL: " + trimmed(PQerrorMessage(c))};
  const auto* code = PQresultErrorField(r, PG_DIAG_SQLSTATE);
  const auto* main = PQresultErrorField(r, PG_DIAG_MESSAGE_PRIMARY);
  const auto* hint = PQresultErrorField(r, PG_DIAG_MESSAGE_HINT);
  auto text = "PostgreSQL: " + trimmed(main == nullptr ? PQresultErrorMessage(r) : main);
  if (hint != nullptr)
    text += ": " + trimmed(hint);
  return {code == nullptr ? errc::unavailable : meaning_of(code), std::move(text)};
}

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

// True if the server is reached without a network: TLS has no use there.
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

rows::rows(pg_result* r) : result_(r, [](pg_result* x) { PQclear(x); }) {}

size_t rows::size() const {
  return static_cast<size_t>(PQntuples(result_.get()));
}
bool rows::is_null(size_t row, int column) const {
  return PQgetisnull(result_.get(), static_cast<int>(row), column) != 0;
}
std::string rows::text(size_t row, int column) const {
  return {PQgetvalue(result_.get(), static_cast<int>(row), column),
          static_cast<size_t>(PQgetlength(result_.get(), static_cast<int>(row), column))};
}
std::string rows::bytes(size_t row, int column) const {
  const auto shown = text(row, column);
  size_t length = 0;
  const std::unique_ptr<unsigned char, void (*)(void*)> raw{
      PQunescapeBytea(reinterpret_cast<const unsigned char*>(shown.c_str()), &length), PQfreemem};
  return {reinterpret_cast<const char*>(raw.get()), length};
}
int64_t rows::integer(size_t row, int column) const {
  return std::strtoll(text(row, column).c_str(), nullptr, 10);
}
double rows::number(size_t row, int column) const {
  return std::strtod(text(row, column).c_str(), nullptr);
}
bool rows::truth(size_t row, int column) const {
  return text(row, column) == "t";
}
std::vector<std::string> rows::list(size_t row, int column) const {
  std::vector<std::string> out;
  std::string word;
  for (const auto c : text(row, column)) {
    if (c != '{' && c != '}' && c != ',' && c != '"')
      word += c;
    else if (!word.empty() && c != '"')
      out.push_back(std::exchange(word, {}));
  }
  return out;
}

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
    return out;
  }
  const auto said = trimmed(PQerrorMessage(out->conn_));
  for (const auto* sign :
       {"authentication failed", "no pg_hba.conf entry", "certificate", "role \"", "SSL error", "no password"})
    if (said.find(sign) != std::string::npos)
      return fail(errc::unauthorised, "PostgreSQL refuses the login: " + said);
  if (said.find("database \"") != std::string::npos)
    return fail(errc::not_found, "PostgreSQL: " + said);
  return fail(errc::unavailable, "PostgreSQL does not answer: " + said);
}

result<rows> connection::run(const statement& s) {
  const wire_parameters w{s.parameters};
  rows out{PQexecParams(conn_, s.text.c_str(), static_cast<int>(w.values.size()), w.types.data(), w.values.data(),
                        w.lengths.data(), w.formats.data(), 0)};
  if (!succeeded(out.raw()))
    return tl::unexpected(failure_of(conn_, out.raw()));
  return out;
}

result<std::vector<rows>> connection::run_all(const std::vector<statement>& group) {
  std::vector<rows> out;
  if (group.empty())
    return out;
  if (PQenterPipelineMode(conn_) != 1)
    return tl::unexpected(failure_of(conn_, nullptr));
  for (const auto& s : group) {
    const wire_parameters w{s.parameters};
    PQsendQueryParams(conn_, s.text.c_str(), static_cast<int>(w.values.size()), w.types.data(), w.values.data(),
                      w.lengths.data(), w.formats.data(), 0);
  }
  PQpipelineSync(conn_);
  std::optional<failure> problem;
  for (auto synced = false; !synced;) {
    auto* r = PQgetResult(conn_);
    if (r == nullptr) { // the end of one statement's answer
      if (PQstatus(conn_) == CONNECTION_BAD) {
        problem = failure_of(conn_, nullptr);
        break;
      }
      continue;
    }
    rows one{r};
    const auto s = PQresultStatus(r);
    if (s == PGRES_PIPELINE_SYNC)
      synced = true;
    else if (succeeded(r))
      out.push_back(std::move(one));
    else if (!problem && s != PGRES_PIPELINE_ABORTED)
      problem = failure_of(conn_, r);
  }
  PQexitPipelineMode(conn_);
  if (problem)
    return tl::unexpected(std::move(*problem));
  return out;
}

result<void> connection::run_script(const std::string& text) {
  const rows out{PQexec(conn_, text.c_str())};
  if (!succeeded(out.raw()))
    return tl::unexpected(failure_of(conn_, out.raw()));
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
  return PQstatus(conn_) == CONNECTION_BAD;
}

std::string array_of(const std::vector<std::string>& items) {
  std::string out = "{";
  for (const auto& x : items) {
    out += out.size() > 1 ? ",\"" : "\"";
    for (const auto c : x) {
      if (c == '"' || c == '\\')
        out += '\\';
      out += c;
    }
    out += '"';
  }
  return out + "}";
}

std::string digests_of(const std::vector<std::string>& hexadecimal) {
  std::vector<std::string> items;
  items.reserve(hexadecimal.size());
  for (const auto& x : hexadecimal)
    items.push_back("\\x" + x);
  return array_of(items);
}

} // namespace kevolve::postgres
