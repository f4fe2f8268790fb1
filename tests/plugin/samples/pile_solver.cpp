#include "pile_solver.h"

#include <GA/GA_Handle.h>
#include <GA/GA_Iterator.h>
#include <GEO/GEO_PrimPoly.h>
#include <GU/GU_Detail.h>
#include <PRM/PRM_Include.h>
#include <SIM/SIM_ColliderInfo.h>
#include <SIM/SIM_DopDescription.h>
#include <SIM/SIM_Engine.h>
#include <SIM/SIM_GeometryCopy.h>
#include <SIM/SIM_GuideShared.h>
#include <SIM/SIM_Object.h>
#include <SIM/SIM_ObjectArray.h>
#include <SIM/SIM_PRMShared.h>
#include <UT/UT_Assert.h>
#include <UT/UT_IStream.h>
#include <UT/UT_Map.h>

#include <cmath>
#include <ostream>

SIM_PileHeights::SIM_PileHeights(const SIM_DataFactory* factory) : BaseClass(factory), SIM_OptionsUser(this) {}
SIM_PileHeights::~SIM_PileHeights() {}

const SIM_DopDescription* SIM_PileHeights::getPileHeightsDopDescription() {
    static PRM_Name bins_name("bins", "Bins");
    static PRM_Default bins_default(4);
    static PRM_Template templates[] = {PRM_Template(PRM_INT_J, 1, &bins_name, &bins_default), PRM_Template()};
    static SIM_DopDescription description(true, "sample_pileheights", "Pile Heights", "Pile", classname(), templates);
    return &description;
}

int SIM_PileHeights::getHeight(int bin) const {
    return bin < static_cast<int>(myHeights.size()) ? myHeights[static_cast<size_t>(bin)] : 0;
}

void SIM_PileHeights::addGrain(int bin) {
    myHeights.resize(static_cast<size_t>(getBins()));
    if (bin < 0 || bin >= static_cast<int>(myHeights.size())) return;
    ++myHeights[static_cast<size_t>(bin)];
    handleModification();
}

void SIM_PileHeights::initializeSubclass() {
    BaseClass::initializeSubclass();
    myHeights.clear();
}

void SIM_PileHeights::makeEqualSubclass(const SIM_Data* source) {
    BaseClass::makeEqualSubclass(source);
    const SIM_PileHeights* other = SIM_DATA_CASTCONST(source, SIM_PileHeights);
    if (other) myHeights = other->myHeights;
}

void SIM_PileHeights::saveSubclass(std::ostream& os) const {
    BaseClass::saveSubclass(os);
    for (int bin = 0; bin < static_cast<int>(getBins()); ++bin) {
        const int32 height = getHeight(bin);
        os.write(reinterpret_cast<const char*>(&height), sizeof height);
    }
}

bool SIM_PileHeights::loadSubclass(UT_IStream& is) {
    if (!BaseClass::loadSubclass(is)) return false;
    myHeights.resize(static_cast<size_t>(getBins()));
    for (int32& height : myHeights)
        if (is.bread(reinterpret_cast<char*>(&height), sizeof height) != sizeof height) return false;
    return true;
}

int64 SIM_PileHeights::getMemorySizeSubclass() const {
    return BaseClass::getMemorySizeSubclass() + static_cast<int64>(myHeights.size() * sizeof(int32));
}

void SIM_PileHeights::optionChangedSubclass(const char* name) {
    SIM_OptionsUser::optionChangedSubclass(name);
    if (!name || UT_StringRef(name) == "bins") myHeights.clear();
}

SIM_PileView::SIM_PileView(const SIM_DataFactory* factory)
    : BaseClass(factory), SIM_OptionsUser(this), myHeights(nullptr) {}
SIM_PileView::~SIM_PileView() {}

const SIM_DopDescription* SIM_PileView::getPileViewDopDescription() {
    static PRM_Template templates[] = {PRM_Template()};
    static PRM_Template guide_templates[] = {
        PRM_Template(PRM_TOGGLE, 1, &SIMshowguideName, PRMoneDefaults),
        PRM_Template(PRM_RGB_J, 3, &SIMcolorName, PRMoneDefaults, nullptr, &PRMunitRange), PRM_Template()};
    static SIM_DopDescription description(true, "sample_pileview", "Pile View", "View", classname(), templates);
    description.setGuideTemplates(guide_templates);
    return &description;
}

void SIM_PileView::initializeSubclass() {
    BaseClass::initializeSubclass();
    myHeights = nullptr;
}

bool SIM_PileView::getIsAlternateRepresentationSubclass() const {
    return true;
}

void SIM_PileView::initAlternateRepresentationSubclass(const SIM_Data& parent) {
    myHeights = SIM_DATA_CASTCONST(&parent, SIM_PileHeights);
}

SIM_Guide* SIM_PileView::createGuideObjectSubclass() const {
    return new SIM_GuideShared(this, false);
}

void SIM_PileView::buildGuideGeometrySubclass(const SIM_RootData&, const SIM_Options& options,
                                              const GU_DetailHandle& gdh, UT_DMatrix4* xform, const SIM_Time&) const {
    if (xform) xform->identity();
    initAlternateRepresentation();
    if (!myHeights || gdh.isNull() || !getShowGuide(options)) return;
    GU_DetailHandleAutoWriteLock lock(gdh);
    GU_Detail* gdp = lock.getGdp();
    GA_RWHandleV3 colour(gdp->addDiffuseAttribute(GA_ATTRIB_POINT));
    UT_Map<exint, GA_Offset> tops;
    for (int bin = 0; bin < static_cast<int>(myHeights->getBins()); ++bin) {
        GEO_PrimPoly* line = GEO_PrimPoly::build(gdp, 2, true, false);
        for (int end = 0; end < 2; ++end) {
            const GA_Offset point = gdp->appendPointOffset();
            UT_Vector3 where(static_cast<float>(bin), end ? static_cast<float>(myHeights->getHeight(bin)) : 0.0f, 0.0f);
            where += UT_Vector3(0.5f, 0, 0);
            gdp->setPos3(point, where);
            colour.set(point, getColor(options));
            line->setPointOffset(end, point);
            if (end) tops[bin] = point;
        }
    }
    UT_ASSERT(tops.size() == static_cast<size_t>(myHeights->getBins()));
}

SIM_SolverPile::SIM_SolverPile(const SIM_DataFactory* factory) : BaseClass(factory), SIM_OptionsUser(this) {}
SIM_SolverPile::~SIM_SolverPile() {}

const SIM_DopDescription* SIM_SolverPile::getSolverPileDopDescription() {
    static PRM_Template templates[] = {PRM_Template()};
    static SIM_DopDescription description(true, "sample_pilesolver", "Pile Solver", SIM_SOLVER_DATANAME, classname(),
                                          templates);
    return &description;
}

SIM_Solver::SIM_Result SIM_SolverPile::solveSingleObjectSubclass(SIM_Engine&, SIM_Object& object, SIM_ObjectArray&,
                                                                 const SIM_Time&, bool newobject) {
    SIM_PileHeights* pile = SIM_DATA_GET(object, "Pile", SIM_PileHeights);
    if (!pile) pile = SIM_DATA_CREATE(object, "Pile", SIM_PileHeights, 0);
    if (!pile) return SIM_SOLVER_FAIL;
    if (newobject) return SIM_SOLVER_SUCCESS;

    SIM_ObjectArray sources;
    object.getAffectors(sources, "SIM_RelationshipSource");
    for (exint k = 0; k < sources.entries(); ++k) {
        const SIM_Object* source = sources(k);
        const SIM_Geometry* geometry = source->getGeometry();
        if (!geometry || geometry->getGeometry().isNull()) continue;
        UT_DMatrix4 xform;
        SIMgetGeometryTransform(xform, *source);
        GU_DetailHandleAutoReadLock lock(geometry->getGeometry());
        const GU_Detail* gdp = lock.getGdp();
        for (GA_Iterator it(gdp->getPointRange()); !it.atEnd(); ++it) {
            const UT_Vector3 where = gdp->getPos3(*it) * xform;
            pile->addGrain(static_cast<int>(std::floor(where.x())));
        }
    }
    return SIM_SOLVER_SUCCESS;
}

void register_pile_solver() {
    IMPLEMENT_DATAFACTORY(SIM_PileHeights);
    IMPLEMENT_DATAFACTORY(SIM_PileView);
    IMPLEMENT_DATAFACTORY(SIM_SolverPile);
}
