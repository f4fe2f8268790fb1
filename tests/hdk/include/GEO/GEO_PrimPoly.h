#pragma once
// Fake of <GEO/GEO_PrimPoly.h>: https://www.sidefx.com/docs/hdk/class_g_e_o___prim_poly.html

#include <GEO/GEO_Detail.h>
#include <GEO/GEO_PolyCounts.h>

// SideFX's samples find these with this header alone.
#define GU_POLY_CLOSED 0
#define GU_POLY_OPEN 1

class GEO_API GEO_PrimPoly : public GEO_Primitive {
public:
    GEO_PrimPoly() : GEO_Primitive(GEO_PRIMPOLY) {}
    bool isClosed() const { return myClosed; }
    void setClosed(int closed) { myClosed = closed != 0; }
    void close() { myClosed = true; }
    void appendVertex(GA_Offset point) { addPoint(point); }
    /// Corners that are nowhere yet.
    int setSize(GA_Size size) {
        while (getVertexCount() < size) addPoint(GA_INVALID_OFFSET);
        return 1;
    }

    /// Without points of its own it has corners that are nowhere, until setPointOffset().
    static GEO_PrimPoly* build(GA_Detail* gdp, GA_Size nvertices, bool open = false, bool appendpts = true);
    /// Polygons over points that are there already, numbered from `startpt`; the first primitive's offset.
    static GA_Offset buildBlock(GA_Detail* detail, GA_Offset startpt, GA_Size npoints,
                                const GEO_PolyCounts& polygonsizes, const int* polygonpointnumbers, bool closed = true);

    std::unique_ptr<GA_Primitive> duplicate() const override;

private:
    bool myClosed = false;
};
