// Joints by type. Each sign is a list of parts in units of the joint's size r: side (a or b, whose frame it is fixed in),
// unit geometry, scale, and perhaps a shift along and a turn of the frame. `rail` parts reach as far as the joint travels.
import { SHAPES } from "./shapes.js";
import { offset } from "./solids.js";

const STEEL = "steel", BRIGHT = "bright", GLASS = "glass";

const SIGNS = {
  revolute: [["a", "cylinder", [1, 1, 2.6], STEEL], ["b", "cylinder", [0.62, 0.62, 3.3], BRIGHT]],
  pin: [["a", "cylinder", [1, 1, 1.6], STEEL], ["b", "cylinder", [0.6, 0.6, 2.1], BRIGHT]],
  spherical: [["b", "sphere", [1.1, 1.1, 1.1], BRIGHT], ["a", "thinring", [1.22, 1.22, 3], STEEL]],
  universal: [
    ["a", "cylinder", [0.55, 0.55, 3.6], STEEL], ["b", "cylinder", [0.55, 0.55, 3.6], BRIGHT], ["a", "sphere", [0.8, 0.8, 0.8], STEEL],
  ],
  fixed: [["b", "box", [1.5, 1.5, 1.5], STEEL]],
  prismatic: [["a", "rail box", [0.9, 0.45, 3], STEEL], ["b", "box", [2, 1.7, 2.6], BRIGHT]],
  slider: [["a", "rail box", [0.45, 0.9, 3], STEEL], ["b", "box", [1.7, 1.8, 2.4], BRIGHT]],
  cylindrical: [["a", "rail cylinder", [0.5, 0.5, 3], BRIGHT], ["b", "cylinder", [1.15, 1.15, 2.8], STEEL]],
  point_on_line: [["a", "rail cylinder", [0.28, 0.28, 3], STEEL], ["b", "sphere", [0.95, 0.95, 0.95], BRIGHT]],
  planar: [["a", "plate", [6, 6, 1], GLASS], ["b", "cylinder", [1.3, 1.3, 0.8], BRIGHT]],
  point_on_plane: [["a", "plate", [6, 6, 1], GLASS], ["b", "sphere", [0.95, 0.95, 0.95], BRIGHT]],
  constant_angle: [["a", "cylinder", [0.22, 0.22, 6], STEEL], ["b", "cylinder", [0.22, 0.22, 6], BRIGHT]],
  knife_edge: [["b", "box", [2.4, 2.4, 0.3], BRIGHT]],
  rolling_disc: [["b", "circle", [1, 1, 1], BRIGHT]],
  drive: [["b", "arc", [2, 2, 2], "drive"]],
  gear: [["b", "ring", [1.9, 1.9, 1.9], "drive"]],
  motor: [["b", "arc", [2, 2, 2], "drive"]],
  torsion: [["b", "spiral", [2.2, 2.2, 2.2], "drive"]],
  bushing: [["a", "ring", [1.3, 1.3, 2.4], "rubber"], ["b", "sphere", [0.8, 0.8, 0.8], BRIGHT]],
  "own joint": [["b", "octahedron", [1.4, 1.4, 1.4], BRIGHT]],
  "own nonholonomic": [["b", "octahedron", [1.1, 1.1, 1.1], STEEL]],
};

// The sign of a joint can be seen in the whole picture, unless its bodies are small themselves.
const visible = (r, size) => Math.max(r, Math.min(0.0075 * size, 2.5 * r));

export function addJoints(parts, header, materials, up, size) {
  const ground = header.bodies.length;
  header.joints.forEach((joint, index) => addSign(parts, joint, size, { what: "joint", index, name: joint.name, kind: joint.kind }, materials));
  header.forces.forEach((force, index) => {
    addSign(parts, force, size, { what: "force", index, name: force.name, kind: force.kind }, materials);
  });
  for (const joint of header.joints) {
    if (joint.r === undefined || ["drive", "gear", "rolling_disc", "constant_angle", "planar", "point_on_plane", "knife_edge"].includes(joint.kind)) continue;
    for (const side of ["a", "b"]) {
      if (joint[side] !== ground) continue;
      const s = 2.3 * visible(joint.r, size);
      const p = joint[`p${side}`].map((x, i) => x - 0.5 * s * up[i]);
      parts.add({
        key: "pyramid", geometry: SHAPES.pyramid, material: materials.ground, layer: "joints", body: ground, p, q: turning(up),
        scale: [0.8 * s, 0.8 * s, s], colour: "#8d949c", owner: { what: "joint", name: joint.name, kind: joint.kind },
      });
    }
  }
}

const LINKS = new Set(["distance", "drive_distance", "spring", "damper"]);

function addSign(parts, element, size, owner, materials) {
  if (LINKS.has(element.kind) || element.r === undefined) return;
  const sign = SIGNS[element.kind] || SIGNS["own joint"]; // a kind of somebody's own
  const { low = [0, 0, 0], high = [0, 0, 0] } = element;
  const r = visible(element.r, size);
  for (const [side, name, factors, material] of sign) {
    const frame = { p: element[`p${side}`], q: element[`q${side}`] };
    let kind = name;
    let scale = factors.map((x) => x * r);
    let shift = [0, 0, 0];
    if (name.startsWith("rail ")) {
      kind = name.slice(5);
      scale[2] += high[2] - low[2];
      shift = [0, 0, (high[2] + low[2]) / 2];
    } else if (name === "plate") {
      if (Math.max(high[0] - low[0], high[1] - low[1]) > 40 * r) continue; // a floor, as the grid shows one already
      kind = "box";
      scale = [scale[0] + high[0] - low[0], scale[1] + high[1] - low[1], 0.12 * r];
      shift = [(high[0] + low[0]) / 2, (high[1] + low[1]) / 2, 0];
    } else if (name === "circle") {
      kind = "thinring";
      scale = [element.radius, element.radius, element.radius];
    }
    parts.add({
      key: kind, geometry: SHAPES[kind], material: materials[material], layer: "joints", body: element[side],
      p: offset(frame, shift), q: frame.q, scale, colour: "#ffffff", owner,
    });
  }
}

// The quaternion that turns z to a direction.
export function turning([x, y, z]) {
  if (z < -0.999999) return [0, 1, 0, 0];
  const w = 1 + z;
  const norm = Math.hypot(w, x, y);
  return [w / norm, -y / norm, x / norm, 0];
}
