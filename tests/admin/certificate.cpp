#include "tests/admin/certificate.hpp"

#include <doctest/doctest.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <sys/stat.h>

#include <cstdio>
#include <memory>

namespace kevolve::test {

void write_certificate(const std::string& name, const std::string& certificate_path, const std::string& key_path) {
  std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key{EVP_EC_gen("P-256"), EVP_PKEY_free};
  std::unique_ptr<X509, decltype(&X509_free)> out{X509_new(), X509_free};
  REQUIRE(key);
  X509_set_version(out.get(), 2);
  ASN1_INTEGER_set(X509_get_serialNumber(out.get()), 1);
  X509_gmtime_adj(X509_getm_notBefore(out.get()), -60);
  X509_gmtime_adj(X509_getm_notAfter(out.get()), 3600);
  X509_set_pubkey(out.get(), key.get());
  auto* subject = X509_get_subject_name(out.get());
  X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1,
                             0);
  X509_set_issuer_name(out.get(), subject);
  auto alternative = "DNS:" + name;
  auto* extension = X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, alternative.c_str());
  REQUIRE(extension != nullptr);
  X509_add_ext(out.get(), extension, -1);
  X509_EXTENSION_free(extension);
  REQUIRE(X509_sign(out.get(), key.get(), EVP_sha256()) > 0);
  std::unique_ptr<FILE, int (*)(FILE*)> certificate{std::fopen(certificate_path.c_str(), "w"), std::fclose};
  std::unique_ptr<FILE, int (*)(FILE*)> secret{std::fopen(key_path.c_str(), "w"), std::fclose};
  REQUIRE(PEM_write_X509(certificate.get(), out.get()) == 1);
  REQUIRE(PEM_write_PrivateKey(secret.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) == 1);
  ::chmod(key_path.c_str(), 0600);
}

} // namespace kevolve::test
