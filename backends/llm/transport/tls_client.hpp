// The TLS client: trusted certificates and readable errors. Private to the transport: it includes Asio.
#pragma once

#include "runtime/base/result.hpp"

#include <boost/asio/ssl/context.hpp>

#include <map>
#include <memory>
#include <string>

namespace kevolve {

// TLS contexts by CA file. Each is loaded once per transport, since reading the system's takes milliseconds.
class tls_contexts {
public:
  result<std::shared_ptr<boost::asio::ssl::context>> get(const std::string& ca_file);

private:
  std::map<std::string, std::shared_ptr<boost::asio::ssl::context>> known_;
};

// Requires the server's certificate to match `host`, a name or an address.
result<void> expect_host(SSL* tls, const std::string& host);
// Returns the certificate error of a failed handshake, such as "certificate has expired"; empty if there is none.
std::string certificate_trouble(SSL* tls);

} // namespace kevolve
