#include "body_transfer.h"

#include <GA/GA_Attribute.h>
#include <GA/GA_Defaults.h>
#include <GA/GA_Handle.h>
#include <UT/UT_StringHolder.h>

#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "firn/error.h"
#include "firn/rigid_transform.h"
#include "firn/surface_sources.h"
#include "particle_transfer.h"

namespace firn {

namespace {

constexpr int placement_numbers = 12, plane_numbers = 4;

/// FNV-1a.
int64_t body_number(const std::string& owner, const std::string& name) {
    uint64_t hash = 14695981039346656037ull;
    for (const std::string* text : {&owner, &name}) {
        for (const char c : *text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ull;
        hash = (hash ^ 0xff) * 1099511628211ull;
    }
    return static_cast<int64_t>(hash >> 1);
}

void write_placement(GU_Detail& detail, const char* name, const std::vector<PointBlock>& blocks,
                     const std::vector<MovingBody>& bodies, bool end) {
    GA_Attribute* attribute = detail.addFloatTuple(GA_ATTRIB_POINT, name, placement_numbers, GA_Defaults(0.0), nullptr,
                                                   nullptr, GA_STORE_REAL64);
    const GA_RWHandleD handle(attribute);
    std::vector<double> page(GA_PAGE_SIZE);
    size_t block = 0;
    for (const MovingBody& body : bodies) {
        const Transform& t = end ? body.end : body.body.placement;
        size_t left = body.body.position.size();
        for (; left > 0; ++block) {
            const PointBlock& b = blocks[block];
            for (int c = 0; c < placement_numbers; ++c) {
                std::fill(page.begin(), page.end(), c < 9 ? t.rotation[c] : t.translation[c - 9]);
                handle.setBlock(b.start, b.count, page.data(), 1, c);
            }
            left -= static_cast<size_t>(b.count);
        }
    }
    attribute->bumpDataId();
}

Transform read_placement(const GU_Detail& detail, const char* name, GA_Offset point) {
    require_no_array(detail.findAttribute(GA_ATTRIB_POINT, name));
    const GA_ROHandleD handle(&detail, GA_ATTRIB_POINT, name, placement_numbers);
    if (handle.isInvalid())
        throw Error(std::string("rigid colliders need the point attribute ") + name +
                    "; take them from Firn Snow Collider unchanged");
    Transform t;
    for (int c = 0; c < 9; ++c) t.rotation[c] = handle.get(point, c);
    for (int c = 0; c < 3; ++c) t.translation[c] = handle.get(point, 9 + c);
    return t;
}

/// With one point in the place of a plane.
std::vector<MovingBody> with_points(std::vector<MovingBody> bodies) {
    for (MovingBody& moving : bodies) {
        const PlaneShape* const plane = plane_shape(moving.body.source.get());
        if (!plane) continue;
        const Transform& at = plane->placement;
        moving.body.position = {apply_transform(at, Float3{})};
        moving.body.normal = {turned(at, Float3{0, 1, 0})};
        moving.body.volume = {0.0f};
        moving.body.placement = moving.end = at;
    }
    return bodies;
}

void write_planes(GU_Detail& detail, const std::vector<PointBlock>& blocks, const std::vector<MovingBody>& bodies) {
    if (std::none_of(bodies.begin(), bodies.end(),
                     [](const MovingBody& b) { return plane_shape(b.body.source.get()); }))
        return;
    std::vector<float> values;
    for (const MovingBody& moving : bodies) {
        const PlaneShape* const plane = plane_shape(moving.body.source.get());
        for (size_t i = 0; i < moving.body.position.size(); ++i) {
            if (plane)
                values.insert(values.end(), {static_cast<float>(plane->size_x), static_cast<float>(plane->size_z),
                                             plane->settings.spacing, plane->settings.boundary_volume});
            else
                values.insert(values.end(), plane_numbers, 0.0f);
        }
    }
    write_floats(detail, blocks, "plane", plane_numbers, values.data());
}

/// Blocks that end where a body ends.
std::vector<PointBlock> append_points(GU_Detail& detail, const std::vector<MovingBody>& bodies) {
    std::vector<PointBlock> blocks;
    size_t index = 0;
    for (const MovingBody& body : bodies) {
        const auto count = static_cast<GA_Size>(body.body.position.size());
        if (count == 0) continue;
        const GA_Offset first = detail.appendPointBlock(count);
        for (GA_Offset at = first; at < first + count;) {
            const GA_Offset border = std::min<GA_Offset>(first + count, (at / GA_PAGE_SIZE + 1) * GA_PAGE_SIZE);
            blocks.push_back({at, border - at, index});
            index += static_cast<size_t>(border - at);
            at = border;
        }
    }
    return blocks;
}

}  // namespace

void write_bodies(GU_Detail& detail, const std::vector<MovingBody>& given, const std::string& owner, float spacing,
                  double seconds) {
    const std::vector<MovingBody> bodies = with_points(given);
    const std::vector<PointBlock> blocks = append_points(detail, bodies);
    const size_t count = point_count(blocks);
    std::vector<Float3> position, normal, velocity, rest, rest_normal;
    std::vector<float> volume, surface[surface_quantity_count];
    std::vector<int64_t> number, motion;
    for (const MovingBody& moving : bodies) {
        const Body& b = moving.body;
        const int64_t body = body_number(owner, b.name);
        for (size_t i = 0; i < b.position.size(); ++i) {
            Float3 from = b.position[i], to = from, n = b.normal.empty() ? Float3{} : b.normal[i];
            if (b.motion == Motion::rigid) {
                from = apply_transform(b.placement, b.position[i]);
                to = apply_transform(moving.end, b.position[i]);
                n = turned(moving.end, n);
            } else if (b.motion == Motion::deforming) {
                to = moving.end_position[i];
            }
            const auto per_second = [&](float x0, float x1) {
                return seconds > 0 ? static_cast<float>((double(x1) - x0) / seconds) : 0.0f;
            };
            position.push_back(to);
            normal.push_back(n);
            velocity.push_back({per_second(from.x, to.x), per_second(from.y, to.y), per_second(from.z, to.z)});
            rest.push_back(b.position[i]);
            rest_normal.push_back(b.normal.empty() ? Float3{} : b.normal[i]);
            volume.push_back(b.volume[i]);
            const auto value = [&](float all, const std::vector<float>& each) { return each.empty() ? all : each[i]; };
            for (size_t q = 0; q < surface_quantity_count; ++q)
                surface[q].push_back(value(b.*surface_table()[q].value, b.*surface_table()[q].array));
            number.push_back(body);
            motion.push_back(static_cast<int64_t>(b.motion));
        }
    }
    const auto vectors = [&](const char* name, const std::vector<Float3>& values) {
        write_floats(detail, blocks, name, 3, count ? &values[0].x : nullptr);
    };
    vectors("P", position);
    vectors("N", normal);
    if (GA_Attribute* n = detail.findAttribute(GA_ATTRIB_POINT, "N")) n->setTypeInfo(GA_TYPE_NORMAL);
    vectors("v", velocity);
    vectors("rest", rest);
    vectors("rest_N", rest_normal);
    write_floats(detail, blocks, "volume", 1, volume.data());
    for (size_t q = 0; q < surface_quantity_count; ++q)
        write_floats(detail, blocks, surface_table()[q].token, 1, surface[q].data());
    const std::vector<float> radius(count, 0.5f * spacing);
    write_floats(detail, blocks, "pscale", 1, radius.data());
    write_integers(detail, blocks, "body", number);
    write_integers(detail, blocks, "motion", motion);
    write_placement(detail, "body_start", blocks, bodies, false);
    write_placement(detail, "body_end", blocks, bodies, true);
    write_planes(detail, blocks, bodies);

    GA_Attribute* named = detail.addStringTuple(GA_ATTRIB_POINT, "name", 1);
    const GA_RWHandleS name(named);
    size_t block = 0;
    for (const MovingBody& moving : bodies) {
        const UT_StringHolder text(moving.body.name);
        for (size_t left = moving.body.position.size(); left > 0; ++block) {
            for (GA_Offset at = blocks[block].start; at < blocks[block].start + blocks[block].count; ++at)
                name.set(at, text);
            left -= static_cast<size_t>(blocks[block].count);
        }
    }
    named->bumpDataId();
    detail.bumpDataIdsForAddOrRemove(true, false, false);
}

std::vector<MovingBody> read_bodies(const GU_Detail& detail) {
    const std::vector<PointBlock> blocks = point_blocks(detail);
    const size_t count = point_count(blocks);
    std::vector<MovingBody> bodies;
    if (count == 0) return bodies;
    std::vector<Float3> position(count), normal, rest, rest_normal;
    std::vector<float> volume, surface[surface_quantity_count], plane(plane_numbers * count, 0.0f);
    std::vector<int64_t> number(count, 0), motion(count, 0);
    read_floats(detail, blocks, "P", 3, &position[0].x);
    const auto vectors = [&](const char* name, std::vector<Float3>& values) {
        values.resize(count);
        if (!read_floats(detail, blocks, name, 3, &values[0].x)) values.clear();
    };
    const auto floats = [&](const char* name, std::vector<float>& values) {
        values.resize(count);
        if (!read_floats(detail, blocks, name, 1, values.data())) values.clear();
    };
    vectors("N", normal);
    vectors("rest", rest);
    vectors("rest_N", rest_normal);
    floats("volume", volume);
    if (!read_floats(detail, blocks, "plane", plane_numbers, plane.data())) plane.clear();
    for (size_t q = 0; q < surface_quantity_count; ++q) floats(surface_table()[q].token, surface[q]);
    read_integers(detail, blocks, "body", number);
    read_integers(detail, blocks, "motion", motion);

    // The points of each body, in their order.
    std::unordered_map<int64_t, size_t> known;
    std::vector<std::vector<size_t>> members;
    std::vector<GA_Offset> first;
    for (const PointBlock& block : blocks) {
        for (GA_Size k = 0; k < block.count; ++k) {
            const size_t i = block.index + static_cast<size_t>(k);
            const auto [at, fresh] = known.emplace(number[i], members.size());
            if (fresh) {
                members.emplace_back();
                first.push_back(block.start + k);
            }
            members[at->second].push_back(i);
        }
    }
    require_no_array(detail.findAttribute(GA_ATTRIB_POINT, "name"));
    const GA_ROHandleS name(&detail, GA_ATTRIB_POINT, "name");
    for (size_t k = 0; k < members.size(); ++k) {
        const std::vector<size_t>& of = members[k];
        const auto pick = [&](auto& to, const auto& from) {
            if (from.empty()) return;
            to.reserve(of.size());
            for (const size_t i : of) to.push_back(from[i]);
        };
        MovingBody moving;
        Body& body = moving.body;
        body.name = name.isValid() ? name.get(first[k]).toStdString() : "collider";
        const int64_t kind = motion[of[0]];
        if (kind < 0 || kind > 2)
            throw Error("collider '" + body.name + "': motion = " + std::to_string(kind) + " is none of 0, 1, 2");
        body.motion = static_cast<Motion>(kind);
        const float* const of_plane = plane.empty() ? nullptr : &plane[plane_numbers * of[0]];
        if (of_plane && of_plane[2] > 0) {
            if (of.size() > 1 || body.motion != Motion::still)
                throw Error("collider '" + body.name +
                            "' is a plane, which is one point that stands still; take it from "
                            "Firn Snow Collider unchanged");
            BoundarySettings settings;
            settings.spacing = of_plane[2];
            settings.boundary_volume = of_plane[3];
            body.source = plane_source(double(of_plane[0]), double(of_plane[1]),
                                       read_placement(detail, "body_start", first[k]), settings);
            for (size_t q = 0; q < surface_quantity_count; ++q)
                if (!surface[q].empty()) body.*surface_table()[q].value = surface[q][of[0]];
            bodies.push_back(std::move(moving));
            continue;
        }
        pick(body.position, body.motion == Motion::still || rest.empty() ? position : rest);
        pick(body.volume, volume);
        const bool has_normals =
            !normal.empty() && (normal[of[0]].x != 0 || normal[of[0]].y != 0 || normal[of[0]].z != 0);
        if (body.motion == Motion::rigid) {
            body.placement = read_placement(detail, "body_start", first[k]);
            moving.end = read_placement(detail, "body_end", first[k]);
        } else if (body.motion == Motion::deforming) {
            pick(moving.end_position, position);
        }
        if (has_normals && body.motion == Motion::still) pick(body.normal, normal);
        if (has_normals && body.motion == Motion::rigid) pick(body.normal, rest_normal);
        for (size_t q = 0; q < surface_quantity_count; ++q) pick(body.*surface_table()[q].array, surface[q]);
        bodies.push_back(std::move(moving));
    }
    return bodies;
}

}  // namespace firn
