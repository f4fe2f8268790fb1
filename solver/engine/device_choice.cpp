#include "engine/device_choice.h"

#include "devices/cuda_device.h"

namespace firn {

namespace {

/// "cuda" and "cuda:2" are names of cards: -1 and 2. Throws for "cuda:" and the like.
bool names_card(const std::string& name, int& number) {
    number = -1;
    if (name == "cuda") return true;
    if (name.compare(0, 5, "cuda:") != 0) return false;
    const std::string digits = name.substr(5);
    if (digits.empty() || digits.size() > 4 || digits.find_first_not_of("0123456789") != std::string::npos) {
        throw Error("there is no device '" + name + "'; a card is cuda:0, cuda:1, ...");
    }
    number = std::stoi(digits);
    return true;
}

/// The method's table and the device's arrays are written in two places.
void require_same_layout(const Method& method, const MethodDevice& device) {
    const auto compare = [&](const ArrayLayout* rows, ArrayRole role) {
        for (const ParticleArray* array : method.own(role)) {
            if (!rows->name || std::string(rows->name) != array->name || rows->components != array->components)
                throw Error("method '" + std::string(method.info.name) + "': its device has another array than '" +
                            array->name + "'");
            ++rows;
        }
        if (rows->name) throw Error("method '" + std::string(method.info.name) + "' has no array '" + rows->name + "'");
    };
    compare(device.layout().state, ArrayRole::state);
    compare(device.layout().inputs, ArrayRole::input);
    compare(device.layout().results, ArrayRole::result);
}

std::unique_ptr<MethodDevice> made(const Method& method, MethodMakers::Make make, int where) {
    std::unique_ptr<MethodDevice> device = make(where);
    require_same_layout(method, *device);
    return device;
}

}  // namespace

std::unique_ptr<MethodDevice> make_cpu(const Method& method, const std::string& name, int threads) {
    const MethodMakers& make = method.make;
#if defined(__x86_64__)
    const bool wide = make.lanes8 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
    const bool wide = false;
#endif
    const bool any = name == "auto" || name == "cpu";
    if (name == "cpu:8" && !wide) {
        throw Error("device cpu:8 needs a processor with AVX2 and FMA, which this is not; use cpu");
    }
    if (wide && (any || name == "cpu:8")) return made(method, make.lanes8, threads);
    if (make.lanes4 && (any || name == "cpu:4")) return made(method, make.lanes4, threads);
    if (any || name == "cpu:1") return made(method, make.lanes1, threads);
    throw Error("there is no device '" + name + "'; use auto, cpu, cpu:8, cpu:4, cpu:1, cuda or cuda:N");
}

ChosenDevice fall_back_to_cpu(const Method& method, int threads, const std::string& reason) {
    return {make_cpu(method, "cpu", threads), "", "Firn runs on the CPU: " + reason, true};
}

ChosenDevice choose_device(const Method& method, const std::string& name, int threads) {
    int number = -1;
    const bool any = name == "auto";
    if (!any && !names_card(name, number)) return {make_cpu(method, name, threads), "", "", false};
    CudaAnswer answer = ask_cuda(number);
    if (answer.device >= 0) {
        try {
            return {made(method, method.make.cuda, answer.device), answer.text, "", false};
        } catch (const Error& error) {
            answer.text += " can't be used: " + std::string(error.what());
        }
    }
    if (!any) throw Error("device " + name + ": " + answer.text + "; or use device = cpu");
    ChosenDevice chosen = fall_back_to_cpu(method, threads, answer.text);
    chosen.notice_is_news = answer.present;
    return chosen;
}

}  // namespace firn
