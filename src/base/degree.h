/* Radians of a degree. */
#ifndef HB_DEGREE_H
#define HB_DEGREE_H

#define HB_DEGREE (3.14159265358979323846 / 180)

#endif
