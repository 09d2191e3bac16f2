// A replica of the primary datacenter: it follows one member of the cluster, and clients read from it.
import http from 'node:http'
import { Connection } from '../../clients/typescript/connection.js'
import { parseVkey, type NoteKey } from '../../events/log/evidence/note-keys.js'
import { ProofFailed } from '../../events/log/evidence/proofs.js'
import { LogEvidence } from '../../http/wire/log-evidence.js'
import { accessorsAt } from '../../server/commands/replica.js'
import { recordSource, serverFiles } from '../../server/commands/server-source.js'
import { serverSource } from '../../server/replica/replica-source.js'
import { startReplica } from '../../server/replica/start-replica.js'
import type { Client } from './client.js'
import { configOf, ROOT } from './installations.js'
import { PATIENCE, type Installation, type Machine } from './machine.js'
import { HistoryError } from './history.js'
import { KeyOperations, valuesIn } from './keys.js'
import { Requests, type Answer, type Scene } from './requests.js'

const NAME = 'replica'
const PORT = 8701
/** In ms: how often it reads the checkpoint of its source. */
const INTERVAL = 500
/** In ms, between two reads of a client. */
const MOST_PAUSE = 300
const DENIED = 403

const agent = new http.Agent({ keepAlive: true })

/** Sends a request without a body on a connection of the simulation. */
const fetchSimulated: typeof fetch = (input, { method = 'GET', headers, signal } = {}) =>
  new Promise((resolve, reject) => {
    const { hostname: host, port, pathname, search } = new URL(input instanceof Request ? input.url : input)
    const ending = AbortSignal.any([AbortSignal.timeout(PATIENCE), ...(signal ? [signal] : [])])
    const sent = http.request({
      host,
      port,
      method,
      path: pathname + search,
      agent,
      headers: Object.fromEntries(new Headers(headers)),
      signal: ending
    })
    sent.once('error', reject)
    sent.once('response', response => {
      const pieces: Buffer[] = []
      response.on('data', (piece: Buffer) => pieces.push(piece))
      response.once('error', reject)
      response.once('end', () => {
        const { statusCode: status = 0, headersDistinct } = response
        const init = { status, headers: new Headers() }
        for (const [name, values = []] of Object.entries(headersDistinct))
          for (const value of values) init.headers.append(name, value)
        resolve(new Response(pieces.length > 0 ? Buffer.concat(pieces) : null, init))
      })
    })
    sent.end()
  })

const keyOf = (source: Machine): NoteKey | undefined => {
  const vkey = source.running?.scope.resolve(LogEvidence).required.vkey
  return vkey === undefined ? undefined : parseVkey(vkey)
}

/** Returns a replica, which must not be started before its source runs. @param refused takes what the replica cannot trust */
export const replicaOf = (source: Machine, refused: (error: ProofFailed) => void): Installation => {
  const connection = new Connection({
    address: `http://127.0.0.1:${source.port}`,
    token: ROOT,
    fetch: fetchSimulated
  })
  let key: NoteKey | undefined
  return {
    name: NAME,
    port: PORT,
    config: configOf(NAME, 8, PORT),
    begin: async (live, fatal) => {
      key ??= keyOf(source)
      if (!key) throw new Error('the source does not run')
      return startReplica(live, {
        key,
        source: serverSource(serverFiles(connection), recordSource(connection)),
        interval: INTERVAL,
        accessorOf: accessorsAt(connection),
        report: () => {},
        fatal,
        onRefused: error => {
          if (error instanceof ProofFailed) refused(error)
          fatal(error)
        }
      })
    }
  }
}

/** Reads keys from the replica, which may be behind, until the scene closes. Without its source, it may know no token. */
export const readReplica = async (scene: Scene, replica: Machine, client: Client): Promise<void> => {
  const { world, isOpen } = scene
  const requests = new Requests({ ...scene, machines: [replica] }, client)
  const operations = new KeyOperations(requests)
  const read = (path: string, shown: (reply: Answer) => ReturnType<typeof valuesIn>) =>
    requests.read(
      { method: 'GET', path },
      reply => (reply.status === DENIED ? undefined : shown(reply)),
      true
    )
  while (isOpen()) {
    const key = operations.anyKey()
    if (requests.random.below(2) === 0) await read('/v1/kv/app/?recurse', valuesIn)
    else await read(`/v1/kv/${key}`, reply => operations.shown(key, reply))
    await world.pause(requests.random.next() * MOST_PAUSE)
  }
}

/** @throws HistoryError if a replica found that its source contradicts itself */
export const checkRefusals = (refusals: readonly ProofFailed[]): void => {
  const [first] = refusals
  if (first) throw new HistoryError(`the replica refused its source: ${first.message}`)
}
