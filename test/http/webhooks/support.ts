// A server with a webhook, and its receiver.
import type { ExecutionContext } from 'ava'
import type { TestResponse } from '../../support/client.js'
import { receiver, type Delivered, type Receiver } from '../../support/webhook-receiver.js'
import { serverInProcess, type TestServer, type TestServerOptions } from '../../support/server.js'
import { until } from '../../support/wait.js'
import { indexOf } from '../support.js'

export const PATH = '/v1/event/cursor/hook'

interface HookResponse {
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

/** The time in which a receiver must answer, in ms. */
export const TIMEOUT_MS = 86_400_000

/**
 * Starts a server that may send webhooks to this machine. Advanced clocks leave its requests the time that they take on a busy machine.
 */
export const hookServer = (t: ExecutionContext, options: TestServerOptions = {}): Promise<TestServer> =>
  serverInProcess(t, {
    ...options,
    config: { outgoing: { allow: ['127.0.0.1/32'] }, ...options.config },
    adjust: settings => {
      const adjusted = options.adjust?.(settings) ?? settings
      return { ...adjusted, webhook: { ...adjusted.webhook, timeout: TIMEOUT_MS } }
    }
  })

export const putHook = (server: TestServer, body: object, token?: string): Promise<TestResponse> =>
  server.send('PUT', PATH, {
    body: { Topics: ['KV:load/'], ...body },
    ...(token === undefined ? {} : { token })
  })

export const readHook = async (server: TestServer): Promise<HookResponse> =>
  hookOf(await server.send('GET', PATH))

/** Writes keys, and returns the indexes of their commits. */
export const write = async (server: TestServer, ...keys: readonly string[]): Promise<readonly number[]> => {
  const indexes: number[] = []
  for (const key of keys) indexes.push(indexOf(await server.send('PUT', `/v1/kv/${key}`, { body: key })))
  return indexes
}

/** Advances the clock until the result is neither undefined nor false. */
export const inTime = <T>(
  server: TestServer,
  what: string,
  ask: () => Promise<T | undefined | false> | T | undefined | false
): Promise<T> =>
  until(what, () => {
    server.advance(1000)
    return ask()
  })

/** Resolves when the cursor has reached this index. */
export const cursorPositionOf = (server: TestServer, index: number): Promise<true> =>
  inTime(server, `the cursor stands at ${index}`, async () => (await readHook(server)).Index >= index)

/** Returns the indexes of all received messages in order, after verifying their signatures. */
export const waitForDelivery = (hook: Receiver, secret: string): readonly number[] =>
  hook.calls.flatMap(call => hook.verified(call, secret).Messages.map(({ Index = 0 }) => Index))

/** Returns the last request. */
export const lastOf = (hook: Receiver, secret: string): Delivered | undefined => {
  const call = hook.calls.at(-1)
  return call && hook.verified(call, secret)
}

/** Starts a server, a receiver, and a webhook between them with a generated secret. */
export const withHook = async (t: ExecutionContext, options: TestServerOptions = {}, body: object = {}) => {
  const hook = await receiver(t)
  const server = await hookServer(t, options)
  const { Secret = '' } = hookOf(await putHook(server, { URL: hook.url, ...body }))
  return { server, hook, secret: Secret }
}
