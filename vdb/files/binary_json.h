#pragma once

// Houdini's binary JSON: one byte per token, lengths of one to nine bytes, strings that are defined once and then named
// by number, and arrays of one type as plain little-endian blocks.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace firn {

class Output;

/// The types of numbers, in tokens and in uniform arrays.
enum class JsonNumber : uint8_t {
    boolean = 0x10,
    int8 = 0x11,
    int16 = 0x12,
    int32 = 0x13,
    int64 = 0x14,
    real16 = 0x18,
    real32 = 0x19,
    real64 = 0x1a,
    uint8 = 0x21,
    uint16 = 0x22,
};

/// Walks over binary JSON in memory from front to back, without a tree: what is not wanted costs nothing to pass over,
/// and no count in the file is believed before the bytes for it are there. Errors name the file and the byte.
class JsonReader {
public:
    enum class Kind { null, boolean, integer, real, string, begin_array, begin_map, uniform_array, end };
    struct Value {
        Kind kind = Kind::null;
        size_t offset = 0;      ///< of its first byte in the file
        int64_t integer = 0;    ///< boolean, integer
        double real = 0;        ///< real
        std::string_view text;  ///< string; points into the file's bytes
        uint8_t element = 0;    ///< uniform_array: its type
        uint64_t count = 0;     ///< uniform_array: its length
    };

    /// The bytes must outlive the reader.
    JsonReader(std::string name, const uint8_t* bytes, size_t size);

    /// The next token; for an array or a map its beginning.
    Value next();
    /// Passes over what `value` began.
    void skip(const Value& value);
    void skip() { skip(next()); }

    std::string_view string();
    int64_t integer();
    std::vector<std::string_view> strings();

    /// Houdini writes most maps as arrays: key, value, key, value. Calls visit(key), which takes exactly the value.
    template <typename Visit>
    void pairs(Visit visit) {
        expect_container(next());
        for (Value key = next(); key.kind != Kind::end; key = next()) {
            if (key.kind != Kind::string) fail(key.offset, "expected a name here");
            visit(key.text);
        }
    }
    /// Calls visit() before each value of an array, which takes exactly that value.
    template <typename Visit>
    void elements(Visit visit) {
        expect_container(next());
        while (!at_end()) visit();
        next();
    }

    size_t offset() const { return offset_; }
    size_t size() const { return size_; }
    [[noreturn]] void fail(size_t offset, const std::string& what) const;

private:
    friend class JsonNumbers;
    bool at_end();
    void expect_container(const Value&) const;
    const uint8_t* take(uint64_t count);
    template <typename T>
    T scalar();
    uint64_t length();
    std::string_view text();
    std::string_view reference();
    void definitions();
    uint64_t element_bytes(const Value& array) const;

    std::string name_;
    const uint8_t* bytes_;
    size_t size_;
    size_t offset_ = 0;
    std::unordered_map<uint64_t, std::string_view> defined_;
};

/// The numbers of one array, plain or uniform, taken in blocks and converted to the type that is asked for.
class JsonNumbers {
public:
    explicit JsonNumbers(JsonReader& reader) : JsonNumbers(reader, reader.next()) {}
    /// `array` was just read.
    JsonNumbers(JsonReader& reader, const JsonReader::Value& array);
    /// float, double, int64_t or uint8_t.
    template <typename T>
    void take(T* to, size_t count);
    /// Fails unless all were taken.
    void finish();

private:
    JsonReader& reader_;
    JsonReader::Value array_;
    uint64_t taken_ = 0;
};

class JsonWriter {
public:
    explicit JsonWriter(Output& output);

    void begin_array() { byte('['); }
    void end_array() { byte(']'); }
    void begin_map() { byte('{'); }
    void end_map() { byte('}'); }
    void string(std::string_view text);
    void integer(int64_t value);
    void real(double value);
    void boolean(bool value) { byte(value ? 0x31 : 0x30); }
    /// A uniform array whose `count` little-endian numbers the caller writes to the output next.
    void begin_uniform(JsonNumber type, uint64_t count);

private:
    void byte(int value);
    void length(uint64_t value);

    Output& output_;
    std::unordered_map<std::string, uint64_t> defined_;
};

}  // namespace firn
