// Bodies as their solids; a capsule is a cylinder with two balls.
import { SHAPES, meshGeometry } from "./shapes.js";
import { bodyColour } from "./theme.js";

export function addSolids(parts, header, archive, materials, size) {
  const meshes = header.meshes.map((mesh) => () => meshGeometry(archive, mesh));
  const ground = header.bodies.length;
  for (const solid of header.solids) {
    const body = solid.body;
    const still = body === ground;
    const owner = still ? { what: "ground", name: "ground" } : { what: "body", index: body, name: header.bodies[body].name };
    const base = {
      layer: "bodies", body, owner, p: solid.p, q: solid.q,
      material: still ? materials.ground : materials.body,
      colour: still ? "#9aa1a9" : bodyColour(body, ground),
    };
    const unit = (kind, more) => parts.add({ ...base, key: kind, geometry: SHAPES[kind], scale: solid.scale, ...more });
    if (solid.kind === "mesh") parts.add({ ...base, key: `mesh ${solid.mesh}`, geometry: meshes[solid.mesh] });
    else if (solid.kind === "point") unit("sphere", { scale: [0.014 * size, 0.014 * size, 0.014 * size] });
    else if (solid.kind === "capsule") {
      const [r, , length] = solid.scale;
      unit("cylinder");
      for (const end of [-0.5, 0.5]) {
        unit("sphere", { scale: [r, r, r], p: offset(solid, [0, 0, end * length]) });
      }
    } else if (solid.kind === "cylinder") unit("cylinder", { scale: thick(solid.scale, size) });
    else unit(solid.kind);
  }
}

// A bar that is thinner than a few pixels is drawn thicker.
function thick([r, , length], size) {
  const drawn = Math.max(r, Math.min(0.0038 * size, 0.03 * length));
  return [drawn, drawn, length];
}

// A point given in the axes of a solid, in its body.
export function offset({ p = [0, 0, 0], q = [1, 0, 0, 0] }, [x, y, z]) {
  const [w, a, b, c] = q;
  const tx = 2 * (b * z - c * y), ty = 2 * (c * x - a * z), tz = 2 * (a * y - b * x);
  return [p[0] + x + w * tx + b * tz - c * ty, p[1] + y + w * ty + c * tx - a * tz, p[2] + z + w * tz + a * ty - b * tx];
}
