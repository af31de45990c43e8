// Plain SVG charts: lines and texts on two labelled axes, without scripts, style sheets or external resources.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace kevolve {

struct svg_axis {
  std::string label;
  double low = 0.0; // must be below high, and above 0 on a logarithmic axis
  double high = 1.0;
  bool logarithmic = false;
};

class svg_chart {
public:
  svg_chart(std::string title, svg_axis x, svg_axis y);

  void line(const std::vector<std::pair<double, double>>& points, const std::string& colour);
  // `title` is the tooltip.
  void dot(double x, double y, const std::string& colour, const std::string& title);
  // Draws text to the right of a point of the chart.
  void text(double x, double y, const std::string& words, const std::string& colour);
  std::string done() const;

private:
  double place_x(double x) const;
  double place_y(double y) const;
  std::string axes() const;

  std::string title_;
  svg_axis x_;
  svg_axis y_;
  std::string body_;
};

// Returns a round number not below `x`, which must be above 0.
double round_up_nicely(double x);

} // namespace kevolve
