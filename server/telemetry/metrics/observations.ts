// What was observed within one interval, as go-metrics tells it: clients of `/v1/agent/metrics` know that form.

/** Length of an interval. */
export const INTERVAL_MS = 10_000

type Labels = Readonly<Record<string, string>>

/** What was observed of one name and set of labels within an interval. */
export interface Point {
  readonly Name: string
  readonly Count: number
  readonly Rate: number
  readonly Sum: number
  readonly Min: number
  readonly Max: number
  readonly Mean: number
  readonly Stddev: number
  readonly Labels: Labels
}

class Observations {
  count = 0
  #sum = 0
  #squares = 0
  #least = Infinity
  #most = -Infinity

  add(value: number): void {
    this.count++
    this.#sum += value
    this.#squares += value * value
    if (value < this.#least) this.#least = value
    if (value > this.#most) this.#most = value
  }

  /** Adds what another process has observed. */
  addPoint({ Count, Sum, Mean, Stddev, Min, Max }: Point): void {
    this.count += Count
    this.#sum += Sum
    this.#squares += Stddev * Stddev * (Count - 1) + Count * Mean * Mean
    this.#least = Math.min(this.#least, Min)
    this.#most = Math.max(this.#most, Max)
  }

  /** `Rate` is the sum for each second of an interval; `Stddev` that of a sample. */
  toJson(name: string, labels: Labels): Point {
    const { count } = this
    const [sum, squares] = [this.#sum, this.#squares]
    const variance = count < 2 ? 0 : Math.max(count * squares - sum * sum, 0) / (count * (count - 1))
    return {
      Name: name,
      Count: count,
      Rate: sum / (INTERVAL_MS / 1000),
      Sum: sum,
      Min: this.#least,
      Max: this.#most,
      Mean: sum / count,
      Stddev: Math.sqrt(variance),
      Labels: labels
    }
  }
}

/** The observations of one name and set of labels: of the interval that runs, and of the one before it. */
export class Series {
  #running = new Observations()
  #finished: Observations | undefined

  constructor(
    private readonly name: string,
    private readonly labels: Labels = {}
  ) {}

  add(value: number): void {
    this.#running.add(value)
  }

  beginInterval(): void {
    this.#finished = this.#running
    this.#running = new Observations()
  }

  /** Of the interval before the running one, and before that has ended of the first; nothing where nothing was observed. */
  toJson(): Point[] {
    const { count } = this.#shown
    return count === 0 ? [] : [this.#shown.toJson(this.name, this.labels)]
  }

  get #shown(): Observations {
    return this.#finished ?? this.#running
  }
}

/** What several processes have observed, as if one had. */
export const mergeSeries = (points: readonly Point[]): readonly Point[] => {
  const all = new Map<string, { readonly first: Point; readonly sum: Observations }>()
  for (const point of points) {
    const key = JSON.stringify([point.Name, point.Labels])
    const known = all.get(key) ?? { first: point, sum: new Observations() }
    all.set(key, known)
    known.sum.addPoint(point)
  }
  return Array.from(all.values(), ({ first, sum }) => sum.toJson(first.Name, first.Labels))
}

/** Time as go-metrics prints the begin of an interval: `2026-11-22 05:30:10 +0000 UTC`. @param at epoch milliseconds */
export const intervalText = (at: number): string =>
  `${new Date(Math.round(at / 1000) * 1000).toISOString().slice(0, 19).replace('T', ' ')} +0000 UTC`
