// A server with prepared responses, which rejects requests like Consul.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text as readText } from 'node:stream/consumers'
import type { Scope } from './process.js'

export interface ConsulServer {
  /** Bodies by path, or the rejection of the path. */
  readonly answers: ReadonlyMap<string, unknown>
  /** A secret that every request needs. */
  readonly secret?: string
  /** Permissions, such as `key:read`, that its token lacks. */
  readonly lacking?: readonly string[]
  /** Paths whose lists are marked as incomplete. */
  readonly filtered?: readonly string[]
  /** Config entry kinds that its version does not support. */
  readonly unknownKinds?: readonly string[]
}

export class Failing {
  constructor(
    readonly text: string,
    readonly status = 500
  ) {}
}

interface Question {
  readonly Resource: string
  readonly Access: string
}

const authorized = (body: string, lacking: readonly string[]): object => {
  const questions: readonly Question[] = JSON.parse(body)
  return questions.map(question => ({
    ...question,
    Allow: !lacking.includes(`${question.Resource}:${question.Access}`)
  }))
}

/** Starts it; it ends with the scope. @returns its address */
export const consulServer = async (scope: Scope, options: ConsulServer): Promise<string> => {
  const { answers, secret, lacking = [], filtered = [], unknownKinds = [] } = options
  const kindOf = (path: string): string => /^\/v1\/config\/(.+)$/.exec(path)?.[1] ?? ''
  const answered = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname } = new URL(request.url ?? '', 'http://consul')
    const body = await readText(request)
    const refuse = (status: number, why: string): void => void response.writeHead(status).end(why)
    if (secret !== undefined && request.headers['x-consul-token'] !== secret)
      return refuse(403, 'Permission denied: anonymous token lacks permission')
    const kind = kindOf(pathname)
    if (unknownKinds.includes(kind)) return refuse(500, `invalid config entry kind: ${kind}`)
    const isQuestion = pathname === '/v1/internal/acl/authorize'
    const prepared = answers.get(pathname) ?? (kind === '' ? undefined : [])
    const answer = isQuestion ? (prepared ?? authorized(body, lacking)) : prepared
    if (answer === undefined) return refuse(404, 'Invalid URL path: not a recognized HTTP API endpoint')
    if (answer instanceof Failing) return refuse(answer.status, answer.text)
    response.setHeader('Content-Type', 'application/json')
    if (filtered.includes(pathname)) response.setHeader('X-Consul-Results-Filtered-By-ACLs', 'true')
    // The largest number of a key, which JavaScript cannot write.
    response.end(JSON.stringify(answer).replaceAll(/"@(\d+)"/g, '$1'))
  }
  const server = createServer((request, response) => void answered(request, response))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  scope.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  return `127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`
}
