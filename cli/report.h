#pragma once

#include <string>
#include <vector>

#include "run_log.h"

namespace firn {

struct ReportPicture {
    std::string path;  ///< a PNG, put into the page itself
    std::string caption;
};

/// One self-contained HTML page of a run: charts, pictures, parameters, warnings. Opens without a network.
void write_report(const std::string& path, const RunLog&, const std::vector<ReportPicture>&);

}  // namespace firn
