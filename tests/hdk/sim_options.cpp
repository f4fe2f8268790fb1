// UT_Options, OP_Options, SIM_Options and the stream they are read from.

#include <OP/OP_Options.h>
#include <PRM/PRM_Template.h>
#include <SIM/SIM_Data.h>
#include <SIM/SIM_OptionsUser.h>
#include <UT/UT_IStream.h>

#include <cstring>
#include <ostream>

namespace {

template <class T>
void put(std::ostream& os, const T& value) {
    os.write(reinterpret_cast<const char*>(&value), sizeof value);
}

void put_text(std::ostream& os, const std::string& text) {
    put(os, static_cast<uint64>(text.size()));
    os.write(text.data(), static_cast<std::streamsize>(text.size()));
}

template <class T>
bool take(UT_IStream& is, T& value) {
    return is.bread(reinterpret_cast<char*>(&value), sizeof value) == sizeof value;
}

bool take_text(UT_IStream& is, std::string& text) {
    uint64 size = 0;
    if (!take(is, size) || size > (uint64(1) << 32)) return false;
    text.resize(size);
    return is.bread(text.data(), static_cast<exint>(size)) == static_cast<exint>(size);
}

// As in the real one's stream of options, whole numbers have 32 bits; only its JSON form has 64.
void put_value(std::ostream& os, int64 value) {
    put(os, static_cast<int32>(value));
}
void put_value(std::ostream& os, const UT_StringHolder& value) {
    put_text(os, value.toStdString());
}
template <class T>
void put_value(std::ostream& os, const T& value) {
    put(os, value);
}

template <class T>
void put_value(std::ostream& os, const UT_Array<T>& value) {
    put(os, value.entries());
    for (const T& item : value) put_value(os, item);
}

bool take_value(UT_IStream& is, int64& value) {
    int32 narrow = 0;
    if (!take(is, narrow)) return false;
    value = narrow;
    return true;
}
bool take_value(UT_IStream& is, UT_StringHolder& value) {
    std::string text;
    if (!take_text(is, text)) return false;
    value = text;
    return true;
}
template <class T>
bool take_value(UT_IStream& is, T& value) {
    return take(is, value);
}
template <class T>
bool take_value(UT_IStream& is, UT_Array<T>& value) {
    exint size = 0;
    if (!take(is, size) || size < 0) return false;
    value.clear();
    for (exint i = 0; i < size; ++i) {
        T item;
        if (!take_value(is, item)) return false;
        value.append(item);
    }
    return true;
}

}  // namespace

exint UT_IStream::bread(char* buffer, exint asize) {
    const size_t there = std::min(static_cast<size_t>(asize), bytes_.size() - at_);
    std::memcpy(buffer, bytes_.data() + at_, there);
    at_ += there;
    if (there < static_cast<size_t>(asize)) error_ = true;
    return static_cast<exint>(there);
}

template <class T>
const T& UT_Options::get(const UT_StringRef& name) const {
    static const T none{};
    const auto at = values_.find(name.toStdString());
    const T* value = at == values_.end() ? nullptr : std::get_if<T>(&at->second);
    return value ? *value : none;
}

UT_Options& UT_Options::set(const UT_StringHolder& name, Value value) {
    values_[name.toStdString()] = std::move(value);
    optionChanged(name);
    return *this;
}

void UT_Options::optionChanged(const UT_StringHolder&) {}

void UT_Options::removeOption(const UT_StringHolder& name) {
    if (values_.erase(name.toStdString())) optionChanged(name);
}

void UT_Options::merge(const UT_Options& src) {
    for (const auto& [name, value] : src.values_) set(UT_StringHolder(name), value);
}

int64 UT_Options::getMemoryUsage(bool inclusive) const {
    int64 bytes = inclusive ? static_cast<int64>(sizeof *this) : 0;
    for (const auto& [name, value] : values_) {
        bytes += static_cast<int64>(name.size() + sizeof value);
        if (const auto* reals = std::get_if<UT_Fpreal64Array>(&value)) bytes += 8 * reals->entries();
        if (const auto* integers = std::get_if<UT_Int64Array>(&value)) bytes += 8 * integers->entries();
    }
    return bytes;
}

int64 UT_Options::getOptionI(const UT_StringRef& name) const {
    return get<int64>(name);
}
bool UT_Options::getOptionB(const UT_StringRef& name) const {
    return get<bool>(name);
}
fpreal64 UT_Options::getOptionF(const UT_StringRef& name) const {
    return get<fpreal64>(name);
}
const UT_Vector2D& UT_Options::getOptionV2(const UT_StringRef& name) const {
    return get<UT_Vector2D>(name);
}
const UT_Vector3D& UT_Options::getOptionV3(const UT_StringRef& name) const {
    return get<UT_Vector3D>(name);
}
const UT_StringHolder& UT_Options::getOptionS(const UT_StringRef& name) const {
    return get<UT_StringHolder>(name);
}
const UT_Int64Array& UT_Options::getOptionIArray(const UT_StringRef& name) const {
    return get<UT_Int64Array>(name);
}
const UT_Fpreal64Array& UT_Options::getOptionFArray(const UT_StringRef& name) const {
    return get<UT_Fpreal64Array>(name);
}

bool UT_Options::importOption(const UT_StringRef& name, fpreal64& value) const {
    const auto at = values_.find(name.toStdString());
    if (at == values_.end()) return false;
    if (const auto* real = std::get_if<fpreal64>(&at->second))
        value = *real;
    else if (const auto* integer = std::get_if<int64>(&at->second))
        value = static_cast<fpreal64>(*integer);
    else if (const auto* toggle = std::get_if<bool>(&at->second))
        value = *toggle ? 1 : 0;
    else
        return false;
    return true;
}

UT_Options& UT_Options::setOptionI(const UT_StringHolder& name, int64 value) {
    return set(name, value);
}
UT_Options& UT_Options::setOptionB(const UT_StringHolder& name, bool value) {
    return set(name, value);
}
UT_Options& UT_Options::setOptionF(const UT_StringHolder& name, fpreal64 value) {
    return set(name, value);
}
UT_Options& UT_Options::setOptionV2(const UT_StringHolder& name, const UT_Vector2D& value) {
    return set(name, value);
}
UT_Options& UT_Options::setOptionV3(const UT_StringHolder& name, const UT_Vector3D& value) {
    return set(name, value);
}
UT_Options& UT_Options::setOptionS(const UT_StringHolder& name, const UT_StringHolder& value) {
    return set(name, value);
}
UT_Options& UT_Options::setOptionIArray(const UT_StringHolder& name, const UT_Int64Array& value) {
    return set(name, value);
}
UT_Options& UT_Options::setOptionFArray(const UT_StringHolder& name, const UT_Fpreal64Array& value) {
    return set(name, value);
}

bool UT_Options::save(const char*, std::ostream& os) const {
    put(os, static_cast<uint64>(values_.size()));
    for (const auto& [name, value] : values_) {
        put_text(os, name);
        put(os, static_cast<uint64>(value.index()));
        std::visit([&](const auto& v) { put_value(os, v); }, value);
    }
    return bool(os);
}

bool UT_Options::load(const char*, UT_IStream& is) {
    uint64 count = 0;
    if (!take(is, count)) return false;
    std::map<std::string, Value> values;
    for (uint64 k = 0; k < count; ++k) {
        std::string name;
        uint64 index = 0;
        if (!take_text(is, name) || !take(is, index)) return false;
        bool whole = false;
        const auto read_as = [&](auto empty) {
            whole = take_value(is, empty);
            values[name] = empty;
        };
        switch (index) {
            case 0:
                read_as(int64());
                break;
            case 1:
                read_as(bool());
                break;
            case 2:
                read_as(fpreal64());
                break;
            case 3:
                read_as(UT_Vector3D());
                break;
            case 4:
                read_as(UT_StringHolder());
                break;
            case 5:
                read_as(UT_Int64Array());
                break;
            case 6:
                read_as(UT_Fpreal64Array());
                break;
            case 7:
                read_as(UT_Vector2D());
                break;
            default:
                return false;
        }
        if (!whole) return false;
    }
    values_ = std::move(values);
    optionChanged(UT_StringHolder());
    return true;
}

void OP_Options::setOptionFromTemplateDefault(const PRM_Template& tp) {
    const UT_StringHolder name(tp.getToken());
    switch (tp.getType()) {
        case PRM_TOGGLE:
        case PRM_TOGGLE_J:
            setOptionB(name, tp.getDefault(0).getFloat() != 0);
            break;
        case PRM_INT:
        case PRM_INT_J:
        case PRM_ORD:
            setOptionI(name, static_cast<int64>(tp.getDefault(0).getFloat()));
            break;
        case PRM_STRING:
            setOptionS(name, UT_StringHolder(tp.getDefault(0).getString()));
            break;
        case PRM_FLT:
        case PRM_FLT_J:
        case PRM_XYZ:
        case PRM_XYZ_J:
        case PRM_RGB:
        case PRM_RGB_J:
            if (tp.getVectorSize() == 3)
                setOptionV3(name, UT_Vector3D(tp.getDefault(0).getFloat(), tp.getDefault(1).getFloat(),
                                              tp.getDefault(2).getFloat()));
            else if (tp.getVectorSize() == 2)
                setOptionV2(name, UT_Vector2D(tp.getDefault(0).getFloat(), tp.getDefault(1).getFloat()));
            else
                setOptionF(name, tp.getDefault(0).getFloat());
            break;
        default:
            break;  // buttons, labels and folders have no value
    }
}

const SIM_Options& SIM_Options::operator=(const SIM_Options& src) {
    UT_Options::operator=(src);
    optionChanged(UT_StringHolder());
    return *this;
}

void SIM_Options::optionChanged(const UT_StringHolder& name) {
    if (owner_) owner_->optionChanged(name.isEmpty() ? nullptr : name.c_str());
}

SIM_OptionsUser::SIM_OptionsUser(SIM_Data* owner) : owner_(owner), options_(this) {
    owner_->options_ = &options_;
}

SIM_OptionsUser::~SIM_OptionsUser() {
    owner_->options_ = nullptr;
}

void SIM_OptionsUser::optionChangedSubclass(const char*) {
    owner_->handleModification();
}
