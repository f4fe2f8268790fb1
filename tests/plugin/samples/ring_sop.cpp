#include "ring_sop.h"

#include <GU/GU_Detail.h>
#include <OP/OP_Operator.h>
#include <PRM/PRM_Include.h>
#include <PRM/PRM_TemplateBuilder.h>
#include <SOP/SOP_NodeVerb.h>
#include <SYS/SYS_Math.h>
#include <UT/UT_Interrupt.h>
#include <UT/UT_StringHolder.h>

const UT_StringHolder SOP_Ring::theSOPTypeName("sample_ring"_sh);

void register_ring_sop(OP_OperatorTable* table) {
    table->addOperator(new OP_Operator(SOP_Ring::theSOPTypeName, "Ring", SOP_Ring::myConstructor,
                                       SOP_Ring::buildTemplates(), 0, 0, nullptr, OP_FLAG_GENERATOR));
}

static const char* const theDsFile = R"THEDSFILE(
{
    name parameters
    parm {
        name "corners"
        label "Corners"
        type integer
        default { "8" }
        range { 3! 50 }
    }
    parm {
        name "radius"
        label "Radius"
        type float
        default { "1" }
        range { 0 10 }
    }
}
)THEDSFILE";

PRM_Template* SOP_Ring::buildTemplates() {
    static PRM_TemplateBuilder templates("ring_sop.cpp"_sh, theDsFile);
    return templates.templates();
}

namespace {

class SOP_RingParms : public SOP_NodeParms {
public:
    int64 getCorners() const { return myCorners; }
    fpreal64 getRadius() const { return myRadius; }

    void loadFromOpSubclass(const LoadParms& loadparms) override {
        myCorners = loadparms.node().evalInt("corners", 0, loadparms.time());
        myRadius = loadparms.node().evalFloat("radius", 0, loadparms.time());
    }

private:
    int64 myCorners = 8;
    fpreal64 myRadius = 1;
};

class SOP_RingVerb : public SOP_NodeVerb {
public:
    SOP_NodeParms* allocParms() const override { return new SOP_RingParms(); }
    UT_StringHolder name() const override { return SOP_Ring::theSOPTypeName; }
    CookMode cookMode(const SOP_NodeParms*) const override { return COOK_GENERIC; }
    void cook(const CookParms& cookparms) const override;

    static const SOP_NodeVerb::Register<SOP_RingVerb> theVerb;
};

const SOP_NodeVerb::Register<SOP_RingVerb> SOP_RingVerb::theVerb;

void SOP_RingVerb::cook(const CookParms& cookparms) const {
    const auto& parms = cookparms.parms<SOP_RingParms>();
    GU_Detail* detail = cookparms.gdh().gdpNC();
    const exint corners = SYSmax(parms.getCorners(), int64(3));
    if (corners > parms.getCorners()) cookparms.sopAddWarning(SOP_MESSAGE, "A ring has at least 3 corners.");
    detail->clearAndDestroy();
    GA_Offset first_vertex;
    detail->appendPrimitivesAndVertices(GA_PRIMPOLY, 1, corners, first_vertex, true);
    const GA_Offset first = detail->appendPointBlock(corners);
    for (exint k = 0; k < corners; ++k) detail->getTopology().wireVertexPoint(first_vertex + k, first + k);
    detail->bumpDataIdsForAddOrRemove(true, true, true);

    UT_AutoInterrupt boss("Building Ring");
    for (exint k = 0; k < corners && !boss.wasInterrupted(); ++k) {
        const fpreal angle = 2 * M_PI * static_cast<fpreal>(k) / static_cast<fpreal>(corners);
        UT_Vector3 where(static_cast<float>(SYScos(angle)), static_cast<float>(SYSsin(angle)), 0);
        where *= static_cast<float>(parms.getRadius());
        detail->setPos3(first + k, where);
    }
}

}  // namespace

const SOP_NodeVerb* SOP_Ring::cookVerb() const {
    return SOP_RingVerb::theVerb.get();
}
