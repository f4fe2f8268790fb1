#include "run_log.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "firn/error.h"
#include "firn/new_file.h"
#include "firn/regular_file.h"
#include "line_file.h"

namespace firn {

namespace {

using nlohmann::json;

constexpr const char* kind = "firn-run";
constexpr int format_version = 1;

/// Text of any bytes becomes valid UTF-8: a path may hold what JSON may not.
std::string text_of(const json& object) {
    return object.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string summed(const json& object) {
    return with_sum(text_of(object)) + "\n";
}

json to_json(const RunHeader& header) {
    json parameters = json::array();
    for (const auto& [token, value] : header.parameters) parameters.push_back({token, value});
    json solves = json::array();
    for (const SolveName& solve : header.solves) solves.push_back({solve.name, solve.tolerance});
    return {{"kind", kind},
            {"format", format_version},
            {"scene", header.scene},
            {"device", header.device},
            {"version", header.version},
            {"fps", header.fps},
            {"first_frame", header.first_frame},
            {"last_frame", header.last_frame},
            {"spacing", header.spacing},
            {"boundary_particles", header.boundary_particles},
            {"solves", solves},
            {"parameters", parameters}};
}

/// The numbers of a frame, by name: written and read by one list, so that the two can't differ.
template <typename Record, typename Function>
void for_each_number(Record& record, Function function) {
    function("frame", record.frame);
    function("time", record.time);
    function("particles", record.particles);
    function("substeps", record.substeps);
    function("dt_min", record.dt_min);
    function("dt_max", record.dt_max);
    function("kinetic_energy", record.kinetic_energy);
    function("potential_energy", record.potential_energy);
    function("height_low", record.height_low);
    function("height_mean", record.height_mean);
    function("height_high", record.height_high);
    function("speed", record.speed);
    function("mass", record.mass);
    function("boundary_particles", record.boundary_particles);
    function("asleep", record.asleep);
    function("bytes", record.bytes);
    function("bytes_process", record.bytes_process);
    function("wall", record.wall);
}

/// The numbers of a frame's solves: "pressure_iterations" and the like.
template <typename Figures, typename Function>
void for_each_figure(Figures& solves, const std::vector<SolveName>& names, Function function) {
    for (size_t k = 0; k < names.size() && k < solves.size(); ++k) {
        function((names[k].name + "_iterations").c_str(), solves[k].iterations);
        function((names[k].name + "_residual").c_str(), solves[k].residual);
    }
}

json to_json(const FrameRecord& record, const std::vector<SolveName>& solves) {
    json object = json::object();
    const auto put = [&](const char* name, const auto& value) { object[name] = value; };
    for_each_number(record, put);
    for_each_figure(record.solves, solves, put);
    json seconds = json::array();
    for (const auto& [phase, value] : record.seconds) seconds.push_back({phase, value});
    object["seconds"] = seconds;
    json loads = json::array();
    for (const ColliderLoad& body : record.loads)
        loads.push_back({{"name", body.name}, {"force", body.load.force}, {"torque", body.load.torque}});
    object["loads"] = loads;
    json limits = json::array();
    for (const LimitRecord& each : record.limits)
        limits.push_back({{"limit", each.limit},
                          {"body", each.body},
                          {"substeps", each.substeps},
                          {"dt", each.dt},
                          {"who", each.who}});
    object["limits"] = limits;
    object["warnings"] = record.warnings;
    return object;
}

/// Numbers that JSON can't hold (a residual that is not finite) are written as null and read as NaN.
void get(const json& object, const char* name, double& value) {
    const auto found = object.find(name);
    if (found == object.end()) return;
    value = found->is_null() ? std::nan("") : found->get<double>();
}
void get(const json& object, const char* name, float& value) {
    double wide = static_cast<double>(value);
    get(object, name, wide);
    value = static_cast<float>(wide);
}
void get(const json& object, const char* name, int& value) {
    const auto found = object.find(name);
    if (found == object.end()) return;
    // Not get<int>(): it would cut off what does not fit.
    const double wide = found->get<double>();
    if (!(std::abs(wide) <= 2e9)) throw Error(std::string(name) + " is out of range");
    value = static_cast<int>(wide);
}
void get(const json& object, const char* name, uint64_t& value) {
    const auto found = object.find(name);
    if (found == object.end()) return;
    if (!found->is_number_unsigned()) throw Error(std::string(name) + " is no count");
    value = found->get<uint64_t>();
}
void get(const json& object, const char* name, std::string& value) {
    if (object.contains(name)) value = object.at(name).get<std::string>();
}

RunHeader header_from(const json& object) {
    RunHeader header;
    get(object, "scene", header.scene);
    get(object, "device", header.device);
    get(object, "version", header.version);
    get(object, "fps", header.fps);
    get(object, "first_frame", header.first_frame);
    get(object, "last_frame", header.last_frame);
    get(object, "spacing", header.spacing);
    get(object, "boundary_particles", header.boundary_particles);
    if (object.contains("solves"))
        for (const json& pair : object.at("solves"))
            header.solves.push_back({pair.at(0).get<std::string>(), pair.at(1).get<double>()});
    if (object.contains("parameters"))
        for (const json& pair : object.at("parameters"))
            header.parameters.emplace_back(pair.at(0).get<std::string>(), pair.at(1).get<std::string>());
    return header;
}

FrameRecord frame_from(const json& object, const std::vector<SolveName>& solves) {
    FrameRecord record;
    record.solves.resize(solves.size());
    if (!object.contains("frame")) throw Error("it has no frame number");
    const auto take = [&](const char* name, auto& value) { get(object, name, value); };
    for_each_number(record, take);
    for_each_figure(record.solves, solves, take);
    if (object.contains("seconds"))
        for (const json& pair : object.at("seconds"))
            record.seconds.emplace_back(pair.at(0).get<std::string>(), pair.at(1).get<double>());
    if (object.contains("loads")) {
        for (const json& body : object.at("loads")) {
            ColliderLoad load{body.at("name").get<std::string>(), {}};
            for (size_t c = 0; c < 3; ++c) {
                load.load.force[c] = body.at("force").at(c).get<double>();
                load.load.torque[c] = body.at("torque").at(c).get<double>();
            }
            record.loads.push_back(load);
        }
    }
    if (object.contains("limits")) {
        for (const json& each : object.at("limits")) {
            LimitRecord limit;
            get(each, "limit", limit.limit);
            get(each, "body", limit.body);
            get(each, "substeps", limit.substeps);
            get(each, "dt", limit.dt);
            get(each, "who", limit.who);
            record.limits.push_back(limit);
        }
    }
    if (object.contains("warnings")) record.warnings = object.at("warnings").get<std::vector<std::string>>();
    return record;
}

/// A frame that was interrupted is reported in parts.
void add_limits(FrameRecord& record, const FrameReport& report) {
    for (const LimitSummary& each : report.limits()) {
        const std::string token = limit_token(each.limit.kind);
        const auto same = [&](const LimitRecord& known) {
            return known.limit == token && known.body == each.limit.body_name;
        };
        auto known = std::find_if(record.limits.begin(), record.limits.end(), same);
        if (known == record.limits.end())
            known = record.limits.insert(known, {token, each.limit.body_name, 0, each.dt, limit_text(each.limit)});
        known->substeps += each.substeps;
        if (each.dt < known->dt) {
            known->dt = each.dt;
            known->who = limit_text(each.limit);
        }
    }
    std::stable_sort(record.limits.begin(), record.limits.end(),
                     [](const LimitRecord& a, const LimitRecord& b) { return a.substeps > b.substeps; });
}

}  // namespace

void start_run_log(const std::string& path, const RunHeader& header) {
    NewFile file(path);
    std::ofstream out(file.temporary(), std::ios::binary);
    out << summed(to_json(header));
    out.close();
    if (!out) throw Error(path + ": can't be written; is the disk full, or the folder read-only?");
    file.commit();
}

void append_frame(const std::string& path, const FrameRecord& record, const std::vector<SolveName>& solves) {
    // The file must be there: a frame without its run's first line would make no log.
    append_lines(path, summed(to_json(record, solves)));
}

void add_report(FrameRecord& record, const FrameReport& report) {
    const int before = record.substeps;
    for (const SubstepReport& s : report.substeps) {
        record.dt_min = record.substeps == 0 ? s.dt : std::min(record.dt_min, s.dt);
        record.dt_max = std::max(record.dt_max, s.dt);
        ++record.substeps;
    }
    const double share = before > 0 ? static_cast<double>(before) / record.substeps : 0;
    const std::vector<SolveSummary> solves = report.solves();
    record.solves.resize(std::max(record.solves.size(), solves.size()));
    for (size_t k = 0; k < solves.size(); ++k) {
        SolveFigures& figures = record.solves[k];
        figures.iterations = share * figures.iterations + (1 - share) * solves[k].iterations;
        figures.residual = before > 0 ? std::max(figures.residual, solves[k].residual) : solves[k].residual;
    }
    add_limits(record, report);
    record.boundary_particles = report.boundary;
    record.asleep = report.asleep;
    record.bytes = std::max(record.bytes, report.bytes);
    for (const std::string& warning : report.warnings)
        if (std::find(record.warnings.begin(), record.warnings.end(), warning) == record.warnings.end())
            record.warnings.push_back(warning);
    for (const PhaseTime& phase : report.phases) {
        const auto same = [&](const std::pair<std::string, double>& known) { return known.first == phase.name; };
        const auto known = std::find_if(record.seconds.begin(), record.seconds.end(), same);
        if (known == record.seconds.end())
            record.seconds.emplace_back(phase.name, phase.seconds);
        else
            known->second += phase.seconds;
    }
}

void add_load(FrameRecord& record, const std::string& collider, const BodyLoad& load, double share) {
    const auto same = [&](const ColliderLoad& known) { return known.name == collider; };
    auto known = std::find_if(record.loads.begin(), record.loads.end(), same);
    if (known == record.loads.end()) known = record.loads.insert(known, {collider, {}});
    for (int c = 0; c < 3; ++c) {
        known->load.force[c] += share * load.force[c];
        known->load.torque[c] += share * load.torque[c];
    }
}

std::string frame_record_text(const FrameRecord& record, const std::vector<SolveName>& solves) {
    return text_of(to_json(record, solves));
}

FrameRecord parse_frame_record(const std::string& text, const std::vector<SolveName>& solves) {
    const json object = json::parse(text, nullptr, false);
    if (!object.is_object()) throw Error("it is no record of a frame");
    try {
        return frame_from(object, solves);
    } catch (const json::exception&) {
        throw Error("a value has the wrong type");
    }
}

RunLog read_run_log(const std::string& path) {
    require_regular_file(path);
    std::ifstream in(path, std::ios::binary);
    if (!in) throw Error(path + ": can't be opened: is this the folder of a run?");
    RunLog log;
    std::string line;
    size_t number = 0;
    LineSum first = LineSum::none;
    while (std::getline(in, line)) {
        ++number;
        const std::string where = path + ":" + std::to_string(number) + ": ";
        if (line.empty() && number > 1) continue;
        const json object = json::parse(line, nullptr, false);
        if (number == 1) {
            const bool ours = object.is_object() && object.value("kind", json()) == kind;
            if (!ours) throw Error(where + "not a log of a Firn run: its first line must be one");
            if (object.value("format", json()) != format_version)
                throw Error(where + "written by another version of Firn; use that one");
            first = check_sum(line);
        }
        // A line that is no JSON was torn when its run was killed, in the middle of the file if it was resumed later.
        if (!object.is_object()) continue;
        // Logs of Firn 0.1 have no checksums; in others every line has one.
        const LineSum sum = check_sum(line);
        if (first == LineSum::wrong || (first == LineSum::none && sum != LineSum::none))
            throw Error(path + ":1: damaged: its checksum is wrong; --resume makes the log again");
        if (sum != first) continue;
        try {
            if (number == 1)
                log.header = header_from(object);
            else
                log.frames.push_back(frame_from(object, log.header.solves));
        } catch (const json::exception&) {
            throw Error(where + "a value has the wrong type");
        } catch (const Error& error) {
            throw Error(where + error.what());
        }
    }
    if (in.bad()) throw Error(path + ": can't be read to its end");
    if (number == 0) throw Error(path + ": the file is empty, not a log of a Firn run");
    std::stable_sort(log.frames.begin(), log.frames.end(),
                     [](const FrameRecord& a, const FrameRecord& b) { return a.frame < b.frame; });
    // Of a frame that was run twice, the later record is the one whose files are there.
    std::vector<FrameRecord> latest;
    for (FrameRecord& record : log.frames) {
        if (!latest.empty() && latest.back().frame == record.frame)
            latest.back() = std::move(record);
        else
            latest.push_back(std::move(record));
    }
    log.frames = std::move(latest);
    return log;
}

}  // namespace firn
