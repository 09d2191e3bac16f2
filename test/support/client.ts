// HTTP requests to a server under test.
import { Agent, request as open, type IncomingHttpHeaders } from 'node:http'

export interface TestResponse {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

export interface TestRequestOptions {
  /** Sent as `X-Service-Token`. */
  readonly token?: string | undefined
  readonly headers?: Readonly<Record<string, string>>
  /** Text is sent without a content type; anything else as JSON. */
  readonly body?: unknown
  /** Timeout in ms; default: none. */
  readonly timeout?: number | undefined
  readonly agent?: Agent
}

const shared = new Agent({ keepAlive: true })

/**
 * Sends a request and reads the complete response, whatever its status.
 * @param base such as `http://127.0.0.1:8500`
 * @throws the socket's error, or an Error after `timeout`
 */
export function send(
  base: string,
  method: string,
  path: string,
  sending: TestRequestOptions = {}
): Promise<TestResponse> {
  const { token, body, timeout, agent = shared } = sending
  const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
  const headers: Record<string, string | number> = { ...sending.headers }
  if (token !== undefined) headers['x-service-token'] = token
  if (text !== undefined) headers['content-length'] = Buffer.byteLength(text)
  return new Promise((resolve, reject) => {
    const request = open(base + path, { method, headers, agent }, response => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text: Buffer.concat(chunks).toString()
        })
      )
    })
    if (timeout !== undefined) {
      const fault = new Error(`${method} ${path}: no answer within ${timeout} ms`)
      const timer = setTimeout(() => request.destroy(fault), timeout)
      request.on('close', () => clearTimeout(timer))
    }
    request.on('error', reject)
    request.end(text)
  })
}
