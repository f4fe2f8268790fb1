#pragma once
// Fake of <UT/UT_ErrorManager.h>: https://www.sidefx.com/docs/hdk/class_u_t___error_manager.html

#include <UT/UT_Error.h>
#include <UT/UT_StringHolder.h>

#include <string>
#include <vector>

class UT_SourceLocation;

class UT_API UT_ErrorManager {
public:
    int addGeneric(const char* type, const char* msg, UT_ErrorSeverity severity,
                   const UT_SourceLocation* loc = nullptr);
    int addError(const char* type, int code, const char* msg = nullptr, const UT_SourceLocation* loc = nullptr);
    int addWarning(const char* type, int code, const char* msg = nullptr, const UT_SourceLocation* loc = nullptr);
    int addMessage(const char* type, int code, const char* msg = nullptr, const UT_SourceLocation* loc = nullptr);

    UT_ErrorSeverity getSeverity() const;
    void clearAndDestroyErrors() { myEntries.clear(); }

    // For tests: what was said, in order.
    struct Entry {
        UT_ErrorSeverity severity;
        int code;
        std::string text;
    };
    const std::vector<Entry>& entries() const { return myEntries; }

private:
    std::vector<Entry> myEntries;
};
