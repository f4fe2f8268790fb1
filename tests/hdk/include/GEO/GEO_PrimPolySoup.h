#pragma once
// Fake of <GEO/GEO_PrimPolySoup.h>: https://www.sidefx.com/docs/hdk/class_g_e_o___prim_poly_soup.html and
// https://www.sidefx.com/docs/hdk/class_g_e_o___prim_poly_soup_1_1_polygon_iterator.html
// Many polygons in one primitive: its vertices are those of all of them, one after the other.

#include <GEO/GEO_Detail.h>
#include <GEO/GEO_PolyCounts.h>

class GEO_API GEO_PrimPolySoup : public GEO_Primitive {
public:
    class PolygonIterator {
    public:
        explicit PolygonIterator(const GEO_PrimPolySoup& prim) : mySoup(prim) {}
        bool atEnd() const { return myPolygon == mySoup.getPolygonCount(); }
        PolygonIterator& operator++() {
            myFirst += getVertexCount();
            ++myPolygon;
            return *this;
        }
        GA_Size polygon() const { return myPolygon; }
        GA_Size getVertexCount() const { return mySoup.getPolygonSize(myPolygon); }
        GA_Offset getPointOffset(GA_Size i) const { return mySoup.getPointOffset(myFirst + i); }

    private:
        const GEO_PrimPolySoup& mySoup;
        GA_Size myPolygon = 0, myFirst = 0;
    };

    GA_Size getPolygonCount() const { return static_cast<GA_Size>(mySizes.size()); }
    GA_Size getPolygonSize(GA_Size polygon) const { return mySizes[static_cast<size_t>(polygon)]; }

protected:
    GEO_PrimPolySoup() : GEO_Primitive(GEO_PRIMPOLYSOUP) {}
    GEO_PrimPolySoup(const GEO_PrimPolySoup&) = default;
    std::vector<GA_Size> mySizes;
};
