flat in uvec4 texel;
layout(location = 0) out uvec4 stored;

void main() { stored = texel; }
