// Everything around the picture: title, buttons, toggles, the bar with the clock, help, keyboard.

const ICONS = {
  play: '<path d="M8 5.5v13l11-6.5z" fill="currentColor" stroke="none"/>',
  pause: '<path d="M8 5.5v13M16 5.5v13" stroke-width="3.4"/>',
  first: '<path d="M18 6l-9 6 9 6zM6.5 6v12" fill="currentColor"/>',
  last: '<path d="M6 6l9 6-9 6zM17.5 6v12" fill="currentColor"/>',
  loop: '<path d="M17 3l3 3-3 3M4 11V9a3 3 0 013-3h13M7 21l-3-3 3-3M20 13v2a3 3 0 01-3 3H4"/>',
  home: '<path d="M4 11l8-7 8 7M6.5 9.5V20h11V9.5"/>',
  show: '<path d="M2.5 12s3.5-6.5 9.5-6.5 9.5 6.5 9.5 6.5-3.5 6.5-9.5 6.5S2.5 12 2.5 12z"/><circle cx="12" cy="12" r="2.8"/>',
  plots: '<path d="M4 4v16h16M7.5 15l3.5-5 3 3 5-7"/>',
  theme: '<path d="M12 3.5a8.5 8.5 0 100 17z" fill="currentColor"/><circle cx="12" cy="12" r="8.5"/>',
  camera: '<path d="M4 8h3.5L9 5.5h6L16.5 8H20v11H4z"/><circle cx="12" cy="13" r="3.4"/>',
  help: '<circle cx="12" cy="12" r="8.7"/><path d="M9.6 9.4a2.5 2.5 0 113.4 2.8c-.7.3-1 .8-1 1.6M12 16.6v.4"/>',
};
const icon = (name) => `<svg viewBox="0 0 24 24" aria-hidden="true">${ICONS[name]}</svg>`;
const button = (id, name, title) => `<button id="${id}" title="${title}" aria-label="${title}">${icon(name)}</button>`;

const LAYERS = [
  ["bodies", "Bodies", "b"], ["joints", "Joints", "j"], ["frames", "Frames", "r"], ["paths", "Paths", "t"],
  ["forces", "Forces", "f"], ["reactions", "Reactions", "e"], ["grid", "Grid", "g"], ["follow", "Follow", "o"],
];
const KEYS = [
  ["Space", "play, pause"], ["← →", "one frame back, on (with Shift: ten)"], ["Home End", "to the start, to the end"], ["+ −", "faster, slower"],
  ["L", "loop"], ["1 2 3 0", "front, right, top, home view"], ["J R T F E G", "joints, frames, paths, forces, reactions, grid"],
  ["O", "follow the mechanism"], ["P", "plots"], ["D", "dark or light"], ["C", "picture as PNG"], ["?", "this list"],
];

export class Panel {
  constructor(header, player, layers, actions) {
    this.player = player;
    this.layers = layers;
    this.actions = actions;
    const root = document.createElement("div");
    root.id = "panel";
    root.innerHTML = `
      <header id="title"><h1></h1><p></p><ul id="notes"></ul></header>
      <nav id="tools">${button("home", "home", "Home view (0)")}${button("show", "show", "Show or hide")}${button("plots", "plots", "Plots (P)")}${button("theme", "theme", "Dark or light (D)")}${button("capture", "camera", "Picture as PNG (C)")}${button("help", "help", "Keys (?)")}</nav>
      <div id="layers" class="card" hidden></div>
      <aside id="curves" hidden></aside>
      <div id="keys" class="card" hidden><h2>Keys and mouse</h2><dl></dl></div>
      <div id="tip" hidden></div>
      <canvas id="axes" width="144" height="144"></canvas>
      <footer id="player">${button("first", "first", "To the start (Home)")}${button("play", "play", "Play or pause (Space)")}
        <output id="clock"></output><div id="track"><input id="scrub" type="range" aria-label="Time" step="any"><div id="events"></div></div>
        <button id="speed" title="Playing speed (+ and −)" aria-label="Playing speed"></button>${button("loop", "loop", "Loop (L)")}</footer>`;
    document.body.append(root);
    this.find = (id) => document.getElementById(id);
    this.find("title").querySelector("h1").textContent = header.name;
    const line = this.find("title").querySelector("p");
    line.textContent = [header.method, header.status].filter(Boolean).join(" · ");
    line.classList.toggle("bad", !header.ok);
    this.find("notes").append(...header.notes.map((note) => Object.assign(document.createElement("li"), { textContent: note })));
    this.find("keys").querySelector("dl").innerHTML =
      KEYS.map(([key, text]) => `<dt>${key}</dt><dd>${text}</dd>`).join("") +
      "<dt>Mouse</dt><dd>left turns, right shifts, wheel zooms; double click looks at a body</dd>";
    this.toggles(header);
    this.bar(header);
    this.keyboard();
    player.listeners.push(() => this.refresh());
  }

  toggles(header) {
    const box = this.find("layers");
    for (const [key, label, letter] of LAYERS) {
      if (!(key in this.layers.state)) continue;
      const row = document.createElement("label");
      const check = Object.assign(document.createElement("input"), { type: "checkbox", id: `layer-${key}`, checked: this.layers.state[key] });
      check.addEventListener("change", () => this.layers.set(key, check.checked));
      const hint = Object.assign(document.createElement("kbd"), { textContent: letter.toUpperCase() });
      row.append(check, label, hint);
      box.append(row);
    }
    const views = document.createElement("div");
    views.className = "views";
    for (const name of ["home", "front", "right", "top"]) {
      const one = Object.assign(document.createElement("button"), { textContent: name });
      one.addEventListener("click", () => this.actions.view(name));
      views.append(one);
    }
    const note = document.createElement("p");
    const { frames, duration, accuracy } = header;
    note.textContent = frames > 1 ? `${frames} frames, ${Number(((frames - 1) / duration).toPrecision(3))} per second; positions to ${accuracy.length.toExponential(0)} m, angles to ${accuracy.angle.toExponential(0)} rad` : "a still picture";
    box.append(views, note);
  }

  bar(header) {
    const { player } = this;
    const scrub = this.find("scrub");
    Object.assign(scrub, { min: player.start, max: player.end, value: player.time });
    scrub.addEventListener("input", () => player.seek(Number(scrub.value)));
    for (const event of header.events) {
      const mark = document.createElement("i");
      mark.style.left = `${(100 * (event.t - player.start)) / player.duration}%`;
      mark.title = event.text;
      this.find("events").append(mark);
    }
    const on = (id, action) => this.find(id).addEventListener("click", action);
    on("play", () => player.play());
    on("first", () => player.seek(player.start));
    on("loop", () => this.loop());
    on("home", () => this.actions.view("home"));
    on("show", () => this.toggle("layers"));
    on("plots", () => this.actions.plots());
    on("theme", () => this.actions.theme());
    on("capture", () => this.actions.capture());
    on("help", () => this.toggle("keys"));
    this.find("speed").addEventListener("click", () => {
      const choices = [1, 0.5, 0.2, 0.1, 2, 5].map((factor) => factor * player.usual);
      const at = choices.findIndex((value) => Math.abs(value / player.speed - 1) < 1e-6);
      player.speed = Number(choices[(at + 1) % choices.length].toPrecision(3));
      player.changed();
    });
    if (player.duration <= 0) this.find("player").hidden = true;
    this.refresh();
  }

  loop() {
    this.player.loop = !this.player.loop;
    this.player.changed();
  }

  toggle(id) {
    const box = this.find(id);
    box.hidden = !box.hidden;
    this.find({ layers: "show", keys: "help" }[id]).classList.toggle("on", !box.hidden);
  }

  flip(key) {
    if (key in this.layers.state) this.layers.set(key, !this.layers.state[key]);
  }

  refresh() {
    const { player } = this;
    const digits = Math.max(2, Math.min(6, 2 - Math.floor(Math.log10(player.duration || 1))));
    const shown = player.duration >= 1 ? Math.min(digits, 3) : digits;
    this.find("clock").textContent = `${player.time.toFixed(shown)} / ${Number(player.end.toPrecision(6))} s`;
    const scrub = this.find("scrub");
    scrub.value = player.time;
    scrub.style.setProperty("--done", `${(100 * (player.time - player.start)) / (player.duration || 1)}%`);
    this.find("speed").textContent = `${Number(player.speed.toPrecision(3))}×`;
    if (this.was !== player.playing) this.find("play").innerHTML = icon(player.playing ? "pause" : "play");
    this.was = player.playing;
    this.find("loop").classList.toggle("on", player.loop);
  }

  keyboard() {
    const { player } = this;
    const letters = Object.fromEntries(LAYERS.map(([key, , letter]) => [letter, key]));
    window.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.target.tagName === "SELECT") return;
      const many = event.shiftKey ? 10 : 1;
      const actions = {
        " ": () => player.play(), ArrowLeft: () => this.step(-many), ArrowRight: () => this.step(many),
        Home: () => player.seek(player.start), End: () => player.seek(player.end),
        "+": () => player.faster(1), "=": () => player.faster(1), "-": () => player.faster(-1),
        l: () => this.loop(), p: () => this.actions.plots(), d: () => this.actions.theme(), c: () => this.actions.capture(),
        "?": () => this.toggle("keys"), Escape: () => { for (const id of ["keys", "layers"]) if (!this.find(id).hidden) this.toggle(id); },
        1: () => this.actions.view("front"), 2: () => this.actions.view("right"), 3: () => this.actions.view("top"), 0: () => this.actions.view("home"),
      };
      const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
      const action = actions[key] || (letters[key] && (() => this.flip(letters[key])));
      if (!action) return;
      event.preventDefault();
      action();
    });
  }

  step(count) {
    this.player.play(false);
    this.player.seek(this.player.time + count * this.player.step);
  }

  tip(text, x, y) {
    const tip = this.find("tip");
    tip.hidden = !text;
    if (!text) return;
    tip.replaceChildren(...text.map((line, i) => Object.assign(document.createElement(i ? "span" : "b"), { textContent: line })));
    tip.style.transform = `translate(${Math.min(x + 14, window.innerWidth - tip.offsetWidth - 8)}px, ${Math.min(y + 14, window.innerHeight - tip.offsetHeight - 8)}px)`;
  }

  // The directions of the world in a corner.
  axes(camera) {
    const canvas = this.find("axes");
    const c = canvas.getContext("2d");
    const m = camera.matrixWorldInverse.elements;
    c.setTransform(2, 0, 0, 2, 72, 72);
    c.clearRect(-36, -36, 72, 72);
    c.lineCap = "round";
    c.font = `600 11px ${getComputedStyle(document.documentElement).getPropertyValue("--font")}`;
    c.textAlign = "center";
    c.textBaseline = "middle";
    [["x", "#e0483e", 0], ["y", "#3fa06f", 4], ["z", "#4a8fd6", 8]]
      .map(([name, colour, o]) => ({ name, colour, x: m[o], y: -m[o + 1], z: m[o + 2] }))
      .sort((a, b) => a.z - b.z)
      .forEach(({ name, colour, x, y }) => {
        c.strokeStyle = c.fillStyle = colour;
        c.lineWidth = 2.2;
        c.beginPath();
        c.moveTo(0, 0);
        c.lineTo(21 * x, 21 * y);
        c.stroke();
        c.fillText(name, 29 * x, 29 * y);
      });
  }
}
