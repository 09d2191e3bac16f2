// Concurrent clients that create, update and delete tokens, and record the acknowledgements in a ledger.
import type { Agent } from 'node:http'
import { send, type TestResponse } from './client.js'
import type { Random } from './random.js'
import { accessorOf, type Request, type Token, type TokenLedger } from './token-ledger.js'

interface Writing {
  readonly base: string
  readonly root: string
  readonly agent: Agent
  readonly random: Random
  readonly ledger: TokenLedger
  /** Called after each acknowledged request. */
  acknowledged(): void
  /** True when the server is being killed, so that sockets may fail. */
  isOver(): boolean
}

/**
 * Writes with `clients` connections until `writing.isOver()`. Each token belongs to one client.
 * @throws Error when a request is refused, or fails while the server should be up
 */
export async function writeTokens(writing: Writing, clients: number): Promise<void> {
  const shares: string[][] = Array.from({ length: clients }, () => [])
  let dealt = 0
  for (const accessor of writing.ledger.tokens.keys()) shares[dealt++ % clients]?.push(accessor)
  await Promise.all(shares.map(own => writeAsOneClient(writing, own)))
}

async function writeAsOneClient(writing: Writing, own: string[]): Promise<void> {
  const { ledger } = writing
  while (!writing.isOver()) {
    const request = nextRequest(writing, own)
    ledger.sent(request)
    let answer: TestResponse
    try {
      answer = await perform(writing, request)
    } catch (error) {
      if (writing.isOver()) return
      throw error
    }
    if (answer.status !== 200)
      throw new Error(
        `${request.kind} was answered ${answer.status} ${answer.text}\n${JSON.stringify(request)}`
      )
    ledger.answered(request, shown(request, answer))
    if (request.kind === 'create') own.push(accessorOf(request))
    writing.acknowledged()
  }
}

/** Makes seven creations to two updates and one deletion, of the client's own tokens. */
function nextRequest({ random, ledger }: Writing, own: string[]): Request {
  const choice = random.below(10)
  const description = `written ${random.uuid()}`
  const position = random.below(own.length)
  const before = ledger.tokens.get(own[position] ?? '')
  if (choice < 7 || before === undefined)
    return { kind: 'create', accessor: random.uuid(), secret: random.uuid(), description }
  if (choice < 9) return { kind: 'update', before, description }
  own.splice(position, 1)
  return { kind: 'delete', before }
}

function perform({ base, root: token, agent }: Writing, request: Request): Promise<TestResponse> {
  const path = `/v1/acl/token/${accessorOf(request)}`
  if (request.kind === 'delete') return send(base, 'DELETE', path, { token, agent })
  const { description: Description } = request
  if (request.kind === 'update') return send(base, 'PUT', path, { token, agent, body: { Description } })
  const body = { AccessorID: request.accessor, SecretID: request.secret, Description }
  return send(base, 'PUT', '/v1/acl/token', { token, agent, body })
}

/** Returns the token in a response, which must be the requested one; undefined after a deletion. */
function shown(request: Request, answer: TestResponse): Token | undefined {
  if (request.kind === 'delete') return undefined
  const token: Token = JSON.parse(answer.text)
  if (token.AccessorID !== accessorOf(request) || token.Description !== request.description)
    throw new Error(`${request.kind} was answered with another token: ${answer.text}`)
  return token
}
