#include "particle_transfer.h"

#include <GA/GA_ATINumeric.h>
#include <GA/GA_Attribute.h>
#include <GA/GA_Defaults.h>
#include <GA/GA_Handle.h>
#include <GA/GA_Iterator.h>
#include <UT/UT_ParallelUtil.h>

#include <algorithm>
#include <cstring>

#include "firn/error.h"

namespace firn {

void require_no_array(const GA_Attribute* attribute) {
    if (!attribute) return;
    const GA_StorageClass kind = attribute->getStorageClass();
    if (kind != GA_STORECLASS_INT && kind != GA_STORECLASS_REAL && kind != GA_STORECLASS_STRING)
        throw Error("attribute " + attribute->getName().toStdString() +
                    " is an array or a dictionary; delete or rename it");
}

namespace {

[[noreturn]] void wrong_numbers(const char* name, int components) {
    throw Error(std::string("point attribute ") + name + " has to be " + std::to_string(components) +
                (components == 1 ? " number" : " numbers") + "; delete or rename it");
}

/// Runs `body(block)` for all blocks, on several threads. Blocks of one page stay together: threads may write different
/// pages of an attribute, never the same.
template <class Body>
void for_each_page(const std::vector<PointBlock>& blocks, const Body& body) {
    std::vector<size_t> first;  // block of each page
    for (size_t k = 0; k < blocks.size(); ++k)
        if (k == 0 || blocks[k].start / GA_PAGE_SIZE != blocks[k - 1].start / GA_PAGE_SIZE) first.push_back(k);
    first.push_back(blocks.size());
    UTparallelFor(UT_BlockedRange<size_t>(0, first.size() - 1), [&](const UT_BlockedRange<size_t>& pages) {
        for (size_t page = pages.begin(); page != pages.end(); ++page)
            for (size_t k = first[page]; k < first[page + 1]; ++k) body(blocks[k]);
    });
}

GA_Attribute* find_or_add_floats(GU_Detail& detail, const char* name, int components, float initial) {
    if (std::strcmp(name, "P") == 0) return detail.getP();
    GA_Attribute* there = detail.findAttribute(GA_ATTRIB_POINT, name);
    if (there && there->getTupleSize() == components && there->getStorageClass() == GA_STORECLASS_REAL) return there;
    require_no_array(there);
    // One of another kind is in the way: the state's goes before it.
    if (there) detail.destroyAttribute(GA_ATTRIB_POINT, name);
    GA_Attribute* made = detail.addFloatTuple(GA_ATTRIB_POINT, name, components, GA_Defaults(initial));
    if (components == 3) made->setTypeInfo(GA_TYPE_VECTOR);
    return made;
}

/// What a point without a value of its own has.
float initial_value(const char* name, const Parameters& parameters) {
    const ParameterInfo* info = find_parameter(name);
    if (!info || info->type != ParameterType::real) return 0;
    return *static_cast<const float*>(info->field(const_cast<Parameters&>(parameters)));
}

void write_attribute(GA_Attribute* attribute, const std::vector<PointBlock>& blocks, int components,
                     const float* values) {
    if (components == 3) {
        const GA_RWHandleV3 handle(attribute);
        for_each_page(blocks, [&](const PointBlock& block) {
            UT_Vector3F page[GA_PAGE_SIZE];
            std::memcpy(page[0].data(), values + 3 * block.index, static_cast<size_t>(block.count) * 3 * sizeof(float));
            handle.setBlock(block.start, block.count, page);
        });
    } else {
        const GA_RWHandleF handle(attribute);
        for_each_page(blocks, [&](const PointBlock& block) {
            for (int c = 0; c < components; ++c)
                handle.setBlock(block.start, block.count, values + block.index * static_cast<size_t>(components) + c,
                                components, c);
        });
    }
    attribute->bumpDataId();
}

}  // namespace

std::vector<PointBlock> point_blocks(const GU_Detail& detail) {
    std::vector<PointBlock> blocks;
    size_t index = 0;
    GA_Offset start, end;
    for (GA_Iterator it(detail.getPointRange()); it.blockAdvance(start, end);) {
        // A block never spans pages; the loop below makes sure of it.
        for (GA_Offset at = start; at < end;) {
            const GA_Offset border = std::min<GA_Offset>(end, (at / GA_PAGE_SIZE + 1) * GA_PAGE_SIZE);
            blocks.push_back({at, border - at, index});
            index += static_cast<size_t>(border - at);
            at = border;
        }
    }
    return blocks;
}

size_t point_count(const std::vector<PointBlock>& blocks) {
    return blocks.empty() ? 0 : blocks.back().index + static_cast<size_t>(blocks.back().count);
}

bool read_floats(const GU_Detail& detail, const std::vector<PointBlock>& blocks, const char* name, int components,
                 float* values) {
    const GA_Attribute* attribute = detail.findAttribute(GA_ATTRIB_POINT, name);
    if (!attribute) return false;
    require_no_array(attribute);
    if (attribute->getTupleSize() != components || attribute->getStorageClass() == GA_STORECLASS_STRING)
        wrong_numbers(name, components);
    if (components == 3) {
        const GA_ROHandleV3 handle(attribute);
        if (handle.isInvalid()) wrong_numbers(name, components);
        for_each_page(blocks, [&](const PointBlock& block) {
            UT_Vector3F page[GA_PAGE_SIZE];
            handle.getBlock(block.start, block.count, page);
            std::memcpy(values + 3 * block.index, page[0].data(), static_cast<size_t>(block.count) * 3 * sizeof(float));
        });
    } else {
        const GA_ROHandleF handle(attribute);
        if (handle.isInvalid()) wrong_numbers(name, components);
        for_each_page(blocks, [&](const PointBlock& block) {
            for (int c = 0; c < components; ++c)
                handle.getBlock(block.start, block.count, values + block.index * static_cast<size_t>(components) + c,
                                components, c);
        });
    }
    return true;
}

void write_floats(GU_Detail& detail, const std::vector<PointBlock>& blocks, const char* name, int components,
                  const float* values) {
    write_attribute(find_or_add_floats(detail, name, components, 0), blocks, components, values);
}

bool read_integers(const GU_Detail& detail, const std::vector<PointBlock>& blocks, const char* name,
                   std::vector<int64_t>& values) {
    const GA_Attribute* attribute = detail.findAttribute(GA_ATTRIB_POINT, name);
    if (!attribute) return false;
    const GA_ROHandleT<int64> handle(attribute);
    require_no_array(attribute);
    if (handle.isInvalid()) wrong_numbers(name, 1);
    values.resize(point_count(blocks));
    for_each_page(blocks, [&](const PointBlock& block) {
        int64 page[GA_PAGE_SIZE];
        handle.getBlock(block.start, block.count, page);
        for (GA_Size k = 0; k < block.count; ++k) values[block.index + static_cast<size_t>(k)] = page[k];
    });
    return true;
}

void write_integers(GU_Detail& detail, const std::vector<PointBlock>& blocks, const char* name,
                    const std::vector<int64_t>& values) {
    GA_Attribute* attribute = detail.findAttribute(GA_ATTRIB_POINT, name);
    require_no_array(attribute);
    // Ids of Houdini's own are 32 bits; ours may go past them.
    const GA_ATINumeric* numeric = GA_RWHandleT<int64>(attribute).getAttribute();
    if (!numeric || numeric->getStorage() != GA_STORE_INT64) {
        if (attribute) detail.destroyAttribute(GA_ATTRIB_POINT, name);
        attribute = detail.addIntTuple(GA_ATTRIB_POINT, name, 1, GA_Defaults(0), nullptr, nullptr, GA_STORE_INT64);
    }
    // They name particles and bodies: nodes that blend points must not average them.
    attribute->setTypeInfo(GA_TYPE_NONARITHMETIC_INTEGER);
    const GA_RWHandleT<int64> handle(attribute);
    for_each_page(blocks, [&](const PointBlock& block) {
        int64 page[GA_PAGE_SIZE];
        for (GA_Size k = 0; k < block.count; ++k) page[k] = values[block.index + static_cast<size_t>(k)];
        handle.setBlock(block.start, block.count, page);
    });
    attribute->bumpDataId();
}

Particles read_particles(const GU_Detail& detail, const std::vector<PointBlock>& blocks) {
    Particles particles;
    read_particles(detail, blocks, particles);
    return particles;
}

void read_particles(const GU_Detail& detail, const std::vector<PointBlock>& blocks, Particles& particles) {
    const size_t count = point_count(blocks);
    for (const ParticleArray& array : particle_arrays()) {
        const bool there = detail.findAttribute(GA_ATTRIB_POINT, array.name) != nullptr;
        array.resize(particles, there ? count : 0);
        if (!there || count == 0) continue;
        if (array.components == 0)
            read_integers(detail, blocks, array.name, particles.id);
        else
            read_floats(detail, blocks, array.name, array.components, array.data(particles));
    }
}

void write_particles(GU_Detail& detail, const std::vector<PointBlock>& blocks, const Particles& particles,
                     const Parameters& parameters, const std::vector<ArrayRole>& roles) {
    for (const ParticleArray& array : particle_arrays()) {
        const bool wanted = std::find(roles.begin(), roles.end(), array.role) != roles.end();
        if (!wanted || array.size(particles) == 0) continue;
        if (array.components == 0) {
            write_integers(detail, blocks, array.name, particles.id);
            continue;
        }
        GA_Attribute* attribute =
            find_or_add_floats(detail, array.name, array.components, initial_value(array.name, parameters));
        write_attribute(attribute, blocks, array.components, array.data(particles));
    }
}

float spacing_of(const GU_Detail& detail) {
    require_no_array(detail.findAttribute(GA_ATTRIB_POINT, "pscale"));
    const GA_ROHandleF pscale(&detail, GA_ATTRIB_POINT, "pscale");
    const GA_Iterator first(detail.getPointRange());
    return pscale.isValid() && !first.atEnd() ? 2 * pscale.get(*first) : 0.0f;
}

}  // namespace firn
