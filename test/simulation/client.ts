// HTTP clients of the simulation.
import http from 'node:http'
import { ROOT } from './cluster.js'
import type { SimulatedProcess, World } from './world.js'

/** The outcome of a request: `unknown` if its outcome is not known, `not-sent` if no server has it. */
export type Reply =
  | {
      readonly kind: 'answered'
      readonly status: number
      readonly index: number
      readonly text: string
      /** The answer says that its outcome is not known. */
      readonly isUnknown: boolean
    }
  | { readonly kind: 'unknown' | 'not-sent' }

export interface Outgoing {
  readonly method: string
  readonly path: string
  readonly body?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** In ms. */
const PATIENCE = 20_000

export class Client {
  readonly process: SimulatedProcess
  readonly #agent = new http.Agent({ keepAlive: true })

  constructor(
    private readonly world: World,
    name: string
  ) {
    this.process = world.process(name)
  }

  /** Sends a request once. */
  send(port: number, { method, path, body, headers = {} }: Outgoing): Promise<Reply> {
    return new Promise(resolve => {
      let isConnected = false
      const fail = (): void => resolve({ kind: isConnected ? 'unknown' : 'not-sent' })
      const request = http.request({
        host: '127.0.0.1',
        port,
        method,
        path,
        agent: this.#agent,
        headers: { ...headers, 'X-Service-Token': ROOT, 'Content-Length': Buffer.byteLength(body ?? '') }
      })
      const cancel = this.world.after(PATIENCE, () => {
        fail()
        request.destroy()
      })
      request.once('socket', socket => {
        if (request.reusedSocket) isConnected = true
        else socket.once('connect', () => (isConnected = true))
      })
      request.once('error', () => {
        cancel()
        fail()
      })
      request.once('response', response => {
        const pieces: Buffer[] = []
        response.on('data', (piece: Buffer) => pieces.push(piece))
        response.once('end', () => {
          cancel()
          const index = Number(response.headers['x-service-index'] ?? 0)
          const text = Buffer.concat(pieces).toString()
          const isUnknown = response.headers['x-service-outcome'] === 'unknown'
          resolve({ kind: 'answered', status: response.statusCode ?? 0, index, text, isUnknown })
        })
        response.once('close', () => {
          cancel()
          fail()
        })
      })
      request.end(body)
    })
  }
}
