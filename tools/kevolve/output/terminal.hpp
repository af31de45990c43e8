// Describes the terminals behind stdout and stderr, and fits text to them.
#pragma once

#include "runtime/base/printable.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace kevolve {

// Tells if the terminal can redraw: a TTY whose TERM is not "dumb".
bool is_terminal(int fd);
// Tells if colours may be used: on a terminal where NO_COLOR is not set.
bool wants_colour(int fd);
// Returns the number of columns; 80 if unknown.
size_t terminal_width(int fd);
// Returns the number of lines; 24 if unknown.
size_t terminal_height(int fd);

// Applies printable() line by line, each after the first behind `indent`.
std::string printable_lines(std::string_view text, std::string_view indent);
// Returns at most `columns` characters, the end cut with "…". Counts UTF-8 code points.
std::string fit_to(std::string_view text, size_t columns);

// Returns "1:05", "2:03:09", "9.3 s" below ten seconds.
std::string human_duration(double seconds);
// Returns "512 B", "1.5 KiB", …
std::string human_bytes(double bytes);
// Returns "1.2 M", "3.4 G".
std::string human_count(double x);
// Returns "1 shape", "2 shapes": for words that take an s.
std::string human_number(size_t n, std::string_view what);
// Returns "[######------------------]": a share of 0 to 1.
std::string human_share(double share);
// Returns "12.34x".
std::string human_speedup(double x);
// Returns "1.23 ms".
std::string human_ns(double ns);

// Columns aligned, two spaces apart; the first row is the head.
std::string table_text(const std::vector<std::vector<std::string>>& rows);

// Writes to stdout or stderr at once; false if the reader is gone.
bool print_out(std::string_view text);
void print_err(std::string_view text);

} // namespace kevolve
