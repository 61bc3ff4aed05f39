// Renderer, lights, camera, ground grid.
import * as THREE from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { THEMES, backdrop } from "./theme.js";

const UPS = { x: [1, 0, 0], y: [0, 1, 0], z: [0, 0, 1], "-x": [-1, 0, 0], "-y": [0, -1, 0], "-z": [0, 0, -1] };

export class Stage {
  constructor(canvas, header, box, shadows) {
    this.canvas = canvas;
    this.flat = header.flat;
    this.up = UPS[header.up];
    this.sheet = header.flat && Math.abs(this.up[2]) < 0.5; // the grid stands behind the mechanism like a sheet of paper
    this.box = box;
    this.plain = false;
    this.shadows = shadows;
    this.covered = 0; // pixels at the right that plots cover
    this.sphere = box.getBoundingSphere(new THREE.Sphere());
    this.size = Math.max(2 * this.sphere.radius, 1e-9);
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true, powerPreference: "high-performance" });
    this.renderer.toneMapping = THREE.NeutralToneMapping;
    this.renderer.shadowMap.enabled = shadows;
    this.renderer.shadowMap.type = THREE.PCFShadowMap;
    this.scene = new THREE.Scene();
    this.camera = new THREE.PerspectiveCamera(32, 1, 0.01 * this.size, 60 * this.size);
    this.camera.up.set(...this.up);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = true;
    this.controls.dampingFactor = 0.12;
    this.controls.zoomToCursor = true;
    this.lights(shadows);
    this.ground(header);
    this.resize();
    this.view("home");
  }

  // Two unit vectors that make a right-handed system with up: right and towards the viewer.
  sides() {
    const up = new THREE.Vector3(...this.up);
    if (this.sheet) {
      const front = new THREE.Vector3(0, 0, 1);
      return { up, front, right: new THREE.Vector3().crossVectors(up, front) };
    }
    const right = Math.abs(up.x) < 0.5 ? new THREE.Vector3(1, 0, 0) : new THREE.Vector3(0, 1, 0);
    return { up, right, front: new THREE.Vector3().crossVectors(right, up) };
  }

  lights(shadows) {
    const { up, right, front } = this.sides();
    this.sky = new THREE.HemisphereLight("#ffffff", "#8fa0b3", 1.5);
    this.sky.position.copy(up);
    const back = new THREE.DirectionalLight("#dfeaff", 0.7);
    back.position.copy(right).addScaledVector(front, -0.6).addScaledVector(up, 0.2);
    this.scene.add(this.sky, back);
    this.sun = new THREE.DirectionalLight("#fff6e8", 2.6);
    const [u, r, f] = this.sheet ? [0.55, -0.4, 1] : [1.5, -0.7, 0.9];
    const way = new THREE.Vector3().addScaledVector(up, u).addScaledVector(right, r).addScaledVector(front, f).normalize();
    this.sun.position.copy(this.sphere.center).addScaledVector(way, 2 * this.size);
    this.sun.target.position.copy(this.sphere.center);
    this.sun.castShadow = shadows;
    const reach = 0.75 * this.size;
    Object.assign(this.sun.shadow.camera, { left: -reach, right: reach, top: reach, bottom: -reach, near: 0.5 * this.size, far: 4 * this.size });
    this.sun.shadow.mapSize.set(2048, 2048);
    this.sun.shadow.radius = 5;
    this.sun.shadow.normalBias = 0.004 * this.size;
    this.scene.add(this.sun, this.sun.target);
  }

  // A floor below the mechanism; behind it where everything is in a plane.
  ground(header) {
    const { up, front } = this.sides();
    const normal = this.sheet ? front : up;
    this.normal = normal;
    this.cell = nice(this.size / 12);
    const low = new THREE.Vector3();
    const corner = normal.clone().multiplyScalar(-1);
    low.set(corner.x > 0 ? this.box.max.x : this.box.min.x, corner.y > 0 ? this.box.max.y : this.box.min.y, corner.z > 0 ? this.box.max.z : this.box.min.z);
    const height = low.dot(normal) - (header.joints.some((joint) => joint.kind === "rolling_disc") ? 0.0095 : 0.02) * this.size;
    const turn = new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 0, 1), normal);
    const centre = this.sphere.center.clone();
    centre.addScaledVector(normal, height - centre.dot(normal));
    this.grid = new THREE.Group();
    this.gridMaterial = new THREE.ShaderMaterial({
      transparent: true,
      depthWrite: false,
      side: THREE.DoubleSide,
      uniforms: { cell: { value: this.cell }, line: { value: new THREE.Color() }, reach: { value: 2.1 * this.size }, middle: { value: centre }, phase: { value: new THREE.Vector2() } },
      vertexShader: "varying vec3 world; void main() { vec4 p = modelMatrix * vec4(position, 1.0); world = p.xyz; gl_Position = projectionMatrix * viewMatrix * p; }",
      fragmentShader: `
        varying vec3 world; uniform float cell; uniform float reach; uniform vec3 line; uniform vec3 middle; uniform mat3 axes; uniform vec2 phase;
        float lines(vec2 p, float width) { vec2 w = fwidth(p); vec2 d = abs(fract(p - 0.5) - 0.5) / max(w, 1e-6);
          vec2 fade = 1.0 - smoothstep(0.25, 0.7, w); vec2 a = (1.0 - min(d / width, 1.0)) * fade; return max(a.x, a.y); }
        void main() {
          vec2 p = vec2(dot(world, axes[0]), dot(world, axes[1])) + phase;
          float a = max(0.32 * lines(p / cell, 1.0), 0.62 * lines(p / (5.0 * cell), 1.3));
          float fade = 1.0 - smoothstep(0.25, 1.0, length(world - middle) / reach);
          gl_FragColor = vec4(line, a * fade);
          #include <colorspace_fragment>
        }`,
    });
    const x = new THREE.Vector3(1, 0, 0).applyQuaternion(turn);
    const y = new THREE.Vector3(0, 1, 0).applyQuaternion(turn);
    this.gridMaterial.uniforms.axes = { value: new THREE.Matrix3().set(x.x, y.x, 0, x.y, y.y, 0, x.z, y.z, 0) };
    const origin = new THREE.Vector3(...header.origin); // lines go through whole multiples of a cell in the world
    this.gridMaterial.uniforms.phase.value.set(origin.dot(x) % (5 * this.cell), origin.dot(y) % (5 * this.cell));
    const lines = new THREE.Mesh(new THREE.PlaneGeometry(4.2 * this.size, 4.2 * this.size), this.gridMaterial);
    this.shade = new THREE.Mesh(new THREE.PlaneGeometry(2.2 * this.size, 2.2 * this.size), new THREE.ShadowMaterial({ opacity: 0.2, depthWrite: false }));
    this.shade.receiveShadow = true;
    for (const mesh of [this.shade, lines]) {
      mesh.quaternion.copy(turn);
      mesh.position.copy(centre);
      this.grid.add(mesh);
    }
    lines.renderOrder = -1;
    this.shade.renderOrder = -2;
    this.scene.add(this.grid);
  }

  theme(name) {
    const theme = THEMES[name];
    this.scene.background = backdrop(theme);
    this.sky.intensity = theme.ambient;
    this.gridMaterial.uniforms.line.value.set(theme.line);
    this.shade.material.opacity = theme.shadow;
  }

  // Look from one side, so that everything that moves fits in.
  view(name) {
    const { up, right, front } = this.sides();
    const mix = (r, u, f) => new THREE.Vector3().addScaledVector(right, r).addScaledVector(up, u).addScaledVector(front, f);
    const directions = {
      home: this.sheet ? mix(0.16, 0.12, 1) : mix(0.62, 0.46, 1),
      front: mix(0, 0, 1), right: mix(1, 0, 0), top: mix(0, 1, 1e-3),
    };
    const way = (directions[name] || directions.home).normalize();
    this.controls.target.copy(this.sphere.center);
    this.camera.position.copy(this.sphere.center).add(way);
    this.camera.lookAt(this.sphere.center);
    this.camera.position.copy(this.sphere.center).addScaledVector(way, this.distance(way));
    this.controls.update();
  }

  // Everything that looks at the mechanism goes along with it; the lines of the grid stay where they are in the world.
  shift(way) {
    for (const point of [this.controls.target, this.camera.position, this.sun.position, this.sun.target.position, this.sphere.center]) point.add(way);
    const along = way.clone().addScaledVector(this.normal, -way.dot(this.normal));
    for (const mesh of this.grid.children) mesh.position.add(along);
    this.gridMaterial.uniforms.middle.value.add(along);
  }

  // How far away the camera sees the whole box.
  distance(way) {
    const tall = Math.tan((this.camera.fov * Math.PI) / 360);
    const wide = tall * this.free;
    this.camera.updateMatrixWorld();
    const turn = this.camera.quaternion.clone().invert();
    const middle = this.box.getCenter(new THREE.Vector3());
    let far = 0;
    const corner = new THREE.Vector3();
    for (let i = 0; i < 8; i++) {
      corner.set(i & 1 ? this.box.max.x : this.box.min.x, i & 2 ? this.box.max.y : this.box.min.y, i & 4 ? this.box.max.z : this.box.min.z);
      corner.sub(middle).applyQuaternion(turn);
      far = Math.max(far, corner.z + Math.abs(corner.y) / (tall * 0.8), corner.z + Math.abs(corner.x) / (wide * 0.86));
    }
    return Math.max(far, 0.6 * this.size);
  }

  // The middle of the picture is that of the part which no plots cover.
  resize() {
    const { clientWidth: width, clientHeight: height } = this.canvas.parentElement;
    if (!width || !height) return;
    this.free = (width - this.covered) / height;
    this.camera.setViewOffset(width, height, 0.5 * this.covered, 0, width, height);
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2) * (this.plain ? 0.6 : 1));
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    return [width, height];
  }

  // Without shadows and with fewer pixels, for computers that draw without a graphics processor.
  simplify(plain) {
    this.plain = plain;
    this.sun.castShadow = this.shadows && !plain;
    this.shade.visible = !plain;
    return this.resize();
  }

  render() {
    this.renderer.render(this.scene, this.camera);
  }
}

// The nearest of 1, 2, 5 times a power of ten.
export function nice(value) {
  const power = 10 ** Math.floor(Math.log10(value));
  const digit = value / power;
  return power * (digit < 1.5 ? 1 : digit < 3.5 ? 2 : digit < 7.5 ? 5 : 10);
}
