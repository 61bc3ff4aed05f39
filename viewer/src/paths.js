// The ways of points: the whole way faint, what is behind the present time strong.
import * as THREE from "three";
import { Line2 } from "three/addons/lines/Line2.js";
import { LineGeometry } from "three/addons/lines/LineGeometry.js";
import { LineMaterial } from "three/addons/lines/LineMaterial.js";
import { offset } from "./solids.js";
import { bodyColour } from "./theme.js";

const POINTS = 3000; // of a path, so that it looks smooth

export class Paths {
  constructor(scene, header, motion) {
    this.group = new THREE.Group();
    this.lines = [];
    scene.add(this.group);
    if (motion.frames < 2) return;
    this.points = Math.max(2, Math.round((motion.frames - 1) * Math.min(4, POINTS / motion.frames)));
    const ways = header.paths.map(() => []);
    for (let i = 0; i < this.points; i++) {
      motion.place(motion.start + (i / (this.points - 1)) * motion.duration);
      header.paths.forEach(({ body, p }, k) => ways[k].push(...pointAt(motion, body, p)));
    }
    header.paths.forEach(({ body }, k) => {
      const colour = new THREE.Color(bodyColour(body, header.bodies.length));
      const make = (width, opacity) => {
        const material = new LineMaterial({ color: colour, linewidth: width, transparent: true, opacity, depthWrite: false });
        const line = new Line2(new LineGeometry().setPositions(ways[k]), material);
        line.frustumCulled = false;
        this.group.add(line);
        return line;
      };
      make(1.3, 0.4);
      this.lines.push(make(2.4, 0.9));
    });
  }

  resize(width, height) {
    this.group.children.forEach((line) => line.material.resolution.set(width, height));
  }

  update(share) {
    for (const line of this.lines) line.geometry.instanceCount = Math.round(share * (this.points - 1));
  }
}

// A point of a body at the present place of the motion.
function pointAt(motion, body, p) {
  const [x, y, z, w, a, b, c] = motion.pose(body);
  return offset({ p: [x, y, z], q: [w, a, b, c] }, p);
}
