const COMMON = `#version 300 es
precision highp float;
precision highp int;
precision highp sampler2D;
precision highp usampler2D;
uniform sampler2D u_table;   // a placement each row: [from, to, y, height] [tile start, bin ns, slot, group] [run top, run height, rows, band]
uniform sampler2D u_floats;
uniform usampler2D u_words;
uniform float u_origin;      // ns from the left edge to the anchor
uniform float u_scale;       // CSS pixels per ns
uniform float u_scroll;
uniform float u_dpr;
uniform vec2 u_size;         // CSS pixels
vec4 place(float x, float y) {
  return vec4(x / u_size.x * 2.0 - 1.0, 1.0 - (y - u_scroll) / u_size.y * 2.0, 0.0, 1.0);
}
`;

const LOOK = `
uniform vec3 u_lines[9];
uniform vec3 u_track, u_groupTrack, u_loading, u_curve, u_waiting, u_ready, u_criticalColour, u_searchColour, u_failed, u_unmatched, u_finding;
uniform uint u_line;
uniform bool u_critical;
out vec4 o_colour;
vec3 lineColour(uint line) { return u_lines[line == 0u ? 0u : 1u + (line - 1u) % 8u]; }
`;

export const QUAD_VERTEX = `${COMMON}
flat out int v_placement;
void main() {
  v_placement = gl_InstanceID;
  vec4 a = texelFetch(u_table, ivec2(0, gl_InstanceID), 0);
  float right = float(gl_VertexID == 1 || gl_VertexID == 2 || gl_VertexID == 4);
  float low = float(gl_VertexID == 2 || gl_VertexID >= 4);
  float x = clamp((mix(a.x, a.y, right) + u_origin) * u_scale, -8.0, u_size.x + 8.0);
  gl_Position = place(x, a.z + low * a.w);
}`;

export const QUAD_FRAGMENT = `${COMMON}${LOOK}
flat in int v_placement;
void main() {
  vec4 a = texelFetch(u_table, ivec2(0, v_placement), 0);
  vec4 b = texelFetch(u_table, ivec2(1, v_placement), 0);
  vec4 c = texelFetch(u_table, ivec2(2, v_placement), 0);
  float y = u_size.y - gl_FragCoord.y / u_dpr + u_scroll - a.z - c.x;
  bool run = y >= 0.0 && y < c.y;
  bool band = y >= c.y + 1.0 && y < c.y + 1.0 + c.w;
  if (!run && !band) discard;
  bool group = b.w > 0.5;
  vec3 track = group ? u_groupTrack : u_track;
  if (b.z < -0.5) { o_colour = vec4(u_loading, 1.0); return; }
  if (b.y <= 0.0) { o_colour = vec4(track, 1.0); return; }
  int row = int(b.z) + 2;
  float t = gl_FragCoord.x / u_dpr / u_scale - u_origin - b.x;
  float half_ = 0.5 / u_scale / u_dpr;
  int first = clamp(int(floor((t - half_) / b.y)), 0, 1023);
  int last = clamp(int(ceil((t + half_) / b.y)) - 1, first, min(first + 15, 1023));
  float busy = 0.0, waiting = 0.0, ready = 0.0, best = -1.0;
  uint line = 0u, flags = 0u, count = 0u;
  for (int i = first; i <= last; i++) {
    vec4 f = texelFetch(u_floats, ivec2(i, row), 0);
    uvec4 u = texelFetch(u_words, ivec2(i, row), 0);
    busy += f.x; waiting += f.y; ready += f.z; flags |= u.y; count += u.z;
    if (f.x > best) { best = f.x; line = u.x; }
    if (u_line != 0u && u.x == u_line) flags |= 128u;
  }
  float n = float(last - first + 1);
  if (band) {
    vec3 colour = mix(track, u_waiting, clamp(waiting / n, 0.0, 1.0));
    o_colour = vec4(mix(colour, u_ready, clamp(ready / n, 0.0, 1.0)), 1.0);
    return;
  }
  float low = c.y - y;
  float height = busy / n * c.y;
  if (busy > 0.0 || count > 0u) height = max(height, 1.0);
  vec3 colour = track;
  bool lit = (flags & 128u) != 0u;
  if (low <= height) {
    colour = group ? u_curve : lineColour(line);
    if (u_line != 0u) colour = lit && line == u_line ? colour : mix(track, colour, 0.22);
  }
  if (u_line != 0u && lit && low <= max(3.0, line == u_line ? 0.0 : min(height, 3.0))) colour = lineColour(u_line);
  if (!group && (flags & 32u) != 0u && y < 2.0) colour = u_unmatched;
  if ((flags & 4u) != 0u && y < 2.0) colour = u_finding;
  if ((flags & 64u) != 0u && y < 2.0) colour = u_failed;
  if (u_critical && (flags & 1u) != 0u && low <= 2.0) colour = u_criticalColour;
  if ((flags & 2u) != 0u && y < 3.0) colour = u_searchColour;
  o_colour = vec4(colour, 1.0);
}`;

// An item is three boxes: waiting and ready in the band below, running above.
export const ITEM_VERTEX = `${COMMON}
layout(location = 0) in uint a_item;
flat out int v_part;
flat out uint v_line, v_flags;
flat out vec4 v_box;
void main() {
  int placement = int(a_item >> 11u), i = int(a_item & 2047u);
  vec4 a = texelFetch(u_table, ivec2(0, placement), 0);
  vec4 b = texelFetch(u_table, ivec2(1, placement), 0);
  vec4 c = texelFetch(u_table, ivec2(2, placement), 0);
  ivec2 at = ivec2(i & 1023, int(b.z) + (i >> 10));
  vec4 f = texelFetch(u_floats, at, 0);
  uvec4 u = texelFetch(u_words, at, 0);
  int part = gl_VertexID / 6, vertex = gl_VertexID % 6;
  bool known = !isnan(f.w) && f.w < 3e38;
  float from = f.x, to = f.x + f.y, top = a.z + c.x, height;
  if (part == 2) {
    float rows = max(1.0, c.z);
    height = c.y / rows;
    top += float(u.x) * height;
    if (rows > 1.0) height -= 1.0;
    if (float(u.x) >= rows || (u.w & 0x80000000u) != 0u || c.y <= 0.0) height = 0.0;
  } else {
    top += c.y + 1.0;
    height = c.w;
    to = part == 0 ? (known ? f.w : f.x) : f.x;
    from = part == 0 ? f.z : (known ? f.w : f.x);
    if (isnan(from) || isnan(to) || from > 3e38 || to <= from) height = 0.0;
  }
  float left = (from + b.x + u_origin) * u_scale, right = (to + b.x + u_origin) * u_scale;
  if (part == 2) right = max(right, left + 1.0);
  v_box = vec4(left, right, top - u_scroll, height);
  float low = clamp((a.x + u_origin) * u_scale, -8.0, u_size.x + 8.0), high = clamp((a.y + u_origin) * u_scale, -8.0, u_size.x + 8.0);
  float x = clamp((vertex == 1 || vertex == 2 || vertex == 4) ? right : left, low, high);
  float y = top + (vertex == 2 || vertex >= 4 ? height : 0.0);
  v_part = part;
  v_line = u.z;
  v_flags = u.w;
  gl_Position = height <= 0.0 ? vec4(2.0, 2.0, 0.0, 1.0) : place(x, y);
}`;

export const ITEM_FRAGMENT = `${COMMON}${LOOK}
flat in int v_part;
flat in uint v_line, v_flags;
flat in vec4 v_box;
void main() {
  bool lit = u_line == 0u || v_line == u_line || (v_flags & 128u) != 0u;
  vec3 colour = v_part == 0 ? u_waiting : v_part == 1 ? u_ready : lineColour(v_line);
  if (!lit) colour = mix(u_track, colour, 0.22);
  if (v_part == 2) {
    float x = gl_FragCoord.x / u_dpr, y = u_size.y - gl_FragCoord.y / u_dpr - v_box.z;
    float width = v_box.y - v_box.x;
    if (width > 4.0 && x - v_box.x < 1.0) colour *= 0.72;
    if ((v_flags & 32u) != 0u && mod(floor(x) + floor(y), 6.0) < 2.0) colour = mix(colour, u_unmatched, 0.6);
    if ((v_flags & 16u) != 0u && width > 4.0 && mod(floor(x), 4.0) < 1.0) colour *= 0.8;
    if ((v_flags & 4u) != 0u && y < 2.0) colour = u_finding;
    if ((v_flags & 64u) != 0u && y < 2.0) colour = u_failed;
    if (u_critical && (v_flags & 1u) != 0u && v_box.w - y <= 2.0) colour = u_criticalColour;
    if ((v_flags & 2u) != 0u && y < 3.0) colour = u_searchColour;
  }
  o_colour = vec4(colour, 1.0);
}`;
