// What a header defines belongs to the unit that includes it. Offsets name the fields they lead to.
#include "units.h"
struct point { int x, y; };
struct line { char name[5]; struct point ends[2]; };
int outside;
int use(struct line *line, long i) { return included(line->ends[i].y + line->ends[0].x + outside); }
