// Figures of the CUDA device without a card: what the kernels of one step do, counted while nvcc's PTX runs on the CPU
// (tests/cuda_on_cpu), what ptxas says of them, and from both an estimate of a step's time on some cards.
// usage: gpu_report OUT.json MEASURED [ARCHITECTURE PTXAS_LOG]...

#include <cuda_occupancy.h>
#include <cxxabi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "control.h"
#include "firn/error.h"
#include "gpu_cards.h"
#include "gpu_scene.h"

namespace {

using firn::cuda_on_cpu::Counters;
using firn::cuda_on_cpu::KernelWork;

constexpr double target_count = 1e6;
constexpr int side = 32;  ///< particles along an edge of the scene that is counted

// The model's assumptions.
constexpr double dram_share = 0.8;       ///< of the data sheet's bandwidth that a kernel reaches
constexpr double issue_share = 0.7;      ///< of the issue slots and of the float units
constexpr double special_flops = 10;     ///< of one division, root or exponential
constexpr double launch_seconds = 3e-6;  ///< no kernel takes less
constexpr double wait_seconds = 10e-6;   ///< that the card stands still when the host waits
const char* const assumptions[] = {
    "A kernel takes the longest of its DRAM, L1, float, double, instruction and launch times; kernels run one after "
    "another.",
    "DRAM bytes: each 32-byte sector that a launch touches once for reading and once for writing, counted from the "
    "executed "
    "PTX; nothing stays in a cache between launches; 80 % of the data sheet's bandwidth.",
    "L1 bytes: all that loads and stores ask for, at 64 (Turing) or 128 bytes a clock and multiprocessor.",
    "Pessimistic: besides, all those bytes pass the L2 cache, as if L1 never hit.",
    "Floats: fused multiply-add 2, add, multiply, compare 1, division, root, exponential 10; 70 % of the peak.",
    "Instructions: one of PTX counts as one of the card, 128 a clock and multiprocessor, 70 %; threads of a warp that "
    "part "
    "ways are not accounted for.",
    "No kernel takes less than 3 us (launch); each wait of the host costs 10 us.",
    "Counted at 32,768 particles in a container, about 33 neighbours each, and scaled to 1 M by the count; launches "
    "are not.",
};

struct PtxasFigures {
    int registers = 0, spill_bytes = 0, shared_bytes = 0;
};
/// By architecture and mangled name.
using PtxasTable = std::map<int, std::map<std::string, PtxasFigures>>;

void read_ptxas(PtxasTable& table, int architecture, const char* path) {
    std::ifstream in(path);
    std::string line, kernel;
    while (std::getline(in, line)) {
        const size_t entry = line.find("Compiling entry function '");
        if (entry != std::string::npos) {
            const size_t start = entry + 26;
            kernel = line.substr(start, line.find('\'', start) - start);
            table[architecture][kernel] = {};
            continue;
        }
        if (kernel.empty()) continue;
        PtxasFigures& figures = table[architecture][kernel];
        int stack = 0, stores = 0, loads = 0;
        if (std::sscanf(line.c_str(), " %d bytes stack frame, %d bytes spill stores, %d bytes spill loads", &stack,
                        &stores, &loads) == 3) {
            figures.spill_bytes = stores + loads;
        }
        const size_t used = line.find("Used ");
        if (used != std::string::npos) {
            figures.registers = std::atoi(line.c_str() + used + 5);
            const size_t shared = line.find(" bytes smem");
            if (shared != std::string::npos) {
                const size_t start = line.rfind(' ', shared - 1) + 1;
                figures.shared_bytes = std::atoi(line.c_str() + start);
            }
            kernel.clear();
        }
    }
}

/// "Density" for void firn::cuda::run_each<firn::cuda::Density>(...), "sum of X, then Y" for a reduction.
std::string short_name(const std::string& mangled) {
    int status = 0;
    char* const text = abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status);
    std::string name = status == 0 ? text : mangled;
    std::free(text);
    for (size_t at; (at = name.find("firn::cuda::")) != std::string::npos;) name.erase(at, 12);
    const auto between = [&](const char* start) {
        const size_t from = name.find(start) + std::string(start).size();
        int depth = 1;
        size_t to = from;
        for (; to < name.size() && depth > 0; ++to) depth += (name[to] == '<') - (name[to] == '>');
        return name.substr(from, to - 1 - from);
    };
    if (name.find("run_each<") != std::string::npos) return between("run_each<");
    if (name.find("run_once<") != std::string::npos) return "once " + between("run_once<");
    if (name.find("run_reduction<") != std::string::npos) {
        std::string inside = between("run_reduction<");  // 2, true, Kernel, Then
        const bool adds = inside.find("true") != std::string::npos;
        inside = inside.substr(inside.find(',', inside.find(',') + 1) + 2);
        const size_t comma = inside.rfind(", ");
        const std::string then = inside.substr(comma + 2);
        return (adds ? "sum " : "max ") + inside.substr(0, comma) + (then == "Nothing" ? "" : ", " + then);
    }
    const size_t cub = name.find("Device");
    if (name.find("cub::") != std::string::npos && cub != std::string::npos) {
        const size_t end = name.find_first_of("<(", cub);
        return "CUB " + name.substr(cub, end - cub);
    }
    return name.substr(0, name.find('('));
}

struct Kernel {
    std::string mangled, name;
    KernelWork work;
};

struct Step {
    size_t particles = 0;
    Counters counters;
    std::vector<Kernel> kernels;
};

/// One step of the scene on the emulated card, after others. As Houdini does, the host has taken the state before; else
/// the engine would take it, for the case that the card fails.
Step count_step(int edge, gpu_scene::Iterations iterations, int before, bool sectors) {
    Step step;
    firn::cuda_on_cpu::reset();
    firn::Engine engine(gpu_scene::parameters(iterations), "cuda");
    step.particles = gpu_scene::fill(engine, edge);
    for (int k = 0; k < before; ++k) engine.advance(gpu_scene::step_seconds);
    firn::Particles state;
    engine.download(state);
    firn::cuda_on_cpu::count_sectors(sectors);
    firn::cuda_on_cpu::clear_counters();
    engine.advance(gpu_scene::step_seconds);
    step.counters = firn::cuda_on_cpu::counters();
    for (const auto& each : firn::cuda_on_cpu::kernel_counts()) {
        step.kernels.push_back({each.name, short_name(each.name), each.work});
    }
    return step;
}

/// Memory of the card for each particle of snow without boundaries, neighbour lists and scratch included.
double bytes_of_snow() {
    firn::cuda_on_cpu::reset();
    firn::Engine engine(gpu_scene::parameters({}), "cuda");
    const size_t particles = gpu_scene::fill(engine, side, false);
    engine.advance(gpu_scene::step_seconds);
    return static_cast<double>(firn::cuda_on_cpu::counters().live_bytes) / static_cast<double>(particles);
}

uint64_t launches(const Step& step) {
    return step.counters.launches + step.counters.graph_launches;
}

struct Counted {
    Step step;                              ///< of the scene
    Step small, more_pressure, more_shear;  ///< of a small one, and with one iteration more
    double bytes_per_particle = 0;
};

double occupancy(const GpuCard& card, const PtxasFigures& figures, uint64_t block_threads) {
    cudaOccDeviceProp device{};
    device.computeMajor = card.architecture / 10;
    device.computeMinor = card.architecture % 10;
    device.maxThreadsPerBlock = 1024;
    device.maxThreadsPerMultiprocessor = card.threads;
    device.regsPerBlock = device.regsPerMultiprocessor = 65536;
    device.warpSize = 32;
    device.sharedMemPerBlock = 48 * 1024;
    device.sharedMemPerMultiprocessor = static_cast<size_t>(card.shared_kb) * 1024;
    device.numSms = card.multiprocessors;
    device.sharedMemPerBlockOptin = static_cast<size_t>(card.shared_block_kb) * 1024;
    device.reservedSharedMemPerBlock = card.architecture >= 80 ? 1024 : 0;
    cudaOccFuncAttributes function{};
    function.maxThreadsPerBlock = 1024;
    function.numRegs = figures.registers;
    function.sharedSizeBytes = static_cast<size_t>(figures.shared_bytes);
    function.partitionedGCConfig = PARTITIONED_GC_OFF;
    function.shmemLimitConfig = FUNC_SHMEM_LIMIT_DEFAULT;
    function.maxDynamicSharedSizeBytes = 48 * 1024;
    cudaOccDeviceState device_state{};
    cudaOccResult result{};
    if (cudaOccMaxActiveBlocksPerMultiprocessor(&result, &device, &function, &device_state,
                                                static_cast<int>(block_threads), 0) != CUDA_OCC_SUCCESS) {
        return 0;
    }
    return result.activeBlocksPerMultiprocessor * static_cast<double>(block_threads) / card.threads;
}

struct Estimate {
    double seconds = 0;  ///< all launches of the kernel in one step
    double pessimistic = 0;
    const char* bound = "";
};

Estimate estimate(const GpuCard& card, const KernelWork& work, double scale) {
    const double n = static_cast<double>(work.launches);
    // A launch over few threads does not grow with the scene.
    const double s = work.threads > 256 * work.launches ? scale : 1;
    const auto of = [&](uint64_t count) { return s * static_cast<double>(count); };
    const double clocks = card.clock_ghz * 1e9 * card.multiprocessors;
    const double dram = 32 * of(work.sectors_loaded + work.sectors_stored) / (card.dram_gbs * 1e9 * dram_share);
    const double bytes = of(work.bytes_loaded + work.bytes_stored);
    const double l1 = bytes / (clocks * card.l1_bytes);
    const double floats =
        (of(work.flops) + special_flops * of(work.special)) / (card.float_tflops * 1e12 * issue_share);
    const double doubles = of(work.double_flops) / (card.double_tflops * 1e12 * issue_share);
    const double issue = of(work.instructions) / (clocks * 128 * issue_share);
    const std::pair<double, const char*> bounds[] = {{dram, "DRAM"},    {l1, "L1"},
                                                     {floats, "float"}, {doubles, "double"},
                                                     {issue, "issue"},  {n * launch_seconds, "launch"}};
    const auto longest = *std::max_element(std::begin(bounds), std::end(bounds),
                                           [](const auto& a, const auto& b) { return a.first < b.first; });
    return {longest.first, std::max(longest.first, bytes / (card.l2_gbs * 1e9)), longest.second};
}

struct CardTime {
    double ms = 0, pessimistic_ms = 0, launch_bound_ms = 0, waits_ms = 0;
    std::map<std::string, double> bound_ms;
};

CardTime card_time(const GpuCard& card, const Step& step) {
    CardTime out;
    const double scale = target_count / static_cast<double>(step.particles);
    for (const Kernel& kernel : step.kernels) {
        const Estimate e = estimate(card, kernel.work, scale);
        out.ms += 1e3 * e.seconds;
        out.pessimistic_ms += 1e3 * e.pessimistic;
        out.bound_ms[e.bound] += 1e3 * e.seconds;
    }
    out.launch_bound_ms = out.bound_ms["launch"];
    out.waits_ms = 1e3 * wait_seconds * static_cast<double>(step.counters.synchronisations);
    out.ms += out.waits_ms;
    out.pessimistic_ms += out.waits_ms;
    return out;
}

/// What gpu_measure wrote.
struct Measured {
    bool there = false;
    double count = 0, total = 0, phases[5] = {};
    std::string device;
};

Measured read_measured(const char* path) {
    Measured m;
    std::ifstream in(path);
    m.there = bool(in >> m.count >> m.total >> m.phases[0] >> m.phases[1] >> m.phases[2] >> m.phases[3] >> m.phases[4]);
    std::getline(in >> std::ws, m.device);
    return m;
}

std::string quoted(const std::string& text) {
    std::string out = "\"";
    for (char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        out += c;
    }
    return out + "\"";
}

void write_json(const char* path, const Counted& counted, const PtxasTable& ptxas, const Measured& measured) {
    const Step &step = counted.step, &small = counted.small;
    const Step &more_pressure = counted.more_pressure, &more_shear = counted.more_shear;
    std::ostringstream out;
    const double n = static_cast<double>(step.particles);
    out << "{\n  \"particles_counted\": " << step.particles
        << ",\n  \"pressure_iterations\": 6,\n  \"shear_iterations\": 4,\n";
    out << "  \"launches_per_step\": " << launches(step) << ",\n";
    out << "  \"launches_per_pressure_iteration\": " << launches(more_pressure) - launches(small) << ",\n";
    out << "  \"launches_per_shear_iteration\": " << launches(more_shear) - launches(small) << ",\n";
    out << "  \"host_syncs_per_step\": " << step.counters.synchronisations << ",\n";
    out << "  \"host_syncs_per_pressure_iteration\": "
        << static_cast<int64_t>(more_pressure.counters.synchronisations - small.counters.synchronisations) << ",\n";
    out << "  \"host_syncs_per_shear_iteration\": "
        << static_cast<int64_t>(more_shear.counters.synchronisations - small.counters.synchronisations) << ",\n";
    out << "  \"allocations_per_step\": " << step.counters.allocations << ",\n";
    out << "  \"bytes_to_device_per_step\": " << step.counters.bytes_to_device << ",\n";
    out << "  \"bytes_to_host_per_step\": " << step.counters.bytes_to_host << ",\n";
    out << "  \"bytes_per_particle\": " << counted.bytes_per_particle << ",\n";
    const auto by_card = [&](const char* key, auto&& value) {
        out << "  \"" << key << "\": {";
        const char* comma = "";
        for (const GpuCard& card : gpu_cards()) {
            out << comma << quoted(card.name) << ": " << value(card);
            comma = ", ";
        }
        out << "},\n";
    };
    by_card("roofline_ms_1m", [&](const GpuCard& card) { return card_time(card, step).ms; });
    by_card("pessimistic_ms_1m", [&](const GpuCard& card) { return card_time(card, step).pessimistic_ms; });
    by_card("launch_bound_ms_1m", [&](const GpuCard& card) { return card_time(card, step).launch_bound_ms; });
    if (measured.there) {
        out << "  \"measured\": {\"device\": " << quoted(measured.device) << ", \"particles\": " << measured.count
            << ", \"step_ms\": " << measured.total << ", \"neighbours_ms\": " << measured.phases[0]
            << ", \"properties_ms\": " << measured.phases[1] << ", \"pressure_ms\": " << measured.phases[2]
            << ", \"shear_ms\": " << measured.phases[3] << ", \"integrate_ms\": " << measured.phases[4] << "},\n";
    } else {
        out << "  \"measured\": null,\n";
    }
    out << "  \"assumptions\": [";
    const char* comma = "\n";
    for (const char* text : assumptions) {
        out << comma << "    " << quoted(text);
        comma = ",\n";
    }
    out << "\n  ],\n  \"kernels\": [";
    comma = "\n";
    for (const Kernel& kernel : step.kernels) {
        const auto per = [&](uint64_t count) { return static_cast<double>(count) / n; };
        const KernelWork& w = kernel.work;
        out << comma << "    {\"name\": " << quoted(kernel.name) << ", \"launches\": " << w.launches
            << ", \"block_threads\": " << w.block_threads;
        comma = ",\n";
        int spill = 0;
        for (const auto& [arch, table] : ptxas) {
            const auto found = table.find(kernel.mangled);
            if (found != table.end()) spill = std::max(spill, found->second.spill_bytes);
        }
        const auto table = ptxas.find(75);
        const PtxasFigures figures = table != ptxas.end() && table->second.count(kernel.mangled)
                                         ? table->second.at(kernel.mangled)
                                         : PtxasFigures{};
        out << ", \"registers\": " << figures.registers << ", \"spill_bytes\": " << spill
            << ", \"shared_bytes\": " << figures.shared_bytes << ", \"occupancy\": {";
        const char* inner = "";
        for (const GpuCard& card : gpu_cards()) {
            const auto own = ptxas.find(card.architecture);
            const PtxasFigures f =
                own != ptxas.end() && own->second.count(kernel.mangled) ? own->second.at(kernel.mangled) : figures;
            char number[32];
            std::snprintf(number, sizeof number, "%.3g", occupancy(card, f, w.block_threads));
            out << inner << quoted(card.name) << ": " << number;
            inner = ", ";
        }
        out << "}, \"per_particle\": {\"bytes_loaded\": " << per(w.bytes_loaded)
            << ", \"bytes_stored\": " << per(w.bytes_stored) << ", \"dram_bytes_read\": " << 32 * per(w.sectors_loaded)
            << ", \"dram_bytes_written\": " << 32 * per(w.sectors_stored) << ", \"flops\": " << per(w.flops)
            << ", \"special\": " << per(w.special) << ", \"double_flops\": " << per(w.double_flops)
            << ", \"instructions\": " << per(w.instructions) << "}}";
    }
    out << "\n  ]\n}\n";
    const std::string temporary = std::string(path) + ".tmp";
    FILE* const file = std::fopen(temporary.c_str(), "w");
    const bool good = file && std::fputs(out.str().c_str(), file) >= 0;
    if (!file || std::fclose(file) != 0 || !good || std::rename(temporary.c_str(), path) != 0) {
        throw firn::Error(std::string("can't write ") + path);
    }
}

void print_tables(const Counted& counted, const PtxasTable& ptxas, const Measured& measured) {
    const Step &step = counted.step, &small = counted.small;
    const Step &more_pressure = counted.more_pressure, &more_shear = counted.more_shear;
    const double n = static_cast<double>(step.particles), scale = target_count / n;
    const GpuCard& goal = gpu_cards()[1];
    std::printf(
        "| kernel | launches | registers | spills | shared, B | occupancy T4 / 2060, 3090, 4090, A100, H100, %% | "
        "bytes asked for | DRAM bytes | flops | special | 2060, ms | bound |\n");
    std::printf("|---|---|---|---|---|---|---|---|---|---|---|---|\n");
    std::vector<const Kernel*> sorted;
    for (const Kernel& kernel : step.kernels) sorted.push_back(&kernel);
    std::sort(sorted.begin(), sorted.end(), [&](const Kernel* a, const Kernel* b) {
        return estimate(goal, a->work, scale).seconds > estimate(goal, b->work, scale).seconds;
    });
    for (const Kernel* kernel : sorted) {
        const KernelWork& w = kernel->work;
        const auto figures = [&](int architecture) {
            for (int each : {architecture, 75}) {
                const auto table = ptxas.find(each);
                if (table != ptxas.end() && table->second.count(kernel->mangled))
                    return table->second.at(kernel->mangled);
            }
            return PtxasFigures{};
        };
        const auto percent = [&](size_t card) {
            const GpuCard& c = gpu_cards()[card];
            return 100 * occupancy(c, figures(c.architecture), w.block_threads);
        };
        const Estimate e = estimate(goal, w, scale);
        const PtxasFigures own = figures(75);
        std::printf(
            "| %s | %llu | %d | %d | %d | %.0f, %.0f, %.0f, %.0f, %.0f | %.0f | %.0f | %.0f | %.1f | %.3f | %s |\n",
            kernel->name.c_str(), static_cast<unsigned long long>(w.launches), own.registers, own.spill_bytes,
            own.shared_bytes, percent(1), percent(2), percent(3), percent(4), percent(5),
            static_cast<double>(w.bytes_loaded + w.bytes_stored) / n,
            32 * static_cast<double>(w.sectors_loaded + w.sectors_stored) / n, static_cast<double>(w.flops) / n,
            static_cast<double>(w.special) / n, 1e3 * e.seconds, e.bound);
    }
    std::printf("\nBytes, flops and special are per particle and step, all launches together.\n\n");
    std::printf("| a step with 6 pressure and 4 shear iterations | |\n|---|---|\n");
    std::printf("| launches | %llu |\n", static_cast<unsigned long long>(launches(step)));
    std::printf("| launches per pressure iteration | %llu |\n",
                static_cast<unsigned long long>(launches(more_pressure) - launches(small)));
    std::printf("| launches per shear iteration | %llu |\n",
                static_cast<unsigned long long>(launches(more_shear) - launches(small)));
    std::printf("| waits of the host | %llu |\n", static_cast<unsigned long long>(step.counters.synchronisations));
    std::printf("| allocations | %llu |\n", static_cast<unsigned long long>(step.counters.allocations));
    std::printf("| bytes per particle of snow, all in | %.0f |\n\n", counted.bytes_per_particle);
    std::printf(
        "| card | a step of 1 M particles, ms | as if L1 never hit, ms | of it bound by launches, ms | measured, ms "
        "|\n");
    std::printf("|---|---|---|---|---|\n");
    for (const GpuCard& card : gpu_cards()) {
        const CardTime t = card_time(card, step);
        const bool same = measured.there && measured.device.find(card.name) != std::string::npos;
        std::printf("| %s | %.1f | %.1f | %.2f | ", card.name, t.ms, t.pessimistic_ms, t.launch_bound_ms);
        if (same) {
            std::printf("%.1f |\n", measured.total);
        } else {
            std::printf("- |\n");
        }
    }
    if (measured.there) {
        std::printf(
            "\nMeasured on %s: %.0f particles, %.2f ms a step (neighbours %.2f, properties %.2f, pressure %.2f, "
            "shear %.2f, integrate %.2f).\n",
            measured.device.c_str(), measured.count, measured.total, measured.phases[0], measured.phases[1],
            measured.phases[2], measured.phases[3], measured.phases[4]);
    }
    std::printf("\nAssumptions:\n");
    for (const char* text : assumptions) std::printf("- %s\n", text);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 3 || argc % 2 == 0) {
        std::fprintf(stderr, "usage: gpu_report OUT.json MEASURED [ARCHITECTURE PTXAS_LOG]...\n");
        return 2;
    }
    try {
        PtxasTable ptxas;
        for (int k = 3; k + 1 < argc; k += 2) read_ptxas(ptxas, std::atoi(argv[k]), argv[k + 1]);
        const Measured measured = read_measured(argv[2]);
        // What another iteration costs does not depend on the number of particles.
        Counted counted;
        // What another iteration costs does not depend on the number of particles.
        counted.small = count_step(10, {6, 4}, 1, false);
        counted.more_pressure = count_step(10, {7, 4}, 1, false);
        counted.more_shear = count_step(10, {6, 5}, 1, false);
        counted.bytes_per_particle = bytes_of_snow();
        counted.step = count_step(side, {6, 4}, 2, true);
        write_json(argv[1], counted, ptxas, measured);
        print_tables(counted, ptxas, measured);
    } catch (const firn::Error& error) {
        std::fprintf(stderr, "gpu_report: %s\n", error.what());
        return 1;
    }
    return 0;
}
