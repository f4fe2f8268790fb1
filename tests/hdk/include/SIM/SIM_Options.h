#pragma once
// Fake of <SIM/SIM_Options.h>: https://www.sidefx.com/docs/hdk/class_s_i_m___options.html
// Values by name, which tell their owner when they change.

#include <OP/OP_Options.h>
#include <SIM/SIM_API.h>

class SIM_OptionsUser;

class SIM_API SIM_Options : public OP_Options {
public:
    explicit SIM_Options() = default;
    explicit SIM_Options(SIM_OptionsUser* owner) : owner_(owner) {}
    ~SIM_Options() override = default;
    const SIM_Options& operator=(const SIM_Options& src);

protected:
    void optionChanged(const UT_StringHolder& name) override;

private:
    SIM_OptionsUser* owner_ = nullptr;
};
