#include "video.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "firn/error.h"
#include "firn/new_file.h"
#include "picture.h"

extern char** environ;

namespace firn {

namespace {

/// A program that reads from us. Arguments go to it as they are; no shell sees them.
class ReadingProgram {
public:
    explicit ReadingProgram(std::vector<std::string> arguments) {
        int ends[2];
        if (::pipe2(ends, O_CLOEXEC) != 0) throw Error(std::string("can't make a pipe: ") + std::strerror(errno));
        posix_spawn_file_actions_t actions;
        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
        std::vector<char*> pointers;
        for (std::string& argument : arguments) pointers.push_back(argument.data());
        pointers.push_back(nullptr);
        // A program that ends early must not take us with it; it starts with signals as usual.
        struct sigaction ignore {};
        ignore.sa_handler = SIG_IGN;
        ::sigaction(SIGPIPE, &ignore, &before_);
        posix_spawnattr_t attributes;
        posix_spawnattr_init(&attributes);
        sigset_t usual;
        sigemptyset(&usual);
        sigaddset(&usual, SIGPIPE);
        posix_spawnattr_setsigdefault(&attributes, &usual);
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
        reason_ = ::posix_spawnp(&process_, pointers[0], &actions, &attributes, pointers.data(), environ);
        posix_spawnattr_destroy(&attributes);
        posix_spawn_file_actions_destroy(&actions);
        ::close(ends[0]);
        pipe_ = ends[1];
    }
    ~ReadingProgram() {
        finish();
        ::sigaction(SIGPIPE, &before_, nullptr);
    }
    ReadingProgram(const ReadingProgram&) = delete;
    ReadingProgram& operator=(const ReadingProgram&) = delete;

    /// An errno of the start; 0 = it runs.
    int reason() const { return reason_; }

    bool write(const std::vector<uint8_t>& bytes) {
        for (size_t done = 0; done < bytes.size();) {
            const ssize_t count = ::write(pipe_, bytes.data() + done, bytes.size() - done);
            if (count < 0 && errno == EINTR) continue;
            if (count <= 0) return false;
            done += static_cast<size_t>(count);
        }
        return true;
    }

    /// Whether it ended well.
    bool finish() {
        if (pipe_ >= 0) ::close(pipe_);
        pipe_ = -1;
        if (reason_ != 0 || finished_) return ended_well_;
        int status = 0;
        while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
        }
        finished_ = true;
        return ended_well_ = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    }

private:
    pid_t process_ = -1;
    int pipe_ = -1, reason_ = 0;
    bool finished_ = false, ended_well_ = false;
    struct sigaction before_ {};
};

}  // namespace

std::string write_video(const std::string& path, const std::vector<std::string>& pictures, double fps) {
    if (pictures.empty()) return "no video: there are no pictures";
    const Picture first = read_png(pictures.front());
    NewFile file(path);
    ReadingProgram ffmpeg({"ffmpeg", "-y", "-loglevel", "error", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s",
                           std::to_string(first.width) + "x" + std::to_string(first.height), "-r", std::to_string(fps),
                           "-i", "pipe:0",
                           // Players want half-resolution colour, which needs an even size.
                           "-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-pix_fmt", "yuv420p", "-crf", "18", "-movflags",
                           "+faststart", "-f", "mp4", "file:" + file.temporary()});
    if (ffmpeg.reason() == ENOENT) return "no video: ffmpeg is not installed (Debian: apt install ffmpeg)";
    if (ffmpeg.reason() != 0)
        return std::string("no video: ffmpeg can't be started: ") + std::strerror(ffmpeg.reason());
    for (const std::string& name : pictures) {
        const Picture picture = read_png(name);
        if (picture.width != first.width || picture.height != first.height)
            return "no video: " + name + " has another size than the first picture";
        if (!ffmpeg.write(picture.rgb)) break;
    }
    if (!ffmpeg.finish()) return "no video: ffmpeg failed, see its message above";
    file.commit();
    return "";
}

}  // namespace firn
