#include "checkpoint.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <vector>

#include "checksum.h"
#include "firn/error.h"
#include "firn/new_file.h"

namespace firn {

namespace {

constexpr char magic[9] = "FIRNCHK1";
constexpr size_t head_size = 8 + 8 + 8;  ///< magic, length, checksum
static_assert(sizeof(float) == 4 && sizeof(double) == 8, "the file holds IEEE numbers");

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

}  // namespace firn
