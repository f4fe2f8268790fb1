// step_csv: takes fixed steps with snow from a CSV file, for cross-checks against other solvers.

#include <cstdio>
#include <exception>
#include <set>
#include <string>

#include "command_line.h"
#include "firn/engine.h"
#include "particle_csv.h"

namespace {

const char* const introduction =
    R"(step_csv: fixed steps of Firn's snow, from CSV to CSV, to compare it with other solvers.

  step_csv --snow s.csv --boundary b.csv --spacing 0.02 --dt 2e-4 --steps 50 --every 50 \
           --mode published --tolerance 1e-6 --set E=140e3 --out out_%04d.csv

)";

const char* const explanation =
    R"(
Input. The first line names the columns, each further line is one particle; metres, seconds, kilograms.
  Snow has x,y,z and may have vx,vy,vz (else it is at rest), pressure, and Fxx,Fxy,Fxz,Fyy,Fyz,Fzz, the elastic
  deformation F_E (else undeformed). Any file that step_csv wrote is such a file, so a run can be continued.
  A boundary has x,y,z, about one spacing apart and half a spacing below the surface, and may have nx,ny,nz, the
  outward normals. Columns with other names are passed over.

Output. x,y,z,vx,vy,vz,density,pressure,Fxx,Fxy,Fxz,Fyy,Fyz,Fzz in the order of the input, after every --every steps and
  after the last one. %04d in --out is the number of steps taken. One line per file on standard output says how many
  iterations the two solves of the last step took and how well they ended.

Modes. `standard` is what users run. `published` is Gissler 2020 as printed, with every remedy off; its boundary then has
  friction 1 (the paper's nu_b) and sticky 1 (it holds tension). --tolerance also turns the warm starts off, so that
  each solve begins from zero and ends at the tolerance.
)";

std::vector<Option> options() {
    return {
        {"--snow", "FILE", "the snow particles (needed)"},
        {"--boundary", "FILE", "boundary particles, one still body"},
        {"--spacing", "M", "particle spacing dx in m (needed); a particle's mass is rho0 dx^3"},
        {"--dt", "S", "length of one step in s (needed)"},
        {"--steps", "N", "how many steps to take (needed)"},
        {"--every", "N", "write after every N steps (default: only after the last)"},
        {"--mode", "NAME", "standard or published (default: standard)"},
        {"--tolerance", "T", "tolerance of both solves, from a cold start"},
        {"--set", "TOKEN=VALUE", "any parameter of the engine, such as E=140e3; may be repeated"},
        {"--friction", "X", "of the boundary (default 0.5; published 1)"},
        {"--sticky", "X", "of the boundary, 0 to 1 (default 0; published 1)"},
        {"--adhesion", "X", "of the boundary (default 0)"},
        {"--device", "NAME", "auto, cpu, or cpu:8, cpu:4, cpu:1 for a given lane width (default: auto)"},
        {"--out", "PATTERN", "files to write (needed); %04d becomes the step"},
    };
}

/// A file name with at most one %d or %0Nd in it, which stands for the number of the step.
struct OutputPattern {
    std::string before, after;
    int digits = 0;  ///< -1 = the pattern has no number

    explicit OutputPattern(const std::string& pattern) {
        const size_t percent = pattern.find('%');
        before = pattern.substr(0, percent);
        if (percent == std::string::npos) {
            digits = -1;
            return;
        }
        const size_t d = pattern.find_first_not_of("0123456789", percent + 1);
        const std::string width = pattern.substr(percent + 1, d == std::string::npos ? d : d - percent - 1);
        if (d == std::string::npos || pattern[d] != 'd' || width.size() > 2 ||
            pattern.find('%', d) != std::string::npos)
            throw firn::Error("--out " + pattern + ": one %d or %04d may stand in it, and no other %");
        digits = width.empty() ? 0 : std::stoi(width);
        after = pattern.substr(d + 1);
    }

    std::string path(int step) const {
        if (digits < 0) return before;
        std::string number = std::to_string(step);
        if (number.size() < static_cast<size_t>(digits))
            number.insert(0, static_cast<size_t>(digits) - number.size(), '0');
        return before + number + after;
    }
};

firn::Parameters read_parameters(const CommandLine& line) {
    firn::Parameters parameters;
    parameters.spacing = static_cast<float>(line.required_number("--spacing", 1e-6, 1e3));
    firn::set_parameter(parameters, "mode", line.text("--mode", "standard"));
    if (line.has("--tolerance")) {
        parameters.pressure_tolerance = parameters.shear_tolerance =
            static_cast<float>(line.required_number("--tolerance", 1e-12, 1));
        parameters.pressure_warm_start = parameters.shear_warm_start = false;
    }
    for (const std::string& assignment : line.all("--set")) {
        const size_t equals = assignment.find('=');
        if (equals == std::string::npos) throw firn::Error("--set " + assignment + ": write it as token=value");
        firn::set_parameter(parameters, assignment.substr(0, equals), assignment.substr(equals + 1));
    }
    if (parameters.substeps > 1) throw firn::Error("--set substeps: one step is one --dt here; make that smaller");
    parameters.substeps = 1;
    firn::validate(parameters);
    return parameters;
}

firn::Body read_boundary(const CommandLine& line, firn::Mode mode) {
    firn::Body body = read_boundary_csv(line.text("--boundary", ""));
    if (mode == firn::Mode::published) body.friction = body.sticky = 1;
    body.friction = static_cast<float>(line.number("--friction", body.friction, 0, 1e6));
    body.sticky = static_cast<float>(line.number("--sticky", body.sticky, 0, 1));
    body.adhesion = static_cast<float>(line.number("--adhesion", body.adhesion, 0, 1e6));
    return body;
}

void run(const CommandLine& line) {
    const firn::Parameters parameters = read_parameters(line);
    const double dt = line.required_number("--dt", 1e-12, 1e3);
    line.required_text("--steps");
    const int steps = line.integer("--steps", 1, 1, 2'000'000'000);
    const int every = line.integer("--every", steps, 1, 2'000'000'000);
    const OutputPattern out(line.required_text("--out"));
    if (out.digits < 0 && every < steps)
        throw firn::Error("--out " + out.before + " would be overwritten: put %04d in it, or leave --every out");

    firn::Particles snow = read_snow_csv(line.required_text("--snow"));
    firn::Engine engine(parameters, line.text("--device", "auto"));
    size_t boundary_count = 0;
    if (line.has("--boundary")) {
        const firn::Body boundary = read_boundary(line, parameters.mode);
        boundary_count = boundary.position.size();
        engine.add_body(boundary);
    }
    engine.upload(snow);
    std::printf("%zu snow, %zu boundary particles on %s\n", snow.count(), boundary_count, engine.device().c_str());

    std::set<std::string> warnings;  // each is said once
    for (int step = 1; step <= steps; ++step) {
        const firn::FrameReport report = engine.advance(dt);
        for (const std::string& warning : report.warnings)
            if (warnings.insert(warning).second)
                std::fprintf(stderr, "step_csv: warning, first at step %d: %s\n", step, warning.c_str());
        if (step % every != 0 && step != steps) continue;

        engine.download(snow);
        write_snow_csv(out.path(step), snow);
        std::printf("%s: t %.9g s", out.path(step).c_str(), step * dt);
        if (!report.substeps.empty()) {
            const firn::SubstepReport& last = report.substeps.back();
            for (const firn::SolveReport& solve : last.solves)
                std::printf(", %s %d iterations to %.3g%s", solve.name, solve.iterations, solve.residual,
                            solve.converged ? "" : " (not converged)");
        }
        std::printf("\n");
        std::fflush(stdout);
    }
}

}  // namespace

int main(int argc, char** argv) {
    try {
        const CommandLine line(argc, argv, options(), {"--set"});
        if (line.help_wanted() || argc == 1)
            std::printf("%s%s%s", introduction, line.option_help().c_str(), explanation);
        else
            run(line);
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "step_csv: %s\n", error.what());
        return 1;
    }
}
