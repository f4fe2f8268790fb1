#include "run_log.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "firn/error.h"
#include "temporary_folder.h"

namespace firn {
namespace {

RunHeader some_header() {
    RunHeader header;
    header.scene = "a \"scene\"\\ \n of <snow> \xc3\xa9";
    header.device = "cpu, 8 lanes";
    header.version = "0.1.0";
    header.fps = 23.976;
    header.first_frame = -3;
    header.last_frame = 1001;
    header.spacing = 0.0123f;
    header.boundary_particles = 5'000'000'000u;
    header.solves = {{"pressure", 1e-3}, {"shear", 3e-4}};
    header.parameters = {{"young_modulus", "140000"}, {"gravity", "0 -9.81 0"}};
    return header;
}

FrameRecord some_frame(int number) {
    FrameRecord frame;
    frame.frame = number;
    frame.time = number / 23.976;
    frame.particles = 12'345'678'901u;
    frame.substeps = 17;
    frame.dt_min = 1e-4;
    frame.dt_max = 3e-3;
    frame.solves = {{4.25, 9.7e-4}, {11.5, 1e-300}};
    frame.kinetic_energy = 1.0 / 3;
    frame.potential_energy = -2.5e7;
    frame.height_low = -1;
    frame.height_mean = 0.5;
    frame.height_high = 2;
    frame.speed = 8.75;
    frame.mass = 75.25;
    frame.bytes = 1u << 31;
    frame.bytes_process = uint64_t{1} << 40;
    frame.seconds = {{"neighbours", 0.125}, {"shear", 0.75}};
    frame.wall = 1.5;
    frame.loads = {{"ground", {{0.1, -9.81, 1e-300}, {1, 2, 3}}}, {"plough \"2\"", {}}};
    frame.warnings = {"one", "two \"quoted\""};
    return frame;
}

TEST(RunLog, KeepsEverything) {
    const TemporaryFolder folder;
    const std::string path = folder.file("run.jsonl");
    start_run_log(path, some_header());
    append_frame(path, some_frame(-3), some_header().solves);
    append_frame(path, some_frame(-2), some_header().solves);
    const RunLog log = read_run_log(path);
    const RunHeader expected = some_header();
    EXPECT_EQ(log.header.scene, expected.scene);
    EXPECT_EQ(log.header.device, expected.device);
    EXPECT_EQ(log.header.version, expected.version);
    EXPECT_EQ(log.header.fps, expected.fps);
    EXPECT_EQ(log.header.first_frame, expected.first_frame);
    EXPECT_EQ(log.header.last_frame, expected.last_frame);
    EXPECT_EQ(log.header.spacing, expected.spacing);
    EXPECT_EQ(log.header.boundary_particles, expected.boundary_particles);
    EXPECT_EQ(log.header.parameters, expected.parameters);
    ASSERT_EQ(log.frames.size(), 2u);
    const FrameRecord a = log.frames[1], b = some_frame(-2);
    EXPECT_EQ(a.frame, b.frame);
    EXPECT_EQ(a.time, b.time);
    EXPECT_EQ(a.particles, b.particles);
    EXPECT_EQ(a.substeps, b.substeps);
    EXPECT_EQ(a.dt_min, b.dt_min);
    EXPECT_EQ(a.dt_max, b.dt_max);
    ASSERT_EQ(a.solves.size(), 2u);
    for (size_t k = 0; k < 2; ++k) {
        EXPECT_EQ(a.solves[k].iterations, b.solves[k].iterations);
        EXPECT_EQ(a.solves[k].residual, b.solves[k].residual);
    }
    EXPECT_EQ(a.kinetic_energy, b.kinetic_energy);
    EXPECT_EQ(a.potential_energy, b.potential_energy);
    EXPECT_EQ(a.height_low, b.height_low);
    EXPECT_EQ(a.height_mean, b.height_mean);
    EXPECT_EQ(a.height_high, b.height_high);
    EXPECT_EQ(a.speed, b.speed);
    EXPECT_EQ(a.mass, b.mass);
    EXPECT_EQ(a.bytes, b.bytes);
    EXPECT_EQ(a.bytes_process, b.bytes_process);
    EXPECT_EQ(a.seconds, b.seconds);
    EXPECT_EQ(a.wall, b.wall);
    EXPECT_EQ(a.warnings, b.warnings);
    ASSERT_EQ(a.loads.size(), 2u);
    for (size_t k = 0; k < 2; ++k) {
        EXPECT_EQ(a.loads[k].name, b.loads[k].name);
        for (int c = 0; c < 3; ++c) {
            EXPECT_EQ(a.loads[k].load.force[c], b.loads[k].load.force[c]);
            EXPECT_EQ(a.loads[k].load.torque[c], b.loads[k].load.torque[c]);
        }
    }
}

TEST(RunLog, FramesWithoutLoadsAreRead) {
    const FrameRecord frame = firn::parse_frame_record("{\"frame\": 7, \"speed\": 2}", {});
    EXPECT_EQ(frame.frame, 7);
    EXPECT_TRUE(frame.loads.empty());
}

TEST(RunLog, TheLoadsOfPartsAddUpToTheMean) {
    FrameRecord frame;
    firn::add_load(frame, "ground", {{0, -8, 0}, {4, 0, 0}}, 0.25);
    firn::add_load(frame, "wall", {{1, 0, 0}, {}}, 0.25);
    firn::add_load(frame, "ground", {{0, -4, 0}, {0, 0, 0}}, 0.75);
    ASSERT_EQ(frame.loads.size(), 2u);
    EXPECT_EQ(frame.loads[0].load.force[1], -5);
    EXPECT_EQ(frame.loads[0].load.torque[0], 1);
    EXPECT_EQ(frame.loads[1].load.force[0], 0.25);
}

/// A frame of five substeps, reported at once or in two parts.
TEST(RunLog, AFrameInPartsIsTheWholeFrame) {
    const auto report = [](int first, int last) {
        FrameReport part;
        for (int s = first; s < last; ++s) {
            SubstepReport substep;
            substep.dt = 0.001 * (1 + (s * 3) % 5);
            substep.solves = {{"pressure", 10 + s, 0.5 / (1 + s), true}, {"shear", 3 * s, 0.1 * s, true}};
            part.substeps.push_back(substep);
        }
        part.phases = {{"neighbours", 0.25 * (last - first)}, {"shear", 0.5 * (last - first)}};
        part.warnings = {"it is cold"};
        part.bytes = static_cast<uint64_t>(last);
        return part;
    };
    FrameRecord whole, parts;
    add_report(whole, report(0, 5));
    add_report(parts, report(0, 2));
    add_report(parts, report(2, 5));
    EXPECT_EQ(whole.substeps, 5);
    EXPECT_EQ(parts.substeps, 5);
    EXPECT_EQ(whole.dt_min, 0.001);
    EXPECT_EQ(parts.dt_min, whole.dt_min);
    EXPECT_EQ(whole.dt_max, 0.005);
    EXPECT_EQ(parts.dt_max, whole.dt_max);
    ASSERT_EQ(whole.solves.size(), 2u);
    ASSERT_EQ(parts.solves.size(), 2u);
    EXPECT_EQ(whole.solves[0].iterations, 12);
    EXPECT_EQ(whole.solves[0].residual, 0.5);
    EXPECT_EQ(whole.solves[1].residual, 0.4);
    for (size_t k = 0; k < 2; ++k) {
        EXPECT_NEAR(parts.solves[k].iterations, whole.solves[k].iterations, 1e-12);
        EXPECT_EQ(parts.solves[k].residual, whole.solves[k].residual);
    }
    EXPECT_EQ(parts.seconds, whole.seconds);
    EXPECT_EQ(parts.warnings, whole.warnings);
    EXPECT_EQ(parts.bytes, whole.bytes);
}

TEST(RunLog, AFrameThatIsNotWholeYetIsText) {
    const std::vector<SolveName> solves = some_header().solves;
    const std::string text = frame_record_text(some_frame(5), solves);
    EXPECT_EQ(text.find('\n'), std::string::npos);
    EXPECT_EQ(frame_record_text(parse_frame_record(text, solves), solves), text);
    for (const char* wrong : {"", "[]", "{}", "{\"frame\":\"x\"}", "{\"frame\":1,\"seconds\":7}"})
        EXPECT_THROW(parse_frame_record(wrong, solves), Error) << wrong;
}

/// A run may be killed at any byte: what was whole stays, and the next run goes on in the same file.
TEST(RunLog, SurvivesBeingCutAnywhere) {
    const TemporaryFolder folder;
    const std::string path = folder.file("run.jsonl");
    start_run_log(path, some_header());
    const size_t header = read_text(path).size();
    append_frame(path, some_frame(1), some_header().solves);
    const size_t one = read_text(path).size();
    append_frame(path, some_frame(2), some_header().solves);
    const std::string whole = read_text(path);
    for (size_t length = header; length <= whole.size(); length += 7) {
        write_text(path, whole.substr(0, length));
        // A line that only lacks its end of line is whole too.
        const size_t expected = length >= whole.size() - 1 ? 2u : length >= one - 1 ? 1u : 0u;
        ASSERT_EQ(read_run_log(path).frames.size(), expected) << length;
        append_frame(path, some_frame(7), some_header().solves);
        const RunLog log = read_run_log(path);
        ASSERT_EQ(log.frames.size(), expected + 1) << length;
        ASSERT_EQ(log.frames.back().frame, 7);
    }
    for (size_t length = 0; length + 1 < header; length += 5) {
        write_text(path, whole.substr(0, length));
        EXPECT_THROW(read_run_log(path), Error) << length;
    }
}

TEST(RunLog, ChangedBytesAreNoticed) {
    const TemporaryFolder folder;
    const std::string path = folder.file("run.jsonl");
    start_run_log(path, some_header());
    append_frame(path, some_frame(1), some_header().solves);
    append_frame(path, some_frame(2), some_header().solves);
    const std::string whole = read_text(path);
    for (size_t k = 0; k < whole.size(); k += 3) {
        std::string changed = whole;
        changed[k] = static_cast<char>(changed[k] ^ 1);
        write_text(path, changed);
        try {
            EXPECT_LT(read_run_log(path).frames.size(), 2u) << "byte " << k;
        } catch (const Error&) {
        }
    }
    // And a log that never had checksums is read as it is.
    write_text(path, "{\"kind\":\"firn-run\",\"format\":1}\n{\"frame\":1}\n{\"frame\":2}\n");
    EXPECT_EQ(read_run_log(path).frames.size(), 2u);
}

TEST(RunLog, OfAFrameRunTwiceTheLaterRecordHolds) {
    const TemporaryFolder folder;
    const std::string path = folder.file("run.jsonl");
    start_run_log(path, some_header());
    for (const int frame : {1, 2, 3, 2, 3, 4}) {
        FrameRecord record = some_frame(frame);
        static int count = 0;
        record.wall = ++count;
        append_frame(path, record, some_header().solves);
    }
    const RunLog log = read_run_log(path);
    ASSERT_EQ(log.frames.size(), 4u);
    EXPECT_EQ(log.frames[0].wall, 1);
    EXPECT_EQ(log.frames[1].wall, 4);
    EXPECT_EQ(log.frames[2].wall, 5);
    EXPECT_EQ(log.frames[3].wall, 6);
}

TEST(RunLog, KeepsGoingWithWhatJsonCantHold) {
    const TemporaryFolder folder;
    const std::string path = folder.file("run.jsonl");
    RunHeader header = some_header();
    header.scene = "not utf-8: \xff\xfe";
    start_run_log(path, header);
    FrameRecord record = some_frame(1);
    record.solves = {{1, std::nan("")}, {1, std::numeric_limits<double>::infinity()}};
    append_frame(path, record, some_header().solves);
    const RunLog log = read_run_log(path);
    EXPECT_TRUE(std::isnan(log.frames.at(0).solves.at(0).residual));
    EXPECT_TRUE(std::isnan(log.frames.at(0).solves.at(1).residual));
    EXPECT_EQ(log.header.scene.rfind("not utf-8: ", 0), 0u);
}

TEST(RunLog, HostileFilesAreErrorsThatSayWhere) {
    const TemporaryFolder folder;
    const std::string path = folder.file("run.jsonl");
    // As Firn 0.1 wrote it, without checksums, which would find all of these first.
    const std::string header = "{\"kind\":\"firn-run\",\"format\":1}\n";
    const auto message = [&](const std::string& text) -> std::string {
        write_text(path, text);
        try {
            read_run_log(path);
        } catch (const Error& error) {
            return error.what();
        }
        return "no error";
    };
    EXPECT_NE(message("").find("empty"), std::string::npos);
    for (const char* first : {"\n", "{}\n", "[]\n", "null\n", "{\"kind\":\"other\"}\n", "{\"kind\":3}\n", "\x89PNG\r\n",
                              "{\"kind\":\"firn-run\"}\n", "{\"kind\":\"firn-run\",\"format\":99}\n"})
        EXPECT_NE(message(first).find(path + ":1: "), std::string::npos) << first;
    EXPECT_NE(message("{\"kind\":\"firn-run\",\"format\":1,\"scene\":[1]}\n").find(":1: "), std::string::npos);
    EXPECT_NE(message("{\"kind\":\"firn-run\",\"format\":1,\"parameters\":[[\"a\"]]}\n").find(":1: "),
              std::string::npos);
    for (const char* line : {"{}", "{\"frame\":\"x\"}", "{\"frame\":1e99}", "{\"frame\":1,\"time\":\"late\"}",
                             "{\"frame\":1,\"seconds\":7}", "{\"frame\":1,\"seconds\":[[1,2]]}",
                             "{\"frame\":1,\"particles\":-5}", "{\"frame\":1,\"warnings\":[3]}"})
        EXPECT_NE(message(header + line + "\n").find(path + ":2: "), std::string::npos) << line;
    // No line of ours, but none of a frame either: as if torn.
    EXPECT_EQ(message(header + std::string(100'000, '[') + "\n"), "no error");
    EXPECT_THROW(read_run_log(folder.file("missing.jsonl")), Error);
    EXPECT_THROW(read_run_log(folder.path()), Error);
    EXPECT_THROW(append_frame(folder.file("missing.jsonl"), some_frame(1), {}), Error);
}

}  // namespace
}  // namespace firn
