// Tooltips, one method in the light, more lines of the table.
const tip = document.getElementById("tip");
const parts = new Map();
for (const part of document.querySelectorAll("[data-method]")) {
  const name = part.dataset.method;
  if (!parts.has(name)) parts.set(name, []);
  parts.get(name).push(part);
}

function light(name, on) {
  for (const part of parts.get(name) || []) part.classList.toggle("on", on);
}

let lit = "";
document.addEventListener("pointermove", (event) => {
  const target = event.target.closest ? event.target : document.body;
  const method = target.closest("[data-method]")?.dataset.method || "";
  if (method !== lit) {
    light(lit, false);
    light(method, true);
    lit = method;
  }
  const curve = target.closest(".curve");
  const text = target.closest("[data-tip]")?.dataset.tip || (curve ? method : "");
  tip.hidden = !text;
  if (!text) return;
  tip.textContent = text;
  const box = tip.getBoundingClientRect();
  const x = event.clientX + 14 + box.width > innerWidth ? event.clientX - box.width - 14 : event.clientX + 14;
  const y = event.clientY + 14 + box.height > innerHeight ? event.clientY - box.height - 14 : event.clientY + 14;
  tip.style.left = `${Math.max(4, x)}px`;
  tip.style.top = `${Math.max(4, y)}px`;
});

const table = document.getElementById("methods");
const more = document.getElementById("more");
more?.addEventListener("click", () => {
  const all = table.classList.toggle("all");
  more.textContent = all ? "show fewer" : more.dataset.text;
});
if (more) more.dataset.text = more.textContent;
document.getElementById("filter")?.addEventListener("input", (event) => {
  const words = event.target.value.toLowerCase().split(/\s+/);
  table.classList.toggle("all", event.target.value !== "");
  for (const row of table.tBodies[0].rows) {
    row.classList.toggle("gone", !words.every((word) => row.dataset.method.toLowerCase().includes(word)));
  }
});
