// A dot of a few pixels in each body, for bodies that fly so far apart that they are hardly seen; near by the body hides it.
import * as THREE from "three";
import { bodyColour } from "./theme.js";

const PIXELS = 6;

export class Dots {
  constructor(scene, motion) {
    this.motion = motion;
    this.places = new THREE.BufferAttribute(new Float32Array(3 * motion.count), 3).setUsage(THREE.DynamicDrawUsage);
    const colours = new Float32Array(3 * motion.count);
    for (let body = 0; body < motion.count; body++) new THREE.Color(bodyColour(body, motion.count)).toArray(colours, 3 * body);
    const geometry = new THREE.BufferGeometry().setAttribute("position", this.places).setAttribute("color", new THREE.BufferAttribute(colours, 3));
    const material = new THREE.ShaderMaterial({
      uniforms: { size: { value: PIXELS * Math.min(window.devicePixelRatio, 2) } },
      vertexShader: "attribute vec3 color; varying vec3 shown; uniform float size; void main() { shown = color; gl_PointSize = size; gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0); }",
      fragmentShader: `varying vec3 shown; void main() { if (length(gl_PointCoord - 0.5) > 0.5) discard; gl_FragColor = vec4(shown, 1.0);
        #include <colorspace_fragment>
      }`,
    });
    this.points = new THREE.Points(geometry, material);
    this.points.frustumCulled = false;
    scene.add(this.points);
  }

  update() {
    for (let body = 0; body < this.motion.count; body++) this.places.array.set(this.motion.matrices.subarray(16 * body + 12, 16 * body + 15), 3 * body);
    this.places.needsUpdate = true;
  }
}
