// What every benchmark says of itself: its figures as JSON, its machine, its seed.
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace kevolve::bench {

using json = nlohmann::ordered_json;

double median(std::vector<double> values); // 0 of nothing
// Processor model, cores, load average, time: no name of the machine.
json machine();
json interval(double low, double high);
// Prints the document on stdout; returns 0.
int print(const json& document);
// Prints why on stderr; returns 1.
int give_up(const std::string& why);

} // namespace kevolve::bench
