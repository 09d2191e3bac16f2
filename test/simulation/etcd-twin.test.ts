// The simulated etcd answers like the real one: random calls to both, with the same answers.
import test, { type ExecutionContext } from 'ava'
import { GrpcConnection, GrpcFailure } from '../../events/grpc.js'
import * as etcd from '../../events/log/etcd/messages.js'
import { etcdFor, urlsOf } from '../events/etcd/support.js'
import { seeded, type Random } from '../support/random.js'
import { SimulatedEtcd } from './etcd.js'
import { EtcdRefusal } from './etcd-store.js'
import { Network } from './network.js'
import { World } from './world.js'

const SEQUENCES = Number(process.env['ANNALS_TWIN_SEQUENCES'] ?? 200)
const CALLS = 10
const KEYS = 5
const LEASES = 4
/** In s, so that none ends meanwhile. */
const TTL = 10_000
const DEADLINE = 60_000

/** A call as bytes, and how its answer is read. */
interface Call {
  readonly path: string
  readonly message: Buffer
  readonly decode: (bytes: Buffer) => object
}

const callOf = <Request, Response extends object>(
  method: etcd.Method<Request, Response>,
  request: Request
): Call => ({ path: method.path, message: method.encode(request), decode: bytes => method.decode(bytes) })

const keyOf = (number: number): Buffer => Buffer.from(`key/${number}`)

/** Chooses calls, most of which are carried out. */
class Calls {
  constructor(
    private readonly random: Random,
    private readonly revision: () => number
  ) {}

  next(): Call {
    const { random } = this
    const lease = { ID: 1 + random.below(LEASES), TTL }
    switch (random.below(10)) {
      case 0:
        return callOf(etcd.LEASE_GRANT, lease)
      case 1:
        return callOf(etcd.LEASE_REVOKE, lease)
      case 2:
        return callOf(etcd.LEASE_KEEP_ALIVE, lease)
      case 3:
        return random.below(10) === 0
          ? callOf(etcd.COMPACT, { revision: this.#revision(), physical: true })
          : callOf(etcd.RANGE, this.#range())
      case 4:
      case 5:
        return callOf(etcd.RANGE, this.#range())
      default:
        return callOf(etcd.TXN, {
          compare: Array.from({ length: random.below(3) }, () => this.#compare()),
          success: this.#operations(),
          failure: this.#operations()
        })
    }
  }

  /** A change of the key that all watches are of. */
  mark(): Call {
    return callOf(etcd.TXN, { compare: [], success: [etcd.put(keyOf(KEYS), this.#value())], failure: [] })
  }

  watch(): Call {
    const { random } = this
    return callOf(etcd.WATCH, {
      createRequest: {
        key: keyOf(random.below(KEYS)),
        rangeEnd: keyOf(KEYS + 1),
        startRevision: Math.min(this.#revision(), this.revision()),
        filters: random.below(2) === 0 ? [1] : [],
        fragment: true
      }
    })
  }

  #key(): Buffer {
    return keyOf(this.random.below(KEYS))
  }

  #value(): Buffer {
    return Buffer.from(`value ${this.random.below(3)}`)
  }

  /** Of the newest commits, sometimes a later one. */
  #revision(): number {
    return Math.max(1, this.revision() + 2 - this.random.below(20))
  }

  #range(): Parameters<typeof etcd.range>[0] {
    const { random } = this
    return {
      key: keyOf(0),
      rangeEnd: keyOf(1 + random.below(KEYS)),
      limit: random.below(4),
      keysOnly: random.below(4) === 0,
      revision: random.below(2) === 0 ? this.#revision() : 0,
      minCreateRevision: random.below(3) === 0 ? this.#revision() : 0,
      ...(random.below(2) === 0 ? { sortOrder: 1 + random.below(2), sortTarget: 2 } : {})
    }
  }

  #compare(): ReturnType<typeof etcd.isAbsent> {
    switch (this.random.below(3)) {
      case 0:
        return etcd.isAbsent(this.#key())
      case 1:
        return etcd.valueIs(this.#key(), this.#value())
      default:
        return etcd.createdBy(this.#key(), this.#revision())
    }
  }

  /** Each key is written once at most, since etcd refuses more. The servers read no old revision in a transaction. */
  #operations(): ReturnType<typeof etcd.put>[] {
    const { random } = this
    if (random.below(5) === 0)
      return [
        etcd.removeRange(keyOf(random.below(KEYS)), keyOf(KEYS)),
        etcd.range({ ...this.#range(), revision: 0 })
      ]
    const keys = Array.from({ length: KEYS }, (_, number) => keyOf(number)).filter(
      () => random.below(3) === 0
    )
    return keys.map(key => {
      const kind = random.below(4)
      if (kind === 0) return etcd.remove(key)
      if (kind === 1) return etcd.range({ ...this.#range(), revision: 0 })
      return etcd.put(key, this.#value(), random.below(3) === 0 ? 1 + random.below(LEASES) : 0)
    })
  }
}

/** Bytes without any are written as their type alone. */
const isEmpty = (value: unknown): boolean =>
  !value || (typeof value === 'object' && Object.keys(value).every(name => name === 'type'))

/** An answer without what the simulation does not have, and without defaults, which may be left out. */
const shownOf = (answer: object): unknown =>
  JSON.parse(JSON.stringify(answer), (name, value) =>
    name === 'header' || isEmpty(value) ? undefined : value
  )

const answerOf = async (ask: () => Promise<Buffer>, { decode }: Call): Promise<unknown> => {
  try {
    return shownOf(decode(await ask()))
  } catch (error) {
    if (error instanceof GrpcFailure || error instanceof EtcdRefusal) return { code: error.code }
    throw error
  }
}

class Twins {
  private constructor(
    private readonly real: GrpcConnection,
    readonly twin: SimulatedEtcd,
    private readonly world: World
  ) {}

  /** Undefined, with a line that says so, without etcd. */
  static async begin(t: ExecutionContext): Promise<Twins | undefined> {
    const server = await etcdFor(t)
    if (!server) return undefined
    const connection = new GrpcConnection(
      urlsOf(server)[0] ?? '',
      () => ({}),
      () => ({})
    )
    t.teardown(() => connection.close())
    const world = new World(1)
    return new Twins(connection, new SimulatedEtcd(new Network(world)), world)
  }

  /** Makes a call to both. */
  async compare(t: ExecutionContext, call: Call, message: string): Promise<void> {
    const { path, message: bytes } = call
    const expected = await answerOf(() => this.real.ask(path, bytes, DEADLINE), call)
    const found = await answerOf(async () => this.twin.answer(path, bytes), call)
    t.deepEqual(found, expected, `${message}: ${path} ${bytes.toString('hex')}`)
  }

  /** Compares the events of a watch up to the newest revision, which must be in it, or why there are none. */
  async compareWatch(t: ExecutionContext, call: Call, message: string): Promise<void> {
    const { path, message: bytes } = call
    const { revision } = this.twin.store
    const expected = new WatchedEvents(revision)
    for await (const response of this.real.stream(path, bytes, AbortSignal.timeout(DEADLINE)))
      if (expected.add(response)) break
    const found = new WatchedEvents(revision)
    let isOver = false
    const stop = this.world.as(this.world.process('watcher'), () =>
      this.twin.watch(bytes, response => (isOver ||= found.add(response)))
    )
    await this.world.run(() => isOver, DEADLINE)
    stop()
    t.deepEqual(found.seen, expected.seen, `${message}: watch ${bytes.toString('hex')}`)
  }
}

/** What a watch shows, whatever the responses in which it comes. */
class WatchedEvents {
  readonly seen: unknown[] = []

  constructor(private readonly last: number) {}

  /** @returns true if nothing more is to come */
  add(response: Buffer): boolean {
    const { events = [], canceled = false, compactRevision } = etcd.WATCH.decode(response)
    this.seen.push(...events.map(shownOf))
    if (canceled) this.seen.push({ compactRevision })
    return canceled || events.some(({ kv }) => kv?.modRevision === this.last)
  }
}

test('given random calls, then the simulated etcd answers like etcd, and a watch from any revision tells the same', async t => {
  const twins = await Twins.begin(t)
  if (!twins) return
  for (let sequence = 0; sequence < SEQUENCES; sequence++) {
    const calls = new Calls(seeded(sequence), () => twins.twin.store.revision)
    for (let at = 0; at < CALLS; at++)
      await twins.compare(t, calls.next(), `sequence ${sequence}, call ${at}`)
    await twins.compare(t, calls.mark(), `the mark of sequence ${sequence}`)
    await twins.compareWatch(t, calls.watch(), `sequence ${sequence}`)
  }
})
