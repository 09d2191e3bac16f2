import { interceptors, request } from 'undici'
import { CRITICAL, PASSING, WARNING, type CheckDefinition } from '../../events/check.js'
import { guardOf, type Destinations, type OutgoingTls } from '../outgoing/destinations.js'
import { guardedAgent } from '../outgoing/guarded-agent.js'
import type { CheckReport } from './agent.js'
import type { Timers } from '../clock.js'

export interface ProbeServices {
  readonly tls: OutgoingTls
  readonly destinations: Pick<Destinations, 'mayReach'>
  readonly timers: Pick<Timers, 'abortAfter'>
}

const MAX_REDIRECTS = 10
/** Limit of what is read of a body, bytes. */
const MAX_BODY_BYTES = 4096
const TOO_MANY_REQUESTS = 429

const statusOf = (code: number): string =>
  code >= 200 && code < 300 ? PASSING : code === TOO_MANY_REQUESTS ? WARNING : CRITICAL

const firstOf = async (body: AsyncIterable<Buffer>): Promise<string> => {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    size += chunk.length
    if (size >= MAX_BODY_BYTES) break
  }
  return Buffer.concat(chunks).toString('utf8', 0, MAX_BODY_BYTES)
}

/** Follows redirects only to addresses that checks may reach. @throws Error of the connection or abort */
export const probeHttp = async (
  url: string,
  definition: CheckDefinition,
  signal: AbortSignal,
  { tls, destinations }: ProbeServices
): Promise<CheckReport> => {
  const agent = guardedAgent({
    ...guardOf(destinations, 'check'),
    secureContext: tls.contextFor(''),
    servername: definition.TLSServerName,
    skipsVerification: definition.TLSSkipVerify === true
  })
  const dispatcher = definition.DisableRedirects
    ? agent
    : agent.compose(interceptors.redirect({ maxRedirections: MAX_REDIRECTS }))
  const method = (definition.Method || 'GET').toUpperCase()
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
