// Invariants of a cluster under partitioned leaders, lost responses and compaction.
import fc from 'fast-check'
import test from 'ava'
import { setImmediate } from 'node:timers/promises'
import { collect } from '../commits.js'
import { LogServer, type ServerEnd } from '../../support/log-server.js'
import { SharedMemory } from '../../support/shared-memory.js'
import { runs } from '../../support/property-runs.js'

interface Step {
  readonly kind: 'lead' | 'cut' | 'lose' | 'fail' | 'heal' | 'end' | 'decide' | 'wait' | 'compact'
  readonly server: number
  readonly count: number
}

const steps = fc.array(
  fc.record<Step>({
    kind: fc.oneof(
      { weight: 4, arbitrary: fc.constant('lead' as const) },
      { weight: 6, arbitrary: fc.constantFrom('decide' as const, 'wait' as const) },
      {
        weight: 3,
        arbitrary: fc.constantFrom(
          'cut' as const,
          'lose' as const,
          'fail' as const,
          'heal' as const,
          'end' as const
        )
      },
      { weight: 1, arbitrary: fc.constant('compact' as const) }
    ),
    server: fc.integer({ min: 0, max: 2 }),
    count: fc.integer({ min: 1, max: 12 })
  }),
  { minLength: 10, maxLength: 80, size: 'max' }
)

interface Decided {
  readonly marker: string
  readonly index: number
  readonly end: ServerEnd
}

class World {
  readonly memory = new SharedMemory()
  readonly first = new LogServer('a', this.memory)
  readonly servers = [this.first, new LogServer('b', this.memory), new LogServer('c', this.memory)]
  readonly decided: Promise<Decided>[] = []
  readonly #leading = new Set<LogServer>()
  #failure: unknown
  readonly #campaigns: Promise<void>[] = []

  constructor() {
    for (const each of this.servers) {
      this.#follow(each)
      // A deposed leader follows again after its appends have settled.
      each.link.onDeposed(() => this.#yield(each))
    }
  }

  #follow(each: LogServer): void {
    // Peers return compacted commits.
    const peers = {
      records: (from: number) =>
        this.servers.reduce((a, b) => (a.log.durableIndex >= b.log.durableIndex ? a : b)).log.records(from)
    }
    each.follow({ peers }).catch((error: unknown) => (this.#failure = error))
  }

  #yield(each: LogServer): void {
    if (!this.#leading.delete(each)) return
    each.link.follow()
    this.#follow(each)
  }

  async do({ kind, server, count }: Step): Promise<void> {
    const leading = this.servers.filter(({ link }) => link.term)
    // What only a leader does is done by one, mostly.
    const each =
      kind === 'wait' || kind === 'lead'
        ? this.servers[server]
        : (leading[server % leading.length] ?? this.servers[server])
    if (kind === 'wait') for (let i = 0; i < count; i++) await setImmediate()
    else if (kind === 'compact') this.memory.compact(Math.min(count, this.#copied() + 1))
    else if (kind === 'cut') each?.shared.cut()
    else if (kind === 'lose') each?.shared.loseAnswers()
    else if (kind === 'fail') each?.failNextFlush()
    else if (kind === 'heal') each?.shared.heal()
    else if (kind === 'end' && each?.membership) this.memory.end(each.membership)
    else if (kind === 'lead' && each) this.#lead(each)
    else if (kind === 'decide' && each?.link.term)
      for (let i = 0; i < count; i++) {
        const marker: string = `${each.id}-${this.decided.length}`
        this.decided.push(each.decide(marker).then(end => ({ marker, ...end })))
      }
  }

  /** Has everybody follow until all have everything. */
  async settle(): Promise<readonly Decided[]> {
    for (const each of this.servers) each.shared.heal()
    await Promise.all(this.#campaigns)
    for (const each of this.servers) this.#yield(each)
    const decided = await Promise.all(this.decided)
    while (this.servers.some(({ log }) => log.durableIndex < this.memory.head.index)) {
      if (this.#failure) throw this.#failure
      await setImmediate()
    }
    await Promise.all(this.servers.map(each => each.stop()))
    return decided
  }

  async #campaign(each: LogServer): Promise<void> {
    if (!(await each.lead())) this.#leading.delete(each)
  }

  /** The newest commit that two disks have. */
  #copied(): number {
    return this.servers.map(({ log }) => log.durableIndex).toSorted((a, b) => b - a)[1] ?? 0
  }

  #lead(each: LogServer): void {
    if (this.#leading.has(each)) return
    this.#leading.add(each)
    this.#campaigns.push(this.#campaign(each))
  }
}

test('every acknowledged commit is at its index on all servers, once, and nothing is that was said to be unchanged', async t => {
  await fc.assert(
    fc.asyncProperty(steps, async sequence => {
      const world = new World()
      for (const step of sequence) await world.do(step)
      const decided = await world.settle()
      const commits = await collect(world.first.log.read(1))
      const markers = commits.map(({ By }) => By.RequestID)
      t.is(new Set(markers).size, markers.length)
      for (const { marker, index, end } of decided) {
        if (end === 'durable') t.is(markers[index - 1], marker)
        if (end === 'unchanged') t.false(markers.includes(marker))
      }
      for (const { log, applied } of world.servers) {
        t.is(log.headHash, world.first.log.headHash)
        t.deepEqual(
          applied.map(({ By }) => By.RequestID),
          markers
        )
      }
    }),
    { numRuns: Number(process.env['ANNALS_CLUSTER_ORDER_RUNS'] ?? runs(100)) }
  )
})
