// The reference frames of bodies and the world as three small arrows: x red, y green, z blue.
import { SHAPES } from "./shapes.js";

const AXES = [["#e0483e", [Math.SQRT1_2, 0, Math.SQRT1_2, 0], [1, 0, 0]], ["#3fa06f", [Math.SQRT1_2, -Math.SQRT1_2, 0, 0], [0, 1, 0]], ["#3f7fc1", [1, 0, 0, 0], [0, 0, 1]]];

export function addTriads(parts, header, materials, size) {
  const count = header.bodies.length;
  for (let body = 0; body <= count; body++) {
    const length = (body === count ? 0.12 : 0.075) * size * (count > 50 ? 0.3 : 1);
    const owner = { what: "frame", name: body === count ? "world" : header.bodies[body].name };
    for (const [colour, q, direction] of AXES) {
      const common = { material: materials.axis, layer: "frames", body, q, colour, owner };
      const at = (share) => direction.map((x, i) => x * share * length - (body === count ? header.origin[i] : 0));
      parts.add({ ...common, key: "cylinder", geometry: SHAPES.cylinder, p: at(0.4), scale: [0.035 * length, 0.035 * length, 0.8 * length] });
      parts.add({ ...common, key: "cone", geometry: SHAPES.cone, p: at(0.9), scale: [0.09 * length, 0.09 * length, 0.2 * length] });
    }
  }
}
