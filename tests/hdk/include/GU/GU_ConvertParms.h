#pragma once
// Fake of <GU/GU_ConvertParms.h>: https://www.sidefx.com/docs/hdk/class_g_e_o___convert_parms.html

#include <GEO/GEO_PrimTypeCompat.h>
#include <GU/GU_API.h>

class GU_API GEO_ConvertParms {
public:
    void setFromType(GA_PrimCompat::TypeMask from) { myFrom = from; }
    void setToType(GA_PrimCompat::TypeMask to) { myTo = to; }
    GA_PrimCompat::TypeMask fromType() const { return myFrom; }
    GA_PrimCompat::TypeMask toType() const { return myTo; }

private:
    GA_PrimCompat::TypeMask myFrom = 0, myTo = 0;
};
typedef GEO_ConvertParms GU_ConvertParms;
