#include "runtime/node/admin/http_listener.hpp"

#include "runtime/base/ids.hpp"
#include "runtime/base/log.hpp"
#include "runtime/node/admin/admission.hpp"
#include "runtime/node/admin/http_session.hpp"

#include <boost/asio/post.hpp>

#include <pthread.h>
#include <sys/stat.h>

#include <csignal>
#include <thread>

namespace kevolve {

namespace {

namespace asio = boost::asio;
using tcp = asio::ip::tcp;
using boost::beast::error_code;

result<std::shared_ptr<asio::ssl::context>> tls_context(const tls_files& files) {
  if (files.certificate.empty())
    return std::shared_ptr<asio::ssl::context>{};
  struct stat about{};
  if (::stat(files.key.c_str(), &about) != 0)
    return tl::unexpected(from_errno(errno, "[tls] key " + files.key));
  if ((about.st_mode & 07U) != 0)
    return fail(errc::unauthorised,
                "[tls] key " + files.key + " may be read by everybody; run: chmod 600 " + files.key);
  auto out = std::make_shared<asio::ssl::context>(asio::ssl::context::tls_server);
  SSL_CTX_set_min_proto_version(out->native_handle(), TLS1_3_VERSION);
  error_code e;
  out->use_certificate_chain_file(files.certificate, e);
  if (e)
    return fail(errc::bad_input, "[tls] certificate " + files.certificate + ": " + e.message());
  out->use_private_key_file(files.key, asio::ssl::context::pem, e);
  if (e)
    return fail(errc::bad_input, "[tls] key " + files.key + ": " + e.message());
  if (SSL_CTX_check_private_key(out->native_handle()) != 1)
    return fail(errc::bad_input, "[tls] key " + files.key + " is not the key of " + files.certificate);
  return out;
}

// A server that listens on one address may also be called by it.
own_names names_of(const listen_address& at, const tls_files& tls) {
  own_names out{at.port, at.tls, tls.hosts};
  if (at.tls && at.host != "0.0.0.0" && at.host != "::")
    out.hosts.push_back(at.host.find(':') == std::string::npos ? at.host : "[" + at.host + "]");
  return out;
}

class listener : public http_listener {
public:
  listener(std::shared_ptr<server_state> state, tcp::acceptor acceptor, listen_address at)
      : state_(std::move(state)), acceptor_(std::move(acceptor)), retry_(state_->io), at_(std::move(at)) {}

  ~listener() override {
    state_->io.stop();
    if (thread_.joinable())
      thread_.join();
    state_->sessions.clear();
    // Stopped here, not in the state's destructor: that may run in the thread of the last answer, such as the ledger's.
    state_->api->stop();
  }

  void run() {
    accept();
    thread_ = std::thread{[this] {
      sigset_t all;
      sigfillset(&all);
      pthread_sigmask(SIG_BLOCK, &all, nullptr);
      for (;;)
        try {
          state_->io.run();
          return;
        } catch (const std::exception& e) { // an error of one connection
          log::error("admin", "{}", e.what());
        }
    }};
  }

  listen_address address() const override { return at_; }

  result<void> change(const tls_files& files, const http_limits& limits) override {
    if (files.certificate.empty() == at_.tls)
      return fail(errc::conflict, "TLS is taken up or given up by a restart alone");
    auto tls = tls_context(files);
    if (!tls)
      return tl::unexpected(tls.error());
    asio::post(state_->io, [state = state_, tls = *tls, limits, names = names_of(at_, files)] {
      state->tls = tls;
      state->limits = limits;
      state->names = names;
    });
    return {};
  }

private:
  void accept() {
    acceptor_.async_accept([this](error_code e, tcp::socket socket) {
      if (e == asio::error::operation_aborted)
        return;
      if (e) { // out of descriptors: tries again when some may be free
        retry_.expires_after(std::chrono::milliseconds{100});
        retry_.async_wait([this](error_code cancelled) {
          if (!cancelled)
            accept();
        });
        return;
      }
      take(std::move(socket));
      accept();
    });
  }

  void take(tcp::socket socket) {
    auto& counters = state_->api->counters();
    error_code e;
    auto from = socket.remote_endpoint(e);
    if (e)
      return;
    auto peer = from.address().to_string();
    counters.accepted();
    std::vector<std::shared_ptr<session>> all{state_->sessions.begin(), state_->sessions.end()};
    std::vector<present> there;
    there.reserve(all.size());
    for (const auto& s : all)
      there.push_back({s->trusted(), s->reading_since().has_value(), s->peer() == peer,
                       s->reading_since().value_or(session::clock::time_point{})});
    auto decided = admit(there, state_->limits);
    if (decided.evicted)
      all[*decided.evicted]->drop(connection_drop::crowded_out);
    if (!decided.admitted) {
      counters.dropped(connection_drop::refused);
      return; // the socket closes here
    }
    socket.set_option(tcp::no_delay{true}, e);
    auto s = std::make_shared<session>(std::move(socket), peer, *state_, state_);
    state_->sessions.insert(s);
    counters.set_open(state_->sessions.size(), state_->streams);
    s->begin();
  }

  std::shared_ptr<server_state> state_;
  tcp::acceptor acceptor_;
  asio::steady_timer retry_;
  listen_address at_;
  std::thread thread_;
};

} // namespace

void server_state::leave(const std::shared_ptr<session>& s) {
  sessions.erase(s);
  api->counters().set_open(sessions.size(), streams);
}

result<std::unique_ptr<http_listener>> http_listener::start(listen_address at, std::unique_ptr<admin_api> api,
                                                            token_check token, const tls_files& tls,
                                                            const http_limits& limits) {
  auto context = tls_context(tls);
  if (!context)
    return tl::unexpected(context.error());
  auto state = std::make_shared<server_state>(std::move(api), std::move(token));
  state->tls = std::move(*context);
  state->limits = limits;
  state->run = short_string(random_id());
  tcp::acceptor acceptor{state->io};
  error_code e;
  tcp::endpoint where{asio::ip::make_address(at.host), at.port};
  acceptor.open(where.protocol(), e);
  if (!e)
    acceptor.set_option(tcp::acceptor::reuse_address{true}, e);
  if (!e)
    acceptor.bind(where, e);
  if (!e)
    acceptor.listen(tcp::acceptor::max_listen_connections, e);
  if (e)
    return fail(e == asio::error::address_in_use ? errc::conflict : errc::io,
                "cannot listen on " + url_of(at) + ": " + e.message());
  at.port = acceptor.local_endpoint().port();
  at.tls = state->tls != nullptr;
  state->names = names_of(at, tls);
  auto out = std::make_unique<listener>(std::move(state), std::move(acceptor), at);
  out->run();
  return std::unique_ptr<http_listener>{std::move(out)};
}

} // namespace kevolve
