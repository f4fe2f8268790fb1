#pragma once

#include <string>

#include "firn/body.h"
#include "firn/particles.h"

/// Particles as comma-separated values: a header line with the names of the columns, then one particle per line. SI
/// units. The readers find columns by name, in any order, and pass over names they don't know. They throw firn::Error
/// in the form file:line:column, where the column counts values from 1.

/// Snow: x,y,z; also vx,vy,vz (else at rest), pressure, and Fxx,Fxy,Fxz,Fyy,Fyz,Fzz, the elastic deformation F_E (else
/// undeformed). So a file that write_snow_csv() wrote can be read back.
firn::Particles read_snow_csv(const std::string& path);

/// One still body: x,y,z; also nx,ny,nz, the outward normals.
firn::Body read_boundary_csv(const std::string& path);

/// x,y,z,vx,vy,vz,density,pressure,Fxx,Fxy,Fxz,Fyy,Fyz,Fzz with nine significant digits: every float
/// exactly, and F_E to 1e-8.
/// The file appears whole or not at all: it is written under a temporary name and renamed.
void write_snow_csv(const std::string& path, const firn::Particles&);
