// Under random holds, no retention and no erasure loses what is held; lifting releases it.
import test, { type ExecutionContext } from 'ava'
import fc from 'fast-check'
import { ErasureProcess } from '../../../actors/erasure/erasure-process.js'
import { LogRetention } from '../../../actors/processes/log-retention.js'
import { ActorSystem } from '../../../actors/system.js'
import { fileScope } from '../../support/file-scope.js'
import { serverInProcess, type TestServer } from '../../support/server.js'
import { until } from '../../support/wait.js'
import { runs } from '../../support/property-runs.js'

const KEYS = ['a/1', 'a/2', 'b/1', 'c'] as const
const SCOPES = ['a/', 'a/1', 'b/', 'c'] as const
const headers = { 'X-Service-Reason': 'test' }

interface Step {
  readonly kind: 'put' | 'delete' | 'place' | 'lift' | 'erase' | 'prune'
  readonly key: string
  /** Of a hold or of an erasure. */
  readonly scope: string
}

const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.record({
    kind: fc.constantFrom('put', 'put', 'delete', 'place', 'lift', 'erase', 'erase', 'prune'),
    key: fc.constantFrom(...KEYS),
    scope: fc.constantFrom(...SCOPES)
  }),
  { minLength: 10, maxLength: 30 }
)

const isIn = (key: string, scope: string): boolean =>
  scope.endsWith('/') ? key.startsWith(scope) : key === scope

/** A server whose log keeps two commits, as far as holds allow, whenever it is pruned. */
class HeldLog {
  readonly #held = new Set<string>()
  /** The key of each written version, by index. */
  readonly #versions = new Map<number, string>()
  /** Their commits remain, and are held as well. */
  readonly #erased = new Set<number>()
  #value = 0

  constructor(
    private readonly t: ExecutionContext,
    private readonly server: TestServer,
    private readonly retention: LogRetention
  ) {}

  async take({ kind, key, scope }: Step): Promise<void> {
    if (kind === 'prune') await this.prune()
    else if (kind === 'put' || kind === 'delete') await this.#write(kind, key)
    else if (kind === 'erase') await this.#erase(scope)
    else await this.#hold(kind, scope)
    await this.#assertHeld()
  }

  async prune(): Promise<void> {
    const { log } = this.server.app
    const oldest = Math.min(...[...this.#heldVersions()].map(([index]) => index))
    const expected = Math.min(oldest, log.durableIndex - 1)
    this.retention.look()
    await until('the log is pruned', () => log.firstIndex >= expected)
    for (const index of this.#versions.keys()) if (index < log.firstIndex) this.#versions.delete(index)
  }

  *#heldVersions(): Iterable<[index: number, key: string]> {
    for (const [index, key] of this.#versions)
      if ([...this.#held].some(scope => isIn(key, scope))) yield [index, key]
  }

  async #write(kind: 'put' | 'delete', key: string): Promise<void> {
    const path = `/v1/kv/${key}`
    const before = this.server.app.log.durableIndex
    if (kind === 'put') await this.server.send('PUT', path, { body: String(this.#value++) })
    else await this.server.send('DELETE', path)
    for await (const { Index, Events } of this.server.app.log.read(before + 1))
      if (Events.some(({ Topic, Key }) => Topic === 'KV' && Key === key)) this.#versions.set(Index, key)
  }

  async #hold(kind: 'place' | 'lift', scope: string): Promise<void> {
    const path = `/v1/event/hold/${scope.replace('/', '.')}`
    if (kind === 'place') {
      const { status, text } = await this.server.send('PUT', path, {
        headers,
        body: { Topics: [`KV:${scope}`] }
      })
      this.t.is(status, 200, text)
      this.#held.add(scope)
    } else {
      await this.server.send('DELETE', path, { headers })
      this.#held.delete(scope)
    }
  }

  async #erase(scope: string): Promise<void> {
    const target = scope.endsWith('/') ? { Prefix: scope } : { Key: scope }
    const body = { Topic: 'KV', Scope: 'history', Reason: 'test', ...target }
    const { status, text } = await this.server.send('POST', '/v1/event/erase', { body })
    this.t.true([200, 404, 409].includes(status), text)
    if (status !== 200) return
    await this.server.scope.resolve(ErasureProcess).idle()
    for (const [index, key] of this.#versions)
      if (isIn(key, scope) && !this.#erased.has(index) && (await this.#isErased(index))) {
        const isHeld = [...this.#held].some(each => isIn(key, each))
        this.t.false(isHeld, `${key} of commit ${index}`)
        this.#erased.add(index)
      }
  }

  async #isErased(index: number): Promise<boolean> {
    for await (const { Events } of this.server.app.log.read(index)) return Events[0]?.Erased === true
    return true
  }

  async #assertHeld(): Promise<void> {
    for (const [index, key] of this.#heldVersions()) {
      this.t.true(index >= this.server.app.log.firstIndex, `commit ${index} of ${key} was pruned`)
      if (!this.#erased.has(index))
        this.t.false(await this.#isErased(index), `commit ${index} of ${key} was erased`)
    }
  }

  async liftAll(): Promise<void> {
    for (const scope of this.#held) await this.#hold('lift', scope)
  }
}

const shared = fileScope(test, 'the servers')

test('under random holds nothing held is lost, and lifting lets it go', async t => {
  await fc.assert(
    fc.asyncProperty(steps, async plan => {
      const server = await serverInProcess(shared)
      const { log, views } = server.app
      const limits = { age: 0, bytes: 0, commits: 2, index: 0 }
      const retention = new LogRetention(
        { log, views, system: server.scope.resolve(ActorSystem) },
        {
          limits,
          cursorLimit: async () => 0,
          onCursorsRetaining: () => {},
          onHeld: () => {},
          makeBase: async () => 'ab'.repeat(32),
          hasBase: async () => true,
          keepBase: async () => {},
          now: () => Date.now(),
          onDone: () => {},
          onFailure: error => t.log(String(error))
        }
      )
      shared.teardown(() => retention.stop())
      const held = new HeldLog(t, server, retention)
      for (const step of plan) await held.take(step)
      await held.liftAll()
      await held.prune()
      t.true(log.firstIndex >= log.durableIndex - 2)
      retention.stop()
      await server.close()
    }),
    { numRuns: Number(process.env['ANNALS_HOLD_RUNS'] ?? runs(10)) }
  )
})
