// .bgeo, modern and classic, against files that Houdini wrote and their text twins, and against bytes put together here
// by hand. The decoder of this test is its own: it shares no line with the reader.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "files/formats.h"
#include "files/half.h"
#include "firn/grain_file.h"
#include "firn/new_file.h"
#include "particle_samples.h"

namespace {

using namespace firn_test;
using firn::ParticleFile;
using firn::ParticleFormat;
using nlohmann::json;

const std::string data_folder = FIRN_TEST_DATA "/bgeo/";
const std::vector<std::string> houdini_files = {
    "cube_multi_groups_16_5", "empty_16_5",        "grid_16_5",       "packed_points_simple_16_5", "points_noprim_14",
    "points_noprim_16_5",     "points_partsys_16", "psoup_simple_16", "simple_partanim_16_5",      "sphere_16_5"};

/// Binary JSON as a tree.
class Decoder {
public:
    explicit Decoder(const std::string& bytes) : bytes_(bytes) {
        EXPECT_EQ(bytes.substr(0, 5), "\x7fNSJb");
        at_ = 5;
    }
    json tree() {
        json result = value(token());
        EXPECT_EQ(at_, bytes_.size());
        return result;
    }

private:
    template <typename T>
    T raw() {
        T result;
        std::memcpy(&result, bytes_.substr(at_, sizeof(T)).data(), sizeof(T));
        at_ += sizeof(T);
        return result;
    }
    uint64_t length() {
        const uint8_t first = raw<uint8_t>();
        if (first < 0xf1) return first;
        return first == 0xf2 ? raw<uint16_t>() : first == 0xf4 ? raw<uint32_t>() : raw<uint64_t>();
    }
    std::string text() {
        const uint64_t count = length();
        const std::string result = bytes_.substr(at_, count);
        at_ += count;
        return result;
    }
    int token() {
        int next = raw<uint8_t>();
        while (next == '+') {
            const uint64_t id = length();
            strings_[id] = text();
            next = raw<uint8_t>();
        }
        return next;
    }
    json number(int type) {
        switch (type) {
            case 0x11:
                return raw<int8_t>();
            case 0x12:
                return raw<int16_t>();
            case 0x13:
                return raw<int32_t>();
            case 0x14:
                return raw<int64_t>();
            case 0x19:
                return raw<float>();
            case 0x1a:
                return raw<double>();
            default:
                throw std::runtime_error("token " + std::to_string(type));
        }
    }
    json value(int type) {
        json result;
        if (type == '[') {
            result = json::array();
            for (int next = token(); next != ']'; next = token()) result.push_back(value(next));
        } else if (type == '{') {
            result = json::object();
            for (int next = token(); next != '}'; next = token()) {
                const std::string key = value(next);
                result[key] = value(token());
            }
        } else if (type == '@') {
            const int element = raw<uint8_t>();
            const uint64_t count = length();
            result = json::array();
            for (uint64_t i = 0; i < count; ++i) result.push_back(number(element));
        } else if (type == '&') {
            result = strings_.at(length());
        } else if (type == 0x30 || type == 0x31) {
            result = type == 0x31;
        } else {
            result = number(type);
        }
        return result;
    }

    std::string bytes_;
    size_t at_ = 0;
    std::map<uint64_t, std::string> strings_;
};

/// Houdini's key, value, key, value as a map.
std::map<std::string, json> pairs(const json& array) {
    std::map<std::string, json> result;
    for (size_t i = 0; i + 1 < array.size(); i += 2) result[array[i]] = array[i + 1];
    return result;
}

std::map<std::string, json> attributes(const json& tree, const char* owner) {
    std::map<std::string, json> result;
    const auto all = pairs(pairs(tree).at("attributes"));
    if (all.count(owner))
        for (const json& attribute : all.at(owner)) result[pairs(attribute[0]).at("name")] = attribute;
    return result;
}

json text_twin(const std::string& name) {
    return json::parse(bytes_of(data_folder + name + ".geo"));
}

/// The numbers of an attribute of a text file, point by point.
std::vector<double> twin_numbers(const json& attribute) {
    const auto values = pairs(pairs(attribute[1]).at("values"));
    std::vector<double> numbers;
    if (values.count("tuples")) {
        for (const json& tuple : values.at("tuples"))
            for (const json& number : tuple) numbers.push_back(number);
    } else {
        for (const json& number : values.at("arrays")[0]) numbers.push_back(number);
    }
    return numbers;
}

/// What was read under this name, wherever it went.
std::vector<double> read_numbers(ParticleFile& file, const std::string& name) {
    if (name == "id") return {file.particles.id.begin(), file.particles.id.end()};
    for (const firn::ParticleArray& array : firn::particle_arrays()) {
        if (name != array.name || array.size(file.particles) == 0) continue;
        const float* data = array.data(file.particles);
        return {data, data + array.size(file.particles) * static_cast<size_t>(array.components)};
    }
    for (const firn::ExtraAttribute& extra : file.extra) {
        if (extra.name != name) continue;
        if (!extra.floats.empty()) return {extra.floats.begin(), extra.floats.end()};
        return {extra.integers.begin(), extra.integers.end()};
    }
    return {};
}

TEST(Bgeo, HoudinisFilesEqualTheirTextTwins) {
    size_t compared = 0;
    for (const std::string& name : houdini_files) {
        SCOPED_TRACE(name);
        ParticleFile file = firn::read_particles(data_folder + name + ".bgeo");
        const json twin = text_twin(name);
        ASSERT_EQ(file.particles.count(), pairs(twin).at("pointcount").get<size_t>());
        for (const auto& [attribute, content] : attributes(twin, "pointattributes")) {
            SCOPED_TRACE(attribute);
            std::vector<double> expected = twin_numbers(content);
            if (attribute == "P" && expected.size() == 4 * file.particles.count()) {
                std::vector<double> cut;  // Houdini 14 has a fourth coordinate
                for (size_t i = 0; i < expected.size(); ++i)
                    if (i % 4 != 3) cut.push_back(expected[i]);
                expected = cut;
            }
            const std::vector<double> read = read_numbers(file, attribute);
            ASSERT_EQ(read.size(), expected.size());
            // The text has nine digits, which tell any two floats apart.
            for (size_t i = 0; i < read.size(); ++i)
                EXPECT_EQ(static_cast<float>(read[i]), static_cast<float>(expected[i])) << i;
            ++compared;
        }
    }
    EXPECT_EQ(compared, 26u);
}

TEST(Bgeo, DetailsAndMeaningsOfHoudinisFiles) {
    const ParticleFile file = firn::read_particles(data_folder + "simple_partanim_16_5.bgeo");
    EXPECT_EQ(file.metadata.at("nextid"), "10");
    EXPECT_EQ(file.metadata.at("varmap"), "sourceptnum -> SOURCEPTNUM nextid -> NEXTID");
    std::map<std::string, std::string> meanings;
    for (const firn::ExtraAttribute& extra : file.extra) meanings[extra.name] = extra.meaning;
    EXPECT_EQ(meanings.at("N"), "normal");
    EXPECT_EQ(meanings.at("dead"), "nonarithmetic_integer");
    EXPECT_EQ(meanings.at("rest"), "");
}

TEST(Bgeo, GroupsAndPrimitivesOfHoudinisFiles) {
    const ParticleFile particles = firn::read_particles(data_folder + "simple_partanim_16_5.bgeo");
    ASSERT_EQ(particles.groups.size(), 1u);
    EXPECT_EQ(particles.groups[0].name, "stream_source_first_input");
    EXPECT_EQ(particles.groups[0].member, std::vector<uint8_t>(10, 1));
    EXPECT_EQ(particles.primitives_left_out, 0u);
    // Nothing is dropped without a word.
    EXPECT_EQ(firn::read_particles(data_folder + "cube_multi_groups_16_5.bgeo").primitives_left_out, 24u);
    EXPECT_NE(firn::describe_bgeo(data_folder + "cube_multi_groups_16_5.bgeo").find("primitives: 24, passed over"),
              std::string::npos);
}

TEST(Bgeo, GroupsAreKept) {
    Folder folder;
    for (const size_t count : {size_t{1}, size_t{2500}}) {
        SCOPED_TRACE(count);
        ParticleFile file = sample_particles(count, 0);
        file.groups = {{"every_third", std::vector<uint8_t>(count)},
                       {"none", std::vector<uint8_t>(count)},
                       {"odd name", std::vector<uint8_t>(count, 1)}};
        for (size_t i = 0; i < count; i += 3) file.groups[0].member[i] = 1;
        firn::write_particles(folder / "a.bgeo", file);
        const ParticleFile read = firn::read_particles(folder / "a.bgeo");
        expect_same_file(file, read);
        ASSERT_EQ(read.groups.size(), 3u);
        EXPECT_EQ(read.groups[2].name, "odd_name");
        for (size_t k = 0; k < 3; ++k) EXPECT_EQ(read.groups[k].member, file.groups[k].member) << k;
    }
    ParticleFile wrong = sample_particles(3, 0);
    wrong.groups = {{"two", {1, 0}}};
    EXPECT_NE(error_of([&] { firn::write_particles(folder / "b.bgeo", wrong); }).find("group 'two' has 2 entries"),
              std::string::npos);
}

TEST(Bgeo, HasTheStructureOfHoudinisFiles) {
    // What Houdini wrote is read and written again. The two trees may differ only in what is listed here.
    for (const std::string name : {"simple_partanim_16_5", "points_noprim_16_5", "empty_16_5"}) {
        SCOPED_TRACE(name);
        Folder folder;
        firn::write_particles(folder / "again.bgeo", firn::read_particles(data_folder + name + ".bgeo"));
        const json theirs = Decoder(bytes_of(data_folder + name + ".bgeo")).tree();
        const json ours = Decoder(bytes_of(folder / "again.bgeo")).tree();

        // The same parts in the same order, without the optional index.
        std::vector<std::string> their_keys, our_keys;
        const std::set<std::string> without = {"index", "indexposition"};
        for (size_t i = 0; i < theirs.size(); i += 2)
            if (!without.count(theirs[i])) their_keys.push_back(theirs[i]);
        for (size_t i = 0; i < ours.size(); i += 2) our_keys.push_back(ours[i]);
        EXPECT_EQ(our_keys, their_keys);
        for (const char* key : {"fileversion", "pointcount", "vertexcount", "primitivecount", "topology", "primitives"})
            EXPECT_EQ(pairs(ours).at(key), pairs(theirs).at(key)) << key;
        EXPECT_EQ(pairs(ours).at("hasindex"), false);
        EXPECT_EQ(pairs(ours).at("info").at("bounds"), pairs(theirs).at("info").at("bounds"));
        const json our_info = pairs(ours).at("info"), their_info = pairs(theirs).at("info");
        for (const auto& [key, value] : our_info.items()) EXPECT_EQ(value.type(), their_info.at(key).type()) << key;

        for (const char* owner : {"pointattributes", "globalattributes"}) {
            auto their_attributes = attributes(theirs, owner), our_attributes = attributes(ours, owner);
            their_attributes.erase("varmap"), our_attributes.erase("varmap");  // two texts there, one here
            ASSERT_EQ(our_attributes.size(), their_attributes.size());
            for (auto& [attribute, content] : their_attributes) {
                SCOPED_TRACE(attribute);
                json ours_here = our_attributes.at(attribute);
                // Ids are 64 bits wide here; new points of some attributes start with another number there.
                const std::string wide = attribute == "id" ? "int64" : content[1][3].get<std::string>();
                content[1][3] = wide;
                content[1][7][3] = wide;
                content[1][5][3] = ours_here[1][5][3];
                content[1][5][5] = ours_here[1][5][5];
                if (attribute == "nextid") content[0][7] = json::object();
                EXPECT_EQ(ours_here, content);
            }
        }
    }
}

TEST(Bgeo, LargeFilesUseUniformArraysAndConstantPages) {
    Folder folder;
    ParticleFile file = sample_particles(2500, 0);
    firn::write_particles(folder / "a.bgeo", file);
    const json tree = Decoder(bytes_of(folder / "a.bgeo")).tree();
    const auto points = attributes(tree, "pointattributes");
    const auto block = [&](const char* name) { return pairs(pairs(points.at(name)[1]).at("values")); };
    EXPECT_EQ(block("pscale").at("constantpageflags"), json::parse("[[true,true,true]]"));
    EXPECT_EQ(block("pscale").at("rawpagedata"),
              json::parse("[0.014999999664723873,0.014999999664723873,0.014999999664723873]"));
    EXPECT_EQ(block("hardening").at("rawpagedata").size(), 3u);
    EXPECT_EQ(block("v").at("rawpagedata").size(), 7500u);
    EXPECT_EQ(block("v").count("constantpageflags"), 0u);
    EXPECT_EQ(block("strain").at("size"), 6);
    EXPECT_EQ(block("id").at("storage"), "int64");
    EXPECT_EQ(pairs(points.at("v")[0]).at("options"), json::parse(R"({"type":{"type":"string","value":"vector"}})"));
    EXPECT_EQ(pairs(points.at("path")[0]).at("type"), "string");
    const auto details = attributes(tree, "globalattributes");
    EXPECT_EQ(pairs(pairs(details.at("frame")[1]).at("values")).at("rawpagedata"), json::parse("[12]"));
    EXPECT_EQ(pairs(details.at("time")[1]).at("storage"), "fpreal64");
    EXPECT_EQ(pairs(details.at("code")[0]).at("type"), "string");  // 007 is no number that is written so
}

TEST(Bgeo, KeepsEveryAttributeToTheBit) {
    for (const size_t count :
         {size_t{0}, size_t{1}, size_t{2}, size_t{1023}, size_t{1024}, size_t{1025}, size_t{2500}}) {
        SCOPED_TRACE(count);
        Folder folder;
        ParticleFile file = sample_particles(count, 5'000'000'000);
        if (count > 3) {
            file.particles.velocity[2] = {std::numeric_limits<float>::quiet_NaN(),
                                          std::numeric_limits<float>::infinity(), 1};
            firn::ExtraAttribute wide;
            wide.name = "wide";
            for (size_t i = 0; i < 2 * count; ++i) wide.doubles.push_back(1.0 / (1.0 + static_cast<double>(i)));
            wide.components = 2;
            file.extra.push_back(wide);
        }
        firn::write_particles(folder / "a.bgeo", file);
        const ParticleFile read = firn::read_particles(folder / "a.bgeo");
        if (count == 0) {
            EXPECT_EQ(read.particles.count(), 0u);
            EXPECT_EQ(read.metadata, file.metadata);
        } else {
            expect_same_file(file, read);
        }
        // The same particles, the same bytes.
        firn::write_particles(folder / "b.bgeo", file);
        EXPECT_EQ(bytes_of(folder / "a.bgeo"), bytes_of(folder / "b.bgeo"));
        EXPECT_EQ(folder.count(), 2u);  // nothing else was left behind
    }
}

TEST(Bgeo, OptionalArraysStayEmpty) {
    Folder folder;
    ParticleFile file;
    file.particles.position = {{1, 2, 3}, {4, 5, 6}};
    firn::write_particles(folder / "a.bgeo", file);
    expect_same_file(file, firn::read_particles(folder / "a.bgeo"));
}

TEST(Bgeo, RadiiThatDifferAreKept) {
    Folder folder;
    ParticleFile file;
    file.particles.position = {{1, 2, 3}, {4, 5, 6}};
    firn::ExtraAttribute radius;
    radius.name = "pscale";
    radius.floats = {0.25f, 0.75f};
    file.extra = {radius};
    firn::write_particles(folder / "a.bgeo", file);
    const ParticleFile read = firn::read_particles(folder / "a.bgeo");
    ASSERT_EQ(read.extra.size(), 1u);
    EXPECT_EQ(read.extra[0].floats, radius.floats);
    EXPECT_EQ(read.spacing, 1.0f);  // twice the mean
}

TEST(Bgeo, NamesBecomeThoseThatHoudiniAllows) {
    Folder folder;
    ParticleFile file;
    file.particles.position = {{1, 2, 3}};
    for (const char* name : {"2nd try", "2nd_try", "", "v"}) {
        firn::ExtraAttribute extra;
        extra.name = name;
        extra.floats = {1};
        file.extra.push_back(extra);
    }
    firn::write_particles(folder / "a.bgeo", file);
    std::vector<std::string> names;
    for (const firn::ExtraAttribute& extra : firn::read_particles(folder / "a.bgeo").extra) names.push_back(extra.name);
    EXPECT_EQ(names, (std::vector<std::string>{"_2nd_try", "_2nd_try_2", "_", "v"}));
}

TEST(Bgeo, LengthsThatDifferAreAnError) {
    Folder folder;
    ParticleFile file = sample_particles(3, 0);
    file.particles.velocity.pop_back();
    EXPECT_EQ(error_of([&] { firn::write_particles(folder / "a.bgeo", file); }),
              folder / "a.bgeo" + ": particle array 'v' has 2 entries for 3 particles");
    file = sample_particles(3, 0);
    file.extra[0].floats.pop_back();
    EXPECT_NE(error_of([&] { firn::write_particles(folder / "a.bgeo", file); }).find("'Cd' has 8 values"),
              std::string::npos);
    EXPECT_EQ(folder.count(), 0u);
}

TEST(Bgeo, TruncatedFiles) {
    Folder folder;
    firn::write_particles(folder / "a.bgeo", sample_particles(7, 5'000'000'000));
    expect_every_prefix_fails(bytes_of(folder / "a.bgeo"));
    expect_every_prefix_fails(bytes_of(data_folder + "simple_partanim_16_5.bgeo"));
    expect_every_prefix_fails(bytes_of(data_folder + "points_noprim_14.bgeo"));
}

TEST(Bgeo, FlippedBits) {
    Folder folder;
    firn::write_particles(folder / "a.bgeo", sample_particles(7, 5'000'000'000));
    expect_no_crash_with_flipped_bits(bytes_of(folder / "a.bgeo"));
    expect_no_crash_with_flipped_bits(bytes_of(data_folder + "points_noprim_14.bgeo"));
}

// Hostile files, put together token by token.

std::string text_token(const std::string& text) {
    return std::string("'") + static_cast<char>(text.size()) + text;
}
std::string int_token(int64_t value) {
    return std::string("\x14") + std::string(reinterpret_cast<const char*>(&value), 8);
}
/// A file of one attribute, whose "values" are given.
std::string bgeo_with(int64_t points, const std::string& values, const std::string& name = "P") {
    return "\x7fNSJb[" + text_token("pointcount") + int_token(points) + text_token("attributes") + "[" +
           text_token("pointattributes") + "[[[" + text_token("type") + text_token("numeric") + text_token("name") +
           text_token(name) + "][" + text_token("values") + "[" + values + "]]]]]]";
}
std::string values_with(int64_t size, int64_t page, const std::string& rest) {
    return text_token("size") + int_token(size) + text_token("storage") + text_token("fpreal32") +
           text_token("pagesize") + int_token(page) + rest;
}
std::string uniform_token(uint64_t count, const std::string& data) {
    return std::string("@\x19\xf8") + std::string(reinterpret_cast<const char*>(&count), 8) + data;
}
std::string read_error(const std::string& bytes) {
    return error_of([&] { firn::read_particles(bytes.data(), bytes.size(), "x"); });
}

TEST(Bgeo, HostileFiles) {
    const std::string raw = text_token("rawpagedata");
    const std::string point(12, '\0');
    // The frame of these files is right: with one point in it, it is read.
    ASSERT_EQ(read_error(bgeo_with(1, values_with(3, 1024, raw + uniform_token(3, point)))), "");

    const auto expect = [](const std::string& bytes, const std::string& part) {
        const std::string error = read_error(bytes);
        EXPECT_NE(error.find(part), std::string::npos) << error << " should speak of: " << part;
        EXPECT_EQ(error.compare(0, 8, "x: byte "), 0) << error;
    };
    expect(bgeo_with(int64_t{1} << 60, ""), "points can't be in a file");
    expect(bgeo_with(-1, ""), "points can't be in a file");
    expect(bgeo_with(1, values_with(3, 1024, raw + uniform_token(uint64_t{1} << 62, point))), "cut short");
    expect(bgeo_with(1, values_with(3, 1024, raw + uniform_token(3, point.substr(4)))), "");
    expect(bgeo_with(2, values_with(3, 1024, raw + uniform_token(3, point))), "more are needed");
    expect(bgeo_with(1, values_with(2, 1024, raw + uniform_token(3, point))), "not the 2");
    expect(bgeo_with(1, values_with(int64_t{1} << 40, 1024, raw + uniform_token(3, point))), "numbers per point");
    expect(bgeo_with(1, values_with(3, 0, raw + uniform_token(3, point))), "page size");
    expect(bgeo_with(1, values_with(3, 1024,
                                    text_token("packing") + "[" + int_token(2) + "]" + raw + uniform_token(3, point))),
           "packing");
    expect(
        bgeo_with(1, values_with(3, 1024, text_token("constantpageflags") + "[[11]]" + raw + uniform_token(3, point))),
        "constant pages");
    // Groups that have more points than the file, or name some that it has not.
    const auto with_group = [&](const std::string& selection) {
        std::string bytes = bgeo_with(1, values_with(3, 1024, raw + uniform_token(3, point)));
        bytes.pop_back();
        return bytes + text_token("pointgroups") + "[[[" + text_token("name") + text_token("g") + "][" +
               text_token("selection") + "[" + selection + "]]]]]";
    };
    const auto runs = [&](int64_t length) {
        return text_token("unordered") + "[" + text_token("boolRLE") + "[" + int_token(length) + "1]]";
    };
    ASSERT_EQ(read_error(with_group(runs(1))), "");
    expect(with_group(runs(2)), "more entries than there are points");
    expect(with_group(runs(-1)), "more entries than there are points");
    expect(with_group(runs(int64_t{1} << 60)), "more entries than there are points");
    expect(with_group(runs(0)), "0 entries for 1 points");
    expect(with_group(text_token("unordered") + "[" + text_token("i8") + "[" + int_token(1) + int_token(1) + "]]"),
           "2 entries for 1 points");
    expect(with_group(text_token("ordered") + "[" + int_token(1) + "]"), "point 1 of 1");
    // No more of a name than a token: the file may be another than one thinks, and the log is for all.
    const std::string unknown = read_error(bgeo_with(
        1, values_with(int64_t{1} << 40, 1024, raw + uniform_token(3, point)), "a secret of sixty letters and more"));
    EXPECT_NE(unknown.find("attribute 'a...' can't have"), std::string::npos) << unknown;
    expect("\x7fNSJb[&\x05]", "string 5 is used but not defined");
    expect("\x7fNSJb[\x99]", "unknown token 153");
    expect("\x7fNSJb" + std::string(1'000'000, '['), "");
    expect("\x7fNSJb[" + text_token("nested") + std::string(1'000'000, '['), "cut short");
    expect("\x7fNSJb[]", "how many points");
    expect("\x7fNSJb\x14", "");
    // A page that says "all of these are equal" must not cost a page of memory for each byte of it.
    std::string many;
    for (int i = 0; i < 200; ++i)
        many += "[[" + text_token("type") + text_token("numeric") + text_token("name") +
                text_token("a" + std::to_string(i)) + "][" + text_token("values") + "[" +
                values_with(4096, 1 << 20, text_token("constantpageflags") + "[[1]]" + raw + uniform_token(4096, "")) +
                "]]]";
    expect("\x7fNSJb[" + text_token("pointcount") + int_token(4000) + text_token("attributes") + "[" +
               text_token("pointattributes") + "[" + many + "]]]",
           "far more memory");
}

TEST(Bgeo, DeepNestingInWhatIsPassedOver) {
    const std::string deep = std::string(200'000, '[') + std::string(200'000, ']');
    const std::string bytes =
        "\x7fNSJb[" + text_token("unknown") + deep + text_token("pointcount") + int_token(0) + "]";
    EXPECT_EQ(read_error(bytes), "");
}

TEST(ParticleFiles, ForeignFilesGetAClearError) {
    Folder folder;
    const auto error = [&](const std::string& bytes) {
        write_bytes(folder / "f", bytes);
        return error_of([&] { firn::read_particles(folder / "f"); }).substr((folder / "f").size());
    };
    EXPECT_EQ(error(""), ": the file is empty");
    EXPECT_EQ(error("\x89PNG\r\n"), ": byte 0: no particles: neither .bgeo, .bgeo.gz, .bgeo.sc nor .vdb");
    EXPECT_EQ(error("\x1f\x8b\x08"), ": byte 3: the file is cut short");
    EXPECT_EQ(error("[\"fileversion\""), ": byte 0: geometry as text (.geo); save it as .bgeo");
    EXPECT_EQ(error("\x7f"
                    "ELF\x02\x01\x01"),
              ": byte 0: no particles: neither .bgeo, .bgeo.gz, .bgeo.sc nor .vdb");
    EXPECT_NE(error_of([&] { firn::read_particles(folder / "missing.bgeo"); }).find("No such file"), std::string::npos);
    EXPECT_NE(error_of([&] { firn::read_particles(folder.path()); }).find("is a folder, not a file"),
              std::string::npos);
}

TEST(ParticleFiles, UnknownEndingsAreRefused) {
    Folder folder;
    const ParticleFile file = sample_particles(2, 0);
    EXPECT_NE(error_of([&] {
                  firn::write_particles(folder / "a.abc", file);
              }).find(".bgeo, .bgeo.gz, .bgeo.sc, .bhclassic, .vdb, .ply or .usda"),
              std::string::npos);
    EXPECT_EQ(folder.count(), 0u);
}

TEST(ParticleFiles, Description) {
    Folder folder;
    firn::write_particles(folder / "a.bgeo", sample_particles(5, 0));
    const std::string text = firn::describe_bgeo(folder / "a.bgeo");
    for (const char* line : {"format: Houdini geometry (.bgeo, binary JSON)\n", "particles: 5\n", "spacing: 0.03 m",
                             "attribute: v, float x 3 (vector), ", "attribute: path, text\n", "detail: frame = 12\n"})
        EXPECT_NE(text.find(line), std::string::npos) << line << " is not in:\n" << text;
}

// The container of .bgeo.sc, around a file that Houdini wrote: blocks that Blosc stores without compressing them.
TEST(BloscContainer, BlocksAreJoined) {
    const std::string inside = bytes_of(data_folder + "simple_partanim_16_5.bgeo");
    std::string container = std::string("scf1") + std::string(8, '\0');
    for (size_t at = 0; at < inside.size(); at += 1000) {
        const std::string part = inside.substr(at, 1000);
        // Blosc's header: version 2, flags 2 = stored as it is, then sizes: unpacked, block, packed.
        const uint32_t sizes[3] = {static_cast<uint32_t>(part.size()), static_cast<uint32_t>(part.size()),
                                   static_cast<uint32_t>(part.size() + 16)};
        container += std::string("\x02\x01\x02\x01", 4) + std::string(reinterpret_cast<const char*>(sizes), 12) + part;
    }
    container += std::string(40, '\0') + "1fcs";
    const ParticleFile unpacked = firn::read_particles(container.data(), container.size(), "x.bgeo.sc");
    expect_same_file(firn::read_particles(data_folder + "simple_partanim_16_5.bgeo"), unpacked);
    expect_every_prefix_fails(container, 44);
    expect_no_crash_with_flipped_bits(container.substr(0, 100));
}

uint64_t big_endian_at(const std::string& bytes, size_t at) {
    uint64_t value = 0;
    for (size_t k = 0; k < 8; ++k) value = value << 8 | static_cast<uint8_t>(bytes[at + k]);
    return value;
}

// What a reader that trusts the index does: from the end of the file to each block by itself.
TEST(BloscContainer, TheIndexLeadsToEveryBlock) {
    Folder folder;
    const ParticleFile file = sample_particles(50'000, 1);
    firn::write_particles(folder / "a.bgeo", file);
    firn::write_particles(folder / "a.bgeo.sc", file);
    const std::string plain = bytes_of(folder / "a.bgeo"), packed = bytes_of(folder / "a.bgeo.sc");
    EXPECT_LT(packed.size(), plain.size());
    EXPECT_EQ(packed.substr(0, 12), std::string("scf1") + std::string(8, '\0'));
    EXPECT_EQ(packed.substr(packed.size() - 4), "1fcs");
    const uint64_t index_bytes = big_endian_at(packed, packed.size() - 12);
    ASSERT_LT(index_bytes + 24, packed.size());
    const size_t index = packed.size() - 12 - index_bytes, count = index_bytes / 8 - 1;
    const uint64_t block = big_endian_at(packed, packed.size() - 28), last = big_endian_at(packed, packed.size() - 20);
    EXPECT_EQ(block, 1u << 20);
    ASSERT_GT(count, 2u);
    EXPECT_EQ((count - 1) * block + last, plain.size());
    for (size_t k = 0; k < count; ++k) {
        const uint64_t begin = 12 + (k == 0 ? 0 : big_endian_at(packed, index + 8 * (k - 1)));
        const uint64_t end = k + 1 == count ? index : 12 + big_endian_at(packed, index + 8 * k);
        ASSERT_LT(begin, end);
        ASSERT_LE(end, index);
        // A container of this block alone.
        const std::string alone = std::string("scf1") + std::string(8, '\0') + packed.substr(begin, end - begin);
        const std::vector<uint8_t> inside =
            firn::unpack_blosc_container("alone", reinterpret_cast<const uint8_t*>(alone.data()), alone.size());
        EXPECT_EQ(std::string(inside.begin(), inside.end()), plain.substr(k * block, k + 1 == count ? last : block));
    }
}

TEST(BloscContainer, OneBlockAndNone) {
    Folder folder;
    for (const size_t count : {size_t{0}, size_t{3}}) {
        const ParticleFile file = sample_particles(count, 0);
        firn::write_particles(folder / "a.bgeo.sc", file);
        const std::string packed = bytes_of(folder / "a.bgeo.sc");
        EXPECT_EQ(big_endian_at(packed, packed.size() - 12), 16u);
        EXPECT_EQ(firn::count_particles(folder / "a.bgeo.sc"), count);
        firn::write_particles(folder / "a.bgeo", file);
        expect_same_file(firn::read_particles(folder / "a.bgeo"), firn::read_particles(folder / "a.bgeo.sc"));
    }
}

// 16 bits: places to 1/4096 of a spacing, other numbers to half of a half float's last bit; births stay whole.
TEST(BloscContainer, SixteenBitsAreOffByNoMoreThanTheySay) {
    Folder folder;
    ParticleFile file = sample_particles(5000, 0);
    firn::GrainBirths births;
    for (const firn::Float3& p : file.particles.position) births.rest.push_back({p.x + 0.1234567f, p.y, p.z});
    births.time.assign(5000, 0.30000001f);
    firn::add_births(file, births);
    firn::write_particles(folder / "a.bgeo.sc", file);
    firn::write_particles(folder / "b.bgeo.sc", file, firn::ParticleFormat::bgeo_sc_16);
    EXPECT_LT(bytes_of(folder / "b.bgeo.sc").size(), 0.8 * static_cast<double>(bytes_of(folder / "a.bgeo.sc").size()));
    const ParticleFile back = firn::read_particles(folder / "b.bgeo.sc");
    ASSERT_EQ(back.particles.count(), 5000u);
    EXPECT_EQ(back.particles.id, file.particles.id);
    EXPECT_TRUE(same_bits(firn::births_of(back).rest, births.rest));
    EXPECT_EQ(firn::births_of(back).time, births.time);
    for (size_t i = 0; i < 5000; ++i) {
        const firn::Float3 &p = file.particles.position[i], &q = back.particles.position[i];
        const firn::Float3 &v = file.particles.velocity[i], &w = back.particles.velocity[i];
        const float place = file.spacing / 4096;
        EXPECT_NEAR(p.x, q.x, place);
        EXPECT_NEAR(p.y, q.y, place);
        EXPECT_NEAR(p.z, q.z, place);
        EXPECT_NEAR(v.x, w.x, std::fabs(v.x) / 2048 + 1e-7f);
        EXPECT_NEAR(v.y, w.y, std::fabs(v.y) / 2048 + 1e-7f);
        EXPECT_NEAR(v.z, w.z, std::fabs(v.z) / 2048 + 1e-7f);
    }
}

TEST(Half, EveryHalfFloatComesBackAndOthersRoundToTheNearest) {
    for (uint32_t bits = 0; bits < 0x7c00; ++bits) {
        const float here = firn::half_to_float(static_cast<uint16_t>(bits));
        EXPECT_EQ(firn::float_to_half(here), bits);
        EXPECT_EQ(firn::float_to_half(-here), bits | 0x8000);
        if (bits == 0x7bff) break;
        const float next = firn::half_to_float(static_cast<uint16_t>(bits + 1)), middle = 0.5f * (here + next);
        EXPECT_EQ(firn::float_to_half(middle), bits + (bits & 1));
        EXPECT_EQ(firn::float_to_half(std::nextafter(middle, 0.0f)), bits);
        EXPECT_EQ(firn::float_to_half(std::nextafter(middle, 1e9f)), bits + 1);
    }
    EXPECT_EQ(firn::float_to_half(65519.0f), 0x7bff);
    EXPECT_EQ(firn::float_to_half(65520.0f), 0x7c00);
    EXPECT_EQ(firn::float_to_half(-INFINITY), 0xfc00);
    EXPECT_TRUE(std::isnan(firn::half_to_float(firn::float_to_half(NAN))));
}

// Classic V5.

std::string big(uint32_t value) {
    return {static_cast<char>(value >> 24), static_cast<char>(value >> 16), static_cast<char>(value >> 8),
            static_cast<char>(value)};
}
std::string big_float(float value) {
    uint32_t bits;
    std::memcpy(&bits, &value, 4);
    return big(bits);
}
std::string classic_text(const std::string& text) {
    return std::string{static_cast<char>(text.size() >> 8), static_cast<char>(text.size())} + text;
}

/// The layout as Partio's documentation and code have it: two points with v, id and a text, one detail.
std::string classic_bytes() {
    std::string bytes = "BgeoV" + big(5) + big(2) + big(0) + big(0) + big(0) + big(3) + big(0) + big(0) + big(1);
    bytes += classic_text("v") + std::string("\0\3", 2) + big(5) + big_float(0) + big_float(0) + big_float(0);
    bytes += classic_text("id") + std::string("\0\1", 2) + big(1) + big(0xffffffff);
    bytes +=
        classic_text("kind") + std::string("\0\1", 2) + big(4) + big(2) + classic_text("ice") + classic_text("snow");
    const auto point = [](float x, float vy, uint32_t id, uint32_t kind) {
        return big_float(x) + big_float(2) + big_float(-3) + big_float(1) + big_float(0) + big_float(vy) +
               big_float(0.5f) + big(id) + big(kind);
    };
    bytes += point(1, 7, 40, 1) + point(1.25f, -7, 41, 0);
    bytes += classic_text("frame") + std::string("\0\1", 2) + big(1) + big(0);
    bytes += big(12);
    return bytes + std::string("\x00\xff", 2);
}

ParticleFile classic_particles() {
    ParticleFile file;
    file.particles.position = {{1, 2, -3}, {1.25f, 2, -3}};
    file.particles.velocity = {{0, 7, 0.5f}, {0, -7, 0.5f}};
    file.particles.id = {40, 41};
    firn::ExtraAttribute kind;
    kind.name = "kind";
    kind.integers = {1, 0};
    kind.integer_bits = 32;
    kind.strings = {"ice", "snow"};
    file.extra = {kind};
    file.metadata = {{"frame", "12"}};
    return file;
}

TEST(BgeoClassic, IsWrittenByteForByteAsTheLayoutSays) {
    Folder folder;
    firn::write_particles(folder / "a.bhclassic", classic_particles());
    EXPECT_EQ(bytes_of(folder / "a.bhclassic"), classic_bytes());
    firn::write_particles(folder / "a.bgeo", classic_particles(), ParticleFormat::bgeo_classic);
    EXPECT_EQ(bytes_of(folder / "a.bgeo"), classic_bytes());
}

TEST(BgeoClassic, IsReadAsTheLayoutSays) {
    const std::string bytes = classic_bytes();
    expect_same_file(classic_particles(), firn::read_particles(bytes.data(), bytes.size(), "x"));
    // Without the end of extras it is as good.
    expect_same_file(classic_particles(), firn::read_particles(bytes.data(), bytes.size() - 2, "x"));
}

TEST(BgeoClassic, ParticleSystemsArePassedOver) {
    std::string bytes = classic_bytes();
    bytes.replace(13, 4, big(1));  // one primitive
    const std::string details = classic_text("frame");
    const size_t at = bytes.find(details);
    bytes.insert(at, big(0x8000) + big(2) + std::string("\0\0\0\1", 4));  // of two points
    expect_same_file(classic_particles(), firn::read_particles(bytes.data(), bytes.size(), "x"));
    // A polygon stands in the way of the details, not of the points.
    bytes.replace(at, 4, big(1));
    const ParticleFile read = firn::read_particles(bytes.data(), bytes.size(), "x");
    EXPECT_EQ(read.particles.id, classic_particles().particles.id);
    EXPECT_TRUE(read.metadata.empty());
    EXPECT_EQ(read.primitives_left_out, 1u);
}

TEST(BgeoClassic, KeepsEveryAttributeToTheBit) {
    Folder folder;
    const ParticleFile file = sample_particles(2500, 0);
    firn::write_particles(folder / "a.bhclassic", file);
    ParticleFile read = firn::read_particles(folder / "a.bhclassic");
    ASSERT_EQ(read.extra.size(), 3u);
    EXPECT_EQ(read.extra[0].meaning, "vector");  // this layout knows no colours
    read.extra[0].meaning = "color";
    expect_same_file(file, read);
}

TEST(BgeoClassic, NumbersThatDoNotFitAreAnError) {
    Folder folder;
    const std::string error =
        error_of([&] { firn::write_particles(folder / "a.bhclassic", sample_particles(3, 5'000'000'000)); });
    EXPECT_NE(error.find("5000000000 does not fit"), std::string::npos) << error;
    EXPECT_EQ(folder.count(), 0u);
}

TEST(BgeoClassic, TruncatedAndFlipped) {
    expect_every_prefix_fails(classic_bytes(), 2);
    expect_no_crash_with_flipped_bits(classic_bytes());
    const auto hostile = [](size_t at, uint32_t value) {
        std::string bytes = classic_bytes();
        bytes.replace(at, 4, big(value));
        return read_error(bytes);
    };
    EXPECT_NE(hostile(5, 6).find("version 6"), std::string::npos);
    EXPECT_NE(hostile(9, 0x7fffffff).find("points can't be in a file"), std::string::npos);
    EXPECT_NE(hostile(9, 0xffffffff).find("-1 points"), std::string::npos);
    EXPECT_NE(hostile(9, 100).find("cut short"), std::string::npos);
    EXPECT_NE(hostile(25, 0x7fffffff).find("point attributes can't be"), std::string::npos);
}

}  // namespace
