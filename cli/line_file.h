#pragma once

#include <string>

namespace firn {

/// Appends whole lines, also when several processes of several machines append to one file at once. If the file's last
/// line was torn when its writer was killed, what is appended starts on a line of its own. A link is never followed.
/// `first_line` is what a new file begins with; "" = the file must be there. `durable` = on the disk before it returns.
/// Throws Error that names the path.
void append_lines(const std::string& path, const std::string& lines, const std::string& first_line = "",
                  bool durable = false);

/// A JSON object on one line, without its end, with a checksum as its last value: "line_sum".
std::string with_sum(const std::string& object);
/// Whether the line has such a checksum, and it is that of its text.
enum class LineSum { none, right, wrong };
LineSum check_sum(const std::string& line);

}  // namespace firn
