// Sources and points as the neighbor passes read them, in float whatever the precision of the forces. The coordinates are
// of a frame around the sources (src/force/near.c). What a float cannot hold is not lost but known: e is the distance
// within which the true place lies, and the distance of two places is certain to within the sum of their e:
//
//                        e of the point      e of the source
//   lower = d - e - e    (.)-------- d --------(.)             upper = d + e + e
//
// So a pass decides nothing that rounding could change. It leaves what is certain, and names what is not; the host, which
// has the places in double, looks at those alone.
#define I_EACH 4 // points of a fragment: each source that is fetched serves them all

uniform samplerBuffer sources; // (x, y, z, e)
uniform usamplerBuffer points; // the same as words, and (number of the source that is left out or -1, reach, -, -)
uniform int source_count;
uniform int segment_length;    // sources of a fragment
layout(location = 0) out uvec4 result[I_EACH];

// More than float arithmetic and a GPU's root, both of some 2^-23, can do to a distance or its square.
const float SLACK = 2e-6;

struct point {
  vec3 x;
  float e, reach;
  int own;
};

point point_at(int i) {
  uvec4 place = bufferFetch(points, 2 * i), more = bufferFetch(points, 2 * i + 1);
  return point(uintBitsToFloat(place.xyz), uintBitsToFloat(place.w), uintBitsToFloat(more.y), int(more.x));
}

// Columns of the target are groups of points, rows are segments of the sources.
int first_point() { return I_EACH * int(gl_FragCoord.x); }
int segment_begin() { return segment_length * int(gl_FragCoord.y); }
int segment_end() { return min(segment_begin() + segment_length, source_count); }
