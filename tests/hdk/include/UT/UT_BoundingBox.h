#pragma once
// Fake of <UT/UT_BoundingBox.h>: https://www.sidefx.com/docs/hdk/class_u_t___bounding_box_t.html

#include <UT/UT_Matrix4.h>
#include <UT/UT_Vector3.h>

#include <algorithm>

class UT_BoundingBox {
public:
    UT_BoundingBox() { makeInvalid(); }
    void makeInvalid() {
        for (float(&axis)[2] : vals) axis[0] = 1e30f, axis[1] = -1e30f;
    }
    bool isValid() const { return vals[0][0] <= vals[0][1]; }
    void initBounds(const UT_Vector3& a, const UT_Vector3& b) {
        makeInvalid();
        enlargeBounds(a);
        enlargeBounds(b);
    }
    void enlargeBounds(const UT_Vector3& p) {
        for (int k = 0; k < 3; ++k) {
            vals[k][0] = std::min(vals[k][0], p(k));
            vals[k][1] = std::max(vals[k][1], p(k));
        }
    }
    /// The box around the transformed box.
    void transform(const UT_Matrix4& m) {
        const UT_BoundingBox before = *this;
        makeInvalid();
        for (int corner = 0; corner < 8; ++corner)
            enlargeBounds(UT_Vector3(before(0, corner & 1), before(1, corner >> 1 & 1), before(2, corner >> 2)) * m);
    }
    float operator()(int axis, int end) const { return vals[axis][end]; }
    float xmin() const { return vals[0][0]; }
    float xmax() const { return vals[0][1]; }
    float ymin() const { return vals[1][0]; }
    float ymax() const { return vals[1][1]; }
    float zmin() const { return vals[2][0]; }
    float zmax() const { return vals[2][1]; }

private:
    float vals[3][2];
};
