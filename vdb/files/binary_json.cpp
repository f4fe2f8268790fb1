#include "files/binary_json.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "files/file_error.h"
#include "files/half.h"
#include "files/output.h"
#include "firn/error.h"

// Blocks of numbers are copied as they are.
static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "binary JSON is read and written on little-endian machines");

namespace firn {

namespace {

enum Token : uint8_t {
    null_token = 0x00,
    string_reference = 0x26,
    string_token = 0x27,
    define_string = 0x2b,
    undefine_string = 0x2d,
    false_token = 0x30,
    true_token = 0x31,
    uniform_array = 0x40,
};

const uint8_t magic[] = {0x7f, 'N', 'S', 'J', 'b'};

/// A real number that an integer attribute holds is cut; what no integer can hold becomes the nearest that can.
template <typename To, typename From>
To converted(From value) {
    if constexpr (std::is_integral_v<To> && std::is_floating_point_v<From>) {
        constexpr double low = static_cast<double>(std::numeric_limits<To>::min());
        constexpr double high = static_cast<double>(std::numeric_limits<To>::max());
        if (!(value > low)) return std::isnan(value) ? To(0) : std::numeric_limits<To>::min();
        if (value >= high) return std::numeric_limits<To>::max();
    }
    return static_cast<To>(value);
}

template <typename From, typename To>
void convert(const uint8_t* bytes, To* to, size_t count) {
    if constexpr (std::is_same_v<From, To>) {
        if (count > 0) std::memcpy(to, bytes, count * sizeof(To));
    } else {
        for (size_t i = 0; i < count; ++i) {
            From value;
            std::memcpy(&value, bytes + i * sizeof(From), sizeof(From));
            to[i] = converted<To>(value);
        }
    }
}

size_t number_size(uint8_t element) {
    switch (static_cast<JsonNumber>(element)) {
        case JsonNumber::int8:
        case JsonNumber::uint8:
            return 1;
        case JsonNumber::int16:
        case JsonNumber::uint16:
        case JsonNumber::real16:
            return 2;
        case JsonNumber::int32:
        case JsonNumber::real32:
            return 4;
        case JsonNumber::int64:
        case JsonNumber::real64:
            return 8;
        case JsonNumber::boolean:
            break;  // bits
    }
    return 0;
}

}  // namespace

JsonReader::JsonReader(std::string name, const uint8_t* bytes, size_t size)
    : name_(std::move(name)), bytes_(bytes), size_(size) {
    const size_t known = std::min(size, sizeof(magic));
    if (std::memcmp(bytes, magic, known) != 0) fail(0, "this is no binary JSON of Houdini");
    if (known < sizeof(magic)) fail(size, "the file is cut short");
    offset_ = sizeof(magic);
}

void JsonReader::fail(size_t offset, const std::string& what) const {
    fail_at(name_, offset, what);
}

const uint8_t* JsonReader::take(uint64_t count) {
    if (count > size_ - offset_) {
        fail(offset_, "the file is cut short: " + std::to_string(count) + " bytes should follow, there are " +
                          std::to_string(size_ - offset_));
    }
    const uint8_t* begin = bytes_ + offset_;
    offset_ += count;
    return begin;
}

template <typename T>
T JsonReader::scalar() {
    T value;
    std::memcpy(&value, take(sizeof(T)), sizeof(T));
    return value;
}

uint64_t JsonReader::length() {
    const size_t at = offset_;
    const uint8_t first = scalar<uint8_t>();
    if (first < 0xf1) return first;
    if (first == 0xf2) return scalar<uint16_t>();
    if (first == 0xf4) return scalar<uint32_t>();
    if (first == 0xf8) return scalar<uint64_t>();
    fail(at, "a length can't begin with " + std::to_string(first));
}

std::string_view JsonReader::text() {
    const uint64_t count = length();
    return {reinterpret_cast<const char*>(take(count)), static_cast<size_t>(count)};
}

std::string_view JsonReader::reference() {
    const size_t at = offset_;
    const uint64_t id = length();
    const auto found = defined_.find(id);
    if (found == defined_.end()) fail(at, "string " + std::to_string(id) + " is used but not defined");
    return found->second;
}

void JsonReader::definitions() {
    while (offset_ < size_) {
        if (bytes_[offset_] == define_string) {
            ++offset_;
            const uint64_t id = length();
            defined_[id] = text();
        } else if (bytes_[offset_] == undefine_string) {
            ++offset_;
            defined_.erase(length());
        } else {
            return;
        }
    }
}

JsonReader::Value JsonReader::next() {
    definitions();
    Value value;
    value.offset = offset_;
    const uint8_t token = scalar<uint8_t>();
    const auto set_integer = [&](int64_t number) {
        value.kind = Kind::integer;
        value.integer = number;
    };
    const auto set_real = [&](double number) {
        value.kind = Kind::real;
        value.real = number;
    };
    const auto set_boolean = [&](bool truth) {
        value.kind = Kind::boolean;
        value.integer = truth;
    };
    switch (token) {
        case null_token:
            break;
        case '[':
            value.kind = Kind::begin_array;
            break;
        case '{':
            value.kind = Kind::begin_map;
            break;
        case ']':
        case '}':
            value.kind = Kind::end;
            break;
        case string_token:
            value.kind = Kind::string;
            value.text = text();
            break;
        case string_reference:
            value.kind = Kind::string;
            value.text = reference();
            break;
        case false_token:
        case true_token:
            set_boolean(token == true_token);
            break;
        case uniform_array:
            value.kind = Kind::uniform_array;
            value.element = scalar<uint8_t>();
            value.count = length();
            break;
        case uint8_t(JsonNumber::boolean):
            set_boolean(scalar<uint8_t>() != 0);
            break;
        case uint8_t(JsonNumber::int8):
            set_integer(scalar<int8_t>());
            break;
        case uint8_t(JsonNumber::int16):
            set_integer(scalar<int16_t>());
            break;
        case uint8_t(JsonNumber::int32):
            set_integer(scalar<int32_t>());
            break;
        case uint8_t(JsonNumber::int64):
            set_integer(scalar<int64_t>());
            break;
        case uint8_t(JsonNumber::uint8):
            set_integer(scalar<uint8_t>());
            break;
        case uint8_t(JsonNumber::uint16):
            set_integer(scalar<uint16_t>());
            break;
        case uint8_t(JsonNumber::real16):
            set_real(half_to_float(scalar<uint16_t>()));
            break;
        case uint8_t(JsonNumber::real32):
            set_real(scalar<float>());
            break;
        case uint8_t(JsonNumber::real64):
            set_real(scalar<double>());
            break;
        default:
            fail(value.offset, "unknown token " + std::to_string(token));
    }
    return value;
}

bool JsonReader::at_end() {
    definitions();
    if (offset_ == size_) fail(offset_, "the file is cut short: an array does not end");
    return bytes_[offset_] == ']' || bytes_[offset_] == '}';
}

void JsonReader::expect_container(const Value& value) const {
    if (value.kind != Kind::begin_array && value.kind != Kind::begin_map) fail(value.offset, "expected an array here");
}

uint64_t JsonReader::element_bytes(const Value& array) const {
    // Booleans are bits, in words of 32.
    if (array.element == uint8_t(JsonNumber::boolean)) return array.count / 32 * 4 + (array.count % 32 ? 4 : 0);
    const uint64_t size = number_size(array.element);
    if (size == 0) fail(array.offset, "an array can't have elements of type " + std::to_string(array.element));
    // So that the product can't wrap; take() says what is wrong.
    return array.count > size_ ? array.count : array.count * size;
}

void JsonReader::skip(const Value& value) {
    if (value.kind == Kind::end) fail(value.offset, "expected a value here");
    // A counter instead of recursion: nesting can't exhaust the stack.
    uint64_t open = 0;
    Value part = value;
    while (true) {
        if (part.kind == Kind::begin_array || part.kind == Kind::begin_map) {
            ++open;
        } else if (part.kind == Kind::end) {
            --open;
        } else if (part.kind == Kind::uniform_array) {
            if (part.element == string_token) {
                for (uint64_t i = 0; i < part.count; ++i) text();
            } else if (part.element == string_reference) {
                for (uint64_t i = 0; i < part.count; ++i) reference();
            } else {
                take(element_bytes(part));
            }
        }
        if (open == 0) return;
        part = next();
    }
}

std::string_view JsonReader::string() {
    const Value value = next();
    if (value.kind != Kind::string) fail(value.offset, "expected a string here");
    return value.text;
}

int64_t JsonReader::integer() {
    const Value value = next();
    if (value.kind != Kind::integer) fail(value.offset, "expected a whole number here");
    return value.integer;
}

std::vector<std::string_view> JsonReader::strings() {
    std::vector<std::string_view> result;
    const Value array = next();
    if (array.kind == Kind::uniform_array) {
        if (array.element != string_token && array.element != string_reference)
            fail(array.offset, "expected strings here");
        for (uint64_t i = 0; i < array.count; ++i)
            result.push_back(array.element == string_token ? text() : reference());
        return result;
    }
    expect_container(array);
    for (Value value = next(); value.kind != Kind::end; value = next()) {
        if (value.kind != Kind::string) fail(value.offset, "expected a string here");
        result.push_back(value.text);
    }
    return result;
}

JsonNumbers::JsonNumbers(JsonReader& reader, const JsonReader::Value& array) : reader_(reader), array_(array) {
    using Kind = JsonReader::Kind;
    if (array_.kind == Kind::uniform_array) {
        const uint64_t bytes = reader.element_bytes(array_);
        if (bytes > reader.size_ - reader.offset_) reader.take(bytes);  // says how many are missing
    } else if (array_.kind != Kind::begin_array) {
        reader.fail(array_.offset, "expected an array of numbers here");
    }
}

template <typename T>
void JsonNumbers::take(T* to, size_t count) {
    using Kind = JsonReader::Kind;
    if (array_.kind == Kind::begin_array) {
        for (size_t i = 0; i < count; ++i) {
            const JsonReader::Value value = reader_.next();
            if (value.kind == Kind::real) {
                to[i] = converted<T>(value.real);
            } else if (value.kind == Kind::integer || value.kind == Kind::boolean) {
                to[i] = static_cast<T>(value.integer);
            } else if (value.kind == Kind::end) {
                reader_.fail(value.offset, "the array has " + std::to_string(taken_ + i) +
                                               " numbers, and more are needed for the points that the file announces");
            } else {
                reader_.fail(value.offset, "expected a number here");
            }
        }
        taken_ += count;
        return;
    }
    if (count > array_.count - taken_) {
        reader_.fail(array_.offset, "the array has " + std::to_string(array_.count) +
                                        " numbers, and more are needed for the points that the file announces");
    }
    const JsonNumber type = static_cast<JsonNumber>(array_.element);
    if (type == JsonNumber::boolean) {
        // offset_ stays at the first word until finish().
        const uint8_t* bits = reader_.bytes_ + reader_.offset_;
        for (size_t i = 0; i < count; ++i) {
            const uint64_t bit = taken_ + i;
            to[i] = static_cast<T>((bits[bit / 8] >> (bit % 8)) & 1);
        }
        taken_ += count;
        return;
    }
    const uint8_t* bytes = reader_.take(count * number_size(array_.element));
    taken_ += count;
    switch (type) {
        case JsonNumber::int8:
            convert<int8_t>(bytes, to, count);
            break;
        case JsonNumber::int16:
            convert<int16_t>(bytes, to, count);
            break;
        case JsonNumber::int32:
            convert<int32_t>(bytes, to, count);
            break;
        case JsonNumber::int64:
            convert<int64_t>(bytes, to, count);
            break;
        case JsonNumber::uint8:
            convert<uint8_t>(bytes, to, count);
            break;
        case JsonNumber::uint16:
            convert<uint16_t>(bytes, to, count);
            break;
        case JsonNumber::real16:
            for (size_t i = 0; i < count; ++i) {
                uint16_t half;
                std::memcpy(&half, bytes + 2 * i, 2);
                to[i] = converted<T>(half_to_float(half));
            }
            break;
        case JsonNumber::real32:
            convert<float>(bytes, to, count);
            break;
        case JsonNumber::real64:
            convert<double>(bytes, to, count);
            break;
        case JsonNumber::boolean:
            break;
    }
}

template void JsonNumbers::take(float*, size_t);
template void JsonNumbers::take(double*, size_t);
template void JsonNumbers::take(int64_t*, size_t);
template void JsonNumbers::take(uint8_t*, size_t);

void JsonNumbers::finish() {
    if (array_.kind == JsonReader::Kind::uniform_array) {
        if (taken_ != array_.count)
            reader_.fail(array_.offset, "the array has " + std::to_string(array_.count) + " numbers, not the " +
                                            std::to_string(taken_) + " that the file announces");
        if (array_.element == uint8_t(JsonNumber::boolean)) reader_.take(reader_.element_bytes(array_));
        return;
    }
    const JsonReader::Value value = reader_.next();
    if (value.kind != JsonReader::Kind::end)
        reader_.fail(value.offset,
                     "the array has more than the " + std::to_string(taken_) + " numbers that the file announces");
}

JsonWriter::JsonWriter(Output& output) : output_(output) {
    output_.write(magic, sizeof(magic));
}

void JsonWriter::byte(int value) {
    output_.value(static_cast<uint8_t>(value));
}

void JsonWriter::length(uint64_t value) {
    if (value < 0xf1) {
        byte(static_cast<int>(value));
    } else if (value <= 0xffff) {
        byte(0xf2);
        output_.value(static_cast<uint16_t>(value));
    } else if (value <= 0xffffffff) {
        byte(0xf4);
        output_.value(static_cast<uint32_t>(value));
    } else {
        byte(0xf8);
        output_.value(value);
    }
}

void JsonWriter::string(std::string_view text) {
    const auto [entry, fresh] = defined_.emplace(text, defined_.size());
    if (fresh) {
        byte(define_string);
        length(entry->second);
        length(text.size());
        output_.write(text.data(), text.size());
    }
    byte(string_reference);
    length(entry->second);
}

void JsonWriter::integer(int64_t value) {
    const auto put = [&](auto narrow, JsonNumber type) {
        if (static_cast<int64_t>(static_cast<decltype(narrow)>(value)) != value) return false;
        byte(static_cast<int>(type));
        output_.value(static_cast<decltype(narrow)>(value));
        return true;
    };
    put(int8_t(), JsonNumber::int8) || put(int16_t(), JsonNumber::int16) || put(int32_t(), JsonNumber::int32) ||
        put(int64_t(), JsonNumber::int64);
}

void JsonWriter::real(double value) {
    byte(static_cast<int>(JsonNumber::real64));
    output_.value(value);
}

void JsonWriter::begin_uniform(JsonNumber type, uint64_t count) {
    byte(uniform_array);
    byte(static_cast<int>(type));
    length(count);
}

}  // namespace firn
