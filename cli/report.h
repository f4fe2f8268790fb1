#pragma once

#include <string>
#include <vector>

#include "run_log.h"

namespace firn {

struct ReportPicture {
    std::string path;  ///< a PNG file, put into the page itself, or
    std::string png;   ///< its bytes
    std::string caption;
};

/// One self-contained HTML page of a run: charts, pictures, parameters, warnings. Opens without a network.
/// Throws Error when it can't be written or a picture can't be read.
void write_report(const std::string& path, const RunLog&, const std::vector<ReportPicture>&);

}  // namespace firn
