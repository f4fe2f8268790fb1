#include "manifest.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "firn/error.h"
#include "temporary_folder.h"

namespace firn {
namespace {

namespace fs = std::filesystem;

TEST(Manifest, FilesAreWholeMissingDamagedUnfinishedOrForeign) {
    const TemporaryFolder folder;
    Manifest manifest(folder.path());
    const std::string file = folder.file("a.bgeo");
    EXPECT_EQ(manifest.look(file), FileState::missing);
    write_text(file, "theirs");
    EXPECT_EQ(manifest.look(file), FileState::foreign);
    EXPECT_THROW(manifest.claim({file}), Error);
    manifest.claim({file}, true);
    EXPECT_EQ(manifest.look(file), FileState::unfinished);
    manifest.made(file);
    EXPECT_EQ(Manifest(folder.path()).look(file), FileState::whole);
    write_text(file, "theirz");
    EXPECT_EQ(manifest.look(file), FileState::damaged);
    manifest.remove({file, folder.file("manifest.jsonl")});
    EXPECT_FALSE(fs::exists(file));
    EXPECT_TRUE(fs::exists(folder.file("manifest.jsonl")));
    EXPECT_FALSE(Manifest(folder.path()).names(file));
}

TEST(Manifest, NamesMayHoldAnyBytes) {
    const TemporaryFolder folder;
    // Latin-1, which is no UTF-8; quotes, and what looks like an escape.
    const std::string file = folder.file(
        "fl\xe4"
        "che \"%41\".bgeo");
    write_text(file, "snow");
    Manifest(folder.path()).claim({file}, true);
    Manifest manifest(folder.path());
    EXPECT_TRUE(manifest.names(file));
    manifest.made(file);
    EXPECT_EQ(Manifest(folder.path()).look(file), FileState::whole);
}

TEST(Manifest, ManyProcessesAppendAtOnce) {
    const TemporaryFolder folder;
    const int processes = 4, files = 50;
    for (int process = 0; process < processes; ++process) {
        if (::fork() != 0) continue;
        Manifest manifest(folder.path());
        for (int k = 0; k < files; ++k)
            manifest.claim({folder.file(std::to_string(process) + "_" + std::to_string(k))});
        ::_exit(0);
    }
    for (int process = 0, status = 0; process < processes; ++process) {
        ASSERT_GT(::wait(&status), 0);
        EXPECT_EQ(status, 0);
    }
    EXPECT_EQ(Manifest(folder.path()).files().size(), size_t(processes) * files);
}

TEST(Manifest, TornLinesArePassedOver) {
    const TemporaryFolder folder;
    const std::string manifest = folder.file("manifest.jsonl"), file = folder.file("a");
    for (const char* torn : {"", "{", "{\"firn_manifest\":1}", "{\"firn_manifest\":1}\n{\"write\":\"b"}) {
        write_text(manifest, torn);
        Manifest(folder.path()).claim({file});
        EXPECT_EQ(Manifest(folder.path()).files(), std::vector<std::string>{file}) << torn;
    }
    write_text(manifest, "{\"files\": []}\n");
    EXPECT_THROW(Manifest(folder.path()), Error);
}

TEST(Manifest, ChangedLinesArePassedOver) {
    const TemporaryFolder folder;
    const std::string path = folder.file("manifest.jsonl"), file = folder.file("a");
    Manifest manifest(folder.path());
    manifest.claim({file});
    write_text(file, "snow");
    manifest.made(file);
    RunPlan plan;
    plan.last_frame = 12;
    manifest.begin(plan, false);
    const std::string whole = read_text(path);
    const size_t second = whole.find('\n') + 1;
    for (size_t k = second; k < whole.size(); ++k) {
        std::string changed = whole;
        changed[k] = static_cast<char>(changed[k] ^ 1);
        write_text(path, changed);
        const Manifest read(folder.path());
        // Nothing that it still says is wrong, and it knows when it lost what the run is.
        EXPECT_EQ(read.run() ? read.run()->last_frame : 12, 12) << k;
        EXPECT_NE(read.look(file), FileState::damaged) << k;
        EXPECT_LE(read.files().size(), 1u) << k;
        EXPECT_TRUE(read.run() || !read.run_is_certain()) << k;
    }
}

}  // namespace
}  // namespace firn
