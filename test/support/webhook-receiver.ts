// A receiver of webhooks with programmable responses.
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import { Webhook } from 'standardwebhooks'
import type { Scope } from './process.js'
import type { Line } from './stream.js'

/** The body of a delivery. */
export interface Delivered {
  readonly Messages: readonly Line[]
  readonly Cursor: string
  readonly LastIndex: number
}

interface Call {
  readonly method: string
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

/** Responds to a call, or leaves it unanswered. */
export type ReceiverBehavior = (response: ServerResponse, call: Call) => void

export interface Receiver {
  readonly url: string
  /** All complete requests. */
  readonly calls: readonly Call[]
  /** The handler of requests; initially 204. */
  answer(answering: ReceiverBehavior): void
  /** Returns the content of a call. Ignores its time, since tests move clocks. @throws Error when its signature is invalid */
  verified(call: Call, secret: string): Delivered
  close(): Promise<void>
}

/** Responds with a status and headers. */
export const status =
  (code: number, headers: Readonly<Record<string, string>> = {}): ReceiverBehavior =>
  response =>
    void response.writeHead(code, headers).end()

/** Never responds. */
export const silence: ReceiverBehavior = () => {}

/** Starts a receiver. It ends with the scope. */
export const receiver = async (t: Scope, port = 0): Promise<Receiver> => {
  const calls: Call[] = []
  let answering = status(204)
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const call = {
        method: request.method ?? '',
        headers: request.headers,
        text: Buffer.concat(chunks).toString()
      }
      calls.push(call)
      answering(response, call)
    })
  })
  await new Promise<void>(resolve => server.listen(port, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the receiver has no port')
  const close = (): Promise<void> =>
    new Promise(resolve => {
      server.closeAllConnections()
      server.close(() => resolve())
    })
  t.teardown(close)
  return {
    url: `http://127.0.0.1:${address.port}/hook`,
    calls,
    answer: next => void (answering = next),
    verified: ({ headers, text }, secret) => {
      const at = new Date(Number(headers['webhook-timestamp']) * 1000)
      const expected = new Webhook(secret).sign(String(headers['webhook-id']), at, text)
      if (headers['webhook-signature'] !== expected) throw new Error('the signature is another one')
      const delivered: Delivered = JSON.parse(text)
      return delivered
    },
    close
  }
}
