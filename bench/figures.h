#pragma once

// Figures of a benchmark: a table on the screen, and keys in a JSON file that several programs add to.

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <vector>

/// Flat JSON of numbers, one to a line, as firn_shots writes it. What is there under other names stays.
class Figures {
public:
    explicit Figures(std::string path) : path_(std::move(path)) {
        std::ifstream file(path_);
        for (std::string line; std::getline(file, line);) {
            const size_t from = line.find('"'), to = line.find("\": ");
            if (from == std::string::npos || to == std::string::npos) continue;
            add_to_order(line.substr(from + 1, to - from - 1), std::atof(line.c_str() + to + 3));
        }
    }
    void add(const std::string& key, double value, const char* meaning) {
        std::printf("%-42s %12.4g   %s\n", key.c_str(), value, meaning);
        std::fflush(stdout);
        add_to_order(key, value);
    }
    bool write() const {
        const std::string temporary = path_ + ".tmp";
        std::FILE* file = std::fopen(temporary.c_str(), "w");
        if (!file) return false;
        std::fprintf(file, "{\n");
        for (size_t k = 0; k < order_.size(); ++k) {
            std::fprintf(file, "  \"%s\": %.6g%s\n", order_[k].c_str(), value_.at(order_[k]),
                         k + 1 < order_.size() ? "," : "");
        }
        std::fprintf(file, "}\n");
        return std::fclose(file) == 0 && std::rename(temporary.c_str(), path_.c_str()) == 0;
    }

private:
    void add_to_order(const std::string& key, double value) {
        if (!value_.count(key)) order_.push_back(key);
        value_[key] = value;
    }
    std::string path_;
    std::vector<std::string> order_;
    std::map<std::string, double> value_;
};
