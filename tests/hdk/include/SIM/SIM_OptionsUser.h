#pragma once
// Fake of <SIM/SIM_OptionsUser.h>: https://www.sidefx.com/docs/hdk/class_s_i_m___options_user.html
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

// Options as members: reading through a type's own reader of the options, writing through its own writer.
#define HDK_FAKE_READ(Result, Function, Reader, Name) \
    Result get##Function() const {                    \
        return Result(getOptions().Reader(Name));     \
    }
#define HDK_FAKE_WRITE(Value, Stored, Function, Writer, Name) \
    void set##Function(Value given) {                         \
        getOptions().Writer(Name, Stored(given));             \
    }

#define GETSET_DATA_FUNCS_I(Name, Function)          \
    HDK_FAKE_READ(int64, Function, getOptionI, Name) \
    HDK_FAKE_WRITE(int64, int64, Function, setOptionI, Name)
#define GETSET_DATA_FUNCS_B(Name, Function)         \
    HDK_FAKE_READ(bool, Function, getOptionB, Name) \
    HDK_FAKE_WRITE(bool, bool, Function, setOptionB, Name)
#define GETSET_DATA_FUNCS_F(Name, Function)             \
    HDK_FAKE_READ(fpreal64, Function, getOptionF, Name) \
    HDK_FAKE_WRITE(fpreal64, fpreal64, Function, setOptionF, Name)
#define GETSET_DATA_FUNCS_S(Name, Function)                    \
    HDK_FAKE_READ(UT_StringHolder, Function, getOptionS, Name) \
    HDK_FAKE_WRITE(const UT_StringHolder&, UT_StringHolder, Function, setOptionS, Name)
#define GETSET_DATA_FUNCS_V3(Name, Function)                                     \
    HDK_FAKE_READ(UT_Vector3F, Function, getOptionV3, Name)                      \
    HDK_FAKE_READ(UT_Vector3F, Function##F, getOptionV3, Name)                   \
    HDK_FAKE_READ(UT_Vector3D, Function##D, getOptionV3, Name)                   \
    HDK_FAKE_WRITE(const UT_Vector3F&, UT_Vector3D, Function, setOptionV3, Name) \
    HDK_FAKE_WRITE(const UT_Vector3D&, UT_Vector3D, Function, setOptionV3, Name)

#define GET_DATA_FUNC_F(Name, Function) HDK_FAKE_READ(fpreal64, Function, getOptionF, Name)
#define GET_DATA_FUNC_I(Name, Function) HDK_FAKE_READ(int64, Function, getOptionI, Name)
#define GET_DATA_FUNC_S(Name, Function) HDK_FAKE_READ(UT_StringHolder, Function, getOptionS, Name)
#define GET_DATA_FUNC_V2(Name, Function) HDK_FAKE_READ(UT_Vector2, Function, getOptionV2, Name)
#define GET_DATA_FUNC_V3(Name, Function)                       \
    HDK_FAKE_READ(UT_Vector3, Function, getOptionV3, Name)     \
    HDK_FAKE_READ(UT_Vector3F, Function##F, getOptionV3, Name) \
    HDK_FAKE_READ(UT_Vector3D, Function##D, getOptionV3, Name)
#define GET_DATA_FUNC_B(Name, Function) HDK_FAKE_READ(bool, Function, getOptionB, Name)

// The same of the parameters of a node's guide geometry, which are handed in; what is not there is the default.
#define HDK_FAKE_GUIDE(Result, Function, Reader, Name, Default)                         \
    Result get##Function(const SIM_Options& options) const {                            \
        return options.hasOption(Name) ? Result(options.Reader(Name)) : Result Default; \
    }
#define GET_GUIDE_FUNC_I(Name, Function, Default) HDK_FAKE_GUIDE(int64, Function, getOptionI, Name, (Default))
#define GET_GUIDE_FUNC_B(Name, Function, Default) HDK_FAKE_GUIDE(bool, Function, getOptionB, Name, (Default))
#define GET_GUIDE_FUNC_F(Name, Function, Default) HDK_FAKE_GUIDE(fpreal64, Function, getOptionF, Name, (Default))
#define GET_GUIDE_FUNC_S(Name, Function, Default) HDK_FAKE_GUIDE(UT_StringHolder, Function, getOptionS, Name, (Default))
#define GET_GUIDE_FUNC_V3(Name, Function, Default) HDK_FAKE_GUIDE(UT_Vector3, Function, getOptionV3, Name, Default)
