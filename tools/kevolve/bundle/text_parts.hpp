// Parts of a README that bundles for processors and for GPUs share.
#pragma once

#include "tools/kevolve/bundle/bundle.hpp"

#include <string>
#include <vector>

namespace kevolve {

// Return a row and the head of a Markdown table.
std::string row(const std::vector<std::string>& cells);
std::string head(const std::vector<std::string>& cells);

// Returns the basis of a shape's interval, which is that of its pairs' median.
interval_basis basis_of(const bundle_shape& s);
std::string shapes_table(const bundle_input& b);
// Returns notes that complement the table of shapes.
std::string shapes_notes(const bundle_input& b);
std::string regions_text(const bundle_input& b);
// Returns the section on the Python package.
std::string package_text(const bundle_input& b);
// Returns the kernel's origin.
std::string origin_text(const bundle_input& b);
// Returns the edge values that the task has the judge try, as the end of a sentence; empty if it declares none.
std::string edges_text(const contract& task);

} // namespace kevolve
