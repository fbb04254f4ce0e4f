// The full-screen triangle, and the tone curve that turns light into what a screen shows,
//
//   f(I) = asinh(I / s) / asinh(W / s)          (Lupton et al. 2004, PASP 116, 133),
//
// linear for faint light and logarithmic for bright light. W, the brightest place where many stars overlap, becomes 1;
// s is such that a single star, I = 1, becomes `exposure`. Both are found here, once per picture.

uniform sampler2D white, haze; // one texel each
uniform vec4 tone;             // exposure; smallest W; w: smallest s
uniform vec4 corner;           // of the picture in the target; size
uniform float unit;

flat out vec4 curve; // 1 / s, 1 / asinh(W / s), 1 / the brightest of the glow
flat out vec2 pixel_size;

void main() {
  gl_Position = vec4(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0, 0.0, 1.0);
  float most = texelFetch(white, ivec2(0), 0).a / unit;
  // `most` was found at half the size and is about half of the brightest place. Two or three stars that overlap are no
  // reason to dim all others.
  float W = max(1.8 * most * most / (most + 2.0), tone.y);
  float low = log(tone.w), high = log(1e6); // of s; the smaller s, the brighter a single star
  for (int k = 0; k < 40; k++) {
    float middle = 0.5 * (low + high), s = exp(middle);
    if (asinh(1.0 / s) > tone.x * asinh(W / s))
      low = middle;
    else
      high = middle;
  }
  float s = exp(low);
  curve = vec4(1.0 / (s * unit), 1.0 / asinh(W / s), 1.0 / max(texelFetch(haze, ivec2(0), 0).a, 1e-30), 0.0);
  pixel_size = 1.0 / corner.zw;
}
