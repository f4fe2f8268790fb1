#pragma once
// Fake of <CH/CH_Manager.h>: https://www.sidefx.com/docs/hdk/class_c_h___manager.html
// Frame 1 is at time 0.

#include <CH/CH_API.h>
#include <CH/CH_Types.h>
#include <SYS/SYS_Types.h>

class CH_API CH_Manager {
public:
    fpreal getSamplesPerSec() const { return myRate; }
    fpreal getSecsPerSample() const { return 1.0 / myRate; }
    fpreal getTime(fpreal sample) const { return (sample - 1.0) / myRate; }
    fpreal getSample(fpreal time) const { return time * myRate + 1.0; }
    void setSamplesPerSec(fpreal rate) { myRate = rate; }

private:
    fpreal myRate = 24;
};

CH_API CH_Manager* CHgetManager();
