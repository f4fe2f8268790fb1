// UT and CH: errors, interrupts, versions, the clock.

#include <CH/CH_Manager.h>
#include <UT/UT_ErrorManager.h>
#include <UT/UT_HDKVersion.h>
#include <UT/UT_Interrupt.h>

#include <algorithm>
#include <cstdlib>

unsigned UTgetHDKAPIVersion() {
    const char* other = std::getenv("FIRN_HDK_FAKE_API_VERSION");
    return other ? static_cast<unsigned>(std::atoi(other)) : HDK_API_VERSION;
}

int UT_ErrorManager::addGeneric(const char*, const char* msg, UT_ErrorSeverity severity, const UT_SourceLocation*) {
    myEntries.push_back({severity, 0, msg ? msg : ""});
    return static_cast<int>(severity);
}
int UT_ErrorManager::addError(const char*, int code, const char* msg, const UT_SourceLocation*) {
    myEntries.push_back({UT_ERROR_ABORT, code, msg ? msg : ""});
    return UT_ERROR_ABORT;
}
int UT_ErrorManager::addWarning(const char*, int code, const char* msg, const UT_SourceLocation*) {
    myEntries.push_back({UT_ERROR_WARNING, code, msg ? msg : ""});
    return UT_ERROR_WARNING;
}
int UT_ErrorManager::addMessage(const char*, int code, const char* msg, const UT_SourceLocation*) {
    myEntries.push_back({UT_ERROR_MESSAGE, code, msg ? msg : ""});
    return UT_ERROR_MESSAGE;
}
UT_ErrorSeverity UT_ErrorManager::getSeverity() const {
    UT_ErrorSeverity worst = UT_ERROR_NONE;
    for (const Entry& entry : myEntries) worst = std::max(worst, entry.severity);
    return worst;
}

int UT_Interrupt::opStart(const char* opname, int, int, int*) {
    ++myDepth;
    if (opname) shown.push_back(opname);
    return 1;
}
int UT_Interrupt::opEnd(int) {
    --myDepth;
    return 1;
}
int UT_Interrupt::opInterrupt(int done) {
    ++asked;
    if (done >= 0) percent = done;
    return escape && escape() ? 1 : 0;
}
void UT_Interrupt::setLongOpText(const UT_StringRef& text) {
    shown.push_back(text.toStdString());
}
namespace {
bool without_interrupt = false;
}
hdk_fake::WithoutInterrupt::WithoutInterrupt() {
    without_interrupt = true;
}
hdk_fake::WithoutInterrupt::~WithoutInterrupt() {
    without_interrupt = false;
}
UT_Interrupt* UTgetInterrupt() {
    static UT_Interrupt boss;
    return without_interrupt ? nullptr : &boss;
}

CH_Manager* CHgetManager() {
    static CH_Manager manager;
    return &manager;
}
