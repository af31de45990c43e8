// The files of a bundle of kernels for GPUs, its Python package aside. Pure.
#pragma once

#include "tools/kevolve/bundle/bundle.hpp"

#include <string>
#include <vector>

namespace kevolve {

std::vector<bundle_file> device_bundle_files(const bundle_input& b);
std::string device_readme_text(const bundle_input& b);

} // namespace kevolve
