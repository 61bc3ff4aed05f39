// Unit geometries by name; coarser where there are many.
import * as THREE from "three";
import { toCreasedNormals } from "three/addons/utils/BufferGeometryUtils.js";

const round = (n) => (n > 3000 ? 8 : n > 300 ? 16 : 40);
const flat = (geometry) => toCreasedNormals(geometry, 0.1);
const alongZ = (geometry) => geometry.rotateX(Math.PI / 2);

export const SHAPES = {
  box: () => new THREE.BoxGeometry(1, 1, 1),
  cylinder: (n) => alongZ(new THREE.CylinderGeometry(1, 1, 1, round(n))),
  tube: (n) => alongZ(new THREE.CylinderGeometry(1, 1, 1, round(n), 1, true)),
  sphere: (n) => new THREE.SphereGeometry(1, round(n), Math.ceil(round(n) / 2)),
  cone: (n) => alongZ(new THREE.CylinderGeometry(0, 1, 1, round(n))),
  pyramid: () => flat(alongZ(new THREE.CylinderGeometry(0.45, 1, 1, 4).rotateY(Math.PI / 4))),
  octahedron: () => new THREE.OctahedronGeometry(1),
  disc: () => alongZ(new THREE.CylinderGeometry(1, 1, 0.02, 64)),
  ring: () => new THREE.TorusGeometry(1, 0.12, 12, 48),
  thinring: () => new THREE.TorusGeometry(1, 0.02, 8, 96),
  socket: () => new THREE.SphereGeometry(1, 32, 16, 0, 2 * Math.PI, 0, 0.52 * Math.PI).rotateX(Math.PI / 2),
  arc: () => new THREE.TorusGeometry(1, 0.1, 10, 40, 1.5 * Math.PI),
  coil: () => helix(11, 0.12),
  spiral: () => spiral(),
};

class Curve extends THREE.Curve {
  constructor(at) {
    super();
    this.at = at;
  }
  getPoint(t, target = new THREE.Vector3()) {
    return target.set(...this.at(t));
  }
}

// A coil of radius 1 from z = 0 to z = 1, with straight ends.
function helix(turns, wire) {
  const at = (t) => {
    const s = Math.min(Math.max((t - 0.08) / 0.84, 0), 1);
    const grow = Math.min(1, 14 * Math.min(s, 1 - s));
    const angle = 2 * Math.PI * turns * s;
    return [grow * Math.cos(angle), grow * Math.sin(angle), t];
  };
  const geometry = new THREE.TubeGeometry(new Curve(at), 40 * turns, wire, 8);
  return unskew(geometry, at, 40 * turns, 8, wire);
}

// A coil is stretched along z when drawn: its wire is laid out across the coil only, so that it keeps its thickness.
function unskew(geometry, at, segments, sides, wire) {
  const position = geometry.attributes.position;
  for (let i = 0; i <= segments; i++) {
    const [x, y, z] = at(i / segments);
    for (let j = 0; j <= sides; j++) {
      const angle = (2 * Math.PI * j) / sides;
      const outwards = Math.hypot(x, y) || 1;
      const c = Math.cos(angle) * wire;
      const radial = Math.hypot(x, y) > 1e-6 ? [x / outwards, y / outwards] : [1, 0];
      position.setXYZ(i * (sides + 1) + j, x + radial[0] * c, y + radial[1] * c, z + 0.01 * Math.sin(angle));
    }
  }
  geometry.computeVertexNormals();
  return geometry;
}

function spiral() {
  const at = (t) => {
    const angle = 2 * Math.PI * 2.5 * t;
    return [(0.35 + 0.65 * t) * Math.cos(angle), (0.35 + 0.65 * t) * Math.sin(angle), 0];
  };
  return new THREE.TubeGeometry(new Curve(at), 120, 0.07, 8);
}

// A mesh of the scene: corners (3, n), triangles (3, m).
export function meshGeometry(archive, { corners, triangles }) {
  const n = corners.shape[1];
  const m = triangles.shape[1];
  const x = archive.decode(corners);
  const t = archive.decode(triangles, Uint32Array);
  const position = new Float32Array(3 * n);
  for (let c = 0; c < 3; c++) for (let i = 0; i < n; i++) position[3 * i + c] = x[c * n + i];
  const index = new Uint32Array(3 * m);
  for (let c = 0; c < 3; c++) for (let i = 0; i < m; i++) index[3 * i + c] = t[c * m + i];
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.BufferAttribute(position, 3));
  geometry.setIndex(new THREE.BufferAttribute(index, 1));
  return toCreasedNormals(geometry, 0.6);
}
