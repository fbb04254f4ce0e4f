// The full-screen triangle, and the curve that turns light into what a screen shows: f(I) = asinh(I / s) / asinh(W / s)
// (Lupton et al. 2004, PASP 116, 133), straight for the faint and logarithmic for the bright. W, the brightest place where many stars are, becomes
// 1; s is such that a single star, I = 1, becomes `exposure`. Found here once for the whole picture.

uniform sampler2D white; // of one texel
uniform vec4 tone;       // exposure; least W; w: least s
uniform float unit;

flat out vec2 curve; // s, 1 / asinh(W / s)

void main() {
  vec2 corner = vec2(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0);
  gl_Position = vec4(corner, 0.0, 1.0);
  float most = texelFetch(white, ivec2(0), 0).a / unit;
  float W = max(most * most / (most + 4.0), tone.y); // two or three stars that meet are no reason to dim all others
  float low = log(tone.w), high = log(1e6); // of s; the smaller s, the brighter a single star
  for (int k = 0; k < 40; k++) {
    float middle = 0.5 * (low + high), s = exp(middle);
    if (asinh(1.0 / s) > tone.x * asinh(W / s))
      low = middle;
    else
      high = middle;
  }
  curve.x = exp(low);
  curve.y = 1.0 / asinh(W / curve.x);
}
