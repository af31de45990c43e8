#include "tests/llm_transport/certificates.hpp"

#include <doctest/doctest.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <cstdio>

namespace kevolve::test {

namespace {

using key_ptr = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;
using certificate_ptr = std::unique_ptr<X509, decltype(&X509_free)>;
using file_ptr = std::unique_ptr<FILE, int (*)(FILE*)>;

key_ptr new_key() {
  key_ptr out{EVP_EC_gen("P-256"), EVP_PKEY_free};
  REQUIRE(out);
  return out;
}

void extend(X509* x, X509* issuer, int what, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, x, nullptr, nullptr, 0);
  auto* extension = X509V3_EXT_conf_nid(nullptr, &context, what, value.c_str());
  REQUIRE(extension != nullptr);
  X509_add_ext(x, extension, -1);
  X509_EXTENSION_free(extension);
}

certificate_ptr new_certificate(const std::string& name, EVP_PKEY* key, long seconds) {
  static long serial = 0;
  certificate_ptr out{X509_new(), X509_free};
  X509_set_version(out.get(), 2);
  ASN1_INTEGER_set(X509_get_serialNumber(out.get()), ++serial);
  X509_gmtime_adj(X509_getm_notBefore(out.get()), -7200);
  X509_gmtime_adj(X509_getm_notAfter(out.get()), seconds);
  X509_set_pubkey(out.get(), key);
  X509_NAME_add_entry_by_txt(X509_get_subject_name(out.get()), "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0);
  return out;
}

void write(const std::string& path, X509* x) {
  const file_ptr out{std::fopen(path.c_str(), "w"), std::fclose};
  REQUIRE(PEM_write_X509(out.get(), x) == 1);
}

} // namespace

struct authority::keys {
  key_ptr key = new_key();
  certificate_ptr certificate{nullptr, X509_free};
};

authority::authority(const std::string& folder, const std::string& name)
    : keys_(std::make_unique<keys>()), folder_(folder), path_(folder + "/" + name + ".pem") {
  keys_->certificate = new_certificate(name, keys_->key.get(), 3600);
  auto* x = keys_->certificate.get();
  X509_set_issuer_name(x, X509_get_subject_name(x));
  extend(x, x, NID_basic_constraints, "critical,CA:TRUE");
  extend(x, x, NID_key_usage, "critical,keyCertSign");
  REQUIRE(X509_sign(x, keys_->key.get(), EVP_sha256()) > 0);
  write(path_, x);
}

authority::~authority() = default;

certificate_files authority::issue(const std::string& name, const std::string& subject, long seconds) const {
  const auto key = new_key();
  const auto x = new_certificate(name, key.get(), seconds);
  X509_set_issuer_name(x.get(), X509_get_subject_name(keys_->certificate.get()));
  extend(x.get(), keys_->certificate.get(), NID_subject_alt_name, subject);
  REQUIRE(X509_sign(x.get(), keys_->key.get(), EVP_sha256()) > 0);
  certificate_files out{folder_ + "/" + name + ".pem", folder_ + "/" + name + ".key"};
  write(out.certificate, x.get());
  const file_ptr secret{std::fopen(out.key.c_str(), "w"), std::fclose};
  REQUIRE(PEM_write_PrivateKey(secret.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) == 1);
  return out;
}

} // namespace kevolve::test
