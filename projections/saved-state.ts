// The state of all read models as the parts of a snapshot: first the facts of each, which are folded like events, so that
// they also rebuild dependent read models; then the state besides the rows.
import { type Commit, NO_CALLER } from '../events/envelope.js'
import { type Projection, eventOf, type Fact, type SnapshotPart } from './projection.js'

interface Target {
  /** By the names of their parts. */
  readonly projections: Readonly<Record<string, Projection>>
  readonly fold: (commits: readonly Commit[]) => void
  readonly time: SnapshotPart
  readonly resume: (index: number) => void
}

/** The parts are `<read model>` for its facts and `<read model>.<name>` for its memory. */
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

  /** The parts in the order of loading. The state must not change meanwhile. */
  *parts(): Iterable<readonly [name: string, rows: Iterable<unknown>]> {
    for (const parts of [this.#facts, this.#memories])
      for (const [name, part] of parts) yield [name, part.save()]
  }

  /** Loads rows of a part (JSON text of an array) into initially empty read models. @throws Error for an unknown part, or rows of another one */
  load(name: string, rows: string): void {
    const facts = this.#facts.get(name)
    if (facts) return facts.load(rows)
    const memory = this.#memories.get(name)
    if (!memory) throw new Error(`no read model has a part ${name}`)
    this.#endFacts()
    memory.load(rows)
  }

  end(index: number): void {
    this.#endFacts()
    this.target.resume(index)
  }

  /** Clears the memory that the facts created, before the saved memory replaces it. */
  #endFacts(): void {
    if (this.#areFactsLoaded) return
    this.#areFactsLoaded = true
    for (const { memory } of Object.values(this.target.projections))
      for (const part of Object.values(memory)) part.clear()
  }
}

const factsOf = (projection: Projection, fold: Target['fold']): SnapshotPart => ({
  save: () => projection.facts(),
  load: rows => {
    const facts: readonly Fact[] = JSON.parse(rows)
    fold(facts.map(one => ({ Index: one.Index, Time: '', By: NO_CALLER, Events: [eventOf(one)] })))
  }
})
