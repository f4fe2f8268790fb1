// Files appear whole or not at all: full disks, folders that can't be written, writers that give up, two at once.

#include "firn/new_file.h"

#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include <algorithm>
#include <thread>

#include "firn/usd_stage.h"
#include "particle_samples.h"

namespace {

using namespace firn_test;
using firn::NewFile;

TEST(NewFile, AppearsOnCommit) {
    Folder folder;
    {
        NewFile file(folder / "deep/er/a.txt");
        write_bytes(file.temporary(), "hello");
        EXPECT_FALSE(std::filesystem::exists(folder / "deep/er/a.txt"));
        file.commit();
    }
    EXPECT_EQ(bytes_of(folder / "deep/er/a.txt"), "hello");
}

TEST(NewFile, LeavesNothingWithoutCommit) {
    Folder folder;
    write_bytes(folder / "a.txt", "old");
    {
        NewFile file(folder / "a.txt");
        write_bytes(file.temporary(), "half of the n");
    }
    EXPECT_EQ(bytes_of(folder / "a.txt"), "old");
    EXPECT_EQ(folder.count(), 1u);
}

TEST(NewFile, TwoWritersDoNotMeet) {
    Folder folder;
    std::vector<std::thread> writers;
    for (int i = 0; i < 4; ++i)
        writers.emplace_back([&, i] {
            for (int k = 0; k < 20; ++k) {
                NewFile file(folder / "a.txt");
                write_bytes(file.temporary(), std::string(1000, static_cast<char>('0' + i)));
                file.commit();
            }
        });
    for (std::thread& writer : writers) writer.join();
    const std::string bytes = bytes_of(folder / "a.txt");
    EXPECT_EQ(bytes, std::string(1000, bytes.at(0)));
    EXPECT_EQ(folder.count(), 1u);
}

TEST(NewFile, AFolderIsNoFile) {
    Folder folder;
    EXPECT_NE(error_of([&] { NewFile file(folder.path() + "/"); }).find("it names a folder"), std::string::npos);
    write_bytes(folder / "file", "");
    EXPECT_NE(error_of([&] { NewFile file(folder / "file/a.txt"); }).find("can't make this folder"), std::string::npos);
    std::filesystem::create_directories(folder / "taken");
    NewFile file(folder / "taken");
    write_bytes(file.temporary(), "x");
    EXPECT_NE(error_of([&] { file.commit(); }).find("taken: can't be written"), std::string::npos);
}

/// In a folder that others may write to: no name can be told in advance, and a link that takes the place of the
/// temporary file is not followed.
TEST(NewFile, PlantedLinksAreNotFollowed) {
    Folder folder;
    write_bytes(folder / "secret", "mine");
    const auto name_of_part = [&] {
        for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
            if (entry.path().extension() == ".part") return entry.path().string();
        return std::string();
    };
    std::vector<std::string> names;
    for (int k = 0; k < 3; ++k) {
        NewFile file(folder / "a.txt");
        const std::string part = name_of_part();
        ASSERT_FALSE(part.empty()) << "the file is there before anybody can plant another";
        names.push_back(part);
        std::filesystem::remove(part);
        std::filesystem::create_symlink(folder / "secret", part);
        write_bytes(file.temporary(), "new");
        EXPECT_EQ(bytes_of(folder / "secret"), "mine");
    }
    // A counter would give 0, 1, 2 again in the next process.
    for (const std::string& name : names) {
        const std::string stem = name.substr(0, name.size() - 5), random = stem.substr(stem.rfind('.') + 1);
        EXPECT_EQ(random.size(), 16u) << name;
        EXPECT_EQ(std::count(names.begin(), names.end(), name), 1);
    }
    EXPECT_EQ(folder.count(), 1u);
}

/// A file system of its own, 256 KB small; only root may mount one.
class SmallDisk {
public:
    SmallDisk() : mounted_(::mount("tmpfs", folder_.path().c_str(), "tmpfs", 0, "size=256k") == 0) {}
    ~SmallDisk() {
        if (mounted_) ::umount(folder_.path().c_str());
    }
    bool mounted() const { return mounted_; }
    const Folder& folder() const { return folder_; }

private:
    Folder folder_;
    bool mounted_;
};

TEST(NewFile, AFullDiskIsAnErrorAndLeavesNothing) {
    const SmallDisk disk;
    if (!disk.mounted()) GTEST_SKIP() << "mounting a small disk needs root";
    const Folder& folder = disk.folder();
    const firn::ParticleFile large = sample_particles(20'000, 0);
    for (const char* name : {"a.bgeo", "a.bhclassic", "a.vdb"}) {
        SCOPED_TRACE(name);
        firn::write_particles(folder / name, sample_particles(10, 0));
        const std::string before = bytes_of(folder / name);
        const std::string error = error_of([&] { firn::write_particles(folder / name, large); });
        EXPECT_EQ(error, folder / name + ": can't be written: No space left on device");
        EXPECT_EQ(bytes_of(folder / name), before);
        EXPECT_EQ(folder.count(), 1u);
        std::filesystem::remove(folder / name);
    }
    firn::UsdStage stage;
    firn::UsdStage::Collider collider;
    collider.mesh.points.resize(100'000);
    stage.colliders = {collider};
    EXPECT_EQ(error_of([&] { firn::write_usda(folder / "a.usda", stage); }),
              folder / "a.usda" + ": can't be written: No space left on device");
    EXPECT_EQ(folder.count(), 0u);
}

TEST(NewFile, AReadOnlyFolderIsAnError) {
    Folder folder;
    // Root may write anywhere, except where the whole file system is read-only.
    const bool mounted = ::mount("tmpfs", folder.path().c_str(), "tmpfs", MS_RDONLY, "size=64k") == 0;
    if (!mounted) ::chmod(folder.path().c_str(), 0555);
    for (const char* name : {"a.bgeo", "a.vdb"}) {
        const std::string error = error_of([&] { firn::write_particles(folder / name, sample_particles(10, 0)); });
        EXPECT_EQ(error,
                  folder / name + ": can't be written: " + (mounted ? "Read-only file system" : "Permission denied"));
    }
    if (mounted)
        ::umount(folder.path().c_str());
    else
        ::chmod(folder.path().c_str(), 0755);
}

}  // namespace
