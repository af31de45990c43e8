// The common report of all benchmarks: figures as JSON, the machine, the seed.
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace kevolve::bench {

using json = nlohmann::ordered_json;

double median(std::vector<double> values); // returns 0 for an empty list
// Returns processor model, cores, load average and time, but not the machine's name.
json machine();
json interval(double low, double high);
// Prints the document on stdout; returns 0.
int print(const json& document);
// Prints the reason on stderr; returns 1.
int give_up(const std::string& why);

} // namespace kevolve::bench
