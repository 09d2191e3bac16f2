// Changes of permissions while a stream reads from the log.
import test from 'ava'
import { EVENT_LOG } from '../../../../server/settings/ports.js'
import { LocalCatchUp } from '../../../../http/stream/catch-up/local-source.js'
import { CpuShare } from '../../../../http/stream/catch-up/cpu-share.js'
import {
  CATCH_UP,
  type CatchUpSource,
  type Piece,
  type Reading
} from '../../../../http/stream/catch-up/source.js'
import type { Subscription } from '../../../../projections/stream/subscription.js'
import { until } from '../../../support/wait.js'
import { createPolicy, createToken } from '../../support.js'
import { commit, event, read, streamServer } from '../streams.js'

/** Holds finished pieces. */
class GatedCatchUp implements CatchUpSource {
  made = 0
  open: (subscription: Subscription) => Reading
  readonly #waiting: (() => void)[] = []
  #isOpen = false

  constructor(inner: CatchUpSource) {
    this.open = subscription => {
      const reading = inner.open(subscription)
      return {
        next: async (request): Promise<Piece> => {
          const piece = await reading.next(request)
          this.made++
          if (!this.#isOpen) await new Promise<void>(resolve => this.#waiting.push(resolve))
          return piece
        },
        close: () => reading.close()
      }
    }
  }

  pass(): void {
    this.#isOpen = true
    for (const resolve of this.#waiting) resolve()
  }

  async close(): Promise<void> {}
}

const both = 'key_prefix "" { policy = "read" }'
const onlyOpen = `${both}\nkey_prefix "shut/" { policy = "deny" }`

test('a piece that was made under outdated permissions is never sent', async t => {
  let gate: GatedCatchUp | undefined
  const server = await streamServer(t, {
    limits: { recentCommits: 1, batchBytes: 512 },
    register: container => {
      gate = new GatedCatchUp(
        new LocalCatchUp(container.resolve(EVENT_LOG), { share: new CpuShare(1), pieceBytes: 512 })
      )
      container.registerInstance<CatchUpSource>(CATCH_UP, gate)
    }
  })
  const id = await createPolicy(server, 'p', both)
  const { SecretID } = await createToken(server, { Policies: [{ ID: id }] })
  const from = server.app.views.index + 1
  for (let i = 0; i < 20; i++) commit(server, event('KV', `${i % 2 === 0 ? 'open' : 'shut'}/${i}`))
  await server.app.committer.durable()
  const reader = await read(t, server, `topic=KV&index=${from}`, { token: SecretID })
  await until('a piece is made', () => gate?.made === 1)
  await server.send('PUT', `/v1/acl/policy/${id}`, { body: { Name: 'p', Rules: onlyOpen } })
  const last = commit(server, event('KV', 'open/last'))
  await server.app.committer.durable()
  gate?.pass()
  const keys = (await reader.upTo(last)).flatMap(({ Events = [] }) => Events.map(({ Key }) => Key))
  t.deepEqual(keys, [...Array.from({ length: 10 }, (_, i) => `open/${2 * i}`), 'open/last'])
  t.false(reader.bytes.includes('shut/'))
})

test('a stream whose rights end while a piece is made sends nothing of it', async t => {
  let gate: GatedCatchUp | undefined
  const server = await streamServer(t, {
    limits: { recentCommits: 1 },
    register: container => {
      gate = new GatedCatchUp(
        new LocalCatchUp(container.resolve(EVENT_LOG), { share: new CpuShare(1), pieceBytes: 512 })
      )
      container.registerInstance<CatchUpSource>(CATCH_UP, gate)
    }
  })
  const id = await createPolicy(server, 'p', both)
  const { SecretID, AccessorID } = await createToken(server, { Policies: [{ ID: id }] })
  const from = server.app.views.index + 1
  for (let i = 0; i < 20; i++) commit(server, event('KV', `open/${i}`))
  await server.app.committer.durable()
  const reader = await read(t, server, `topic=KV&index=${from}`, { token: SecretID })
  await until('a piece is made', () => gate?.made === 1)
  await server.send('DELETE', `/v1/acl/token/${AccessorID}`)
  t.like(await reader.last(), { Error: { Code: 403 }, LastIndex: from - 1 })
  gate?.pass()
  t.is(await reader.end(), 'ended')
  t.false(reader.bytes.includes('open/'))
})
