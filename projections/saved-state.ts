// The state of all read models as the parts of a snapshot: first the facts of each, which are folded as
// events are, so that read models which follow from the rows of others are made anew with them; then what
// each remembers beside its rows.
import { type Commit, NO_CALLER } from '../events/envelope.js'
import type { Projection } from './projection.js'
import { eventOf, type Fact, type SnapshotPart } from './saved-form.js'

/** Where the read models are. */
interface Target {
  /** By the names of their parts. */
  readonly projections: Readonly<Record<string, Projection>>
  /** Folds the events of a commit into each. */
  readonly fold: (commit: Commit) => void
  /** When the newest commit was made. */
  readonly time: SnapshotPart
  /** Told at the end of loading which index they are at. */
  readonly resume: (index: number) => void
}

/** The parts are `<read model>` for its facts and `<read model>.<name>` for what it remembers. */
export class SavedState {
  readonly #facts: ReadonlyMap<string, SnapshotPart>
  readonly #memories: ReadonlyMap<string, SnapshotPart>
  #areFactsLoaded = false

  constructor(private readonly target: Target) {
    const all = Object.entries(target.projections)
    this.#facts = new Map(all.map(([name, projection]) => [name, factsOf(projection, target.fold)]))
    const memories = all.flatMap(([name, { memory }]) =>
      Object.entries(memory).map(([own, part]) => [`${name}.${own}`, part] as const)
    )
    this.#memories = new Map<string, SnapshotPart>([['commit.time', target.time], ...memories])
  }

  /** The parts in the order in which they must be loaded. Nothing may change until the last row is taken. */
  *parts(): Iterable<readonly [name: string, rows: Iterable<unknown>]> {
    for (const parts of [this.#facts, this.#memories])
      for (const [name, part] of parts) yield [name, part.save()]
  }

  /**
   * Takes rows of a part into read models that were empty.
   * @param rows JSON text of an array
   * @throws Error when there is no such part, or the rows are none of it
   */
  load(name: string, rows: string): void {
    const facts = this.#facts.get(name)
    if (facts) return facts.load(rows)
    const memory = this.#memories.get(name)
    if (!memory) throw new Error(`no read model has a part ${name}`)
    this.#endFacts()
    memory.load(rows)
  }

  /** Everything is loaded: it was saved at this index. */
  end(index: number): void {
    this.#endFacts()
    this.target.resume(index)
  }

  /** What the facts alone have made known gives way to what is remembered. */
  #endFacts(): void {
    if (this.#areFactsLoaded) return
    this.#areFactsLoaded = true
    for (const { memory } of Object.values(this.target.projections))
      for (const part of Object.values(memory)) part.clear()
  }
}

const factsOf = (projection: Projection, fold: (commit: Commit) => void): SnapshotPart => ({
  save: () => projection.facts(),
  load: rows => {
    const facts: readonly Fact[] = JSON.parse(rows)
    for (const one of facts) fold({ Index: one.Index, Time: '', By: NO_CALLER, Events: [eventOf(one)] })
  }
})
