#pragma once
// Fake of <OP/OP_Context.h>: https://www.sidefx.com/docs/hdk/class_o_p___context.html

#include <OP/OP_API.h>
#include <SYS/SYS_Types.h>

class OP_API OP_Context {
public:
    OP_Context() = default;
    explicit OP_Context(fpreal time) : myTime(time) {}
    fpreal getTime() const { return myTime; }
    void setTime(fpreal time) { myTime = time; }
    fpreal getFloatFrame() const;
    long getFrame() const { return static_cast<long>(getFloatFrame() + 0.5); }
    void setFrame(int frame);

private:
    fpreal myTime = 0;
};
