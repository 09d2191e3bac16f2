// Members, writers and servers of a consumer group that are killed at random moments (docs/reference/consumer-groups.md).
import { Agent } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { send, type TestRequestOptions, type TestResponse } from './client.js'
import { GroupLedger, VISIBILITY_MS, type Delivery } from './group-ledger.js'
import type { Random } from './random.js'
import { until } from './wait.js'

const PATH = '/v1/event/cursor/workers'
const GROUP = {
  Topics: ['KV:load/'],
  Group: { VisibilityTimeout: `${VISIBILITY_MS}ms`, MaxDeliveries: 3, OnParked: 'block' }
}
const MEMBERS = 6
const WRITERS = 2
const KEYS = 12
/** Time between two writes of a writer, and after a fault, in ms. */
const REST = 20
/** Units that are acknowledged between two kills. */
const PROGRESS = 20
/** Units that wait at most, since an acknowledgement takes up to a second. */
const BACKLOG = 40
/** Shorter than the visibility timeout, so that most leases are known to be valid. */
const WAIT = '500ms'

interface GroupServers {
  readonly token: string
  /** The servers that are asked, each in turn. */
  readonly bases: () => readonly string[]
  /** Kills the server that leads, calls back when it is dead, and resolves when a server leads again. */
  kill(dead: () => void): Promise<void>
}

interface Unit {
  readonly Receipt: string
  readonly Index: number
  readonly Events: readonly { readonly Key: string }[]
}

class GroupKills {
  readonly ledger = new GroupLedger()
  #isOver = false
  #writes = true
  #fault: unknown
  #agents = Array.from({ length: MEMBERS }, () => new Agent({ keepAlive: true }))

  constructor(
    private readonly servers: GroupServers,
    private readonly random: Random
  ) {}

  async run(kills: number): Promise<void> {
    const made = await this.#send('PUT', PATH, { body: GROUP })
    if (made?.status !== 200) throw new Error(`the cursor was answered ${made?.status} ${made?.text}`)
    const clients = [
      ...Array.from({ length: WRITERS }, () => this.#untilOver(() => this.#write())),
      ...Array.from({ length: MEMBERS }, (_, at) => this.#untilOver(() => this.#work(at))),
      this.#untilOver(() => this.#replayParked())
    ]
    try {
      for (let kill = 0; kill < kills; kill++) await this.#kill(kill)
      await this.#progress()
      this.#writes = false
      await this.#finish()
    } finally {
      this.#isOver = true
      await Promise.all(clients)
      for (const agent of this.#agents) agent.destroy()
    }
    // Otherwise its position is written once more, after all servers were compared.
    await this.#until('the cursor is deleted', async () => (await this.#send('DELETE', PATH))?.status === 200)
    this.ledger.complete()
  }

  async #untilOver(step: () => Promise<void>): Promise<void> {
    try {
      while (!this.#isOver && this.#fault === undefined) await step()
    } catch (error) {
      this.#fault = error
    }
  }

  /** Two of three kills are of members. */
  async #kill(kill: number): Promise<void> {
    await this.#progress()
    await pause((this.random.next() * VISIBILITY_MS) / 2)
    if (kill % 3 < 2) {
      const at = this.random.below(MEMBERS)
      this.#agents[at]?.destroy()
      this.#agents[at] = new Agent({ keepAlive: true })
    } else await this.servers.kill(() => this.ledger.kills++)
  }

  async #progress(): Promise<void> {
    const target = this.ledger.finished + PROGRESS
    await this.#until(`${target} units are acknowledged`, () => this.ledger.finished >= target)
  }

  async #until(what: string, isDone: () => boolean | Promise<boolean>): Promise<void> {
    await until(what, async () => {
      if (this.#fault !== undefined) throw this.#fault
      return isDone()
    })
  }

  /** Everything that was written is acknowledged, nothing is parked, and a new leader delivers nothing. */
  async #finish(): Promise<void> {
    const isEmpty = async (): Promise<boolean> => {
      const units = await this.#send('GET', `${PATH}/units`)
      const cursor = await this.#send('GET', PATH)
      if (units?.status !== 200 || cursor?.status !== 200) return false
      // Others may write to the log all the time.
      const { Index }: { readonly Index: number } = JSON.parse(cursor.text)
      return units.text === '[]' && Index >= this.ledger.newest
    }
    await this.#until('all units are acknowledged', isEmpty)
    await this.servers.kill(() => this.ledger.kills++)
    await this.#until('no unit is there after a restart', isEmpty)
  }

  async #write(): Promise<void> {
    await pause(REST)
    if (!this.#writes || this.ledger.waiting > BACKLOG) return
    const key = `load/${this.random.below(KEYS)}`
    const written = await this.#send('PUT', `/v1/kv/${key}`, { body: this.random.uuid() })
    if (written?.status === 200) this.ledger.wrote(key, Number(written.headers['x-service-index']))
  }

  /** Receives some units, and acknowledges, rejects or forgets them. */
  async #work(at: number): Promise<void> {
    const agent = this.#agents[at]
    const [askedAt, { kills }] = [performance.now(), this.ledger]
    const query = `member=member-${at}&limit=${1 + this.random.below(4)}&wait=${WAIT}`
    const received = await this.#send('POST', `${PATH}/receive?${query}`, { agent })
    if (received?.status !== 200) return pause(REST)
    const units: readonly Unit[] = JSON.parse(received.text)
    const deliveries = units.map(({ Receipt, Index, Events }) => ({
      key: Events[0]?.Key ?? '',
      index: Index,
      receipt: Receipt,
      askedAt,
      kills
    }))
    for (const delivery of deliveries) this.ledger.delivered(delivery)
    await pause(this.random.next() * REST)
    if (agent !== this.#agents[at]) return
    const luck = this.random.below(20)
    if (luck === 0) return
    await this.#answer(luck < 3 ? 'nack' : 'ack', deliveries, agent)
  }

  async #answer(answer: 'ack' | 'nack', deliveries: readonly Delivery[], agent?: Agent): Promise<void> {
    if (deliveries.length === 0) return
    for (const delivery of deliveries) this.ledger.answers(delivery, answer)
    const Receipts = deliveries.map(({ receipt }) => receipt)
    const body = answer === 'ack' ? { Receipts } : { Receipts, Delay: '50ms' }
    const settled = await this.#send('POST', `${PATH}/${answer}`, { body, agent })
    if (settled?.status !== 200) return
    const { Settled, Unknown }: Readonly<Record<'Settled' | 'Unknown', readonly string[]>> = JSON.parse(
      settled.text
    )
    for (const delivery of deliveries) {
      if (answer === 'ack' && Settled.includes(delivery.receipt)) this.ledger.acknowledged(delivery)
      if (Unknown.includes(delivery.receipt)) this.ledger.unknown(delivery)
    }
  }

  async #replayParked(): Promise<void> {
    await pause(VISIBILITY_MS / 4)
    const listed = await this.#send('GET', `${PATH}/units`)
    if (listed?.status !== 200) return
    const units: readonly { readonly Index: number; readonly Unit: string; readonly State: string }[] =
      JSON.parse(listed.text)
    const Units = units.filter(({ State }) => State === 'parked').map(({ Index, Unit }) => ({ Index, Unit }))
    if (Units.length > 0) await this.#send('POST', `${PATH}/units/replay`, { body: { Units } })
  }

  /** Undefined after a lost connection. @throws Error for a response that a kill does not explain */
  async #send(
    method: string,
    path: string,
    options: { readonly body?: unknown; readonly agent?: Agent | undefined } = {}
  ): Promise<TestResponse | undefined> {
    const bases = this.servers.bases()
    const base = bases[this.random.below(bases.length)] ?? ''
    const { agent, ...rest } = options
    const sending: TestRequestOptions = { token: this.servers.token, ...rest, ...(agent && { agent }) }
    const answer = await send(base, method, path, sending).catch(() => undefined)
    if (answer && ![200, 500, 503].includes(answer.status))
      throw new Error(`${method} ${path} was answered ${answer.status} ${answer.text}`)
    return answer
  }
}

/**
 * Lets members work while members and servers are killed, and checks each delivery against the guarantees.
 * @param kills of members, and every third of the leader
 * @throws Error when a unit is lost, delivered out of order, to two members, or again without a reason
 */
export const groupKills = async (
  servers: GroupServers,
  kills: number,
  random: Random
): Promise<GroupLedger> => {
  const run = new GroupKills(servers, random)
  await run.run(kills)
  return run.ledger
}
