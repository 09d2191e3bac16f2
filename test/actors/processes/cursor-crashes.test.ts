// A reader that acknowledges what it has dealt with gets everything at least once and in order, whatever crashes.
import test, { type ExecutionContext } from 'ava'
import fc from 'fast-check'
import type { CursorClaim, CursorReader } from '../../../actors/processes/cursor-leases.js'
import { MemoryEventLog } from '../../../events/log/memory.js'
import { systemWithCursors } from './cursors.js'
import { runs } from '../../support/property-runs.js'

const steps = fc.array(
  fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({ do: fc.constant('write' as const), count: fc.integer({ min: 1, max: 4 }) })
    },
    {
      weight: 3,
      arbitrary: fc.record({ do: fc.constant('take' as const), count: fc.integer({ min: 1, max: 5 }) })
    },
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constantFrom('acknowledge', 'move', 'second', 'reader crashes', 'server crashes')
      })
    }
  ),
  { minLength: 5, maxLength: 40 }
)

/** A reader that writes down what it gets. */
class Reader implements CursorReader {
  /** What it got in each of its lives. */
  readonly runs: number[][] = []
  next = 0

  isProcessing(): boolean {
    return true
  }

  onHeld(index: number): void {
    this.next = index + 1
    this.runs.push([])
  }

  onLost(): void {}

  take(head: number): void {
    if (this.next > head) return
    this.runs.at(-1)?.push(this.next)
    this.next++
  }
}

const start = async (t: ExecutionContext, log: MemoryEventLog) => {
  const system = systemWithCursors(t, log)
  await system.committer.rebuild()
  return system
}

test('a reader gets every commit at least once and in order, whatever crashes', async t => {
  await fc.assert(
    fc.asyncProperty(steps, async script => {
      const log = new MemoryEventLog()
      const reader = new Reader()
      let server = await start(t, log)
      await server.put('reader')
      const begin = server.views.index + 1
      let claim: CursorClaim | undefined = server.claim('reader', reader)
      const acknowledged: Promise<unknown>[] = []
      for (const step of script)
        switch (step.do) {
          case 'write':
            await server.fill(step.count)
            break
          case 'take':
            for (let i = 0; i < step.count; i++) reader.take(log.durableIndex)
            break
          case 'acknowledge':
            acknowledged.push(server.positions.advance('reader', reader.next - 1))
            break
          case 'move': {
            const believed = server.positions.of('reader') ?? 0
            acknowledged.push(server.positions.moveFrom('reader', believed, reader.next - 1))
            break
          }
          case 'second':
            await server.advance(1000)
            await server.committer.durable()
            break
          case 'reader crashes':
            claim?.release()
            claim = server.claim('reader', reader)
            break
          case 'server crashes':
            server = await start(t, log)
            claim = server.claim('reader', reader)
            break
        }
      claim?.release()
      server.claim('reader', reader)
      while (reader.next <= log.durableIndex) reader.take(log.durableIndex)

      let newest = begin - 1
      for (const run of reader.runs)
        for (const [i, index] of run.entries()) {
          t.true(i === 0 ? index <= newest + 1 : index === (run[i - 1] ?? 0) + 1, `${index} after ${newest}`)
          newest = Math.max(newest, index)
        }
      t.is(newest, log.durableIndex)
    }),
    { numRuns: runs(60) }
  )
})
