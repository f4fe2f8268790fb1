#include "dop_snow_report.h"

#include <PRM/PRM_Include.h>
#include <PRM/PRM_Template.h>
#include <SIM/SIM_DataFactory.h>
#include <SIM/SIM_DopDescription.h>
#include <SIM/SIM_Options.h>

namespace firn {

SIM_FirnSnowReport::SIM_FirnSnowReport(const SIM_DataFactory* factory) : BaseClass(factory), SIM_OptionsUser(this) {}
SIM_FirnSnowReport::~SIM_FirnSnowReport() = default;

const SIM_DopDescription* SIM_FirnSnowReport::dop_description() {
    static PRM_Template none[] = {PRM_Template()};
    static const SIM_DopDescription description(false, "firn_snowreport", "Firn Snow Report", data_name, classname(),
                                                none);
    return &description;
}

void SIM_FirnSnowReport::set(const CookSummary& summary) {
    SIM_Options& options = getOptions();
    options.setOptionS("device", summary.device);
    options.setOptionS("notice", summary.notice);
    options.setOptionI("snow_particles", static_cast<int64>(summary.snow_particles));
    options.setOptionI("boundary_particles", static_cast<int64>(summary.boundary_particles));
    options.setOptionI("asleep", static_cast<int64>(summary.asleep));
    options.setOptionF("memory_mb", double(summary.bytes) / 1e6);
    options.setOptionI("substeps", summary.substeps);
    options.setOptionS("step_limit", summary.limit);
    for (const SolveSummary& solve : summary.solves) {
        const std::string name = solve.name;
        options.setOptionF(name + "_iterations", solve.iterations);
        options.setOptionI(name + "_iterations_most", solve.iterations_most);
        options.setOptionF(name + "_residual", solve.residual);
    }
    options.setOptionF("speed", summary.speed);
    options.setOptionS("warnings", summary.warnings);
}

std::string SIM_FirnSnowReport::device() const {
    return getOptions().getOptionS("device").toStdString();
}

}  // namespace firn
