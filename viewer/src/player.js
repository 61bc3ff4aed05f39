// The clock: present time, playing, speed, loop.

export class Player {
  constructor(header) {
    this.start = header.start;
    this.duration = header.duration;
    this.end = header.start + header.duration;
    this.step = header.frames > 1 ? header.duration / (header.frames - 1) : 0;
    this.time = this.start;
    this.speed = header.speed;
    this.usual = header.speed;
    this.loop = true;
    this.playing = false;
    this.listeners = [];
  }

  changed() {
    for (const listener of this.listeners) listener();
  }

  seek(time) {
    this.time = Math.min(Math.max(time, this.start), this.end);
    this.changed();
  }

  play(wanted = !this.playing) {
    this.playing = wanted && this.duration > 0;
    if (this.playing && !this.loop && this.time >= this.end) this.time = this.start;
    this.changed();
  }

  // One picture later: `seconds` of real time have passed.
  tick(seconds) {
    if (!this.playing) return;
    let time = this.time + Math.min(Math.max(seconds, 0), 0.1) * this.speed;
    if (time > this.end) {
      if (this.loop) time = this.start + ((time - this.start) % this.duration);
      else {
        time = this.end;
        this.playing = false;
      }
    }
    this.time = time;
    this.changed();
  }

  faster(steps) {
    const series = [];
    for (let power = -5; power <= 3; power++) for (const digit of [1, 2, 5]) series.push(Number(`${digit}e${power}`));
    const near = series.reduce((best, value, i) => (Math.abs(Math.log(value / this.speed)) < Math.abs(Math.log(series[best] / this.speed)) ? i : best), 0);
    this.speed = series[Math.min(Math.max(near + steps, 0), series.length - 1)];
    this.changed();
  }
}
