// HTTP over TLS with custom certificates, or over a Unix socket.
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { BODILESS, headersOf } from '../../typescript/wires/socket-fetch.js'
import { Agent, request as open } from 'undici'

export interface Transport {
  readonly socketPath: string | undefined
  readonly caFile: string | undefined
  readonly caPath: string | undefined
  readonly clientCert: string | undefined
  readonly clientKey: string | undefined
  readonly serverName: string | undefined
  readonly believesAll: boolean
}

/** @throws UsageError */
type ReadText = (file: string, what: string) => Promise<string>

const authorities = async ({ caFile, caPath }: Transport, read: ReadText): Promise<readonly string[]> => {
  const files = caPath === undefined ? [] : (await readdir(caPath)).toSorted().map(name => join(caPath, name))
  return await Promise.all(
    [...(caFile === undefined ? [] : [caFile]), ...files].map(file => read(file, 'the CA file'))
  )
}

export const fetchOver = async (transport: Transport, read: ReadText): Promise<typeof fetch> => {
  const { socketPath, clientCert, clientKey, serverName, believesAll } = transport
  const [ca, cert, key] = await Promise.all([
    authorities(transport, read),
    clientCert === undefined ? undefined : read(clientCert, 'the client certificate'),
    clientKey === undefined ? undefined : read(clientKey, 'the client key')
  ])
  const dispatcher = new Agent({
    connect: {
      ...(socketPath === undefined ? {} : { socketPath }),
      ...(ca.length === 0 ? {} : { ca: [...ca] }),
      ...(cert === undefined ? {} : { cert }),
      ...(key === undefined ? {} : { key }),
      ...(serverName === undefined ? {} : { servername: serverName }),
      rejectUnauthorized: !believesAll
    }
  })
  // Node's `fetch` accepts agents of its own undici only.
  return async (input, init) => {
    const { url, method, headers, body, signal } = new Request(input, init)
    const answer = await open(url, {
      dispatcher,
      method,
      headers,
      signal,
      body: body && Readable.fromWeb(body)
    })
    const isBare = BODILESS.has(answer.statusCode)
    if (isBare) await answer.body.dump()
    return new Response(isBare ? null : Readable.toWeb(answer.body), {
      status: answer.statusCode,
      headers: headersOf(answer.headers)
    })
  }
}
