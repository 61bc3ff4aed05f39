// Poses of all bodies at any time: cubics through four frames (Catmull-Rom), unit quaternions. Positions are counted from
// the origin of the header, the middle of the motion, as the graphics processor has numbers of 32 bits only.

export class Motion {
  constructor(header, archive) {
    this.count = header.bodies.length;
    this.frames = header.frames;
    this.start = header.start;
    this.duration = header.duration;
    this.positions = archive.decode(header.positions);
    this.rotations = archive.decode(header.rotations);
    this.matrices = new Float32Array(16 * (this.count + 1)); // column-major, the ground last
    this.matrices.set([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1], 16 * this.count);
    this.pose7 = new Float64Array(7);
    this.weights = [0, 1, 0, 0];
    this.indices = [0, 0, 0, 0];
  }

  // Frames and weights of a time: the four values of a curve around it are blended.
  place(time) {
    const n = this.frames;
    const u = n > 1 && this.duration > 0 ? Math.min(Math.max((time - this.start) / this.duration, 0), 1) * (n - 1) : 0;
    const k = Math.min(Math.floor(u), Math.max(n - 2, 0));
    const s = u - k;
    const last = n - 1;
    this.indices = [Math.max(k - 1, 0), k, Math.min(k + 1, last), Math.min(k + 2, last)];
    const w = [-0.5 * s + s * s - 0.5 * s ** 3, 1 - 2.5 * s * s + 1.5 * s ** 3, 0.5 * s + 2 * s * s - 1.5 * s ** 3, -0.5 * s * s + 0.5 * s ** 3];
    // beyond the ends the curve goes on as a parabola, with two frames as a straight line
    const [one, two, three] = n > 2 ? [3, 3, 1] : [2, 1, 0];
    if (k === 0) { w[1] += one * w[0]; w[2] -= two * w[0]; w[3] += three * w[0]; w[0] = 0; }
    if (k + 2 > last) { w[2] += one * w[3]; w[1] -= two * w[3]; w[0] += three * w[3]; w[3] = 0; }
    this.weights = w;
    return u;
  }

  // x, y, z, w, x, y, z of a body at the place set before.
  pose(body) {
    const n = this.frames;
    const [i0, i1, i2, i3] = this.indices;
    const [w0, w1, w2, w3] = this.weights;
    const out = this.pose7;
    for (let c = 0; c < 3; c++) {
      const o = (3 * body + c) * n;
      const x = this.positions;
      out[c] = w0 * x[o + i0] + w1 * x[o + i1] + w2 * x[o + i2] + w3 * x[o + i3];
    }
    let norm = 0;
    for (let c = 0; c < 4; c++) {
      const o = (4 * body + c) * n;
      const x = this.rotations;
      const value = w0 * x[o + i0] + w1 * x[o + i1] + w2 * x[o + i2] + w3 * x[o + i3];
      out[3 + c] = value;
      norm += value * value;
    }
    norm = 1 / Math.sqrt(norm);
    for (let c = 3; c < 7; c++) out[c] *= norm;
    return out;
  }

  // The matrices of all bodies at a time.
  move(time) {
    this.place(time);
    const m = this.matrices;
    for (let body = 0; body < this.count; body++) {
      const [x, y, z, w, a, b, c] = this.pose(body);
      const o = 16 * body;
      m[o] = 1 - 2 * (b * b + c * c); m[o + 1] = 2 * (a * b + w * c); m[o + 2] = 2 * (a * c - w * b); m[o + 3] = 0;
      m[o + 4] = 2 * (a * b - w * c); m[o + 5] = 1 - 2 * (a * a + c * c); m[o + 6] = 2 * (b * c + w * a); m[o + 7] = 0;
      m[o + 8] = 2 * (a * c + w * b); m[o + 9] = 2 * (b * c - w * a); m[o + 10] = 1 - 2 * (a * a + b * b); m[o + 11] = 0;
      m[o + 12] = x; m[o + 13] = y; m[o + 14] = z; m[o + 15] = 1;
    }
  }

  // Where a point of a body is now, written to `out` at `at`.
  point(body, p, out, at = 0) {
    const m = this.matrices;
    const o = 16 * body;
    for (let r = 0; r < 3; r++) out[at + r] = m[o + r] * p[0] + m[o + 4 + r] * p[1] + m[o + 8 + r] * p[2] + m[o + 12 + r];
    return out;
  }

  // The mean position of the bodies now, written to `out`.
  middle(out) {
    const mean = [0, 0, 0];
    for (let body = 0; body < this.count; body++) for (let c = 0; c < 3; c++) mean[c] += this.matrices[16 * body + 12 + c] / this.count;
    return out.set(...mean);
  }

  // A vector (3, n) of the header at the present place.
  vector(values, out) {
    const n = this.frames;
    const [, i1, i2] = this.indices;
    const s = this.weights[2] + this.weights[3]; // near enough to the share of the way for an arrow
    for (let c = 0; c < 3; c++) out[c] = values[c * n + i1] + Math.min(Math.max(s, 0), 1) * (values[c * n + i2] - values[c * n + i1]);
    return out;
  }
}
