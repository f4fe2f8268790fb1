#pragma once

#include <string>

namespace firn {

/// A file that appears whole or not at all. Write to temporary(), then commit(): the data reaches the disk and the name
/// changes in one move. Without a commit the temporary file is removed. Two processes may write the same file at once.
/// In the folder it is called ".NAME.HOME.PROCESS.RANDOM.part" until then; a link that somebody plants there is never
/// followed.
class NewFile {
public:
    /// Makes the folder when it is missing, and the temporary file. Throws Error that names the path when it can't.
    explicit NewFile(std::string path);
    ~NewFile();
    NewFile(const NewFile&) = delete;
    NewFile& operator=(const NewFile&) = delete;

    /// A path to open and write, once or several times; it exists already, and is empty. Good for this process and
    /// for programs that it starts, for as long as this object lives.
    const std::string& temporary() const { return temporary_; }
    /// Throws Error with the system's reason (no space left, read-only, ...).
    void commit();

private:
    std::string path_, name_, temporary_;
    int file_ = -1;
    bool committed_ = false;
};

/// Where this process has its number from, for the names of temporary files: the machine, and in a container also the
/// space of its process numbers, as containers may share the machine's name.
std::string process_home();

}  // namespace firn
