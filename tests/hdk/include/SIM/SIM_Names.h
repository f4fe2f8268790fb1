#pragma once
// Fake of <SIM/SIM_Names.h>: https://www.sidefx.com/docs/hdk/_s_i_m___names_8h.html
// The names of data and options that the plugin and the tests use.

#define SIM_SOLVER_DATANAME "Solver"
#define SIM_GEOMETRY_DATANAME "Geometry"
#define SIM_POSITION_DATANAME "Position"
#define SIM_FORCES_DATANAME "Forces"
#define SIM_PHYSICALPARMS_DATANAME "PhysicalParms"

#define SIM_NAME_POSITIONPATH "positionpath"
#define SIM_NAME_FORCE "force"
#define SIM_NAME_SAMPLEMODE "samplemode"
#define SIM_NAME_FRICTION "friction"
#define SIM_NAME_DYNAMICFRICTION "dynamicfriction"
#define SIM_NAME_BOUNCE "bounce"
#define SIM_NAME_BOUNCEFORWARD "bounceforward"
#define SIM_NAME_TEMPERATURE "temperature"
#define SIM_NAME_PRIORITY "priority"
#define SIM_NAME_SHOWGUIDE "showguide"
#define SIM_NAME_COLOR "color"
#define SIM_NAME_SCALE "scale"
#define SIM_NAME_POSITION "t"
#define SIM_NAME_ORIENTATION "rot"
