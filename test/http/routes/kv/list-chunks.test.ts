// Long lists of keys are read in chunks. Writes between the chunks do not change the list.
import { isDeepStrictEqual } from 'node:util'
import test from 'ava'
import { indexOf, writeKeys } from '../../support.js'
import { runs } from '../../../support/property-runs.js'
import { serverInProcess, type TestServer } from '../../../support/server.js'
import { shortenChunks } from '../../../support/short-chunks.js'

const KEYS = 1000
const WRITERS = 8
const ROUNDS = runs(5)

const keyOf = (i: number): string => `many/${i % 90}/${i}`

interface Write {
  readonly index: number
  readonly key: string
  /** Undefined for a deletion. */
  readonly value: string | undefined
}

const fill = async (server: TestServer): Promise<Map<string, string>> => {
  const keys = new Map(Array.from({ length: KEYS }, (_, i) => [keyOf(i), 'first']))
  await writeKeys(server, keys)
  return keys
}

/** Writes and deletes keys until `isOver`. */
const write = async (
  server: TestServer,
  writer: number,
  isOver: () => boolean,
  writes: Write[]
): Promise<void> => {
  for (let i = writer; !isOver(); i += WRITERS) {
    const key = i % 5 === 0 ? `many/new/${i}` : keyOf((i * 7919) % KEYS)
    const value = i % 3 === 0 ? undefined : `later ${i}`
    const answer =
      value === undefined
        ? await server.send('DELETE', `/v1/kv/${key}`)
        : await server.send('PUT', `/v1/kv/${key}`, { body: value })
    writes.push({ index: indexOf(answer), key, value })
  }
}

const stateAt = (
  first: ReadonlyMap<string, string>,
  writes: readonly Write[],
  index: number
): Map<string, string> => {
  const state = new Map(first)
  for (const { key, value, index: at } of writes.toSorted((a, b) => a.index - b.index)) {
    if (at > index) break
    if (value === undefined) state.delete(key)
    else state.set(key, value)
  }
  return state
}

const byText = (a: string, b: string): number => (a < b ? -1 : 1)

test('each list equals the state at its index, whatever is written while it is read', async t => {
  shortenChunks(t)
  const server = await serverInProcess(t, { config: { acl: { enabled: false } } })
  const first = await fill(server)
  const writes: Write[] = []
  let isOver = false
  const writers = Array.from({ length: WRITERS }, (_, writer) => write(server, writer, () => isOver, writes))
  t.teardown(async () => {
    isOver = true
    await Promise.all(writers)
  })
  for (let round = 0; round < ROUNDS; round++) {
    const [entries, keys, cut] = await Promise.all(
      ['?recurse', '?keys', '?keys&separator=/'].map(query => server.send('GET', `/v1/kv/many/${query}`))
    )
    if (!entries || !keys || !cut) return t.fail()
    const rows: readonly { readonly Key: string; readonly Value: string }[] = JSON.parse(entries.text)
    const expected = [...stateAt(first, writes, indexOf(entries))].toSorted(([a], [b]) => byText(a, b))
    const found = rows.map(({ Key, Value }) => [Key, Buffer.from(Value, 'base64').toString()])
    // A difference of so many keys is not printed.
    t.true(isDeepStrictEqual(found, expected), `the entries at index ${indexOf(entries)}`)
    const names = [...stateAt(first, writes, indexOf(keys)).keys()].toSorted(byText)
    t.true(isDeepStrictEqual(JSON.parse(keys.text), names), `the keys at index ${indexOf(keys)}`)
    const folders = [...stateAt(first, writes, indexOf(cut)).keys()].map(
      key => /^many\/[^/]*\//.exec(key)?.[0] ?? ''
    )
    t.deepEqual(JSON.parse(cut.text), [...new Set(folders)].toSorted(byText))
  }
})
