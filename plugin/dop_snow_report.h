#pragma once

#include <SIM/SIM_Data.h>
#include <SIM/SIM_DataFactory.h>
#include <SIM/SIM_DataUtils.h>
#include <SIM/SIM_DopDescription.h>
#include <SIM/SIM_OptionsUser.h>

#include <string>

#include "cook_summary.h"

namespace firn {

/// What the last frame of a snow object took: for people and scripts to read, not for the solver. The node of a data
/// type is Houdini's own, and so is its info text; what a data has to say is its options, which the Geometry
/// Spreadsheet, dopfield() and hou.DopData show.
class SIM_FirnSnowReport : public SIM_Data, public SIM_OptionsUser {
public:
    void set(const CookSummary&);
    std::string device() const;

    static constexpr const char* data_name = "SnowReport";

protected:
    explicit SIM_FirnSnowReport(const SIM_DataFactory*);
    ~SIM_FirnSnowReport() override;

private:
    static const SIM_DopDescription* dop_description();

    DECLARE_STANDARD_GETCASTTOTYPE();
    DECLARE_DATAFACTORY(SIM_FirnSnowReport, SIM_Data, "Firn Snow Report", dop_description());
};

}  // namespace firn
