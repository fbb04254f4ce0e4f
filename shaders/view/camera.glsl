// The camera of src/render/camera.h.

uniform vec4 eye;        // the point that the camera looks at, and its distance from there
uniform vec4 axis_right; // directions; w: 1 / (slope * aspect)
uniform vec4 axis_up;    // w: 1 / slope
uniform vec4 axis_back;  // w: nothing closer to the camera is visible
uniform vec4 screen;     // width and height in samples

// To the right, up, and away from the camera.
vec3 seen(vec3 x) {
  vec3 d = x - eye.xyz;
  return vec3(dot(axis_right.xyz, d), dot(axis_up.xyz, d), eye.w - dot(axis_back.xyz, d));
}

bool is_before_camera(vec3 s) { return s.z > axis_back.w; } // false for NaN, too

// In samples from the center of the picture.
vec2 on_screen(vec3 s) { return vec2(s.x * axis_right.w, s.y * axis_up.w) / s.z * 0.5 * screen.xy; }

vec4 clip(vec2 samples) { return vec4(samples / (0.5 * screen.xy), 0.0, 1.0); }
const vec4 NOWHERE = vec4(2.0, 2.0, 2.0, 1.0);
