#include "store/postgres/errors.hpp"

#include <libpq-fe.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace kevolve::postgres {

namespace {

// Codes of PostgreSQL's errors (appendix A of its manual) whose meaning is known here, by code or by class.
struct known_error {
  std::string_view code;
  errc meaning;
  std::string_view remedy = {}; // where PostgreSQL gives none
};
constexpr std::array known_errors{
    known_error{"KV401", errc::unauthorised, "give the node another name, or log in as that login"},
    known_error{"KV409", errc::conflict},
    known_error{"KV410", errc::bad_input, "set cluster.deployment to the database's, or cluster.postgres to another"},
    known_error{"KV411", errc::cancelled},
    known_error{"42501", errc::unauthorised}, // insufficient privilege
    known_error{"25006", errc::read_only},    // read-only transaction
    known_error{"57014", errc::timed_out},    // statement timeout
    known_error{"53100", errc::no_space},
    known_error{"53200", errc::no_space},
    known_error{"53", errc::unavailable},
    known_error{"57", errc::unavailable},
    known_error{"08", errc::unavailable},
    known_error{"28", errc::unauthorised},
    known_error{"3F", errc::not_found},
    known_error{"42883", errc::not_found}, // no schema, no function
    known_error{"3D", errc::not_found},    // no database
};

// Parts of what libpq says when a login or a certificate is refused, the most particular first.
struct refusal {
  std::string_view sign;
  std::string_view remedy;
};
constexpr std::string_view own_certificate =
    "give sslcert and sslkey of a certificate that the server's authority has signed for this login";
constexpr std::string_view server_certificate = "give sslrootcert of the authority that has signed the server's "
                                                "certificate, and the host that the certificate names";
constexpr std::string_view own_login = "check user, password_file or password_env, and the server's pg_hba.conf";
constexpr std::array refusals{
    refusal{"does not support SSL", "set ssl = on at the server, or sslmode if its network is trusted"},
    refusal{"valid client certificate", own_certificate},
    refusal{"certificate authentication failed", own_certificate},
    refusal{"unknown ca", own_certificate},
    refusal{"private key file", own_certificate},
    refusal{"could not load client certificate", own_certificate},
    refusal{"could not read certificate file", own_certificate},
    refusal{"root certificate file", server_certificate},
    refusal{"certificate", server_certificate},
    refusal{"authentication failed", own_login},
    refusal{"no pg_hba.conf entry", own_login},
    refusal{"role \"", own_login},
    refusal{"no password", own_login},
    refusal{"SSL error", server_certificate},
};

const known_error& known(std::string_view code) {
  static constexpr known_error other{"", errc::internal};
  const auto found =
      std::find_if(known_errors.begin(), known_errors.end(), [&](const auto& k) { return code.starts_with(k.code); });
  return found == known_errors.end() ? other : *found;
}

} // namespace

std::string trimmed(const char* text) {
  std::string out = text == nullptr ? "" : text;
  while (!out.empty() && (out.back() == '\n' || out.back() == ' '))
    out.pop_back();
  std::replace(out.begin(), out.end(), '\n', ' ');
  return out;
}

failure failure_of(const pg_conn* c, const pg_result* r) {
  if (r == nullptr || PQstatus(c) == CONNECTION_BAD)
    return {errc::unavailable, "PostgreSQL: " + trimmed(PQerrorMessage(c))};
  const auto* code = PQresultErrorField(r, PG_DIAG_SQLSTATE);
  const auto* main = PQresultErrorField(r, PG_DIAG_MESSAGE_PRIMARY);
  const auto* hint = PQresultErrorField(r, PG_DIAG_MESSAGE_HINT);
  auto text = "PostgreSQL: " + trimmed(main == nullptr ? PQresultErrorMessage(r) : main);
  if (code == nullptr)
    return {errc::unavailable, std::move(text)};
  const auto& what = known(code);
  if (hint != nullptr)
    text += ": " + trimmed(hint);
  else if (!what.remedy.empty())
    text += ": " + std::string{what.remedy};
  return {what.meaning, std::move(text)};
}

failure failure_to_connect(const std::string& said) {
  for (const auto& r : refusals)
    if (said.find(r.sign) != std::string::npos)
      return {errc::unauthorised, "PostgreSQL refuses the login: " + said + "; " + std::string{r.remedy}};
  if (said.find("session is read-only") != std::string::npos
      || said.find("server is in hot standby") != std::string::npos)
    return {errc::read_only, "PostgreSQL takes no writes: " + said};
  if (said.find("database \"") != std::string::npos)
    return {errc::not_found, "PostgreSQL: " + said};
  return {errc::unavailable, "PostgreSQL does not answer: " + said};
}

} // namespace kevolve::postgres
