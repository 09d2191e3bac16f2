// HTTP clients of the simulation.
import http from 'node:http'
import { ROOT } from './installations.js'
import { PATIENCE } from './machine.js'
import type { SimulatedProcess, World } from './world.js'

/** The outcome of a request: `unknown` if its outcome is not known, `not-sent` if no server has it. */
export type Reply =
  | {
      readonly kind: 'answered'
      readonly status: number
      readonly index: number
      readonly text: string
      readonly bytes: Buffer
      /** The answer says that its outcome is not known. */
      readonly isUnknown: boolean
      /** Of all that is durable, in Base64, if the request asked for it. */
      readonly checkpoint: string | undefined
    }
  | { readonly kind: 'unknown' | 'not-sent' }

export interface Outgoing {
  readonly method: string
  readonly path: string
  readonly body?: string | Buffer | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Secret of the token; default: the initial management token. */
  readonly token?: string
}

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
  send(port: number, { method, path, body, headers = {}, token = ROOT }: Outgoing): Promise<Reply> {
    return new Promise(resolve => {
      let isConnected = false
      const fail = (): void => resolve({ kind: isConnected ? 'unknown' : 'not-sent' })
      const request = http.request({
        host: '127.0.0.1',
        port,
        method,
        path,
        agent: this.#agent,
        headers: { ...headers, 'X-Service-Token': token, 'Content-Length': Buffer.byteLength(body ?? '') }
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
          const bytes = Buffer.concat(pieces)
          const text = bytes.toString()
          const isUnknown = response.headers['x-service-outcome'] === 'unknown'
          const checkpoint = response.headers['x-service-checkpoint']?.toString()
          resolve({
            kind: 'answered',
            status: response.statusCode ?? 0,
            index,
            text,
            bytes,
            isUnknown,
            checkpoint
          })
        })
        response.once('close', () => {
          cancel()
          fail()
        })
      })
      request.end(body)
    })
  }

  /**
   * Reads the lines of an endless answer for some time. Resolves when the connection has ended.
   * @param begin called with the index that the answer begins with, where what was asked for was pruned
   */
  follow(
    port: number,
    path: string,
    ms: number,
    receive: (line: string) => void,
    begin: (oldest: number) => void = () => {}
  ): Promise<void> {
    return new Promise(resolve => {
      let rest = ''
      const request = http.request({ host: '127.0.0.1', port, path, headers: { 'X-Service-Token': ROOT } })
      const cancel = this.world.after(ms, () => request.destroy())
      request.once('error', () => {})
      request.once('close', () => {
        cancel()
        resolve()
      })
      request.once('response', response => {
        response.on('error', () => {})
        const oldest = response.headers['x-service-oldest-index']
        if (response.statusCode === 200 && oldest !== undefined) begin(Number(oldest))
        response.on('data', (piece: Buffer) => {
          const lines = `${rest}${piece.toString()}`.split('\n')
          rest = lines.pop() ?? ''
          if (response.statusCode === 200) for (const line of lines) receive(line)
        })
      })
      request.end()
    })
  }
}
