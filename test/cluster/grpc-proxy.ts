// What a server sends to etcd passes here: calls can be held, their answers swallowed, changed or delayed, and all of it cut.
import { once } from 'node:events'
import {
  connect,
  constants,
  createServer,
  type ClientHttp2Session,
  type IncomingHttpHeaders,
  type IncomingHttpStatusHeader,
  type ServerHttp2Session,
  type ServerHttp2Stream
} from 'node:http2'
import { setTimeout as pause } from 'node:timers/promises'
import type { Scope } from '../support/process.js'

/** A call of gRPC that passes. */
export interface Call {
  /** Such as `/etcdserverpb.KV/Txn`. */
  readonly path: string
  /** The request whole, of a call that has one; what came so far of a stream of them. */
  readonly request: Buffer
}

/** What becomes of a call: `hold` lets nothing through, `swallow` lets etcd handle it and drops what it answers. */
type CallRule = 'pass' | 'hold' | 'swallow'

export interface GrpcProxy {
  /** URLs in place of those that the gate was made with, in the same order. */
  readonly urls: readonly string[]
  /**
   * What becomes of calls from now on, and of what comes from now on in those that last. A stream from which something was
   * swallowed stays so.
   */
  treat(treatment: (call: Call) => CallRule): void
  /** Everything passes again as it is, but for streams from which something was swallowed. */
  pass(): void
  /** Shows a text of etcd's answers as another one, which must be as long. */
  show(text: string, as: string): void
  /** How long each answer waits, in ms. */
  delay(ms: number): void
  /** Ends all connections; new ones are made as before. */
  cut(): void
}

/** Calls whose two sides are streams. */
const STREAMS = new Set(['/etcdserverpb.Watch/Watch', '/etcdserverpb.Lease/LeaseKeepAlive'])

/** Whether a call appends to the log of the cluster. */
export const isAppend = ({ path, request }: Call): boolean =>
  path === '/etcdserverpb.KV/Txn' && request.includes('/log/') && request.includes('/head')

/** Whether a call brings what others append. */
export const isWatch = ({ path }: Call): boolean => path === '/etcdserverpb.Watch/Watch'

/** A gate in front of members of etcd. It ends with the scope. @param host where it listens */
export const startGrpcProxy = async (
  scope: Scope,
  host: string,
  members: readonly string[]
): Promise<GrpcProxy> => {
  let treatment: (call: Call) => CallRule = () => 'pass'
  let delay = 0
  let replaced: readonly [text: string, by: string] | undefined
  const incoming = new Set<ServerHttp2Session>()
  const outgoing = new Map<string, ClientHttp2Session>()
  const ignore = (): void => {}

  /** A message keeps its length: what frames it stays true. */
  const shown = (chunk: Buffer): Buffer =>
    replaced ? Buffer.from(chunk.toString('latin1').replaceAll(...replaced), 'latin1') : chunk

  const sessionTo = (member: string): ClientHttp2Session => {
    const known = outgoing.get(member)
    if (known && !known.closed && !known.destroyed) return known
    const session = connect(member)
    session.on('error', ignore)
    outgoing.set(member, session)
    return session
  }

  const forward = (
    member: string,
    path: string,
    stream: ServerHttp2Stream,
    headers: IncomingHttpHeaders,
    chunks: readonly Buffer[]
  ): void => {
    let swallowed = false
    const dropsAnswer = (): boolean => {
      swallowed ||= treatment({ path, request: Buffer.concat(chunks) }) !== 'pass'
      return swallowed || stream.destroyed
    }
    const kept = Object.entries(headers).filter(
      ([name]) => !['host', 'connection', ':authority'].includes(name)
    )
    const call = sessionTo(member).request(Object.fromEntries(kept))
    const later = async (then: () => void): Promise<void> => {
      if (delay > 0) await pause(delay)
      if (!dropsAnswer()) then()
    }
    call.on('error', () => void later(() => stream.close(constants.NGHTTP2_INTERNAL_ERROR)))
    let trailers: IncomingHttpHeaders = {}
    call.on('response', (answer: IncomingHttpHeaders & IncomingHttpStatusHeader, flags: number) => {
      const ends = (flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0
      void later(() => stream.respond(answer, ends ? { endStream: true } : { waitForTrailers: true }))
    })
    call.on('trailers', (given: IncomingHttpHeaders) => (trailers = given))
    call.on('data', (chunk: Buffer) => void later(() => stream.write(shown(chunk))))
    call.on('end', () => void later(() => stream.end()))
    stream.on('wantTrailers', () => stream.sendTrailers(trailers))
    stream.on('close', () => call.close(constants.NGHTTP2_CANCEL))
    for (const chunk of chunks) call.write(chunk)
    if (STREAMS.has(path)) {
      stream.on('data', (chunk: Buffer) => call.write(chunk))
      stream.on('end', () => call.end())
    } else call.end()
  }

  const accept = (member: string, stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void => {
    const path = String(headers[':path'])
    const chunks: Buffer[] = []
    stream.on('error', ignore)
    const begin = (): void => {
      if (treatment({ path, request: Buffer.concat(chunks) }) !== 'hold')
        forward(member, path, stream, headers, chunks)
    }
    if (STREAMS.has(path)) begin()
    else {
      stream.on('data', (chunk: Buffer) => void chunks.push(chunk))
      stream.on('end', begin)
    }
  }

  const urls = await Promise.all(
    members.map(async member => {
      const server = createServer()
      server.on('session', session => {
        incoming.add(session)
        session.on('error', ignore)
        session.on('close', () => incoming.delete(session))
      })
      server.on('stream', (stream, headers) => accept(member, stream, headers))
      server.listen(0, host)
      await once(server, 'listening')
      scope.teardown(() => void server.close())
      const address = server.address()
      if (address === null || typeof address === 'string') throw new Error('the gate has no port')
      return `http://${host}:${address.port}`
    })
  )
  const cut = (): void => {
    for (const session of [...incoming, ...outgoing.values()]) session.destroy()
    outgoing.clear()
  }
  scope.teardown(cut)
  return {
    urls,
    treat: given => {
      treatment = given
    },
    pass: () => {
      treatment = () => 'pass'
      replaced = undefined
    },
    show: (text, as) => {
      if (text.length !== as.length) throw new Error(`"${as}" is not as long as "${text}"`)
      replaced = [text, as]
    },
    delay: ms => {
      delay = ms
    },
    cut
  }
}
