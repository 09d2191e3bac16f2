// Own types for the used part of Node, since the client also compiles for browsers.
interface Incoming {
  readonly statusCode?: number | undefined
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  resume(): unknown
}
interface Outgoing {
  on(event: 'error', listener: (error: Error) => void): unknown
  end(): unknown
}
interface RequestOptions {
  readonly socketPath: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly signal: AbortSignal
}
interface Http {
  request(url: string, options: RequestOptions, answered: (answer: Incoming) => void): Outgoing
}
interface Streams {
  readonly Readable: {
    toWeb(from: Incoming): ReadableStream
    fromWeb(from: ReadableStream): unknown
  }
  pipeline(from: unknown, to: Outgoing, done: (error?: Error | null) => void): unknown
}
interface NodeProcess {
  getBuiltinModule(name: 'node:http'): Http
  getBuiltinModule(name: 'node:stream'): Streams
}

const isNode = (value: unknown): value is NodeProcess =>
  typeof value === 'object' && value !== null && 'getBuiltinModule' in value

export const BODILESS: ReadonlySet<number> = new Set([204, 205, 304])

export const headersOf = (incoming: Incoming['headers']): Headers => {
  const headers = new Headers()
  for (const [name, values] of Object.entries(incoming))
    for (const value of [values ?? []].flat()) headers.append(name, value)
  return headers
}

/** Returns a `fetch` that sends all requests to one socket and follows no redirects. @throws TypeError outside Node */
export const socketFetch = (socketPath: string): typeof fetch => {
  const node: unknown = Reflect.get(globalThis, 'process')
  if (!isNode(node)) throw new TypeError('unix:// addresses need Node 20.16 or later')
  const [http, stream] = [node.getBuiltinModule('node:http'), node.getBuiltinModule('node:stream')]
  return async (input, init) => {
    const { url, method, headers, body, signal } = new Request(input, init)
    return new Promise((resolve, reject) => {
      const request = http.request(
        url,
        { socketPath, method, headers: Object.fromEntries(headers.entries()), signal },
        answer => {
          const status = answer.statusCode ?? 0
          const isBare = BODILESS.has(status)
          if (isBare) answer.resume()
          const content = isBare ? null : stream.Readable.toWeb(answer)
          resolve(new Response(content, { status, headers: headersOf(answer.headers) }))
        }
      )
      request.on('error', reject)
      if (body === null) request.end()
      else stream.pipeline(stream.Readable.fromWeb(body), request, error => error && reject(error))
    })
  }
}
