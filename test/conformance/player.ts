// Sends the steps of a case to a server, and says what of its answers is compared.
import { setTimeout as pause } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { send, type TestResponse } from '../support/client.js'
import { isList, isObject, valueAt, type Condition, type Json } from './case-file.js'
import type { Step, Transcript } from './case-file.js'

const COMPARED_HEADERS = [
  'x-service-index',
  'x-service-knownleader',
  'x-service-lastcontact',
  'x-service-results-filtered-by-acls',
  'x-service-default-acl-policy',
  'x-cache',
  'age',
  'content-type'
]

/** A server that steps are played on. */
export interface PlayedServer {
  /** `http://127.0.0.1:PORT`. */
  readonly base: string
  /** Names that the steps know from the start: `dns_port`, and `root` where there is a management token. */
  readonly saved: Readonly<Record<string, string>>
  /** Resolves when so many milliseconds have passed for the server. */
  readonly pass: (ms: number) => Promise<void>
  /** Only of one that follows another: resolves when it shows everything that was acknowledged. */
  readonly settled?: () => Promise<unknown>
  /** Whether it follows another one so that all that it shows may be old, as copies from another datacenter are. */
  readonly showsCopies?: true
  close(): Promise<void>
}

const STALE = /[?&](max_)?stale\b/

/** Between two looks at what a step waits for, ms: what the server computes needs real time, and not only that of its clock. */
const PAUSE = 20
/** Passes for the server's clock between two looks, ms. */
const PASSES = 100

/** Plays the steps one after another. Status 0 stands for no answer; then the text says why. */
export async function play(server: PlayedServer, steps: readonly Step[]): Promise<readonly TestResponse[]> {
  const names = new Map(Object.entries(server.saved))
  const answers: TestResponse[] = []
  for (const step of steps) {
    if (step.sleep_ms !== undefined) await server.pass(step.sleep_ms)
    // Of a server that follows, who takes what is old may be shown that.
    if (server.showsCopies || STALE.test(step.do)) await server.settled?.()
    const answer = await playStep(server, step, names)
    const { headers, body } = transcribe(answer)
    for (const [name, path] of Object.entries(step.save ?? {})) {
      const value = path.startsWith('header:') ? headers[path.slice('header:'.length)] : valueAt(body, path)
      if (value !== undefined && value !== null)
        names.set(name, typeof value === 'string' ? value : JSON.stringify(value))
    }
    answers.push(answer)
  }
  return answers
}

async function playStep(
  { base, pass }: PlayedServer,
  step: Step,
  names: ReadonlyMap<string, string>
): Promise<TestResponse> {
  const [method = '', path = ''] = fillText(step.do, names).split(/ (.*)/)
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(step.headers ?? {}))
    headers[fillText(name, names).toLowerCase()] = fillText(value, names)
  const body = bodyOf(step, names)
  if (body !== undefined)
    headers['content-type'] ??= step.raw === undefined ? 'application/json' : 'text/plain'
  const token = secretOf(step, names)
  // An answer that is expected may take as long as it takes.
  const timeout = step.expect.status === 0 ? step.timeout_ms : undefined
  const ask = (): Promise<TestResponse> => send(base, method, path, { token, headers, body, timeout })
  try {
    let answer = await ask()
    const condition = step.repeat_until
    if (condition === undefined) return answer
    for (let left = (condition.within_ms ?? 10_000) / PAUSE; left > 0 && !holds(condition, answer); left--) {
      await pass(PASSES)
      await pause(PAUSE)
      answer = await ask()
    }
    return answer
  } catch (error) {
    return { status: 0, headers: {}, text: String(error) }
  }
}

function secretOf(step: Step, names: ReadonlyMap<string, string>): string | undefined {
  const secret = step.as === undefined || step.as === 'root' ? names.get('root') : step.as
  return secret === null || secret === undefined || secret === '' ? undefined : fillText(secret, names)
}

function bodyOf(step: Step, names: ReadonlyMap<string, string>): string | undefined {
  if (step.raw !== undefined) return fillText(step.raw, names)
  return step.body === undefined ? undefined : JSON.stringify(fill(step.body, names))
}

function fillText(text: string, names: ReadonlyMap<string, string>): string {
  return text.replaceAll(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (whole, name: string) => names.get(name) ?? whole)
}

/** Fills names into texts and keys; a text that ends up as digits and `#` is a number. */
function fill(value: Json, names: ReadonlyMap<string, string>): Json {
  if (typeof value === 'string') {
    const text = fillText(value, names)
    return /^\d+#$/.test(text) ? Number(text.slice(0, -1)) : text
  }
  if (isList(value)) return value.map(one => fill(one, names))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [fillText(key, names), fill(one, names)])
  )
}

function holds(condition: Condition, answer: TestResponse): boolean {
  if (condition.status !== undefined && answer.status !== condition.status) return false
  if (condition.path === undefined) return true
  return isDeepStrictEqual(valueAt(parse(answer.text), condition.path), condition.equals)
}

/** What of an answer is compared with a recorded one. */
export function transcribe({ status, headers, text }: TestResponse): Transcript {
  const compared: Record<string, string> = {}
  for (const name of COMPARED_HEADERS) {
    const value = headers[name]
    if (value !== undefined) compared[name] = String(value)
  }
  return { status, headers: compared, body: parse(text) }
}

function parse(text: string): Json {
  try {
    const value: Json = JSON.parse(text)
    return value
  } catch {
    return text
  }
}
