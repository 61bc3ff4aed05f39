// Colours and materials, light and dark.
import * as THREE from "three";

const PALETTE = ["#3f7fc1", "#e8913a", "#3fa06f", "#cf5350", "#8b68bd", "#2f9fb3", "#d673a3", "#a98c4c"];
const RAMP = ["#33508f", "#2f86b5", "#35a58c", "#8cba52", "#e3b341"].map((text) => new THREE.Color(text));
const FEW = 16;

export const CURVES = ["#3f7fc1", "#e8913a", "#3fa06f", "#cf5350", "#8b68bd", "#2f9fb3", "#d673a3", "#a98c4c"];

// The colours of few bodies are easy to tell apart, those of many run along the chain.
export function bodyColour(index, count) {
  if (count <= FEW) return PALETTE[index % PALETTE.length];
  const u = (index / (count - 1)) * (RAMP.length - 1);
  const k = Math.min(Math.floor(u), RAMP.length - 2);
  return RAMP[k].clone().lerp(RAMP[k + 1], u - k);
}

export const THEMES = {
  light: { top: "#fbfcfd", bottom: "#dde4ea", line: "#8494a3", shadow: 0.2, ambient: 2.2, steel: "#4b535c", bright: "#b4bec8" },
  dark: { top: "#262c34", bottom: "#12151a", line: "#66778a", shadow: 0.5, ambient: 1.5, steel: "#6d7783", bright: "#c3ccd5" },
};

export function makeMaterials() {
  const make = (name, shininess, specular, options) => new THREE.MeshPhongMaterial({ name, shininess, specular, ...options });
  return {
    body: make("body", 40, "#3a3a3a"),
    ground: make("ground", 5, "#0a0a0a"),
    steel: make("steel", 70, "#8a929a"),
    bright: make("bright", 90, "#b8c0c8"),
    drive: make("drive", 30, "#333333", { color: "#e0569b" }),
    rubber: make("rubber", 5, "#111111", { color: "#30343a" }),
    glass: make("glass", 60, "#555555", { color: "#7fa8d6", transparent: true, opacity: 0.28, side: THREE.DoubleSide, depthWrite: false }),
    spring: make("spring", 80, "#998855", { color: "#d9a441", side: THREE.DoubleSide }),
    load: make("load", 20, "#222222"),
    axis: make("axis", 20, "#222222"),
  };
}

export function paint(materials, theme) {
  materials.steel.color.set(theme.steel);
  materials.bright.color.set(theme.bright);
}

// A sky from top to bottom.
export function backdrop(theme) {
  const canvas = document.createElement("canvas");
  canvas.width = 2;
  canvas.height = 256;
  const context = canvas.getContext("2d");
  const gradient = context.createLinearGradient(0, 0, 0, 256);
  gradient.addColorStop(0, theme.top);
  gradient.addColorStop(1, theme.bottom);
  context.fillStyle = gradient;
  context.fillRect(0, 0, 2, 256);
  const texture = new THREE.CanvasTexture(canvas);
  texture.colorSpace = THREE.SRGBColorSpace;
  return texture;
}
