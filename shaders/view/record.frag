flat in vec4 place;
flat in vec3 velocity;
layout(location = 0) out vec4 out_place;
layout(location = 1) out vec4 out_velocity;

void main() {
  out_place = place;
  out_velocity = vec4(velocity, 0.0);
}
