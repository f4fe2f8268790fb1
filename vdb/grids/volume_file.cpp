#include "firn/volume_file.h"

#include <openvdb/io/Archive.h>
#include <openvdb/io/Compression.h>
#include <openvdb/io/File.h>

#include <cmath>
#include <sstream>

#include "firn/error.h"
#include "firn/grids.h"
#include "grid_plan.h"
#include "vdb_archive.h"

namespace firn {

namespace {

using openvdb::FloatGrid;
using openvdb::GridBase;
using openvdb::Vec3SGrid;

/// Largest number that survives a half float.
constexpr float half_limit = 65504.0f;

template <typename Values>
bool fits_half(const Values& values, int components) {
    for (size_t k = 0; k < values.size(); ++k) {
        const float* numbers = reinterpret_cast<const float*>(&values[k]);
        for (int c = 0; c < components; ++c) {
            if (std::abs(numbers[c]) > half_limit) return false;
        }
    }
    return true;
}

double integral(const FloatGrid& grid) {
    double sum = 0;
    for (auto leaf = grid.tree().cbeginLeaf(); leaf; ++leaf) {
        for (auto value = leaf->cbeginValueOn(); value; ++value) sum += *value;
    }
    const openvdb::Vec3d voxel = grid.voxelSize();
    return sum * voxel[0] * voxel[1] * voxel[2];
}

class VolumeMaker {
public:
    VolumeMaker(const Particles& particles, const VolumeSettings& settings, const FrameStamp& stamp,
                const Interrupted& interrupted, const GrainBirths& births)
        : particles_(particles), settings_(settings), stamp_(stamp), interrupted_(interrupted), births_(births) {
        grid_settings_ = {settings.spacing, settings.voxel, settings.threads};
    }

    void add_density_and_surface() {
        FloatGrid::Ptr density, surface;
        GridSettings fine = grid_settings_;
        if (settings_.density || settings_.masked_density) density = density_of_snow(fine);
        if (settings_.surface || settings_.masked_density) {
            SurfaceGridSettings s;
            s.radius = settings_.surface_radius;
            s.dilate = settings_.surface_dilate;
            s.smooth = settings_.surface_smooth;
            s.erode = settings_.surface_erode;
            if (settings_.surface_kernels) s.shape = SurfaceGridSettings::Shape::kernels;
            s.relief = settings_.surface_relief;
            s.relief_size = settings_.surface_relief_size;
            if (!births_.rest.empty()) s.births = &births_;
            surface = surface_grid(particles_, s, fine, interrupted_);
        }
        if (settings_.density) add(density, "kg/m^3", integral(*density));
        if (settings_.surface) add(surface, "m", 0);
        if (settings_.masked_density) {
            const FloatGrid::Ptr masked = masked_density_grid(*density, *surface, 0, grid_settings_.threads);
            add(masked, "kg/m^3", integral(*masked));
        }
    }

    void add_velocity() {
        VelocityGridSettings v;
        v.staggered = settings_.staggered_velocity;
        v.extension = settings_.velocity_extension;
        v.shutter = stamp_.fps > 0 ? static_cast<float>(settings_.shutter / stamp_.fps) : 0.0f;
        const Vec3SGrid::Ptr velocity = velocity_grid(particles_, v, grid_settings_, interrupted_);
        velocity->setName(settings_.velocity_name);
        add(velocity, "m/s", 0);
    }

    void add_attribute(const std::string& name) {
        for (const ParticleArray& array : particle_arrays()) {
            if (name != array.name) continue;
            if (array.components == 0) break;
            // An array that is empty means its start value everywhere: the grid is there, and empty too.
            const bool present = array.size(particles_) != 0;
            const Particles& source = present ? particles_ : none_;
            const float* data = present ? array.data(particles_) : nullptr;
            const size_t count = source.count(), components = static_cast<size_t>(array.components);
            if (array.components == 3) {
                std::vector<Float3> values(count);
                for (size_t k = 0; k < count; ++k) values[k] = {data[3 * k], data[3 * k + 1], data[3 * k + 2]};
                add(attribute_grid(source, values, array.name, grid_settings_, interrupted_), array.unit, 0,
                    fits_half(values, 3));
                return;
            }
            // Six numbers are a symmetric matrix, which no renderer reads: one grid for each.
            static const char* const ending[] = {"_xx", "_xy", "_xz", "_yy", "_yz", "_zz"};
            for (size_t c = 0; c < components; ++c) {
                std::vector<float> values(count);
                for (size_t k = 0; k < count; ++k) values[k] = data[k * components + c];
                const std::string grid_name = components == 6 ? name + ending[c] : name;
                add(attribute_grid(source, values, grid_name.c_str(), grid_settings_, interrupted_), array.unit, 0,
                    fits_half(values, 1));
            }
            return;
        }
        std::string known;
        for (const ParticleArray& array : particle_arrays()) {
            if (array.components != 0) known += std::string(known.empty() ? "" : ", ") + array.name;
        }
        throw Error("volume attribute '" + name + "' is not one of the particles' attributes; there are " + known);
    }

    VdbFile file;
    std::vector<VolumeStatistics> statistics;

private:
    /// `grids` gets the voxels that suit it.
    FloatGrid::Ptr density_of_snow(GridSettings& grids) const {
        if (settings_.density_grains <= 0) return density_grid(particles_, settings_.rest_density, grids, interrupted_);
        if (births_.rest.empty() && particles_.count() > 0)
            throw Error(
                "density from grains: grains follow the snow from where it was born, which these particles don't say: "
                "they have no attribute 'rest'");
        GrainDensitySettings how;
        how.per_particle = settings_.density_grains;
        how.rest_density = settings_.rest_density;
        if (grids.voxel == 0) grids.voxel = 0.5f * grain_spacing(settings_.spacing, settings_.density_grains);
        return grain_density_grid(particles_, births_, how, grids, interrupted_);
    }

    void add(const GridBase::Ptr& grid, const char* unit, double sum, bool may_be_half = true) {
        grid->setCreator("firn");
        // A number past the range of a half float would be read as infinite: such grids stay whole.
        grid->setSaveFloatAsHalf(settings_.half_float && may_be_half);
        if (*unit) grid->insertMeta("unit", openvdb::StringMetadata(unit));
        grid->insertMeta("spacing", openvdb::FloatMetadata(settings_.spacing));
        grid->insertMeta("frame", openvdb::Int32Metadata(stamp_.frame));
        grid->insertMeta("time", openvdb::DoubleMetadata(stamp_.time));
        grid->insertMeta("fps", openvdb::DoubleMetadata(stamp_.fps));
        VolumeStatistics s;
        s.name = grid->getName();
        s.active_voxels = grid->activeVoxelCount();
        s.bytes = grid->memUsage();
        s.integral = sum;
        statistics.push_back(s);
        file.grids.push_back(grid);
    }

    const Particles& particles_;
    const Particles none_{};
    const VolumeSettings& settings_;
    const FrameStamp& stamp_;
    const Interrupted& interrupted_;
    const GrainBirths& births_;
    GridSettings grid_settings_;
};

uint32_t compression_flags(VolumeSettings::Compression compression) {
    switch (compression) {
        case VolumeSettings::Compression::none:
            return openvdb::io::COMPRESS_ACTIVE_MASK;
        case VolumeSettings::Compression::zip:
            return openvdb::io::COMPRESS_ACTIVE_MASK | openvdb::io::COMPRESS_ZIP;
        case VolumeSettings::Compression::blosc:
            break;
    }
    // An OpenVDB without Blosc still writes files that every reader opens.
    return openvdb::io::COMPRESS_ACTIVE_MASK |
           (openvdb::io::Archive::hasBloscCompression() ? openvdb::io::COMPRESS_BLOSC : openvdb::io::COMPRESS_ZIP);
}

/// Everything that a file depends on but the particles, as one line.
std::string settings_text(const VolumeSettings& settings, const FrameStamp& stamp) {
    std::ostringstream text;
    text.precision(9);
    text << "spacing=" << settings.spacing << " rest_density=" << settings.rest_density << " voxel=" << settings.voxel
         << " grids=";
    if (settings.density) text << "density,";
    if (settings.velocity) text << settings.velocity_name << ',';
    if (settings.surface) text << "surface,";
    if (settings.masked_density) text << "density_masked,";
    for (const std::string& name : settings.attributes) text << name << ',';
    text << " staggered=" << settings.staggered_velocity << " extension=" << settings.velocity_extension
         << " shutter=" << settings.shutter << " surface=" << settings.surface_radius << ',' << settings.surface_dilate
         << ',' << settings.surface_erode << ',' << settings.surface_smooth << ',' << settings.surface_kernels << ','
         << settings.surface_relief << ',' << settings.surface_relief_size << " grains=" << settings.density_grains
         << " half=" << settings.half_float << " compression=" << static_cast<int>(settings.compression)
         << " frame=" << stamp.frame << " time=" << stamp.time << " fps=" << stamp.fps;
    return text.str();
}

constexpr const char* settings_key = "firn:settings";

}  // namespace

std::vector<VolumeStatistics> write_volumes(const std::string& path, const Particles& particles,
                                            const VolumeSettings& settings, const FrameStamp& stamp,
                                            const std::function<bool()>& interrupted, const GrainBirths& births) {
    openvdb::initialize();
    VolumeMaker maker(particles, settings, stamp, interrupted, births);
    maker.add_density_and_surface();
    if (settings.velocity) maker.add_velocity();
    for (const std::string& name : settings.attributes) maker.add_attribute(name);
    maker.file.metadata.insertMeta("creator", openvdb::StringMetadata("firn"));
    maker.file.metadata.insertMeta("frame", openvdb::Int32Metadata(stamp.frame));
    maker.file.metadata.insertMeta("time", openvdb::DoubleMetadata(stamp.time));
    maker.file.metadata.insertMeta("fps", openvdb::DoubleMetadata(stamp.fps));
    maker.file.metadata.insertMeta(settings_key, openvdb::StringMetadata(settings_text(settings, stamp)));
    if (interrupted && interrupted()) throw Error("interrupted");
    write_vdb(path, maker.file, compression_flags(settings.compression));
    return maker.statistics;
}

void require_volumes(const VolumeSettings& settings, double snow) {
    openvdb::initialize();
    const Particles none;
    const GrainBirths births;
    const FrameStamp stamp;
    const Interrupted never;
    VolumeSettings without_grains = settings;
    without_grains.density_grains = 0;  // their pattern takes most of a second
    VolumeMaker maker(none, without_grains, stamp, never, births);
    maker.add_density_and_surface();
    if (settings.velocity) maker.add_velocity();
    for (const std::string& name : settings.attributes) maker.add_attribute(name);

    const double spacing = settings.spacing, particles = snow / std::pow(spacing, 3);
    const double plain = voxel_size({settings.spacing, settings.voxel, settings.threads});
    double voxel = plain;
    if (settings.density_grains > 0 && (settings.density || settings.masked_density)) {
        require_grain_memory(particles * settings.density_grains);
        if (settings.voxel == 0) voxel = 0.5 * double(grain_spacing(settings.spacing, settings.density_grains));
    }
    if (settings.density || settings.masked_density) require_memory(snow, 0, sizeof(float), voxel);
    if (settings.surface || settings.masked_density)
        require_memory(0, std::max(0.0, double(settings.surface_radius) + double(settings.surface_dilate)),
                       3 * sizeof(float), voxel);
    if (settings.velocity) require_memory(snow, double(settings.velocity_extension), sizeof(openvdb::Vec3s), plain);
    if (!settings.attributes.empty()) require_memory(snow, 0, sizeof(float), plain);
}

bool volumes_are_whole(const std::string& path, const VolumeSettings& settings, const FrameStamp& stamp) {
    const std::optional<openvdb::MetaMap> metadata = metadata_of_whole_vdb(path);
    if (!metadata) return false;
    const auto made_with = metadata->getMetadata<openvdb::StringMetadata>(settings_key);
    return made_with && made_with->value() == settings_text(settings, stamp);
}

bool volume_bounds(const std::string& path, Float3& low, Float3& high) {
    try {
        openvdb::initialize();
        openvdb::io::File file(path);
        file.open(/*delayLoad=*/false);
        openvdb::BBoxd box;
        const openvdb::GridPtrVecPtr grids = file.readAllGridMetadata();
        for (const openvdb::GridBase::Ptr& grid : *grids) {
            const auto first = grid->getMetadata<openvdb::Vec3IMetadata>(openvdb::GridBase::META_FILE_BBOX_MIN);
            const auto last = grid->getMetadata<openvdb::Vec3IMetadata>(openvdb::GridBase::META_FILE_BBOX_MAX);
            if (!first || !last || first->value()[0] > last->value()[0]) continue;
            const openvdb::Vec3d half(0.5);
            box.expand(grid->indexToWorld(openvdb::Vec3d(first->value()) - half));
            box.expand(grid->indexToWorld(openvdb::Vec3d(last->value()) + half));
        }
        if (box.empty()) return false;
        low = {float(box.min()[0]), float(box.min()[1]), float(box.min()[2])};
        high = {float(box.max()[0]), float(box.max()[1]), float(box.max()[2])};
        return true;
    } catch (const openvdb::Exception&) {
        return false;
    } catch (const std::ios_base::failure&) {
        return false;
    }
}

}  // namespace firn
