// Clients that make, change and end policies, roles and tokens, those of all datacenters and those of one, through whatever happens, and
// record the responses.
import { Agent } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { send, type TestResponse } from '../support/client.js'
import { seeded, type Random } from '../support/random.js'
import { ROOT } from '../support/server.js'
import { until } from '../support/wait.js'

export type GlobalKind = 'policy' | 'role' | 'token'

/** A resource that only one client writes. */
export interface GlobalResource {
  readonly kind: GlobalKind
  /** The name of a policy or role, the AccessorID of a token. */
  readonly key: string
  /** The descriptions that are possible after its client's responses; undefined where it may not be there. */
  readonly possible: readonly (string | undefined)[]
  /** Secrets of the tokens that were acknowledged. */
  readonly secret: string | undefined
  /** Of a local token, the server that it was made at: it is of the datacenter of that. */
  readonly home: string | undefined
}

export interface GlobalWriters {
  /** All that was written so far. */
  readonly resources: readonly GlobalResource[]
  /** How long the slowest answer took so far, in ms, and what it was. */
  readonly slowest: { readonly ms: number; readonly what: string }
  /** Answers so far by how the write ended. */
  readonly counts: Readonly<Record<Outcome, number>>
  /** Resolves when so many more writes were acknowledged than now. */
  acknowledges(count: number): Promise<void>
  /** Lets every client finish its write. */
  stop(): Promise<void>
}

interface WritersOptions {
  /** The servers that are written to, each client in turn to all of them. */
  readonly bases: () => readonly string[]
  readonly seed: number
  readonly clients?: number
  /** How long a client waits between two writes, in ms. */
  readonly rest?: number
}

type Outcome = 'acknowledged' | 'refused' | 'unknown'

interface Writing {
  kind: GlobalKind
  key: string
  possible: (string | undefined)[]
  secret: string | undefined
  home: string | undefined
  /** In the path of an update; of a token its AccessorID. */
  id: string
}

interface WriteResult {
  readonly outcome: Outcome
  readonly answer: TestResponse | undefined
}

/** No answer may take as long. */
const PATIENCE = 60_000
const AFTER_FAULT = 20
const NOT_SENT = /ECONNREFUSED|EHOSTUNREACH|ENETUNREACH/
const KINDS: readonly GlobalKind[] = ['policy', 'role', 'token']

const outcomeOf = ({ status, headers }: TestResponse): Outcome => {
  if (status === 200) return 'acknowledged'
  return headers['x-service-outcome'] === 'unknown' ? 'unknown' : 'refused'
}

const bodyOf = ({ kind, key, secret, home }: Writing, Description: string, isNew: boolean): object => {
  if (kind === 'policy') return { Name: key, Description, Rules: `key_prefix "${key}" { policy = "write" }` }
  if (kind === 'role') return { Name: key, Description }
  return { Description, Local: home !== undefined, ...(isNew ? { AccessorID: key, SecretID: secret } : {}) }
}

/** Begins to write at once. Stopped by `stop` alone. */
export const startGlobalWriters = (options: WritersOptions): GlobalWriters => {
  const { bases, seed, clients = 4, rest = 10 } = options
  const resources: Writing[] = []
  const counts: Record<Outcome, number> = { acknowledged: 0, refused: 0, unknown: 0 }
  let slowest = { ms: 0, what: '' }
  const life = { over: false }

  const ask = async (
    base: string,
    method: string,
    path: string,
    body?: object,
    agent?: Agent
  ): Promise<WriteResult> => {
    const from = performance.now()
    const sending = { token: ROOT, timeout: PATIENCE, ...(body ? { body } : {}), ...(agent ? { agent } : {}) }
    let result: WriteResult
    try {
      const answer = await send(base, method, path, sending)
      result = { outcome: outcomeOf(answer), answer }
    } catch (error) {
      result = { outcome: NOT_SENT.test(String(error)) ? 'refused' : 'unknown', answer: undefined }
    }
    const ms = performance.now() - from
    const what = `${method} ${path} to ${base}: ${result.answer?.status} ${result.answer?.text.slice(0, 200)}`
    if (ms > slowest.ms) slowest = { ms, what }
    counts[result.outcome]++
    if (result.outcome !== 'acknowledged') await pause(AFTER_FAULT)
    return result
  }

  const create = async (random: Random, base: string, agent: Agent): Promise<Writing | undefined> => {
    const kind = KINDS[random.below(KINDS.length)] ?? 'token'
    const key = kind === 'token' ? random.uuid() : `${kind}-${random.uuid()}`
    const secret = kind === 'token' ? random.uuid() : undefined
    const home = kind === 'token' && random.below(3) === 0 ? base : undefined
    const resource: Writing = { kind, key, secret, home, id: key, possible: [undefined] }
    resources.push(resource)
    const description = `made ${random.uuid()}`
    const { outcome, answer } = await ask(
      base,
      'PUT',
      `/v1/acl/${kind}`,
      bodyOf(resource, description, true),
      agent
    )
    if (outcome === 'unknown') resource.possible.push(description)
    if (outcome !== 'acknowledged' || !answer) return undefined
    resource.possible = [description]
    if (kind !== 'token') {
      const { ID }: { readonly ID: string } = JSON.parse(answer.text)
      resource.id = ID
    }
    return resource
  }

  const change = async (resource: Writing, random: Random, base: string, agent: Agent): Promise<boolean> => {
    const path = `/v1/acl/${resource.kind}/${resource.id}`
    const isEnd = random.below(3) === 0
    const description = isEnd ? undefined : `changed ${random.uuid()}`
    const { outcome, answer } =
      description === undefined
        ? await ask(base, 'DELETE', path, undefined, agent)
        : await ask(base, 'PUT', path, bodyOf(resource, description, false), agent)
    if (outcome === 'acknowledged') resource.possible = [description]
    else if (outcome === 'unknown') resource.possible.push(description)
    else if (answer !== undefined && answer.status < 500)
      throw new Error(
        `${resource.kind} ${resource.key} was acknowledged, and then ${answer.status} ${answer.text}`
      )
    return outcome !== 'unknown' && resource.possible[0] !== undefined
  }

  const client = async (number: number): Promise<void> => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const random = seeded(seed + number)
    const own: Writing[] = []
    for (let turn = number; !life.over; turn++) {
      const list = bases()
      const base = list[turn % list.length] ?? ''
      const before = own.length > 0 && random.below(2) === 0 ? own[random.below(own.length)] : undefined
      if (before === undefined) {
        const made = await create(random, base, agent)
        if (made) own.push(made)
      } else if (!(await change(before, random, before.home ?? base, agent)))
        own.splice(own.indexOf(before), 1)
      if (rest > 0) await pause(rest)
    }
    agent.destroy()
  }

  const running = Promise.all(Array.from({ length: clients }, (_, at) => client(at)))
  // Callers that wait for acknowledgements receive a fault; others need not.
  let fault: unknown
  running.catch((error: unknown) => (fault = error))
  return {
    resources,
    counts,
    get slowest() {
      return slowest
    },
    acknowledges: async count => {
      const enough = counts.acknowledged + count
      await until(`${count} more writes of policies, roles and tokens are acknowledged`, () => {
        if (fault instanceof Error) throw fault
        return counts.acknowledged >= enough
      })
    },
    stop: async () => {
      life.over = true
      await running
    }
  }
}
