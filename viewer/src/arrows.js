// Forces and torques as arrows: reactions of joints, loads. A torque has two heads.
import * as THREE from "three";
import { SHAPES } from "./shapes.js";

const COLOURS = { reaction: "#e0483e", load: "#1fa37a" };

export class Arrows {
  constructor(scene, header, archive, motion, materials, size) {
    this.motion = motion;
    this.size = size;
    this.items = header.loads.map((load) => ({ ...load, values: archive.decode(load.vectors) }));
    const heads = this.items.reduce((sum, item) => sum + (item.kind === "torque" ? 2 : 1), 0);
    this.group = new THREE.Group();
    scene.add(this.group);
    const make = (geometry, count) => {
      const mesh = new THREE.InstancedMesh(geometry, materials.load, count);
      mesh.frustumCulled = false;
      mesh.boundingSphere = new THREE.Sphere(new THREE.Vector3(), Infinity);
      mesh.userData.owners = [];
      this.group.add(mesh);
      return mesh;
    };
    this.shafts = make(SHAPES.cylinder(1), this.items.length);
    this.heads = make(SHAPES.cone(1), heads);
    let head = 0;
    this.items.forEach((item, i) => {
      const colour = new THREE.Color(item.kind === "torque" ? "#9a5fd0" : COLOURS[item.what]);
      const owner = { what: item.what, name: item.name, kind: item.kind, item };
      this.shafts.setColorAt(i, colour);
      this.shafts.userData.owners[i] = owner;
      for (let k = 0; k < (item.kind === "torque" ? 2 : 1); k++, head++) {
        this.heads.setColorAt(head, colour);
        this.heads.userData.owners[head] = owner;
      }
    });
    this.scales = { force: this.usual("force"), torque: this.usual("torque") };
    this.value = [0, 0, 0];
    this.base = [0, 0, 0];
    this.tools = [new THREE.Vector3(), new THREE.Quaternion(), new THREE.Vector3(), new THREE.Matrix4(), new THREE.Vector3(0, 0, 1), new THREE.Vector3()];
  }

  // The size that is drawn as a fifth of the picture: nearly all are smaller, single peaks are cut.
  usual(kind) {
    const lengths = [];
    for (const { values, kind: own } of this.items) {
      if (own !== kind) continue;
      const n = values.length / 3;
      for (let i = 0; i < n; i += Math.max(1, Math.floor(n / 200))) lengths.push(Math.hypot(values[i], values[n + i], values[2 * n + i]));
    }
    lengths.sort((a, b) => a - b);
    return lengths.length ? lengths[Math.floor(0.97 * (lengths.length - 1))] || 1 : 1;
  }

  // Which arrows are drawn: "forces" are loads, "reactions" those of joints.
  show({ forces, reactions }) {
    this.shown = { load: forces, reaction: reactions };
    this.group.visible = Boolean(forces || reactions);
  }

  update() {
    if (!this.group.visible) return;
    const [direction, turn, scale, matrix, z, place] = this.tools;
    let head = 0;
    this.items.forEach((item, i) => {
      this.motion.vector(item.values, this.value);
      this.motion.point(item.body, item.p, this.base);
      direction.fromArray(this.value);
      const force = this.shown[item.what] ? direction.length() : 0;
      item.now = force;
      const length = 1e-9 + 0.22 * this.size * Math.min(force / this.scales[item.kind], 1.6);
      const r = 0.0042 * this.size;
      const tip = Math.min(4.5 * r * 2, 0.5 * length);
      const thin = Math.min(1, length / (12 * r));
      if (force > 0) turn.setFromUnitVectors(z, direction.divideScalar(force));
      const shaft = Math.max(length - tip, 1e-9);
      place.fromArray(this.base).addScaledVector(direction, 0.5 * shaft);
      this.shafts.setMatrixAt(i, matrix.compose(place, turn, scale.set(r * thin, r * thin, shaft)));
      for (let k = 0; k < (item.kind === "torque" ? 2 : 1); k++, head++) {
        place.fromArray(this.base).addScaledVector(direction, shaft + tip * (0.5 - 0.7 * k));
        this.heads.setMatrixAt(head, matrix.compose(place, turn, scale.set(2.6 * r * thin, 2.6 * r * thin, Math.max(tip, 1e-9))));
      }
    });
    this.shafts.instanceMatrix.needsUpdate = this.heads.instanceMatrix.needsUpdate = true;
  }
}
