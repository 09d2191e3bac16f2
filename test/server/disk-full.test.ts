// On a full disk, writes are refused, reads continue, and no acknowledged write is lost.
import test, { type ExecutionContext } from 'ava'
import { send } from '../support/client.js'
import { startServer, type ServerProcess } from '../support/process.js'
import { seeded } from '../support/random.js'
import { limitedDisk, smallDisk, type SmallDisk } from '../support/small-disk.js'
import type { Token } from '../support/token-ledger.js'
import { until } from '../support/wait.js'

const SIZE = 4 * 2 ** 20
const CLIENTS = 8
/** Makes each token large, so that the disk is soon full. */
const PADDING = 'x'.repeat(2000)
/** Many times what fits. */
const MOST = 20_000

/** The server's answers to creations. */
interface Written {
  readonly acknowledged: Token[]
  /** Accessors of those that were answered 503. */
  readonly refused: string[]
}

test('a full disk refuses writes with 503, loses nothing acknowledged, and serves again once there is room', t =>
  fillAndFree(t, smallDisk(t, SIZE)))

test('a limit on the size of files is borne like a full disk', t => fillAndFree(t, limitedDisk(t, SIZE)))

async function fillAndFree(t: ExecutionContext, disk: SmallDisk): Promise<void> {
  t.log(disk.kind)
  const server = await startServer(t, disk.options)
  const root = await server.bootstrap()
  const random = seeded(1)
  const create = async (): Promise<{
    readonly accessor: string
    readonly status: number
    readonly text: string
  }> => {
    const accessor = random.uuid()
    const body = { AccessorID: accessor, Description: `${accessor} ${PADDING}` }
    return { accessor, ...(await send(server.base, 'PUT', '/v1/acl/token', { token: root, body })) }
  }

  const written = await writeUntilRefused(create)
  t.true(written.acknowledged.length > 0)
  await verify(t, server, root, written)

  // What is reserved for deletions takes one, and still no creation.
  const [deleted] = written.acknowledged.splice(0, 1)
  await until('a deletion succeeds', async () => {
    const path = `/v1/acl/token/${deleted?.AccessorID}`
    return (await send(server.base, 'DELETE', path, { token: root })).status === 200
  })
  written.refused.push(deleted?.AccessorID ?? '')
  const creation = await create()
  t.is(creation.status, 503)
  t.regex(creation.text, /takes only deletions|cannot be written/)
  written.refused.push(creation.accessor)
  await verify(t, server, root, written)

  disk.free(server.pid)
  await until('writes succeed again', async () => {
    const { status, text, accessor } = await create()
    if (status === 200) written.acknowledged.push(JSON.parse(text))
    else written.refused.push(accessor)
    return status === 200
  })
  await verify(t, server, root, written)

  await server.stop()
  const again = await startServer(t, { dataDir: server.dataDir })
  await verify(t, again, root, written)
  await again.stop()
}

/** Creates tokens from several clients until each of them was refused. */
async function writeUntilRefused(
  create: () => Promise<{ readonly accessor: string; readonly status: number; readonly text: string }>
): Promise<Written> {
  const written: Written = { acknowledged: [], refused: [] }
  const client = async (): Promise<void> => {
    for (;;) {
      const { accessor, status, text } = await create()
      if (status === 503) return void written.refused.push(accessor)
      if (status !== 200) throw new Error(`a creation was answered ${status} ${text}`)
      written.acknowledged.push(JSON.parse(text))
      if (written.acknowledged.length > MOST) throw new Error(`${MOST} writes did not fill the disk`)
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, client))
  return written
}

/** Every acknowledged token reads as acknowledged, alone and in the list; a refused one is nowhere. */
async function verify(
  t: ExecutionContext,
  server: ServerProcess,
  token: string,
  written: Written
): Promise<void> {
  const list = await send(server.base, 'GET', '/v1/acl/tokens', { token })
  t.is(list.status, 200, list.text)
  const tokens: readonly Token[] = JSON.parse(list.text)
  const listed = new Map(tokens.map(one => [one.AccessorID, one]))
  for (const one of written.acknowledged) {
    const read = await send(server.base, 'GET', `/v1/acl/token/${one.AccessorID}`, { token })
    if (read.status !== 200 || read.text !== JSON.stringify(one)) t.deepEqual(JSON.parse(read.text), one)
    if (JSON.stringify(listed.get(one.AccessorID)) !== read.text) t.deepEqual(listed.get(one.AccessorID), one)
  }
  for (const accessor of written.refused) {
    t.false(listed.has(accessor))
    t.is((await send(server.base, 'GET', `/v1/acl/token/${accessor}`, { token })).status, 403)
  }
}
