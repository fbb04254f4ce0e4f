// Acceleration, jerk and potential: the routine of Portegies Zwart, Belleman & Geldof (2007), Appendix A,
// statement by statement, under its own names. One fragment is one particle; one pass lets every particle
// feel ONE other particle; N - 1 passes, with otherParticle = 1 ... N - 1, complete the sum. Because the other
// particle is found by counting on from a particle's own number, no particle ever meets itself.
//
// Cg (2007)                             GLSL (here)
// ------------------------------------  ------------------------------------------------------------
// float2, float3, float4                vec2, vec3, vec4
// frac(x)                               fract(x)
// samplerRECT, texRECT(t, coords)       sampler2D and texelFetch, or with --cg2007-rect sampler2DRect
//                                       and texture: unnormalized coordinates (x + 0.5, y + 0.5) in both
// in float2 coords : TEXCOORD0          gl_FragCoord.xy                                   [deviation 1]
// out float3 acc : COLOR0               out vec4 accOut, alpha unused                     [deviation 2]
// out float4 jerkAndPot : COLOR1        out vec4 jerkAndPotOut
// an out variable can be read           local variables, written out at the end           [deviation 3]
//
// 1. The 2007 host drew a quad with texture coordinates; the pixel's own position is the same number.
// 2. A framebuffer of three floats per texel is optional in OpenGL 3 and later; --cg2007-rect asks for it.
// 3. GLSL outputs are write-only in the versions we support.
//
// OpenGL ES cannot say how many fragments a driver has drawn, so there (HB_COUNT_PASSES) particles count their own passes.
//
// Its range is that of r^-5, which a float holds for 3e-8 < r < 3e7. The jerk of a closer pair is infinite or NaN, and
// the run stops; that of a wider pair would lose one of its two terms, so particles beyond 8e6 of the center are refused.

#ifdef HB_CG2007_RECT
#define samplerRECT sampler2DRect
#define texRECT(stream, coords) texture(stream, coords)
#else
#define samplerRECT sampler2D
#define texRECT(stream, coords) texelFetch(stream, ivec2(coords), 0)
#endif

layout(location = 0) out vec4 accOut;        // Output texture with acceleration
layout(location = 1) out vec4 jerkAndPotOut; // Output texture with jerk and potential
#ifdef HB_COUNT_PASSES
layout(location = 2) out float passesOut;    // Output texture with the passes so far, times countBy
uniform samplerRECT passesTexture;           // Input texture with them
uniform float countBy;                       // 1 and 2 in turn, so that no earlier walk's count is mistaken for this one's
#endif

uniform samplerRECT accTexture;        // Input texture with all particles' acceleration
uniform samplerRECT jerkAndPotTexture; //   ...  jerk and potential
uniform samplerRECT massTexture;       //   ...  mass
uniform samplerRECT posTexture;        //   ...  position
uniform samplerRECT velTexture;        //   ...  velocity
uniform float eps2;                    // Softening parameter, squared
uniform float otherParticle;           // Index to other particle
uniform float texSizeX;                // Width of all textures
uniform float texSizeY;                // Height of all textures
uniform float offset;                  // Number of unused texture elements

void main() {
  float coords1D, newCoords1D, otherMass, r2, xdotv, r2inv, rinv, r3inv, r5inv, xdotvr5inv;
  vec2 coords, newCoords;
  vec3 acc, pos, otherPos, vel, otherVel, dx, dv, thisAcc, thisJerkAndPot;
  vec4 jerkAndPot;

  // Get data from the textures
  coords     = gl_FragCoord.xy;
  acc        = texRECT(accTexture, coords).rgb;
  jerkAndPot = texRECT(jerkAndPotTexture, coords).rgba;
  pos        = texRECT(posTexture, coords).rgb;
  vel        = texRECT(velTexture, coords).rgb;
#ifdef HB_COUNT_PASSES
  passesOut  = texRECT(passesTexture, coords).r + countBy;
#endif

  // Convert the 2D texture coordinate to 1D and increase with otherParticle to obtain the coordinate of
  // this iteration's other particle. Texture elements are addressed as (x + 0.5, y + 0.5); converting to
  // 1D must compensate for this. (Floats count exactly up to 2^24.)
  coords1D    = round(coords.y - 0.5) * texSizeX + round(coords.x - 0.5);
  newCoords1D = coords1D + otherParticle;

  // Skip over unused texture elements. (There are texSizeX * texSizeY - offset particles; after the last of them
  // the count starts over at 0.)
  if (newCoords1D + offset > texSizeX * texSizeY - 1.0)
    newCoords1D = newCoords1D - (texSizeX * texSizeY - offset);

  // Convert the other particle's 1D coordinate to 2D. As above, 0.5 leads to the middle of the element.
  // (texSizeX is a power of two, so the division and the product are exact.)
  newCoords = 0.5 + vec2(fract(newCoords1D / texSizeX) * texSizeX, floor(newCoords1D / texSizeX));

  // Get the position, velocity and mass of this iteration's other particle
  otherPos  = texRECT(posTexture, newCoords).rgb;
  otherVel  = texRECT(velTexture, newCoords).rgb;
  otherMass = texRECT(massTexture, newCoords).r;

  // Compute acceleration, jerk and potential
  dx         = otherPos - pos;
  dv         = otherVel - vel;
  r2         = eps2 + dot(dx, dx);
  xdotv      = dot(dx, dv);
  r2inv      = 1.0 / r2;
  rinv       = sqrt(r2inv);
  r3inv      = r2inv * rinv;
  r5inv      = r2inv * r3inv;
  xdotvr5inv = 3.0 * xdotv * r5inv;

  thisAcc        = otherMass * r3inv * dx;
  thisJerkAndPot = otherMass * (r3inv * dv - xdotvr5inv * dx);
  acc            = acc + thisAcc;
  jerkAndPot.rgb = jerkAndPot.rgb + thisJerkAndPot;
  jerkAndPot.a   = jerkAndPot.a - otherMass * rinv;

  accOut        = vec4(acc, 0.0);
  jerkAndPotOut = jerkAndPot;
}
