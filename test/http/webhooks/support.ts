// A server with a webhook, and the receiver of it.
import type { ExecutionContext } from 'ava'
import type { TestResponse } from '../../support/client.js'
import { receiver, type Delivered, type Receiver } from '../../support/webhook-receiver.js'
import { serverInProcess, type TestServer, type TestServerOptions } from '../../support/server.js'
import { until } from '../../support/wait.js'
import { indexOf } from '../support.js'

export const PATH = '/v1/event/cursor/hook'

export interface HookResponse {
  readonly Index: number
  readonly URL?: string
  readonly Secret?: string
  readonly Owner: string
  readonly DeadLetters?: number
  readonly LastDeadLetter?: { readonly From: number; readonly To: number; readonly Reason: string }
  readonly Disabled?: string
  readonly Delivery?: {
    readonly State: string
    readonly Attempts: number
    readonly NextAttemptAt?: string
    readonly LastError?: string
    readonly LastDeliveredAt?: string
  }
}

export const hookOf = ({ status, text }: TestResponse): HookResponse => {
  if (status !== 200) throw new Error(`the cursor was answered ${status} ${text}`)
  return JSON.parse(text)
}

/** A server that may send webhooks to this machine. */
export const hookServer = (t: ExecutionContext, options: TestServerOptions = {}): Promise<TestServer> =>
  serverInProcess(t, {
    ...options,
    config: { outgoing: { allow: ['127.0.0.1/32'] }, ...options.config }
  })

export const putHook = (server: TestServer, body: object, token?: string): Promise<TestResponse> =>
  server.send('PUT', PATH, {
    body: { Topics: ['KV:load/'], ...body },
    ...(token === undefined ? {} : { token })
  })

export const readHook = async (server: TestServer): Promise<HookResponse> =>
  hookOf(await server.send('GET', PATH))

/** Writes keys, and answers with the indexes of their commits. */
export const write = async (server: TestServer, ...keys: readonly string[]): Promise<readonly number[]> => {
  const indexes: number[] = []
  for (const key of keys) indexes.push(indexOf(await server.send('PUT', `/v1/kv/${key}`, { body: key })))
  return indexes
}

/** Lets seconds pass until the answer is neither undefined nor false. */
export const inTime = <T>(
  server: TestServer,
  what: string,
  ask: () => Promise<T | undefined | false> | T | undefined | false
): Promise<T> =>
  until(what, () => {
    server.advance(1000)
    return ask()
  })

/** Resolves when the cursor stands at this index, or behind it. */
export const cursorPositionOf = (server: TestServer, index: number): Promise<true> =>
  inTime(server, `the cursor stands at ${index}`, async () => (await readHook(server)).Index >= index)

/** Indexes of all messages that have arrived, in the order of their arrival; each was signed with the secret. */
export const waitForDelivery = (hook: Receiver, secret: string): readonly number[] =>
  hook.calls.flatMap(call => hook.verified(call, secret).Messages.map(({ Index = 0 }) => Index))

/** What the last request brought. */
export const lastOf = (hook: Receiver, secret: string): Delivered | undefined => {
  const call = hook.calls.at(-1)
  return call && hook.verified(call, secret)
}

/** A server, a receiver, and a webhook between them, whose secret was made by the server. */
export const withHook = async (t: ExecutionContext, options: TestServerOptions = {}, body: object = {}) => {
  const hook = await receiver(t)
  const server = await hookServer(t, options)
  const { Secret = '' } = hookOf(await putHook(server, { URL: hook.url, ...body }))
  return { server, hook, secret: Secret }
}
