#include "body_loads.h"

#include <GA/GA_Attribute.h>
#include <GA/GA_Handle.h>
#include <UT/UT_StringHolder.h>

#include <cctype>
#include <map>
#include <sstream>

#include "particle_transfer.h"

namespace firn {

namespace {

std::string attribute_name(std::string name) {
    for (char& c : name)
        if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
    return name;
}

void write_vector(GU_Detail& detail, const std::string& name, const double value[3]) {
    GA_Attribute* attribute = detail.addFloatTuple(GA_ATTRIB_DETAIL, UT_StringHolder(name), 3).getAttribute();
    GA_RWHandleV3(attribute).set(GA_Offset(0), UT_Vector3F(static_cast<float>(value[0]), static_cast<float>(value[1]),
                                                           static_cast<float>(value[2])));
    attribute->bumpDataId();
}

}  // namespace

void write_loads(GU_Detail& detail, const EngineCache& cache) {
    if (const GA_Attribute* before = detail.findAttribute(GA_ATTRIB_DETAIL, "load_bodies")) {
        require_no_array(before);
        const GA_ROHandleS listed_before(before);
        std::istringstream names(listed_before.isValid() ? listed_before.get(GA_Offset(0)).toStdString()
                                                         : std::string());
        for (std::string name; names >> name;) {
            detail.destroyAttribute(GA_ATTRIB_DETAIL, ("force_" + name).c_str());
            detail.destroyAttribute(GA_ATTRIB_DETAIL, ("torque_" + name).c_str());
        }
        detail.destroyAttribute(GA_ATTRIB_DETAIL, "load_bodies");
    }
    std::map<std::string, BodyLoad> loads;
    for (const auto& [body, load] : cache.loads()) {
        BodyLoad& sum = loads[attribute_name(body)];
        for (int c = 0; c < 3; ++c) {
            sum.force[c] += load.force[c];
            sum.torque[c] += load.torque[c];
        }
    }
    if (loads.empty()) return;
    std::string names;
    for (const auto& [name, load] : loads) {
        write_vector(detail, "force_" + name, load.force);
        write_vector(detail, "torque_" + name, load.torque);
        names += (names.empty() ? "" : " ") + name;
    }
    GA_Attribute* listed = detail.addStringTuple(GA_ATTRIB_DETAIL, "load_bodies", 1).getAttribute();
    GA_RWHandleS(listed).set(GA_Offset(0), UT_StringHolder(names));
    listed->bumpDataId();
}

}  // namespace firn
