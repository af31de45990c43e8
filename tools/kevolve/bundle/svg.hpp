// Plain pictures: lines and texts on two labelled axes, no script, no style sheet, nothing from elsewhere.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace kevolve {

struct svg_axis {
  std::string label;
  double low = 0.0; // below high; above 0 where logarithmic
  double high = 1.0;
  bool logarithmic = false;
};

class svg_chart {
public:
  svg_chart(std::string title, svg_axis x, svg_axis y);

  void line(const std::vector<std::pair<double, double>>& points, const std::string& colour);
  // `title` shows when it is pointed at.
  void dot(double x, double y, const std::string& colour, const std::string& title);
  // At a point of the chart, to its right.
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

// A round number not below `x`, which is above 0.
double round_up_nicely(double x);

} // namespace kevolve
