// What is stretched between two bodies: massless rods, telescopic actuators, springs, dampers.
import * as THREE from "three";
import { SHAPES } from "./shapes.js";

// Per kind: geometry, radius in units of r, material, and from where to where (0 at a, 1 at b; lengths in units of `rest`).
const KINDS = {
  distance: [["cylinder", 0.45, "bright", "whole"], ["sphere", 0.8, "steel", "ends"]],
  drive_distance: [["cylinder", 0.95, "steel", "first"], ["cylinder", 0.55, "bright", "whole"], ["sphere", 0.9, "steel", "ends"]],
  spring: [["coil", 1.5, "spring", "whole"], ["sphere", 0.6, "steel", "ends"]],
  damper: [["cylinder", 1.1, "steel", "first"], ["cylinder", 0.45, "bright", "whole"], ["sphere", 0.6, "steel", "ends"]],
};

export class Links {
  constructor(scene, header, motion, materials, shadows) {
    this.motion = motion;
    this.items = [];
    this.group = new THREE.Group();
    scene.add(this.group);
    const geometries = {};
    for (const [what, list] of [["joint", header.joints], ["force", header.forces]]) {
      list.forEach((element, index) => {
        for (const [shape, radius, material, reach] of KINDS[element.kind] || []) {
          geometries[shape] ??= SHAPES[shape](1);
          for (const side of reach === "ends" ? ["a", "b"] : ["a"]) {
            const mesh = new THREE.Mesh(geometries[shape], materials[material]);
            mesh.castShadow = mesh.receiveShadow = shadows;
            mesh.matrixAutoUpdate = false;
            mesh.userData.owner = { what, index, name: element.name, kind: element.kind };
            this.group.add(mesh);
            this.items.push({ mesh, element, radius: radius * element.r, reach, side, shape, rest: 0 });
          }
        }
      });
    }
    this.from = new THREE.Vector3();
    this.to = new THREE.Vector3();
    this.axis = new THREE.Vector3();
    this.turn = new THREE.Quaternion();
    this.size = new THREE.Vector3();
    this.place = new THREE.Vector3();
    this.z = new THREE.Vector3(0, 0, 1);
    this.ends = [0, 0, 0, 0, 0, 0];
  }

  update() {
    for (const item of this.items) {
      const { element: e, mesh, radius } = item;
      this.motion.point(e.a, e.pa, this.ends, 0);
      this.motion.point(e.b, e.pb, this.ends, 3);
      this.from.fromArray(this.ends, 0);
      this.to.fromArray(this.ends, 3);
      if (item.reach === "ends") {
        mesh.matrix.makeScale(radius, radius, radius).setPosition(item.side === "a" ? this.from : this.to);
        mesh.matrixWorldNeedsUpdate = true;
        continue;
      }
      this.axis.subVectors(this.to, this.from);
      let length = this.axis.length() || 1e-9;
      this.turn.setFromUnitVectors(this.z, this.axis.divideScalar(length));
      if (item.reach === "first") {
        item.rest ||= 0.6 * length; // the case keeps the length that it has when first drawn
        length = Math.min(item.rest, length);
      }
      const r = item.shape === "coil" ? Math.min(radius, (item.most ||= 0.07 * length)) : radius;
      // a coil starts at its end, a cylinder has its origin in the middle
      this.place.copy(this.from).addScaledVector(this.axis, item.shape === "coil" ? 0 : 0.5 * length);
      mesh.matrix.compose(this.place, this.turn, this.size.set(r, r, length));
      mesh.matrixWorldNeedsUpdate = true;
    }
  }
}
