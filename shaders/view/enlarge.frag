// A finished picture, drawn larger than it was made.

uniform sampler2D source;
uniform vec4 corner; // where it goes in the target, and its size there
out vec4 pixel;

void main() { pixel = texture(source, (gl_FragCoord.xy - corner.xy) / corner.zw); }
