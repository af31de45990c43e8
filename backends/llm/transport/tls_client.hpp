// TLS as a client: what is trusted, and what went wrong in words. Private to the transport: it includes Asio.
#pragma once

#include "runtime/base/result.hpp"

#include <boost/asio/ssl/context.hpp>

#include <map>
#include <memory>
#include <string>

namespace kevolve {

// Contexts by CA file, each read once in a transport's life: reading the system's takes milliseconds.
class tls_contexts {
public:
  result<std::shared_ptr<boost::asio::ssl::context>> get(const std::string& ca_file);

private:
  std::map<std::string, std::shared_ptr<boost::asio::ssl::context>> known_;
};

// The server must prove to be `host`, a name or an address.
result<void> expect_host(SSL* tls, const std::string& host);
// "certificate has expired", where the handshake failed for the certificate; else empty.
std::string certificate_trouble(SSL* tls);

} // namespace kevolve
