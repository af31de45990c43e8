// Makes a key and a self-signed certificate for a name.
#pragma once

#include <string>

namespace kevolve::test {

void write_certificate(const std::string& name, const std::string& certificate_path, const std::string& key_path);

} // namespace kevolve::test
