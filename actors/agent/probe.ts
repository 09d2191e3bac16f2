// Asks whether something is well: one HTTP request or one TCP connection, within a time (spec: state.md §8).
import { connect } from 'node:net'
import { Agent, interceptors, request, type Dispatcher } from 'undici'
import { CRITICAL, PASSING, WARNING, type CheckDefinition } from '../../events/check.js'
import { parseMilliseconds } from '../../events/duration.js'

/** What a check found out. */
export interface Finding {
  readonly status: string
  readonly output: string
}

const DEFAULT_TIMEOUT_MS = 10_000
const MOST_REDIRECTS = 10
/** More of an answer is not read. */
const LONGEST_BODY = 4096
const TOO_MANY_REQUESTS = 429

const timeoutOf = ({ Timeout }: CheckDefinition): number =>
  (Timeout ? parseMilliseconds(Timeout) : undefined) || DEFAULT_TIMEOUT_MS

const METHODS: readonly Dispatcher.HttpMethod[] = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH']
const methodOf = ({ Method }: CheckDefinition): Dispatcher.HttpMethod =>
  METHODS.find(method => method === Method?.toUpperCase()) ?? 'GET'

const statusOf = (code: number): string =>
  code >= 200 && code < 300 ? PASSING : code === TOO_MANY_REQUESTS ? WARNING : CRITICAL

const failed = (error: unknown): Finding => ({
  status: CRITICAL,
  output: error instanceof Error ? error.message || error.name : String(error)
})

const firstOf = async (body: AsyncIterable<Buffer>): Promise<string> => {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    size += chunk.length
    if (size >= LONGEST_BODY) break
  }
  return Buffer.concat(chunks).toString('utf8', 0, LONGEST_BODY)
}

const probeHttp = async (url: string, definition: CheckDefinition, signal: AbortSignal): Promise<Finding> => {
  const servername = definition.TLSServerName
  const agent = new Agent({
    connect: { rejectUnauthorized: definition.TLSSkipVerify !== true, ...(servername ? { servername } : {}) }
  })
  const dispatcher = definition.DisableRedirects
    ? agent
    : agent.compose(interceptors.redirect({ maxRedirections: MOST_REDIRECTS }))
  const method = methodOf(definition)
  try {
    const { statusCode, body } = await request(url, {
      method,
      dispatcher,
      signal,
      headers: Object.entries(definition.Header ?? {}).flatMap(([name, values]) =>
        values.flatMap(value => [name, value])
      ),
      ...(definition.Body ? { body: definition.Body } : {})
    })
    const text = await firstOf(body)
    return { status: statusOf(statusCode), output: `HTTP ${method} ${url}: ${statusCode} Output: ${text}` }
  } finally {
    await agent.destroy()
  }
}

const TARGET = /^\[?(.*?)\]?:(\d+)$/

const probeTcp = (target: string, signal: AbortSignal): Promise<Finding> =>
  new Promise((resolve, reject) => {
    const [, host = '', port = ''] = TARGET.exec(target) ?? []
    if (port === '') {
      reject(new Error(`"${target}" is not host:port`))
      return
    }
    const socket = connect({ host, port: Number(port), signal })
    socket.on('connect', () => {
      socket.destroy()
      resolve({ status: PASSING, output: `TCP connect ${target}: Success` })
    })
    socket.on('error', reject)
  })

/** Runs a check once. Never rejects: what goes wrong is what was found. */
export const probe = async (definition: CheckDefinition, ended: AbortSignal): Promise<Finding> => {
  const signal = AbortSignal.any([ended, AbortSignal.timeout(timeoutOf(definition))])
  try {
    if (definition.HTTP) return await probeHttp(definition.HTTP, definition, signal)
    return await probeTcp(definition.TCP ?? '', signal)
  } catch (error) {
    return failed(error)
  }
}
