#include "tools/kevolve/client/connection.hpp"

#include "runtime/base/ids.hpp"
#include "runtime/node/admin/admin_server.hpp"
#include "runtime/node/admin/api.hpp"
#include "runtime/node/admin/token.hpp"
#include "runtime/node/data_directory.hpp"
#include "runtime/node/node.hpp"
#include "runtime/node/node_parts.hpp"
#include "tools/kevolve/client/http_client.hpp"
#include "tools/kevolve/exit_codes.hpp"
#include "tools/kevolve/output/terminal.hpp"

#include <fcntl.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <future>
#include <sstream>

namespace kevolve {

namespace {

errc code_of(unsigned status) {
  switch (status) {
    case 400:
    case 413:
    case 415:
    case 422:
      return errc::bad_input;
    case 401:
    case 403:
      return errc::unauthorised;
    case 404:
      return errc::not_found;
    case 409:
      return errc::conflict;
    case 503:
      return errc::unavailable;
    case 408:
    case 504:
      return errc::timed_out;
    case 507:
      return errc::no_space;
    default:
      return errc::internal;
  }
}

result<json> to_result(const api_response& x) {
  auto document = json::parse(x.body, nullptr, false);
  if (x.status == 200 && !document.is_discarded())
    return document;
  if (x.status != 200 && document.is_object() && document.contains("detail"))
    return fail(code_of(x.status), document.value("detail", std::string{}));
  return fail(errc::protocol, "the node answered " + std::to_string(x.status) + " with something that is no JSON");
}

api_request request_of(const std::string& method, const std::string& target, const std::string& body) {
  api_request r;
  r.method = method;
  r.target = target;
  r.body = body;
  if (!body.empty())
    r.content_type = "application/json";
  if (method == "POST")
    r.idempotency_key = to_string(random_id());
  return r;
}

class over_http : public connection {
public:
  explicit over_http(http_peer peer) : peer_(std::move(peer)) {}

protected:
  result<api_response> exchange(const std::string& method, const std::string& target,
                                const std::string& body) override {
    return http_ask(peer_, request_of(method, target, body), limit_);
  }

private:
  http_peer peer_;
};

// A node without resources, campaigns and admin: it can read and nothing else.
class in_process : public connection {
public:
  explicit in_process(std::unique_ptr<node> n) : node_(std::move(n)) {
    api_context context;
    context.campaigns = node_->campaigns();
    context.journal = node_->journal();
    context.scheduler = node_->scheduler();
    context.skills = node_->skills();
    context.records = node_->parts_of().data;
    context.statuses = node_->statuses();
    context.version = KEVOLVE_VERSION;
    context.offline = true;
    api_ = std::make_unique<admin_api>(node_->system(), std::move(context));
  }
  ~in_process() override { api_.reset(); }
  bool offline() const override { return true; }
  in_process(const in_process&) = delete;
  in_process& operator=(const in_process&) = delete;

protected:
  result<api_response> exchange(const std::string& method, const std::string& target,
                                const std::string& body) override {
    auto answer = std::make_shared<std::promise<api_response>>();
    auto waiting = answer->get_future();
    api_->handle(request_of(method, target, body), [answer](api_response x) { answer->set_value(std::move(x)); });
    if (waiting.wait_for(limit_) != std::future_status::ready)
      return fail(errc::timed_out, "the store did not answer in time");
    return waiting.get();
  }

private:
  std::unique_ptr<node> node_;
  std::unique_ptr<admin_api> api_;
};

struct announced {
  std::string url;
  std::string certificate; // of an https node
  pid_t pid = 0;
};

// Reads what the directory's node has announced, if that node still lives.
result<announced> read_announcement(const std::string& data_dir) {
  std::ifstream in{admin_file(data_dir)};
  std::stringstream text;
  text << in.rdbuf();
  auto document = json::parse(text.str(), nullptr, false);
  if (!in || !document.is_object() || !document.contains("url") || !document["url"].is_string())
    return fail(errc::not_found,
                "no node has announced itself in " + data_dir + ": it never ran, or has ended with its campaigns");
  announced out;
  out.url = document["url"].get<std::string>();
  out.certificate = document.value("certificate", std::string{});
  if (document.contains("pid") && document["pid"].is_number_integer())
    out.pid = document["pid"].get<pid_t>();
  if (out.pid > 0 && ::kill(out.pid, 0) != 0 && errno == ESRCH)
    return fail(errc::not_found, "the node of " + data_dir + " (process " + std::to_string(out.pid) + ") has ended");
  return out;
}

// Tells if the path may be used. A directory that may not be read is not taken for an empty one.
result<void> may_use(const std::string& path, int how) {
  if (::faccessat(AT_FDCWD, path.c_str(), how, AT_EACCESS) == 0 || errno != EACCES)
    return {};
  struct stat about{};
  const auto* owner = ::stat(path.c_str(), &about) == 0 ? ::getpwuid(about.st_uid) : nullptr;
  return fail(errc::unauthorised, path + ": permission denied"
                                      + (owner ? std::string{"; it belongs to "} + owner->pw_name : std::string{})
                                      + ": ask as its owner, or ask its node with --url and --token-file");
}

result<std::unique_ptr<connection>> open_directory(const std::string& data_dir) {
  if (auto may = may_use(data_dir + "/store", R_OK | X_OK); !may)
    return tl::unexpected(may.error());
  if (std::error_code ec; !std::filesystem::exists(data_dir + "/store", ec))
    return fail(errc::unavailable, "no node runs on " + data_dir
                                       + " and there is no data in it; name a data directory "
                                         "with --data, or a node with --url");
  node_options options;
  options.data_dir = data_dir;
  options.read_only = true;
  options.targets.clear();
  options.listen.clear();
  auto n = node::start(std::move(options));
  if (!n)
    return tl::unexpected(n.error());
  return std::unique_ptr<connection>{std::make_unique<in_process>(std::move(*n))};
}

} // namespace

result<json> connection::ask(const std::string& method, const std::string& target, const std::string& body) {
  auto answer = exchange(method, target, body);
  if (!answer)
    return tl::unexpected(answer.error());
  return to_result(*answer);
}

result<std::string> connection::text(const std::string& target) {
  auto answer = exchange("GET", target, "");
  if (!answer)
    return tl::unexpected(answer.error());
  if (answer->status != 200)
    return tl::unexpected(to_result(*answer).error());
  return std::move(answer->body);
}

result<std::unique_ptr<connection>> connection::open(const node_address& where, bool read_only) {
  auto url = where.url;
  if (auto fits = may_be_data_directory(where.data); url.empty() && !fits)
    return fail(errc::bad_input, "--data: " + fits.error().detail);
  std::string pinned;
  if (url.empty()) {
    if (auto may = may_use(where.data, X_OK); !may)
      return tl::unexpected(may.error());
    auto known = read_announcement(where.data);
    if (!known) {
      if (read_only)
        return open_directory(where.data);
      return fail(errc::unavailable, known.error().detail + "; start one with kevolved, or name one with --url");
    }
    url = known->url;
    pinned = known->certificate;
    // A node that was killed leaves its announcement behind, and its process id may be another's by now.
    auto alive = http_ask({url, "", "", pinned}, request_of("GET", "/healthz", ""));
    if (!alive && alive.error().code == errc::unavailable && read_only)
      return open_directory(where.data);
  }
  auto file = where.token_file.empty() ? where.data + "/token" : where.token_file;
  auto token = read_token(file);
  if (!token) // nobody is let in without it, whether it is missing or may not be read
    return fail(token.error().code == errc::bad_input ? errc::bad_input : errc::unauthorised, token.error().detail);
  return std::unique_ptr<connection>{std::make_unique<over_http>(http_peer{url, *token, where.ca_file, pinned})};
}

int report(const failure& why, bool json_wanted) {
  if (json_wanted)
    print_out(to_text(json{{"error", {{"code", to_string(why.code)}, {"detail", why.detail}}}}) + "\n");
  print_err("kevolve: " + (why.detail.empty() ? to_string(why.code) : why.detail) + "\n");
  return exit_code::of(why.code);
}

} // namespace kevolve
