#pragma once
// Fake of <UT/UT_Interrupt.h>: https://www.sidefx.com/docs/hdk/class_u_t___interrupt.html
// and https://www.sidefx.com/docs/hdk/class_u_t___auto_interrupt.html

#include <UT/UT_API.h>
#include <UT/UT_StringHolder.h>

#include <functional>
#include <string>
#include <vector>

class UT_API UT_Interrupt {
public:
    enum Priority { PRIORITY_TRANSIENT = 0, PRIORITY_NODE = 1, PRIORITY_PERMANENT = 2 };

    /// 1 = go on.
    int opStart(const char* opname = nullptr, int npoll = 0, int immediate_dialog = 0, int* opid = nullptr);
    int opEnd(int opid = -1);
    /// 1 = the user wants it to stop.
    int opInterrupt(int percent = -1);
    void setLongOpText(const UT_StringRef& text);
    int getOpDepth() const { return myDepth; }

    // For tests: `escape` is asked by opInterrupt(); what was shown is kept.
    std::function<bool()> escape;
    std::vector<std::string> shown;
    int asked = 0;
    int percent = -1;

private:
    int myDepth = 0;
};

/// Null in a process that has none, such as a program that links the HDK.
UT_API UT_Interrupt* UTgetInterrupt();

namespace hdk_fake {
/// For tests: a process without an interrupter, while this lives.
class UT_API WithoutInterrupt {
public:
    WithoutInterrupt();
    ~WithoutInterrupt();
    WithoutInterrupt(const WithoutInterrupt&) = delete;
    WithoutInterrupt& operator=(const WithoutInterrupt&) = delete;
};
}  // namespace hdk_fake

class UT_AutoInterrupt {
public:
    UT_AutoInterrupt(const char* operation_name, UT_Interrupt::Priority, UT_Interrupt* boss = UTgetInterrupt())
        : UT_AutoInterrupt(operation_name, boss) {}
    UT_AutoInterrupt(const char* operation_name, UT_Interrupt* boss = UTgetInterrupt()) : myBoss(boss) {
        myStarted = !myBoss || myBoss->opStart(operation_name) != 0;
    }
    ~UT_AutoInterrupt() {
        if (myBoss) myBoss->opEnd();
    }
    UT_AutoInterrupt(const UT_AutoInterrupt&) = delete;
    UT_AutoInterrupt& operator=(const UT_AutoInterrupt&) = delete;

    bool wasInterrupted() { return !myStarted || (myBoss && myBoss->opInterrupt() != 0); }
    bool wasInterrupted(int percent) { return !myStarted || (myBoss && myBoss->opInterrupt(percent) != 0); }
    /// May be null.
    UT_Interrupt* getInterrupt() const { return myBoss; }

private:
    UT_Interrupt* myBoss;
    bool myStarted = false;
};
