#include "runtime/node/admin/problem.hpp"

#include "runtime/node/admin/json.hpp"

namespace kevolve {

problem to_problem(const failure& x) {
  switch (x.code) {
    case errc::bad_input:
      return {400, "bad-request", x.detail};
    case errc::unauthorised:
      return {401, "unauthorised", x.detail};
    case errc::not_found:
      return {404, "not-found", x.detail};
    case errc::conflict:
      return {409, "conflict", x.detail};
    case errc::cancelled:
      return {409, "cancelled", x.detail};
    case errc::unsupported:
      return {501, "unsupported", x.detail};
    case errc::unavailable:
      return {503, "unavailable", x.detail};
    case errc::timed_out:
      return {504, "timed-out", x.detail};
    case errc::no_space:
      return {507, "no-space", x.detail};
    case errc::read_only:
      return {507, "read-only", x.detail};
    case errc::corrupt:
      return {500, "corrupt", x.detail};
    case errc::newer_format:
      return {500, "newer-format", x.detail};
    case errc::io:
      return {500, "io", x.detail};
    case errc::protocol:
      return {502, "protocol", x.detail};
    case errc::none:
    case errc::internal:
      break;
  }
  return {500, "internal", x.detail};
}

std::string status_text(unsigned status) {
  switch (status) {
    case 200:
      return "OK";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 409:
      return "Conflict";
    case 413:
      return "Content Too Large";
    case 415:
      return "Unsupported Media Type";
    case 422:
      return "Unprocessable Content";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 501:
      return "Not Implemented";
    case 502:
      return "Bad Gateway";
    case 503:
      return "Service Unavailable";
    case 504:
      return "Gateway Timeout";
    case 507:
      return "Insufficient Storage";
    default:
      return "Internal Server Error";
  }
}

api_response to_response(const problem& x) {
  api_response out;
  out.status = x.status;
  out.problem = x.name;
  out.content_type = "application/problem+json";
  json document{{"type", "urn:kevolve:problem:" + x.name},
                {"title", status_text(x.status)},
                {"status", x.status},
                {"detail", x.detail}};
  for (const auto& e : x.errors)
    document["errors"].push_back({{"key", or_null(e.key)}, {"detail", e.detail}});
  out.body = to_text(document);
  return out;
}

} // namespace kevolve
