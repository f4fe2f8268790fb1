#pragma once
// Fake of <GEO/GEO_VolumeOptions.h>: https://www.sidefx.com/docs/hdk/_g_e_o___volume_options_8h.html

#include <GEO/GEO_API.h>

enum GEO_VolumeVis {
    GEO_VOLUMEVIS_SMOKE,
    GEO_VOLUMEVIS_RAINBOW,
    GEO_VOLUMEVIS_ISO,
    GEO_VOLUMEVIS_INVISIBLE,
    GEO_VOLUMEVIS_HEIGHTFIELD
};
