// A pixel is the mean of samples x samples texels of the light.

uniform sampler2D source;
uniform int samples;
out vec4 mean;

void main() {
  ivec2 first = samples * ivec2(gl_FragCoord.xy);
  mean = vec4(0.0);
  for (int y = 0; y < samples; y++)
    for (int x = 0; x < samples; x++) mean += texelFetch(source, first + ivec2(x, y), 0);
  mean /= float(samples * samples);
}
