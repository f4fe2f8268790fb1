#pragma once

#include <array>
#include <vector>

#include "directions.h"
#include "preview.h"
#include "preview_world.h"

namespace firn {

/// Light on a piece of surface, apart from what the surface makes of it: so that the filter can smooth the light and
/// leave the surface sharp.
struct Lit {
    Hit::On on = Hit::On::nothing;
    float weight = 0;  ///< of the pixel that it covers
    Float3 sun, sky;   ///< what the surface makes of full sunlight and of the open sky
    float sun_share = 0;
    Float3 sky_share;  ///< of the open sky's light that arrives, and what others reflect; 0..1 and a little above
    Float3 more;       ///< light that the filter leaves alone: glints, and sun that shines through thin snow
    Float3 point, normal;
};

/// A pixel's samples, taken together by what they fell on. A third kind of surface in one pixel joins the second.
struct Pixel {
    Float3 background;
    std::array<Lit, 2> lit;
};

/// Light and colour: what a picture's pixels show of the world.
class Painter {
public:
    Painter(const PreviewFrame&, const PreviewSettings&, const World&);

    Pixel paint(int x, int y) const;

    /// How many rows up and down filtered() looks.
    static constexpr int filter_rim = 2;
    /// The pixel's colour, linear. Its light is the mean of its neighbours' where they lie on the same piece of
    /// surface. `rows[filter_rim + j]` are the pixels of row y + j, or nullptr beyond the picture.
    Float3 filtered(int x, const std::array<const Pixel*, 2 * filter_rim + 1>& rows) const;

private:
    /// What a sample of a pixel chooses: five numbers of 0..1 besides the place in the pixel.
    struct Choice {
        float sky[2], sun[2], lens[2], time;
    };
    Float3 direction(float x, float y) const;
    float pixel_size(float distance) const;
    Float3 sky_colour(const Float3& along) const;
    /// Far ground turns into the horizon.
    Float3 hazed(const Float3& colour, float distance) const;
    /// Light that the open sky and the ground would send to a surface that faces `normal`; / pi.
    Float3 open_light(const Float3& normal) const;
    /// What a surface reflects, for light that comes by way of it; a guess but for the sun, of which `lit` arrives.
    Float3 bounced(const Float3& normal, const Float3& colour, float lit) const;
    /// Glints: here and there a crystal's face mirrors the sun into the camera.
    float glint(const Float3& point, const Float3& normal, const Float3& along, float distance) const;
    /// The grain of snow, finer than its particles: the normal leans as on a rough surface, where a pixel can show
    /// that.
    Float3 roughened(const Float3& normal, const Float3& point, float distance) const;
    Lit light(const Hit&, const Float3& from, const Float3& along, const Choice&) const;

    PreviewSettings settings_;
    const World& world_;
    Float3 to_sun_, eye_;
    Directions sun_, view_;
    float reach_, tan_half_;
    float focus_;  ///< m along the view's axis
    float lens_;   ///< m
    std::vector<Choice> spread_;
};

}  // namespace firn
