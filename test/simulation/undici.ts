// In place of `undici`: requests on the connections of the simulation.
import http from 'node:http'
import type { IncomingMessage } from 'node:http'

interface Options {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
  readonly dispatcher: Agent
  readonly signal: AbortSignal
}

/** The connections of one client. */
export class Agent {
  readonly connections = new http.Agent({ keepAlive: true })

  close(): void {
    this.connections.destroy()
  }

  destroy(): void {
    this.connections.destroy()
  }
}

/** Connections of the simulation need no lookup. */
export const buildConnector = (): undefined => undefined

const dump = (response: IncomingMessage): Promise<void> =>
  new Promise((resolve, reject) => {
    response.once('end', resolve)
    response.once('error', reject)
    response.resume()
  })

/** Resolves with the head of the answer. @throws Error of the connection, or the reason of the signal */
export const request = (url: string, { dispatcher, signal, body, ...options }: Options) =>
  new Promise((resolve, reject) => {
    signal.throwIfAborted()
    const sent = http.request(url, { ...options, agent: dispatcher.connections })
    const abort = (): void => void sent.destroy(new Error('aborted', { cause: signal.reason }))
    signal.addEventListener('abort', abort, { once: true })
    sent.once('close', () => signal.removeEventListener('abort', abort))
    sent.once('error', reject)
    sent.once('response', response =>
      resolve({
        statusCode: response.statusCode,
        headers: response.headers,
        body: { dump: () => dump(response) }
      })
    )
    sent.end(body)
  })
