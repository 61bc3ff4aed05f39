// The viewer: unpacks the scene, draws it, and draws it again whenever something has changed.
import * as THREE from "three";
import { Archive } from "./archive.js";
import { Arrows } from "./arrows.js";
import { Dots } from "./dots.js";
import { addJoints } from "./joints.js";
import { Links } from "./links.js";
import { Motion } from "./motion.js";
import { Panel } from "./panel.js";
import { Parts } from "./parts.js";
import { Paths } from "./paths.js";
import { Player } from "./player.js";
import { Plots, short } from "./plots.js";
import { addSolids, offset } from "./solids.js";
import { Stage } from "./stage.js";
import { THEMES, makeMaterials, paint } from "./theme.js";
import { addTriads } from "./triads.js";

const SLOW = 80; // ms: if playing takes longer per picture for a while, less is drawn
const TRAVEL = 4; // times its own size that a mechanism may go, or spread, before it is seen from afar
const MANY = 2000; // bodies, from which on shadows and the signs of joints are left out at first

async function start() {
  const archive = new Archive(await window.unpack("scene"));
  const header = archive.header;
  const motion = new Motion(header, archive);
  const player = new Player(header);
  const many = header.bodies.length > MANY;
  const { box, away, apart } = framing(header, motion);
  const stage = new Stage(document.getElementById("canvas"), header, box, !many);
  const { scene, size } = stage;
  const materials = makeMaterials();
  const parts = new Parts(scene, motion, !many);
  addSolids(parts, header, archive, materials, size);
  if (!many) addJoints(parts, header, materials, stage.up, size);
  parts.build();
  const links = new Links(scene, header, motion, materials, !many);
  const arrows = new Arrows(scene, header, archive, motion, materials, size);
  const paths = new Paths(scene, header, motion);
  const dots = apart ? new Dots(scene, motion) : null;

  let dirty = true;
  const touch = () => (dirty = true);
  const late = { joints: many, frames: true }; // made when they are first asked for
  const layers = {
    state: { bodies: true, joints: !many, frames: false, paths: true, forces: false, reactions: false, grid: true, follow: away },
    set(key, on) {
      layers.state[key] = on;
      const check = document.getElementById(`layer-${key}`);
      if (check) check.checked = on;
      if (on && late[key]) {
        late[key] = false;
        if (key === "frames") addTriads(parts, header, materials, size);
        else addJoints(parts, header, materials, stage.up, size);
        parts.build();
      }
      if (["bodies", "joints", "frames"].includes(key)) parts.show(key, on);
      if (key === "bodies" && dots) dots.points.visible = on;
      if (key === "joints") links.group.visible = on;
      if (key === "paths") paths.group.visible = on;
      if (key === "grid") stage.grid.visible = on;
      arrows.show(layers.state);
      touch();
    },
  };
  if (!header.loads.some((load) => load.what === "load")) delete layers.state.forces;
  if (!header.loads.some((load) => load.what === "reaction")) delete layers.state.reactions;
  if (header.frames < 2) ["paths", "follow"].forEach((key) => delete layers.state[key]);
  arrows.show(layers.state);

  let plots = null;
  const curves = () => document.getElementById("curves");
  const actions = {
    view(name) {
      stage.view(name);
      touch();
    },
    plots(wanted = curves().hidden) {
      curves().hidden = !wanted || !header.curves.length;
      document.getElementById("plots").classList.toggle("on", !curves().hidden);
      if (!plots && !curves().hidden) plots = new Plots(curves(), header, archive, player);
      plots?.refresh();
      resize();
    },
    theme(name = document.documentElement.dataset.theme === "dark" ? "light" : "dark") {
      document.documentElement.dataset.theme = name;
      stage.theme(name);
      paint(materials, THEMES[name]);
      plots?.refresh();
      touch();
    },
    picture() {
      const { plain } = stage;
      if (plain) simplify(false);
      draw();
      const picture = stage.canvas.toDataURL("image/png");
      if (plain) simplify(true);
      return picture;
    },
    capture() {
      const link = document.createElement("a");
      link.href = actions.picture();
      link.download = `${header.name.replace(/[^\w.-]+/g, "-")}-${player.time.toFixed(3)}s.png`;
      link.click();
    },
  };
  const panel = new Panel(header, player, layers, actions);
  player.listeners.push(() => {
    plots?.draw();
    touch();
  });

  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  actions.theme(dark.matches ? "dark" : "light");
  dark.addEventListener("change", () => actions.theme(dark.matches ? "dark" : "light"));

  function simplify(plain) {
    const found = stage.simplify(plain);
    if (found) paths.resize(...found);
    touch();
  }

  function resize() {
    stage.covered = curves().hidden || window.innerWidth < 800 ? 0 : curves().offsetWidth + 12;
    const found = stage.resize();
    if (found) paths.resize(...found);
    plots?.refresh();
    touch();
  }
  window.addEventListener("resize", resize);
  stage.controls.addEventListener("change", touch);

  const timing = { update: 0, render: 0 };
  let middle = null;
  function draw() {
    const began = performance.now();
    motion.move(player.time);
    follow();
    parts.update();
    links.update();
    dots?.update();
    arrows.update();
    paths.update(header.duration > 0 ? (player.time - header.start) / header.duration : 0);
    const ready = performance.now();
    stage.render();
    panel.axes(stage.camera);
    timing.update = ready - began;
    timing.render = performance.now() - ready;
  }

  // The camera goes with the mean position of the bodies.
  function follow() {
    if (!layers.state.follow) {
      middle = null;
      return;
    }
    const now = motion.middle(new THREE.Vector3());
    if (middle) stage.shift(now.clone().sub(middle));
    middle = now;
  }

  const hover = makeHover(stage, parts, links, arrows, header, plots, panel, touch);
  let before = performance.now();
  let slow = 0;
  function loop(now) {
    requestAnimationFrame(loop);
    slow = player.playing && now - before > SLOW ? slow + 1 : 0;
    if (slow === 8 && !stage.plain) simplify(true);
    if (stage.plain && !player.playing) simplify(false);
    player.tick((now - before) / 1000);
    before = now;
    stage.controls.update();
    hover();
    if (!dirty) return;
    dirty = false;
    draw();
  }

  resize();
  if (window.innerWidth >= 760 && window.innerHeight >= 460) actions.plots(true);
  stage.view("home");
  player.play(true);
  draw();
  requestAnimationFrame(loop);

  // For tests, and for those who embed the page.
  window.bricard = {
    header, player, timing, stage, layers,
    pose(name, time) {
      const body = header.bodies.findIndex((one) => one.name === name);
      if (body < 0) throw new Error(`There is no body "${name}".`);
      motion.place(time);
      const [x, y, z, w, a, b, c] = motion.pose(body);
      return { position: [x, y, z].map((place, i) => place + header.origin[i]), quaternion: [w, a, b, c] };
    },
    seek: (time) => player.seek(time),
    play: (wanted) => player.play(wanted),
    theme: actions.theme,
    view: actions.view,
    plots: actions.plots,
    show: (key, on) => layers.set(key, on),
    picture: actions.picture,
    draw,
  };
  document.documentElement.dataset.ready = "yes";
}

// The box that the home view shows; whether the bodies drive off together (away), so that the camera goes with them; or
// whether they fly apart, so that the whole motion is shown.
function framing(header, motion) {
  const length = (box) => box.getSize(new THREE.Vector3()).length();
  const whole = bounds(header, motion);
  const far = TRAVEL * length(bounds(header, motion, { most: 1 }));
  if (length(whole) <= far) return { box: whole, away: false, apart: false };
  const along = bounds(header, motion, { along: true });
  const away = length(along) <= far;
  return { box: away ? along : whole, away, apart: !away };
}

// The box around everything that moves, at some instants; with `along` as seen by somebody who goes with the bodies.
function bounds(header, motion, { most = 120, along = false } = {}) {
  const box = new THREE.Box3();
  const ground = header.bodies.length;
  const corners = header.solids.map((solid) => {
    const half = solid.scale.map((x) => (solid.kind === "box" ? 0.5 * x : x));
    if (solid.kind === "cylinder") half[2] *= 0.5;
    if (solid.kind === "capsule") half[2] = 0.5 * half[2] + half[0];
    const { low, high } = solid.kind === "mesh" ? header.meshes[solid.mesh] : { low: half.map((x) => -x), high: half };
    const found = [];
    for (let i = 0; i < 8; i++) found.push(offset(solid, low.map((x, axis) => (i & (1 << axis) ? high[axis] : x))));
    return { body: solid.body, found };
  });
  for (const { a, b, pa, pb, qb, radius } of [...header.joints, ...header.forces]) {
    if (a === undefined) continue;
    corners.push({ body: a, found: [pa] }, { body: b, found: [pb] });
    if (radius) for (const sign of [-radius, radius]) corners.push({ body: b, found: [offset({ p: pb, q: qb }, [sign, 0, 0]), offset({ p: pb, q: qb }, [0, sign, 0])] });
  }
  const point = new THREE.Vector3();
  const at = [0, 0, 0];
  const [start, now] = [new THREE.Vector3(), new THREE.Vector3()];
  const instants = Math.min(motion.frames, Math.max(4, Math.floor(300000 / (1 + 8 * corners.length))), most);
  for (let i = 0; i < instants; i++) {
    motion.move(motion.start + (instants > 1 ? (i / (instants - 1)) * motion.duration : 0));
    motion.middle(i ? now : start);
    for (const { body, found } of corners) {
      if (body === ground && i > 0) continue;
      for (const corner of found) {
        point.fromArray(motion.point(body, corner, at));
        if (along && i) point.sub(now).add(start);
        box.expandByPoint(point);
      }
    }
  }
  if (box.isEmpty()) box.set(new THREE.Vector3(-0.5, -0.5, -0.5), new THREE.Vector3(0.5, 0.5, 0.5));
  return box.expandByScalar(0.01 * box.getSize(point).length());
}

// Names under the pointer; a double click looks at what is there.
function makeHover(stage, parts, links, arrows, header, plots, panel, touch) {
  const caster = new THREE.Raycaster();
  const pointer = new THREE.Vector2();
  let at = null;
  let lit = null;
  const canvas = stage.canvas;
  canvas.addEventListener("pointermove", (event) => (at = event.buttons ? null : event));
  canvas.addEventListener("pointerleave", () => {
    at = null;
    light(null);
    panel.tip(null);
  });
  canvas.addEventListener("dblclick", (event) => {
    const hit = find(event);
    if (hit) stage.controls.target.copy(hit.point);
    touch();
  });

  function find(event) {
    const box = canvas.getBoundingClientRect();
    pointer.set((2 * (event.clientX - box.left)) / box.width - 1, 1 - (2 * (event.clientY - box.top)) / box.height);
    caster.setFromCamera(pointer, stage.camera);
    const targets = [...parts.meshes(), ...(links.group.visible ? links.group.children : []), ...(arrows.group.visible ? arrows.group.children : [])];
    return caster.intersectObjects(targets, false)[0];
  }

  function light(hit) {
    if (lit) {
      lit.mesh.setColorAt(lit.id, lit.colour);
      lit.mesh.instanceColor.needsUpdate = true;
      lit = null;
      touch();
    }
    const colour = hit?.object.userData.colours?.[hit.instanceId];
    if (colour) {
      lit = { mesh: hit.object, id: hit.instanceId, colour };
      hit.object.setColorAt(hit.instanceId, colour.clone().lerp(new THREE.Color("#ffffff"), 0.35));
      hit.object.instanceColor.needsUpdate = true;
      touch();
    }
  }

  return () => {
    if (!at) return;
    const event = at;
    at = null;
    const hit = find(event);
    light(hit);
    const owner = hit && (hit.object.userData.owner || hit.object.userData.owners?.[hit.instanceId]);
    panel.tip(owner ? describe(owner, header) : null, event.clientX, event.clientY);
  };
}

function describe(owner, header) {
  const kind = (owner.kind || "").replaceAll("_", " ");
  if (owner.what === "body") return [owner.name, `body, ${short(header.bodies[owner.index].mass)} kg`];
  if (owner.what === "frame") return [owner.name, "reference frame"];
  if (owner.what === "ground") return ["ground"];
  if (owner.item) return [owner.name, `${owner.what} ${owner.kind === "torque" ? "torque" : "force"} ${short(owner.item.now)} ${owner.kind === "torque" ? "N m" : "N"}`];
  return [owner.name, owner.what === "joint" ? `${kind}${/joint|drive|gear/.test(kind) ? "" : " joint"}` : kind];
}

start().catch(window.fail);
