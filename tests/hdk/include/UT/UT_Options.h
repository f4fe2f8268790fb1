#pragma once
// Fake of <UT/UT_Options.h>: https://www.sidefx.com/docs/hdk/class_u_t___options.html
// Values by name. As there, a value is read as what it was set as; of another type, or missing, it is zero or empty.

#include <SYS/SYS_Types.h>
#include <UT/UT_API.h>
#include <UT/UT_StringHolder.h>
#include <UT/UT_ValArray.h>
#include <UT/UT_Vector2.h>
#include <UT/UT_Vector3.h>

#include <iosfwd>
#include <map>
#include <string>
#include <variant>

class UT_IStream;

class UT_API UT_Options {
public:
    UT_Options() = default;
    UT_Options(const UT_Options&) = default;
    UT_Options& operator=(const UT_Options&) = default;
    virtual ~UT_Options() = default;

    void clear() { values_.clear(); }
    bool hasOption(const UT_StringRef& name) const { return values_.count(name.toStdString()) != 0; }
    void removeOption(const UT_StringHolder& name);
    int getNumOptions() const { return static_cast<int>(values_.size()); }
    /// Takes over what `src` has, and keeps the rest.
    void merge(const UT_Options& src);
    virtual int64 getMemoryUsage(bool inclusive) const;

    int64 getOptionI(const UT_StringRef& name) const;
    bool getOptionB(const UT_StringRef& name) const;
    fpreal64 getOptionF(const UT_StringRef& name) const;
    const UT_Vector2D& getOptionV2(const UT_StringRef& name) const;
    const UT_Vector3D& getOptionV3(const UT_StringRef& name) const;
    const UT_StringHolder& getOptionS(const UT_StringRef& name) const;
    const UT_Int64Array& getOptionIArray(const UT_StringRef& name) const;
    const UT_Fpreal64Array& getOptionFArray(const UT_StringRef& name) const;

    /// Also of an integer or a toggle; false where there is none.
    bool importOption(const UT_StringRef& name, fpreal64& value) const;

    UT_Options& setOptionI(const UT_StringHolder& name, int64 value);
    UT_Options& setOptionB(const UT_StringHolder& name, bool value);
    UT_Options& setOptionF(const UT_StringHolder& name, fpreal64 value);
    UT_Options& setOptionV2(const UT_StringHolder& name, const UT_Vector2D& value);
    UT_Options& setOptionV3(const UT_StringHolder& name, const UT_Vector3D& value);
    UT_Options& setOptionS(const UT_StringHolder& name, const UT_StringHolder& value);
    UT_Options& setOptionIArray(const UT_StringHolder& name, const UT_Int64Array& value);
    UT_Options& setOptionFArray(const UT_StringHolder& name, const UT_Fpreal64Array& value);

    bool load(const char* filename, UT_IStream& is);
    bool save(const char* filename, std::ostream& os) const;

protected:
    virtual void optionChanged(const UT_StringHolder& name);

private:
    using Value =
        std::variant<int64, bool, fpreal64, UT_Vector3D, UT_StringHolder, UT_Int64Array, UT_Fpreal64Array, UT_Vector2D>;
    template <class T>
    const T& get(const UT_StringRef& name) const;
    UT_Options& set(const UT_StringHolder& name, Value value);

    std::map<std::string, Value> values_;
};
