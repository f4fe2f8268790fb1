#pragma once

// Snow between a Houdini detail and firn::Particles, block by block: a page of an attribute is copied at once, and
// pages are shared out between threads. Attributes have the names of particle_arrays().

#include <GA/GA_Attribute.h>
#include <GU/GU_Detail.h>

#include <cstdint>
#include <string>
#include <vector>

#include "firn/parameters.h"
#include "firn/particles.h"

namespace firn {

/// A run of points within one page.
struct PointBlock {
    GA_Offset start;
    GA_Size count;
    size_t index;  ///< of its first point in the arrays
};

/// All points, in the order in which the arrays have them. Destroyed points are passed over.
std::vector<PointBlock> point_blocks(const GU_Detail&);
size_t point_count(const std::vector<PointBlock>&);

/// Every array whose attribute the detail has. Throws Error for an attribute with the wrong number of components.
Particles read_particles(const GU_Detail&, const std::vector<PointBlock>&);
/// The same into arrays that are there already: memory that is taken anew for every frame costs more than the copying.
void read_particles(const GU_Detail&, const std::vector<PointBlock>&, Particles& into);

/// Writes the arrays that have numbers and one of these roles, with new data ids; attributes that are not there are
/// made, with the parameters' values as defaults. The rest of the detail stays as it is.
void write_particles(GU_Detail&, const std::vector<PointBlock>&, const Particles&, const Parameters&,
                     const std::vector<ArrayRole>& roles);

// One attribute of the points; `values` has `components` numbers per point.
bool read_floats(const GU_Detail&, const std::vector<PointBlock>&, const char* name, int components, float* values);
void write_floats(GU_Detail&, const std::vector<PointBlock>&, const char* name, int components, const float* values);
bool read_integers(const GU_Detail&, const std::vector<PointBlock>&, const char* name, std::vector<int64_t>& values);
void write_integers(GU_Detail&, const std::vector<PointBlock>&, const char* name, const std::vector<int64_t>& values);

/// Throws Error for an attribute of arrays or dictionaries, which has a name of ours and nothing that could be read.
/// Null is fine.
void require_no_array(const GA_Attribute*);

/// The particles' spacing, m, from pscale (a radius: half the spacing); 0 = they have none.
float spacing_of(const GU_Detail&);

}  // namespace firn
