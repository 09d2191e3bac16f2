// A large tree is deleted by one commit, and other requests are handled while its deletion is prepared.
import test from 'ava'
import { indexOf, secretWith, writeKeys } from '../../support.js'
import { serverInProcess, type TestServer } from '../../../support/server.js'
import { shortenChunks } from '../../../support/short-chunks.js'

const KEYS = 3000
const FOLDERS = 100
const WRITERS = 8

const keyOf = (i: number): string => `many/${i % FOLDERS}/${i}`

const fill = (server: TestServer): Promise<void> =>
  writeKeys(server, new Map(Array.from({ length: KEYS }, (_, i) => [keyOf(i), ''])))

interface Write {
  readonly index: number
  readonly key: string
  readonly isDeletion: boolean
}

/** Writes and deletes keys of all folders but the first one until `isOver`. */
const write = async (
  server: TestServer,
  writer: number,
  isOver: () => boolean,
  writes: Write[]
): Promise<void> => {
  for (let i = writer; !isOver(); i += WRITERS) {
    const isDeletion = i % 3 === 0
    const key = i % 5 === 0 ? `many/new/${i}` : keyOf((i % 199) * FOLDERS + 1 + (i % (FOLDERS - 1)))
    const response = isDeletion
      ? await server.send('DELETE', `/v1/kv/${key}`)
      : await server.send('PUT', `/v1/kv/${key}`, { body: `${i}` })
    writes.push({ index: indexOf(response), key, isDeletion })
  }
}

/** Collects the numbers of keys in the first folder until `isOver`. */
const read = async (server: TestServer, isOver: () => boolean, sizes: Set<number>): Promise<void> => {
  while (!isOver()) {
    const { status, text } = await server.send('GET', '/v1/kv/many/0/?keys')
    sizes.add(status === 404 ? 0 : JSON.parse(text).length)
  }
}

const DELETIONS = {
  'deletion of a tree': { method: 'DELETE', path: '/v1/kv/many/?recurse' },
  'transaction that deletes a tree': {
    method: 'PUT',
    path: '/v1/txn',
    body: [
      { KV: { Verb: 'set', Key: 'done', Value: 'YQ==' } },
      { KV: { Verb: 'delete-tree', Key: 'many/' } },
      { KV: { Verb: 'check-not-exists', Key: 'many/0/0' } }
    ]
  }
} as const

const send = (server: TestServer, title: keyof typeof DELETIONS, token?: string) => {
  const { method, path, ...sending } = DELETIONS[title]
  return server.send(method, path, { ...sending, ...(token === undefined ? {} : { token }) })
}

const titles = ['deletion of a tree', 'transaction that deletes a tree'] as const

for (const title of titles)
  test(`${title}: reads show all keys or none, and only later writes stay`, async t => {
    shortenChunks(t)
    const server = await serverInProcess(t)
    await fill(server)
    let isOver = false
    const writes: Write[] = []
    const writers = Array.from({ length: WRITERS }, (_, at) => write(server, at + 1, () => isOver, writes))
    const sizes = new Set<number>()
    const reader = read(server, () => isOver, sizes)
    const deletion = await send(server, title)
    isOver = true
    await Promise.all([...writers, reader])
    t.is(deletion.status, 200)
    t.deepEqual(
      [...sizes].filter(size => size !== 0 && size !== KEYS / FOLDERS),
      []
    )
    const expected = new Set<string>()
    for (const { index, key, isDeletion } of writes.toSorted((a, b) => a.index - b.index))
      if (index > indexOf(deletion) && !isDeletion) expected.add(key)
      else if (index > indexOf(deletion)) expected.delete(key)
    const { status, text } = await server.send('GET', '/v1/kv/many/?keys')
    t.deepEqual(status === 404 ? [] : JSON.parse(text).toSorted(), [...expected].toSorted())
  })

for (const title of titles)
  test(`${title}: a token that is deleted meanwhile deletes nothing`, async t => {
    shortenChunks(t)
    const server = await serverInProcess(t)
    await fill(server)
    const token = await secretWith(server, 'writer', 'key_prefix "" { policy = "write" }')
    const { AccessorID } = JSON.parse((await server.send('GET', '/v1/acl/token/self', { token })).text)
    const deletion = send(server, title, token)
    const deleted = await server.send('DELETE', `/v1/acl/token/${AccessorID}`)
    t.is(deleted.status, 200)
    t.is((await deletion).status, 403)
    const { text } = await server.send('GET', '/v1/kv/many/?keys')
    t.is(JSON.parse(text).length, KEYS)
  })
