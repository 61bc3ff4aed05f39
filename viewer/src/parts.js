// Parts fixed in bodies, drawn by instancing: one mesh per unit geometry and material, whatever the number of bodies.
import * as THREE from "three";

const FAR = new THREE.Sphere(new THREE.Vector3(), Infinity);

export class Parts {
  constructor(scene, motion, shadows) {
    this.scene = scene;
    this.motion = motion;
    this.shadows = shadows;
    this.groups = new Map();
  }

  // geometry: a function that makes it; layer: what a toggle hides; owner: what hovering tells.
  add({ key, geometry, material, layer, body, p = [0, 0, 0], q = [1, 0, 0, 0], scale = [1, 1, 1], colour, owner }) {
    const name = `${key}/${layer}/${material.name}`;
    if (!this.groups.has(name)) this.groups.set(name, { key, geometry, material, layer, items: [] });
    const local = new THREE.Matrix4().compose(
      new THREE.Vector3(...p), new THREE.Quaternion(q[1], q[2], q[3], q[0]), new THREE.Vector3(...scale));
    this.groups.get(name).items.push({ body, local, colour: new THREE.Color(colour), owner });
  }

  build() {
    for (const group of this.groups.values()) {
      if (group.mesh) continue;
      const n = group.items.length;
      const mesh = new THREE.InstancedMesh(group.geometry(n), group.material, n);
      mesh.instanceMatrix.setUsage(THREE.DynamicDrawUsage);
      mesh.frustumCulled = false;
      mesh.boundingSphere = FAR;
      mesh.castShadow = mesh.receiveShadow = this.shadows && !group.material.transparent;
      group.body = Uint32Array.from(group.items, (item) => item.body);
      group.local = new Float32Array(16 * n);
      group.items.forEach((item, i) => {
        group.local.set(item.local.elements, 16 * i);
        mesh.setColorAt(i, item.colour);
      });
      mesh.userData = { owners: group.items.map((item) => item.owner), colours: group.items.map((item) => item.colour) };
      group.mesh = mesh;
      this.scene.add(mesh);
    }
  }

  meshes() {
    return [...this.groups.values()].filter((group) => group.mesh && group.mesh.visible).map((group) => group.mesh);
  }

  show(layer, visible) {
    for (const group of this.groups.values()) if (group.layer === layer && group.mesh) group.mesh.visible = visible;
  }

  // instance = body * local, affine.
  update() {
    const m = this.motion.matrices;
    for (const { mesh, body, local } of this.groups.values()) {
      if (!mesh.visible) continue;
      const out = mesh.instanceMatrix.array;
      for (let i = 0; i < body.length; i++) {
        const o = 16 * body[i];
        const l = 16 * i;
        const a0 = m[o], a1 = m[o + 1], a2 = m[o + 2], b0 = m[o + 4], b1 = m[o + 5], b2 = m[o + 6];
        const c0 = m[o + 8], c1 = m[o + 9], c2 = m[o + 10];
        for (let column = 0; column < 16; column += 4) {
          const x = local[l + column], y = local[l + column + 1], z = local[l + column + 2];
          out[l + column] = a0 * x + b0 * y + c0 * z;
          out[l + column + 1] = a1 * x + b1 * y + c1 * z;
          out[l + column + 2] = a2 * x + b2 * y + c2 * z;
        }
        out[l + 12] += m[o + 12];
        out[l + 13] += m[o + 13];
        out[l + 14] += m[o + 14];
        out[l + 15] = 1;
      }
      mesh.instanceMatrix.needsUpdate = true;
    }
  }
}
