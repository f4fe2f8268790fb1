#pragma once

namespace firn {

/// The materials of a stage, as text for the inside of its /firn: snow_volume, snow_surface. MaterialX for Karma and
/// Storm, UsdPreviewSurface for what knows only that, Arnold's own for its volumes.
///
/// The volume is that of Stomakhin et al. 2013, section 9: 724 1/m of extinction in snow of 400 kg/m^3, 1.81 m^2/kg,
/// albedo 0.9, 0.95, 1 (so that depth is blue), and g = 0.5.
extern const char* const usd_snow_materials;

}  // namespace firn
