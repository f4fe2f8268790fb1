#include "files/usd_look.h"

namespace firn {

const char* const usd_snow_materials = R"(    def Scope "materials"
    {
        def Material "snow_volume"
        {
            token outputs:arnold:volume.connect = </firn/materials/snow_volume/arnold.outputs:volume>
            token outputs:mtlx:volume.connect = </firn/materials/snow_volume/volume.outputs:out>

            def Shader "density"
            {
                uniform token info:id = "ND_geompropvalue_float"
                float inputs:default = 0
                string inputs:geomprop = "density"
                float outputs:out
            }
            def Shader "scattering"
            {
                uniform token info:id = "ND_multiply_vector3FA"
                float3 inputs:in1 = (1.629, 1.7195, 1.81)
                float inputs:in2.connect = </firn/materials/snow_volume/density.outputs:out>
                float3 outputs:out
            }
            def Shader "absorption"
            {
                uniform token info:id = "ND_multiply_vector3FA"
                float3 inputs:in1 = (0.181, 0.0905, 0)
                float inputs:in2.connect = </firn/materials/snow_volume/density.outputs:out>
                float3 outputs:out
            }
            def Shader "medium"
            {
                uniform token info:id = "ND_anisotropic_vdf"
                float3 inputs:absorption.connect = </firn/materials/snow_volume/absorption.outputs:out>
                float inputs:anisotropy = 0.5
                float3 inputs:scattering.connect = </firn/materials/snow_volume/scattering.outputs:out>
                token outputs:out
            }
            def Shader "volume"
            {
                uniform token info:id = "ND_volume"
                token inputs:vdf.connect = </firn/materials/snow_volume/medium.outputs:out>
                token outputs:out
            }
            def Shader "arnold"
            {
                uniform token info:id = "arnold:standard_volume"
                float inputs:density = 1.81
                string inputs:density_channel = "density"
                float inputs:scatter = 1
                float inputs:scatter_anisotropy = 0.5
                color3f inputs:scatter_color = (0.9, 0.95, 1)
                token outputs:volume
            }
        }
        def Material "snow_surface"
        {
            token outputs:mtlx:surface.connect = </firn/materials/snow_surface/standard.outputs:out>
            token outputs:surface.connect = </firn/materials/snow_surface/preview.outputs:surface>

            def Shader "standard"
            {
                uniform token info:id = "ND_standard_surface_surfaceshader"
                float inputs:base = 1
                color3f inputs:base_color = (0.9, 0.94, 0.97)
                float inputs:diffuse_roughness = 0.6
                float inputs:specular = 0.5
                float inputs:specular_IOR = 1.31
                float inputs:specular_roughness = 0.35
                float inputs:subsurface = 0.6
                color3f inputs:subsurface_color = (0.93, 0.97, 1)
                color3f inputs:subsurface_radius = (0.5, 0.7, 1)
                float inputs:subsurface_scale = 0.01
                token outputs:out
            }
            def Shader "preview"
            {
                uniform token info:id = "UsdPreviewSurface"
                color3f inputs:diffuseColor = (0.9, 0.94, 0.97)
                float inputs:ior = 1.31
                float inputs:roughness = 0.5
                token outputs:surface
            }
        }
    }
)";

}  // namespace firn
