#pragma once
// Double of <SIM/SIM_OptionsUser.h>: https://www.sidefx.com/docs/hdk/class_s_i_m___options_user.html
// and https://www.sidefx.com/docs/hdk/_s_i_m___options_user_8h.html

#include <SIM/SIM_API.h>
#include <SIM/SIM_Options.h>
#include <UT/UT_IStream.h>

class SIM_Data;

class SIM_API SIM_OptionsUser {
public:
    explicit SIM_OptionsUser(SIM_Data* owner);
    virtual ~SIM_OptionsUser();

    void optionChanged(const char* name) { optionChangedSubclass(name); }
    const SIM_Options& getOptions() const { return options_; }

protected:
    SIM_Options& getOptions() { return options_; }
    virtual void optionChangedSubclass(const char* name);

private:
    SIM_Data* owner_;
    SIM_Options options_;
};

#define GET_DATA_FUNC_I(DataName, FuncName)       \
    int64 get##FuncName() const {                 \
        return getOptions().getOptionI(DataName); \
    }
#define GET_DATA_FUNC_E(DataName, FuncName, EnumType)                    \
    EnumType get##FuncName() const {                                     \
        return static_cast<EnumType>(getOptions().getOptionI(DataName)); \
    }
#define GET_DATA_FUNC_B(DataName, FuncName)       \
    bool get##FuncName() const {                  \
        return getOptions().getOptionB(DataName); \
    }
#define GET_DATA_FUNC_F(DataName, FuncName)       \
    fpreal64 get##FuncName() const {              \
        return getOptions().getOptionF(DataName); \
    }
#define GET_DATA_FUNC_S(DataName, FuncName)        \
    const UT_StringHolder& get##FuncName() const { \
        return getOptions().getOptionS(DataName);  \
    }                                              \
    void get##FuncName(UT_String& value) const {   \
        value = get##FuncName();                   \
    }
#define GET_DATA_FUNC_V3(DataName, FuncName)       \
    const UT_Vector3D get##FuncName##D() const {   \
        return getOptions().getOptionV3(DataName); \
    }                                              \
    const UT_Vector3F get##FuncName##F() const {   \
        return UT_Vector3F(get##FuncName##D());    \
    }                                              \
    const UT_Vector3F get##FuncName() const {      \
        return UT_Vector3F(get##FuncName##D());    \
    }

#define SET_DATA_FUNC_I(DataName, FuncName)       \
    void set##FuncName(const int64 value) {       \
        getOptions().setOptionI(DataName, value); \
    }
#define SET_DATA_FUNC_E(DataName, FuncName, EnumType)               \
    void set##FuncName(const EnumType value) {                      \
        getOptions().setOptionI(DataName, static_cast<int>(value)); \
    }
#define SET_DATA_FUNC_B(DataName, FuncName)       \
    void set##FuncName(const bool value) {        \
        getOptions().setOptionB(DataName, value); \
    }
#define SET_DATA_FUNC_F(DataName, FuncName)       \
    void set##FuncName(const fpreal64 value) {    \
        getOptions().setOptionF(DataName, value); \
    }
#define SET_DATA_FUNC_S(DataName, FuncName)            \
    void set##FuncName(const UT_StringHolder& value) { \
        getOptions().setOptionS(DataName, value);      \
    }
#define SET_DATA_FUNC_V3(DataName, FuncName)                    \
    void set##FuncName(const UT_Vector3F& value) {              \
        getOptions().setOptionV3(DataName, UT_Vector3D(value)); \
    }                                                           \
    void set##FuncName(const UT_Vector3D& value) {              \
        getOptions().setOptionV3(DataName, value);              \
    }

#define GETSET_DATA_FUNCS_I(DataName, FuncName) GET_DATA_FUNC_I(DataName, FuncName) SET_DATA_FUNC_I(DataName, FuncName)
#define GETSET_DATA_FUNCS_E(DataName, FuncName, EnumType) \
    GET_DATA_FUNC_E(DataName, FuncName, EnumType) SET_DATA_FUNC_E(DataName, FuncName, EnumType)
#define GETSET_DATA_FUNCS_B(DataName, FuncName) GET_DATA_FUNC_B(DataName, FuncName) SET_DATA_FUNC_B(DataName, FuncName)
#define GETSET_DATA_FUNCS_F(DataName, FuncName) GET_DATA_FUNC_F(DataName, FuncName) SET_DATA_FUNC_F(DataName, FuncName)
#define GETSET_DATA_FUNCS_S(DataName, FuncName) GET_DATA_FUNC_S(DataName, FuncName) SET_DATA_FUNC_S(DataName, FuncName)
#define GETSET_DATA_FUNCS_V3(DataName, FuncName) \
    GET_DATA_FUNC_V3(DataName, FuncName) SET_DATA_FUNC_V3(DataName, FuncName)

#define GET_GUIDE_FUNC_I(DataName, FuncName, Default)                                  \
    int64 get##FuncName(const SIM_Options& options) const {                            \
        return options.hasOption(DataName) ? options.getOptionI(DataName) : (Default); \
    }
#define GET_GUIDE_FUNC_B(DataName, FuncName, Default)                                  \
    bool get##FuncName(const SIM_Options& options) const {                             \
        return options.hasOption(DataName) ? options.getOptionB(DataName) : (Default); \
    }
#define GET_GUIDE_FUNC_F(DataName, FuncName, Default)                                  \
    fpreal64 get##FuncName(const SIM_Options& options) const {                         \
        return options.hasOption(DataName) ? options.getOptionF(DataName) : (Default); \
    }
#define GET_GUIDE_FUNC_V3(DataName, FuncName, Default)                                                         \
    const UT_Vector3F get##FuncName(const SIM_Options& options) const {                                        \
        return UT_Vector3F(options.hasOption(DataName) ? options.getOptionV3(DataName) : UT_Vector3D Default); \
    }
