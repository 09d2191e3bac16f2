// In place of `events/log/cluster/shared-counter.ts`: counters of the simulation's processes, which share this one's memory.

const values: number[] = []

export class SharedCounter {
  constructor(readonly file: number) {}

  static make(): SharedCounter {
    return new SharedCounter(values.push(0) - 1)
  }

  get value(): number {
    return values[this.file] ?? 0
  }

  set value(value: number) {
    values[this.file] = value
  }

  close(): void {}
}
