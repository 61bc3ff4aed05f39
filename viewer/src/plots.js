// Curves over time with a cursor at the present: drawn on canvases, one per plot; a click or a drag sets the time.
import { CURVES } from "./theme.js";
import { nice } from "./stage.js";

const SUPER = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };
const MARGIN = { left: 52, right: 10, top: 8, bottom: 20 };

export function short(value) {
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e5 || size < 1e-3) return value.toExponential(2).replace(/\.?0+e/, "e").replace("e+", "e");
  return String(Number(value.toPrecision(4)));
}

export class Plots {
  constructor(container, header, archive, player) {
    this.container = container;
    this.header = header;
    this.archive = archive;
    this.player = player;
    this.decoded = new Map();
    this.panels = [];
    const names = header.curves.map((curve) => curve.name);
    for (const name of [...header.own.slice(0, 2), "energy", "constraint errors"].slice(0, 3)) if (names.includes(name)) this.open(name);
    const more = document.createElement("button");
    more.className = "more";
    more.textContent = "+ add a plot";
    more.addEventListener("click", () => this.open(names.find((name) => !this.panels.some((panel) => panel.name === name)) || names[0]));
    this.container.append(more);
    this.more = more;
  }

  values(curve) {
    if (!this.decoded.has(curve)) this.decoded.set(curve, this.archive.decode(curve.values));
    return this.decoded.get(curve);
  }

  open(name) {
    const element = document.createElement("section");
    element.className = "plot";
    const bar = document.createElement("div");
    bar.className = "plotbar";
    const select = document.createElement("select");
    select.title = "What is plotted";
    select.setAttribute("aria-label", "What is plotted");
    for (const { name: option, unit } of this.header.curves) select.add(new Option(unit ? `${option} (${unit})` : option, option));
    const close = document.createElement("button");
    close.textContent = "×";
    close.title = "Remove this plot";
    close.setAttribute("aria-label", "Remove this plot");
    const canvas = document.createElement("canvas");
    const legend = document.createElement("div");
    legend.className = "legend";
    bar.append(select, close);
    element.append(bar, canvas, legend);
    if (this.more) this.more.before(element);
    else this.container.append(element);
    const panel = { element, canvas, legend, select, name };
    select.addEventListener("change", () => this.choose(panel, select.value));
    close.addEventListener("click", () => {
      element.remove();
      this.panels = this.panels.filter((other) => other !== panel);
    });
    const seek = (event) => {
      const box = canvas.getBoundingClientRect();
      const share = (event.clientX - box.left - MARGIN.left) / (box.width - MARGIN.left - MARGIN.right);
      this.player.seek(this.header.start + Math.min(Math.max(share, 0), 1) * this.header.duration);
    };
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      seek(event);
    });
    canvas.addEventListener("pointermove", (event) => event.buttons && seek(event));
    this.panels.push(panel);
    this.choose(panel, name);
    return panel;
  }

  choose(panel, name) {
    panel.name = panel.select.value = name;
    panel.group = this.header.curves.find((curve) => curve.name === name);
    panel.legend.replaceChildren(...panel.group.curves.map((curve, i) => {
      const item = document.createElement("span");
      const dot = document.createElement("i");
      dot.style.background = CURVES[i % CURVES.length];
      const value = document.createElement("b");
      item.append(dot, `${curve.label} `, value);
      return item;
    }));
    this.prepare(panel);
    this.draw();
  }

  // The curves, drawn once; the cursor comes over them.
  prepare(panel) {
    const { canvas, group } = panel;
    const ratio = Math.min(window.devicePixelRatio, 2);
    const width = canvas.clientWidth, height = canvas.clientHeight;
    if (!width || !height) return;
    const still = document.createElement("canvas");
    still.width = canvas.width = width * ratio;
    still.height = canvas.height = height * ratio;
    const c = still.getContext("2d");
    c.scale(ratio, ratio);
    const style = getComputedStyle(document.documentElement);
    const faint = style.getPropertyValue("--faint"), text = style.getPropertyValue("--soft");
    let low = Infinity, high = -Infinity;
    for (const curve of group.curves) for (const value of this.values(curve)) {
      if (value < low) low = value;
      if (value > high) high = value;
    }
    if (!(high - low > 1e-12 * Math.max(Math.abs(low), Math.abs(high)))) { low -= 0.5 * Math.abs(low) || 1; high += 0.5 * Math.abs(high) || 1; }
    const step = group.log ? Math.max(1, Math.ceil((high - low) / 4)) : nice((high - low) / 4);
    low = group.log ? Math.floor(low) : low - 0.04 * (high - low);
    high = group.log ? Math.ceil(high) : high + 0.04 * (high - low);
    const { left, right, top, bottom } = MARGIN;
    const w = width - left - right, h = height - top - bottom;
    const y = (value) => top + h * (1 - (value - low) / (high - low));
    c.font = `10.5px ${style.getPropertyValue("--font")}`;
    c.fillStyle = text;
    c.strokeStyle = faint;
    c.lineWidth = 1;
    c.textAlign = "right";
    c.textBaseline = "middle";
    for (let tick = Math.ceil(low / step - 1e-9) * step; tick <= high + 1e-9 * step; tick += step) {
      c.beginPath();
      c.moveTo(left, Math.round(y(tick)) + 0.5);
      c.lineTo(left + w, Math.round(y(tick)) + 0.5);
      c.stroke();
      const label = group.log ? `10${[...String(Math.round(tick))].map((digit) => SUPER[digit]).join("")}` : short(Math.abs(tick) < 1e-9 * step ? 0 : Number(tick.toPrecision(6)));
      c.fillText(label, left - 6, y(tick));
    }
    const { start, duration } = this.header;
    const wide = nice(duration / 4);
    c.textBaseline = "top";
    for (let tick = Math.ceil(start / wide - 1e-9) * wide; tick <= start + duration * (1 + 1e-9); tick += wide) {
      const x = left + (w * (tick - start)) / duration;
      c.textAlign = x > left + w - 12 ? "right" : "center";
      const label = short(Number(tick.toPrecision(6)));
      c.fillText(x > left + w - wide / duration * w * 0.6 ? `${label} s` : label, x, top + h + 6);
      c.beginPath();
      c.moveTo(Math.round(x) + 0.5, top);
      c.lineTo(Math.round(x) + 0.5, top + h);
      c.stroke();
    }
    c.save();
    c.beginPath();
    c.rect(left, top - 2, w, h + 4);
    c.clip();
    c.lineWidth = 1.6;
    c.lineJoin = "round";
    group.curves.forEach((curve, i) => {
      const values = this.values(curve);
      c.strokeStyle = CURVES[i % CURVES.length];
      c.beginPath();
      const n = values.length;
      const bins = Math.min(n, Math.ceil(2 * w)); // of many values in one pixel the lowest and the highest are drawn
      for (let bin = 0; bin < bins; bin++) {
        const from = Math.floor((bin * n) / bins), to = Math.floor(((bin + 1) * n) / bins);
        let least = from, most = from;
        for (let k = from; k < to; k++) {
          if (values[k] < values[least]) least = k;
          if (values[k] > values[most]) most = k;
        }
        for (const k of least < most ? [least, most] : [most, least]) c.lineTo(left + (w * k) / (n - 1), y(values[k]));
      }
      c.stroke();
    });
    c.restore();
    panel.still = still;
    panel.frame = { left, top, w, h, y, ratio };
  }

  refresh() {
    for (const panel of this.panels) this.prepare(panel);
    this.draw();
  }

  draw() {
    const { start, duration, frames } = this.header;
    const share = duration > 0 ? (this.player.time - start) / duration : 0;
    const style = getComputedStyle(document.documentElement);
    for (const { canvas, legend, group, still, frame } of this.panels) {
      if (!still) continue;
      const c = canvas.getContext("2d");
      c.setTransform(1, 0, 0, 1, 0, 0);
      c.clearRect(0, 0, canvas.width, canvas.height);
      c.drawImage(still, 0, 0);
      c.scale(frame.ratio, frame.ratio);
      const x = frame.left + frame.w * share;
      c.strokeStyle = style.getPropertyValue("--accent");
      c.lineWidth = 1.5;
      c.beginPath();
      c.moveTo(x, frame.top);
      c.lineTo(x, frame.top + frame.h);
      c.stroke();
      group.curves.forEach((curve, i) => {
        const values = this.values(curve);
        const u = share * (frames - 1), k = Math.min(Math.floor(u), frames - 2);
        const value = values[k] + (u - k) * (values[k + 1] - values[k]);
        c.fillStyle = CURVES[i % CURVES.length];
        c.beginPath();
        c.arc(x, frame.y(value), 3, 0, 7);
        c.fill();
        legend.children[i].lastChild.textContent = short(group.log ? Number((10 ** value).toPrecision(2)) : value);
      });
    }
  }
}
