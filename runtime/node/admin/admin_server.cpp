#include "runtime/node/admin/admin_server.hpp"

#include "runtime/base/log.hpp"
#include "runtime/node/admin/http_listener.hpp"
#include "runtime/node/admin/json.hpp"
#include "runtime/node/admin/ledger.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>

namespace kevolve {

namespace {

// Writes under another name first, so that a reader sees the whole text or nothing.
result<void> write_privately(const std::string& path, const std::string& text) {
  auto draft = path + ".new";
  ::unlink(draft.c_str());
  auto fd = ::open(draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0)
    return tl::unexpected(from_errno(errno, "creating " + draft));
  auto written = ::write(fd, text.data(), text.size());
  auto why = errno;
  ::close(fd);
  if (written != static_cast<ssize_t>(text.size())) {
    ::unlink(draft.c_str());
    return tl::unexpected(from_errno(written < 0 ? why : ENOSPC, "writing " + path));
  }
  if (std::rename(draft.c_str(), path.c_str()) != 0)
    return tl::unexpected(from_errno(errno, "writing " + path));
  return {};
}

} // namespace

std::string admin_file(const std::string& data_dir) {
  return data_dir + "/admin.json";
}

result<std::unique_ptr<admin_server>> admin_server::start(admin_options options) {
  auto at = parse_listen(options.listen, !options.tls.certificate.empty());
  if (!at)
    return tl::unexpected(at.error());
  auto token = load_or_create_token(options.token_file);
  if (!token)
    return tl::unexpected(token.error());
  api_context context;
  context.campaigns = std::move(options.campaigns);
  context.journal = std::move(options.journal);
  context.scheduler = std::move(options.scheduler);
  context.relay = std::move(options.relay);
  context.models = std::move(options.models);
  context.cluster = std::move(options.cluster);
  context.skills = std::move(options.skills);
  context.statuses = std::move(options.statuses);
  if (options.devices)
    context.devices = std::move(options.devices);
  context.broken = std::move(options.broken);
  context.away = std::move(options.away);
  context.version = KEVOLVE_VERSION;
  context.no_devices = options.no_devices;
  context.profilers = std::move(options.profilers);
  context.documents = options.documents;
  if (options.data) {
    auto ledger = request_ledger::open(options.data);
    if (!ledger)
      return tl::unexpected(ledger.error());
    context.ledger = std::move(*ledger);
    context.data = options.data;
    context.records = options.data;
  }
  auto listener = http_listener::start(*at, std::make_unique<admin_api>(*options.system, std::move(context)),
                                       token_check{*token}, options.tls, options.limits);
  if (!listener)
    return tl::unexpected(listener.error());
  auto url = url_of((*listener)->address());
  auto file = admin_file(options.data_dir);
  json about{{"url", url}, {"pid", ::getpid()}};
  if (!options.tls.certificate.empty())
    about["certificate"] = std::filesystem::absolute(options.tls.certificate).string();
  auto said = write_privately(file, to_text(about) + "\n");
  if (!said)
    return tl::unexpected(said.error());
  log::info("admin", "listening on {}", url);
  return std::unique_ptr<admin_server>{new admin_server{std::move(*listener), url, file}};
}

admin_server::admin_server(std::unique_ptr<http_listener> listener, std::string url, std::string file)
    : listener_(std::move(listener)), url_(std::move(url)), file_(std::move(file)) {}

admin_server::~admin_server() {
  stop();
}

result<void> admin_server::change(const tls_files& tls, const http_limits& limits) {
  return listener_ ? listener_->change(tls, limits) : result<void>{};
}

void admin_server::stop() {
  if (!listener_)
    return;
  ::unlink(file_.c_str());
  listener_.reset();
}

} // namespace kevolve
