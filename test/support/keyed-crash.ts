// Kills a server while clients write with idempotency keys, and repeats all requests afterwards: each is executed at most once.
import { Agent } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { send, type TestResponse } from './client.js'
import { startServer, temporaryFolder, type Scope, type ServerProcess } from './process.js'
import { seeded, type Random } from './random.js'

const ROOT = '8d4e5f6a-6c1b-4a52-9a7e-0f1f1f0c2b3d'
const CLIENTS = 16
/** Maximum number of answered requests of a round before the server is killed. */
const MOST_ANSWERED = 150
/** Maximum additional delay of the kill, in ms. */
const MOST_DELAY = 15

/** A request and its response, if one arrived. */
type Sent = Map<string, TestResponse | undefined>

const create = (server: ServerProcess, key: string, agent: Agent): Promise<TestResponse> =>
  send(server.base, 'PUT', '/v1/acl/token', {
    token: ROOT,
    agent,
    headers: { 'X-Service-Idempotency-Key': key },
    body: { Description: key }
  })

const write = async (server: ServerProcess, random: Random, sent: Sent): Promise<void> => {
  const agent = new Agent({ keepAlive: true })
  let left = 1 + random.below(MOST_ANSWERED)
  const delay = random.next() * MOST_DELAY
  let killing: Promise<void> | undefined
  const kill = async (): Promise<void> => {
    await pause(delay)
    await server.kill()
  }
  const client = async (): Promise<void> => {
    for (;;) {
      const key = random.uuid()
      sent.set(key, undefined)
      try {
        sent.set(key, await create(server, key, agent))
      } catch (error) {
        if (killing) return
        throw error
      }
      if (--left === 0) killing = kill()
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, client))
  await killing
  agent.destroy()
}

/** Returns a response without its date. */
const contentOf = ({ status, text, headers }: TestResponse): string => {
  const { date: _, ...others } = headers
  return JSON.stringify([status, text, others])
}

/** @throws Error when a repeat gets another response, or a request was executed twice */
const compare = async (server: ServerProcess, sent: Sent): Promise<void> => {
  const agent = new Agent({ keepAlive: true })
  const keys = [...sent.keys()]
  const repeat = async (): Promise<void> => {
    for (let key = keys.pop(); key !== undefined; key = keys.pop()) {
      const first = sent.get(key)
      const again = await create(server, key, agent)
      if (again.status !== 200) throw new Error(`${key} was answered ${again.status} ${again.text}`)
      if (first && contentOf(again) !== contentOf(first))
        throw new Error(`${key} was answered ${contentOf(first)}, and then ${contentOf(again)}`)
      sent.set(key, again)
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, repeat))
  agent.destroy()
  const { text } = await send(server.base, 'GET', '/v1/acl/tokens', { token: ROOT })
  const tokens: readonly { readonly Description: string }[] = JSON.parse(text)
  const made = new Set(tokens.map(({ Description }) => Description))
  for (const key of sent.keys()) if (!made.has(key)) throw new Error(`${key} was not made`)
  const others = tokens.filter(({ Description }) => !sent.has(Description)).length
  if (tokens.length !== sent.size + others || others > 2)
    throw new Error(`of ${sent.size} keys ${tokens.length - others} resources were created`)
}

/**
 * Runs `rounds` of: start, write from 16 clients, SIGKILL at a random moment, start again, repeat every request of all rounds.
 * @returns the number of repeated responses
 * @throws Error when a request was executed twice or not at all, or got another response
 */
export async function keyedCrashRounds(scope: Scope, rounds: number, seed: number): Promise<number> {
  const random = seeded(seed)
  const options = { dataDir: temporaryFolder(scope), initialManagement: ROOT }
  const sent: Sent = new Map()
  try {
    let server = await startServer(scope, options)
    for (let round = 0; round < rounds; round++) {
      await write(server, random, sent)
      server = await startServer(scope, options)
      await compare(server, sent)
    }
    await server.stop()
  } catch (error) {
    throw new Error(`ANNALS_CRASH_SEED=${seed}: ${String(error)}`, { cause: error })
  }
  return sent.size
}
