#include "checkpoint.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>
#include <vector>

#include "firn/error.h"
#include "firn/new_file.h"
#include "wording.h"

namespace firn {

namespace {

constexpr char magic[9] = "FIRNCHK1";
constexpr size_t head_size = 8 + 8 + 8;  ///< magic, length, checksum
static_assert(sizeof(float) == 4 && sizeof(double) == 8, "the file holds IEEE numbers");

/// Of eight bytes at a time; finds damage, does not keep out forgers.
class Checksum {
public:
    void add(const char* bytes, size_t size) {
        length_ += size;
        while (size > 0) {
            const size_t part = std::min(size, 8 - filled_);
            std::memcpy(word_ + filled_, bytes, part);
            filled_ += part;
            bytes += part;
            size -= part;
            if (filled_ == 8) take();
        }
    }
    uint64_t value() {
        if (filled_ > 0) {
            std::memset(word_ + filled_, 0, 8 - filled_);
            take();
        }
        return (sum_ ^ length_) * 0x9e3779b97f4a7c15ull;
    }

private:
    void take() {
        uint64_t word;
        std::memcpy(&word, word_, 8);
        sum_ = (sum_ ^ (word * 0xbf58476d1ce4e5b9ull));
        sum_ = ((sum_ << 27) | (sum_ >> 37)) * 0x94d049bb133111ebull + 0x52dce729;
        filled_ = 0;
    }

    uint64_t sum_ = 0x243f6a8885a308d3ull, length_ = 0;
    char word_[8] = {};
    size_t filled_ = 0;
};

// ---- writing: the same walk over the fields measures, sums up and writes

class Sink {
public:
    explicit Sink(std::FILE* file) : file_(file) {}
    bool add(const void* bytes, size_t size) {
        checksum_.add(static_cast<const char*>(bytes), size);
        length_ += size;
        return size == 0 || std::fwrite(bytes, 1, size, file_) == size;
    }
    uint64_t length() const { return length_; }
    uint64_t checksum() { return checksum_.value(); }

private:
    std::FILE* file_;
    uint64_t length_ = 0;
    Checksum checksum_;
};

template <class Number>
bool put(Sink& to, Number number) {
    return to.add(&number, sizeof number);
}

bool put_text(Sink& to, const std::string& text) {
    return put(to, static_cast<uint64_t>(text.size())) && to.add(text.data(), text.size());
}

bool put_fields(Sink& to, const Checkpoint& c) {
    bool good = put_text(to, c.version) && put_text(to, c.device) && put_text(to, c.physics) &&
                put(to, static_cast<int32_t>(c.frame)) && put(to, c.into.time) &&
                put(to, static_cast<int32_t>(c.into.substeps)) && put(to, c.next_id) && put(to, c.spacing) &&
                put(to, static_cast<uint64_t>(c.particles.count()));
    uint32_t arrays = 0;
    for (const ParticleArray& array : particle_arrays()) arrays += array.size(c.particles) > 0;
    good = good && put(to, arrays);
    for (const ParticleArray& array : particle_arrays()) {
        const size_t count = array.size(c.particles);
        if (count == 0) continue;
        good = good && put_text(to, array.name) && put(to, static_cast<uint32_t>(array.components));
        if (array.components == 0) {
            good = good && to.add(c.particles.id.data(), count * sizeof(int64_t));
        } else {
            const float* data = array.data(const_cast<Particles&>(c.particles));
            good = good && to.add(data, count * static_cast<size_t>(array.components) * sizeof(float));
        }
    }
    return good;
}

// ---- reading

class Source {
public:
    Source(const char* bytes, size_t size, const std::string& path) : at_(bytes), left_(size), path_(path) {}

    void take(void* to, size_t size) {
        if (size > left_) fail("ends too early");
        if (size > 0) std::memcpy(to, at_, size);
        at_ += size;
        left_ -= size;
    }
    template <class Number>
    Number number() {
        Number value;
        take(&value, sizeof value);
        return value;
    }
    std::string text() {
        const uint64_t size = number<uint64_t>();
        if (size > left_) fail("ends too early");
        std::string value(at_, static_cast<size_t>(size));
        at_ += size;
        left_ -= static_cast<size_t>(size);
        return value;
    }
    size_t left() const { return left_; }
    [[noreturn]] void fail(const std::string& what) const {
        throw Error(path_ + ": this checkpoint " + what + "; delete it, --resume then takes an older one");
    }

private:
    const char* at_;
    size_t left_;
    const std::string& path_;
};

void take_array(Source& from, Particles& particles, uint64_t count) {
    const std::string name = from.text();
    const auto components = from.number<uint32_t>();
    for (const ParticleArray& array : particle_arrays()) {
        if (name != array.name) continue;
        if (components != static_cast<uint32_t>(array.components)) from.fail("has another kind of '" + name + "'");
        if (array.size(particles) > 0) from.fail("has '" + name + "' twice");
        const uint64_t each = components == 0 ? sizeof(int64_t) : components * sizeof(float);
        if (count > from.left() / each) from.fail("ends too early");
        array.resize(particles, static_cast<size_t>(count));
        void* to = components == 0 ? static_cast<void*>(particles.id.data()) : array.data(particles);
        if (count > 0) from.take(to, static_cast<size_t>(count * each));
        return;
    }
    from.fail("holds '" + name.substr(0, 40) + "', which this Firn does not know: it is from a newer one");
}

std::string vector_text(const Float3& v) {
    return nine_digits(v.x) + " " + nine_digits(v.y) + " " + nine_digits(v.z);
}

/// Length and checksum of what is in a file; a sequence counts by its name only.
std::string file_text(const std::string& path) {
    if (path.empty() || path.find('%') != std::string::npos) return path;
    std::ifstream file(path, std::ios::binary);
    Checksum checksum;
    uint64_t length = 0;
    std::vector<char> block(1 << 16);
    while (file.read(block.data(), static_cast<std::streamsize>(block.size())) || file.gcount() > 0) {
        checksum.add(block.data(), static_cast<size_t>(file.gcount()));
        length += static_cast<uint64_t>(file.gcount());
    }
    char sum[32];
    std::snprintf(sum, sizeof sum, "%016llx", static_cast<unsigned long long>(checksum.value()));
    return std::to_string(length) + " bytes, " + sum;
}

}  // namespace

void write_checkpoint(const std::string& path, const Checkpoint& checkpoint) {
    NewFile file(path);
    std::FILE* out = std::fopen(file.temporary().c_str(), "wb");
    if (!out) throw Error(path + ": can't be written: " + std::strerror(errno));
    // The head is known only at the end: room is left for it.
    char head[head_size] = {};
    bool good = std::fwrite(head, 1, head_size, out) == head_size;
    Sink sink(out);
    good = good && put_fields(sink, checkpoint);
    const uint64_t length = sink.length(), checksum = sink.checksum();
    std::memcpy(head, magic, 8);
    std::memcpy(head + 8, &length, 8);
    std::memcpy(head + 16, &checksum, 8);
    good = good && std::fseek(out, 0, SEEK_SET) == 0 && std::fwrite(head, 1, head_size, out) == head_size;
    int reason = errno;
    // Data may reach the disk, or not, only when the file is closed.
    if (std::fclose(out) != 0 && good) {
        good = false;
        reason = errno;
    }
    if (!good) throw Error(path + ": can't be written: " + std::strerror(reason));
    file.commit();
}

void seal_checkpoint(std::string& bytes) {
    if (bytes.size() < head_size) bytes.resize(head_size);
    const uint64_t length = bytes.size() - head_size;
    Checksum checksum;
    checksum.add(bytes.data() + head_size, static_cast<size_t>(length));
    const uint64_t sum = checksum.value();
    std::memcpy(&bytes[0], magic, 8);
    std::memcpy(&bytes[8], &length, 8);
    std::memcpy(&bytes[16], &sum, 8);
}

Checkpoint parse_checkpoint(const char* bytes, size_t size, const std::string& path) {
    if (size < 7 || std::memcmp(bytes, magic, 7) != 0) throw Error(path + ": is no checkpoint of Firn");
    if (size < head_size || bytes[7] != magic[7]) {
        throw Error(path + (size < head_size
                                ? ": this checkpoint ends too early; delete it, --resume then takes an older one"
                                : ": is a checkpoint of another version of Firn; run it with that one"));
    }
    uint64_t length, sum;
    std::memcpy(&length, bytes + 8, 8);
    std::memcpy(&sum, bytes + 16, 8);
    Source from(bytes + head_size, size - head_size, path);
    if (length > from.left()) from.fail("ends too early");
    if (length < from.left()) from.fail("has something after its end");
    Checksum checksum;
    checksum.add(bytes + head_size, static_cast<size_t>(length));
    if (checksum.value() != sum) from.fail("is damaged: its checksum is wrong");

    Checkpoint c;
    c.version = from.text();
    c.device = from.text();
    c.physics = from.text();
    c.frame = from.number<int32_t>();
    c.into.time = from.number<double>();
    c.into.substeps = from.number<int32_t>();
    c.next_id = from.number<int64_t>();
    c.spacing = from.number<float>();
    const auto count = from.number<uint64_t>();
    const auto arrays = from.number<uint32_t>();
    for (uint32_t k = 0; k < arrays; ++k) take_array(from, c.particles, count);
    if (c.particles.count() != count) from.fail("has no positions");
    if (from.left() > 0) from.fail("has something after its last array");
    return c;
}

Checkpoint read_checkpoint(const std::string& path) {
    std::ifstream file(path, std::ios::binary | std::ios::ate);
    if (!file) throw Error(path + ": can't be read: " + std::strerror(errno));
    const std::streamoff size = file.tellg();
    if (size < 0) throw Error(path + ": can't be read");
    file.seekg(0);
    std::vector<char> bytes(static_cast<size_t>(size));
    if (!file.read(bytes.data(), size)) throw Error(path + ": can't be read to its end");
    return parse_checkpoint(bytes.data(), bytes.size(), path);
}

std::string physics_text(const Scene& scene) {
    std::ostringstream out;
    out << "fps = " << nine_digits(scene.fps) << "\nstart = " << scene.first_frame << "\n";
    for (const ParameterInfo& info : parameter_table())
        if (std::string(info.folder) != "Machine")
            out << info.token << " = " << parameter_text(scene.parameters, info) << "\n";
    out << "wind = " << vector_text(scene.wind.velocity) << " " << nine_digits(scene.wind.drag) << "\n";
    const auto geometry = [&](const std::string& name, const Geometry& g) {
        out << name << ".shape = " << shape_token(g.shape) << "\n";
        out << name << ".size = " << vector_text(g.size) << " " << nine_digits(g.radius) << " " << nine_digits(g.height)
            << "\n";
        out << name << ".file = " << file_text(g.file) << " " << g.grid << "\n";
        out << name << ".relief = " << nine_digits(g.cell) << " " << nine_digits(g.relief) << "\n";
        out << name << ".position = " << vector_text(g.placed.position) << "\n";
        out << name << ".rotation = " << vector_text(g.placed.rotation) << "\n";
        out << name << ".scale = " << nine_digits(g.placed.scale) << "\n";
    };
    for (const Snow& snow : scene.snow) {
        const std::string name = "snow." + snow.name;
        geometry(name, snow.geometry);
        const Material& m = snow.material.material;
        out << name << ".material =";
        for (const MaterialQuantity& q : material_table()) out << " " << nine_digits(m.*q.value);
        out << "\n";
        const MaterialNoise& noise = snow.material.noise;
        out << name << ".noise = " << nine_digits(noise.amplitude) << " " << nine_digits(noise.scale) << " "
            << noise.seed;
        for (const std::string& word : noise.of) out << " " << word;
        out << "\n";
        out << name << ".velocity = " << vector_text(snow.velocity) << "\n";
        out << name << ".spin = " << vector_text(snow.spin) << "\n";
        out << name << ".filling = " << snow.relaxed << " " << nine_digits(snow.jitter) << " " << snow.seed << " "
            << nine_digits(snow.thickness) << "\n";
        out << name << ".start = " << snow.start.value_or(scene.first_frame) << "\n";
        out << name << ".rate = " << nine_digits(snow.rate) << (snow.end ? " to " + std::to_string(*snow.end) : "")
            << "\n";
    }
    for (const Collider& collider : scene.colliders) {
        const std::string name = "collider." + collider.name;
        geometry(name, collider.geometry);
        for (const Key& key : collider.keys)
            out << name << ".keys = " << nine_digits(key.frame) << ": " << vector_text(key.position) << ", "
                << vector_text(key.rotation) << "\n";
        out << name << ".interpolation = " << (collider.smooth ? "smooth" : "linear") << "\n";
        out << name << ".sides = " << collider.inverted << " " << collider.two_sided << "\n";
        out << name << ".friction = " << nine_digits(collider.friction) << "\n";
        out << name << ".adhesion = " << nine_digits(collider.adhesion) << "\n";
        out << name << ".bounce = " << nine_digits(collider.bounce) << "\n";
        out << name << ".sticky = " << nine_digits(collider.sticky) << "\n";
    }
    return out.str();
}

std::string physics_difference(const std::string& before, const std::string& now) {
    std::istringstream a(before), b(now);
    std::string was, is;
    while (true) {
        const bool more_a = static_cast<bool>(std::getline(a, was)), more_b = static_cast<bool>(std::getline(b, is));
        if (!more_a && !more_b) return "";
        if (more_a != more_b || was != is)
            return "it was '" + (more_a ? was : std::string("nothing")) + "' and is '" +
                   (more_b ? is : std::string("nothing")) + "'";
    }
}

}  // namespace firn
