#include "tools/kevolve/bundle/svg.hpp"

#include "tools/kevolve/bundle/escape.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace kevolve {

namespace {

constexpr double width = 720;
constexpr double height = 400;
constexpr double left = 80;
constexpr double right = 24;
constexpr double top = 48;
constexpr double bottom = 60;

// Returns a value's position between the axis's ends, 0 to 1.
double share(const svg_axis& a, double x) {
  if (!std::isfinite(x))
    return 0.0;
  const auto s =
      a.logarithmic ? std::log(std::max(x, a.low) / a.low) / std::log(a.high / a.low) : (x - a.low) / (a.high - a.low);
  return std::clamp(s, 0.0, 1.0);
}

std::vector<double> ticks(const svg_axis& a) {
  std::vector<double> out;
  if (a.logarithmic) {
    for (auto e = static_cast<int>(std::floor(std::log10(a.low))); e <= static_cast<int>(std::ceil(std::log10(a.high)));
         ++e)
      if (auto x = std::pow(10.0, e); x >= a.low * 0.999 && x <= a.high * 1.001)
        out.push_back(x);
    return out;
  }
  const auto step = round_up_nicely((a.high - a.low) / 6);
  for (auto x = std::ceil(a.low / step) * step; x <= a.high + step * 1e-9; x += step)
    out.push_back(x);
  return out;
}

svg_axis sound(svg_axis a) {
  if (!(a.high > a.low))
    a.high = a.logarithmic ? a.low * 10 : a.low + 1;
  return a;
}

} // namespace

double round_up_nicely(double x) {
  if (!(x > 0.0) || !std::isfinite(x))
    return 1.0;
  const auto power = std::pow(10.0, std::floor(std::log10(x)));
  for (const auto m : {1.0, 2.0, 5.0})
    if (m * power >= x * 0.999999)
      return m * power;
  return 10.0 * power;
}

svg_chart::svg_chart(std::string title, svg_axis x, svg_axis y)
    : title_(std::move(title)), x_(sound(std::move(x))), y_(sound(std::move(y))) {}

double svg_chart::place_x(double x) const {
  return left + (width - left - right) * share(x_, x);
}

double svg_chart::place_y(double y) const {
  return height - bottom - (height - top - bottom) * share(y_, y);
}

void svg_chart::line(const std::vector<std::pair<double, double>>& points, const std::string& colour) {
  std::string at;
  for (const auto& [x, y] : points)
    at += fmt::format("{}{:.1f},{:.1f}", at.empty() ? "" : " ", place_x(x), place_y(y));
  body_ += fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\"/>\n", at, xml(colour));
}

void svg_chart::dot(double x, double y, const std::string& colour, const std::string& title) {
  body_ += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\" fill=\"{}\"><title>{}</title></circle>\n",
                       place_x(x), place_y(y), xml(colour), xml(title));
}

void svg_chart::text(double x, double y, const std::string& words, const std::string& colour) {
  // Near the right edge, the text goes to the left so that it is not cut off.
  const auto at = place_x(x);
  const auto late = at > width * 0.7;
  body_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" fill=\"{}\" text-anchor=\"{}\">{}</text>\n",
                       late ? at - 6 : at + 6, place_y(y) - 6, xml(colour), late ? "end" : "start", xml(words));
}

std::string svg_chart::axes() const {
  const auto x0 = left;
  const auto y0 = height - bottom;
  std::string out = fmt::format("<path d=\"M{0:.1f},{1:.1f} V{2:.1f} H{3:.1f}\" fill=\"none\" stroke=\"#444\"/>\n", x0,
                                top, y0, width - right);
  for (const auto x : ticks(x_))
    out += fmt::format("<text x=\"{0:.1f}\" y=\"{1:.1f}\" text-anchor=\"middle\">{2:g}</text>\n"
                       "<path d=\"M{0:.1f},{3:.1f} v5\" stroke=\"#444\"/>\n",
                       place_x(x), y0 + 20, x, y0);
  for (const auto y : ticks(y_))
    out += fmt::format("<text x=\"{0:.1f}\" y=\"{1:.1f}\" text-anchor=\"end\">{2:g}</text>\n"
                       "<path d=\"M{3:.1f},{4:.1f} H{5:.1f}\" stroke=\"#ddd\"/>\n",
                       x0 - 8, place_y(y) + 4, y, x0, place_y(y), width - right);
  out += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n", (left + width - right) / 2,
                     height - 16, xml(x_.label));
  return out
         + fmt::format("<text x=\"18\" y=\"{0:.1f}\" text-anchor=\"middle\" transform=\"rotate(-90 18 {0:.1f})\">{1}"
                       "</text>\n",
                       (top + y0) / 2, xml(y_.label));
}

std::string svg_chart::done() const {
  return fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" "
                     "font-family=\"sans-serif\" font-size=\"13\" role=\"img\">\n<title>{2}</title>\n"
                     "<rect width=\"{0}\" height=\"{1}\" fill=\"#fff\"/>\n"
                     "<text x=\"{3}\" y=\"24\" font-size=\"16\">{2}</text>\n{4}{5}</svg>\n",
                     width, height, xml(title_), left, axes(), body_);
}

} // namespace kevolve
