// The scene as Python packed it: see src/bricard/view/packing.py.

export class Archive {
  constructor(buffer) {
    const length = new DataView(buffer).getUint32(0, true);
    this.header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
    this.bytes = new Uint8Array(buffer, 4 + length);
  }

  // The numbers of an entry of the header: four planes of bytes, zigzag, second differences along the last axis.
  decode({ at, shape, step }, Type = Float32Array) {
    const total = shape.reduce((a, b) => a * b, 1);
    const n = shape[shape.length - 1];
    const [p0, p1, p2, p3] = [0, 1, 2, 3].map((plane) => this.bytes.subarray(at + plane * total, at + (plane + 1) * total));
    const values = new Type(total);
    for (let first = 0; first < total; first += n) {
      let value = 0;
      let slope = 0;
      for (let i = first; i < first + n; i++) {
        const zigzag = (p0[i] | (p1[i] << 8) | (p2[i] << 16) | (p3[i] << 24)) >>> 0;
        slope += zigzag & 1 ? -(zigzag + 1) / 2 : zigzag / 2;
        value += slope;
        values[i] = value * step;
      }
    }
    return values;
  }
}
