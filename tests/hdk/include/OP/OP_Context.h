#pragma once
// Fake of <OP/OP_Context.h>: https://www.sidefx.com/docs/hdk/class_o_p___context.html

#include <CH/CH_Manager.h>
#include <OP/OP_API.h>

class OP_Context {
public:
    OP_Context() = default;
    explicit OP_Context(fpreal time) : myTime(time) {}
    fpreal getTime() const { return myTime; }
    void setTime(fpreal time) { myTime = time; }
    fpreal getFloatFrame() const { return CHgetManager()->getSample(myTime); }
    void setFrame(int frame) { myTime = CHgetManager()->getTime(frame); }

private:
    fpreal myTime = 0;
};
