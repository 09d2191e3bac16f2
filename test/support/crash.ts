// Kills a writing server at random moments, and compares the restarted server with the acknowledged writes.
import { Agent } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { limitConcurrency } from './concurrency-limit.js'
import { send } from './client.js'
import { annals } from './command-line.js'
import { launchServer, startServer, temporaryFolder, type Scope, type ServerProcess } from './process.js'
import { seeded, type Random } from './random.js'
import { isOutcome, TokenLedger, type Token } from './token-ledger.js'
import { writeTokens } from './token-writers.js'

const CLIENTS = 32
/** Number of rounds with one folder. */
const ROUNDS_PER_FOLDER = 25
/** Number of concurrent folders. Rounds mostly wait for processes to start. */
const FOLDERS_AT_ONCE = 3
/** Maximum number of acknowledged requests of a round before the server is killed. */
const MOST_ACKNOWLEDGED = 400
/** Maximum additional delay of the kill, in ms. */
const MOST_DELAY = 15
/** In one round of so many, the server is also killed during its start. */
const KILLED_AT_START = 5
/** Maximum delay in ms before a starting server is killed. */
const STARTING = 400

/**
 * Plays `rounds` of: start, write from 32 clients, SIGKILL at a random moment, verify the log, start again, compare.
 * Folders are independent of each other, and several are played at once.
 * @param seed decides what is written and when the server is killed; it stands in the error
 * @returns how many requests were acknowledged in all
 * @throws Error when an acknowledged write is lost or changed, when half a write is there, when the log does not hold
 */
export async function crashRounds(scope: Scope, rounds: number, seed: number): Promise<number> {
  const turns = limitConcurrency(FOLDERS_AT_ONCE)
  const firsts = Array.from(
    { length: Math.ceil(rounds / ROUNDS_PER_FOLDER) },
    (_, folder) => 1 + folder * ROUNDS_PER_FOLDER
  )
  const play = { failed: false }
  const playFolder = async (first: number): Promise<number> => {
    const random = seeded(seed + first)
    let round = first
    try {
      const crash = await Crash.begin(scope, random)
      for (; round < first + ROUNDS_PER_FOLDER && round <= rounds && !play.failed; round++)
        await crash.round()
      await crash.end()
      return crash.ledger.acknowledged
    } catch (error) {
      play.failed = true
      throw new Error(`round ${round}, ANNALS_CRASH_SEED=${seed}: ${String(error)}`, { cause: error })
    }
  }
  const acknowledged = await Promise.all(
    firsts.map(first => turns(async () => (play.failed ? 0 : playFolder(first))))
  )
  return acknowledged.reduce((sum, count) => sum + count, 0)
}

class Crash {
  readonly ledger = new TokenLedger()

  private constructor(
    private readonly scope: Scope,
    private readonly random: Random,
    private server: ServerProcess,
    private readonly root: string,
    /** Tokens of the server: the anonymous one and the first management token. */
    private readonly others: number
  ) {}

  static async begin(scope: Scope, random: Random): Promise<Crash> {
    const server = await startServer(scope, { dataDir: temporaryFolder(scope) })
    const root = await server.bootstrap()
    const { tokens } = await list(server, root)
    return new Crash(scope, random, server, root, tokens.size)
  }

  async round(): Promise<void> {
    await this.writeUntilKilled()
    if (this.random.below(KILLED_AT_START) === 0) await this.killWhileStarting()
    await this.verifyLog()
    this.server = await startServer(this.scope, { dataDir: this.server.dataDir })
    await this.compare()
  }

  /** An orderly shutdown and restart must change nothing. */
  async end(): Promise<void> {
    const before = await list(this.server, this.root)
    await this.server.stop()
    this.server = await startServer(this.scope, { dataDir: this.server.dataDir })
    const after = await list(this.server, this.root)
    if (after.text !== before.text) throw new Error('the list of tokens differs after an orderly restart')
    await this.server.stop()
    await this.verifyLog()
  }

  private async writeUntilKilled(): Promise<void> {
    const { server, root, random, ledger } = this
    const agent = new Agent({ keepAlive: true })
    let left = 1 + random.below(MOST_ACKNOWLEDGED)
    const delay = random.next() * MOST_DELAY
    let over = false
    let killed: Promise<void> | undefined
    const kill = async (): Promise<void> => {
      await pause(delay)
      over = true
      await server.kill()
    }
    ledger.forgetTouched()
    await writeTokens(
      {
        base: server.base,
        root,
        agent,
        random,
        ledger,
        acknowledged: () => {
          if (--left === 0) killed = kill()
        },
        isOver: () => over
      },
      CLIENTS
    )
    await killed
    agent.destroy()
  }

  private async killWhileStarting(): Promise<void> {
    const starting = await launchServer(this.scope, { dataDir: this.server.dataDir })
    await pause(this.random.next() * STARTING)
    await starting.kill()
  }

  /** Verifies the log's chain, and compares its replay with the state. */
  private async verifyLog(): Promise<void> {
    const { code, output, errors } = await annals([
      'log',
      'verify',
      '--replay',
      '--data-dir',
      this.server.dataDir
    ])
    if (code !== 0) throw new Error(`log verify ended with ${code}: ${output}${errors}`)
  }

  private async compare(): Promise<void> {
    const { ledger } = this
    const listed = await list(this.server, this.root)
    for (const [accessor, request] of ledger.unanswered) {
      const found = listed.tokens.get(accessor)
      if (!isOutcome(request, found, isDeepStrictEqual)) throw different('unanswered', request, found)
      ledger.settle(accessor, found)
    }
    for (const [accessor, token] of ledger.tokens) {
      const found = listed.tokens.get(accessor)
      if (!isDeepStrictEqual(found, token)) throw different('acknowledged', token, found)
      if (token.ModifyIndex > listed.index)
        throw new Error(`index ${listed.index} is below the token's ${token.ModifyIndex}`)
    }
    if (listed.tokens.size !== ledger.tokens.size + this.others)
      throw new Error(`${listed.tokens.size} tokens are listed, ${ledger.tokens.size + this.others} exist`)
    await this.compareReads()
  }

  /** Compares every token of the round by accessor, by secret and in the list; deleted ones must be absent. */
  private async compareReads(): Promise<void> {
    const { base } = this.server
    const left = [...this.ledger.touched]
    const reader = async (): Promise<void> => {
      for (let next = left.pop(); next !== undefined; next = left.pop()) {
        const [accessor, secret] = next
        const byAccessor = await send(base, 'GET', `/v1/acl/token/${accessor}`, { token: this.root })
        const bySecret = await send(base, 'GET', '/v1/acl/token/self', { token: secret })
        const token = this.ledger.tokens.get(accessor)
        for (const { status, text } of [byAccessor, bySecret]) {
          if (status !== (token === undefined ? 403 : 200))
            throw different('read', token, `${status} ${text}`)
          if (token !== undefined && !isDeepStrictEqual(tokenIn(text), token))
            throw different('read', token, text)
        }
      }
    }
    await Promise.all(Array.from({ length: CLIENTS }, reader))
  }
}

/** Removes the last use of a token, which is not part of the log. */
const stored = (shown: Token & { readonly LastUsed?: string }): Token => {
  const { LastUsed: _, ...token } = shown
  return token
}
const tokenIn = (text: string): Token => stored(JSON.parse(text))
const tokensIn = (text: string): readonly Token[] => {
  const tokens: readonly Token[] = JSON.parse(text)
  return tokens.map(stored)
}

interface Listed {
  readonly text: string
  readonly index: number
  readonly tokens: ReadonlyMap<string, Token>
}

async function list(server: ServerProcess, token: string): Promise<Listed> {
  const { status, text, headers } = await send(server.base, 'GET', '/v1/acl/tokens', { token })
  if (status !== 200) throw new Error(`the list of tokens was answered ${status} ${text}`)
  const tokens = tokensIn(text)
  return {
    text: JSON.stringify(tokens),
    index: Number(headers['x-service-index']),
    tokens: new Map(tokens.map(one => [one.AccessorID, one]))
  }
}

function different(what: string, known: unknown, found: unknown): Error {
  return new Error(`${what}: known ${JSON.stringify(known)}, found ${JSON.stringify(found)}`)
}
