// Long lists of ACL resources, sessions, configuration entries and keys of all namespaces are read in chunks. Whatever is written between the chunks, each
// list equals the one of the past at its index.
import { isDeepStrictEqual } from 'node:util'
import test from 'ava'
import fc from 'fast-check'
import { runs } from '../../../support/property-runs.js'
import type { TestResponse } from '../../../support/client.js'
import { serverInProcess, type TestServer } from '../../../support/server.js'
import { shortenChunks } from '../../../support/short-chunks.js'
import { indexOf } from '../../support.js'

const ROWS = 200
const CONNECTIONS = 16

/** A row of a list: its identity, and a text that each change replaces. */
interface Kind {
  readonly lists: readonly string[]
  readonly put: (n: number, text: string) => readonly [path: string, body: object | string]
  readonly remove: (n: number) => readonly [method: string, path: string]
}

const uuid = (n: number): string => `5ec51e41-0000-4000-8000-${String(n).padStart(12, '0')}`

const KINDS: readonly Kind[] = [
  {
    lists: [
      '/v1/acl/tokens',
      '/v1/acl/tokens?pretty',
      '/v1/acl/tokens?ns=*',
      '/v1/acl/tokens?limit=150',
      '/v1/acl/tokens?policy=00000000-0000-0000-0000-000000000001',
      '/v1/acl/tokens?filter=Description%20!=%20first'
    ],
    put: (n, Description) => {
      const body = { AccessorID: uuid(n), Description, Policies: [{ Name: 'global-management' }] }
      return Description === 'first' ? ['/v1/acl/token', body] : [`/v1/acl/token/${uuid(n)}`, body]
    },
    remove: n => ['DELETE', `/v1/acl/token/${uuid(n)}`]
  },
  {
    lists: ['/v1/config/service-defaults', '/v1/config/service-defaults?ns=*'],
    put: (n, text) => [
      '/v1/config',
      { Kind: 'service-defaults', Name: `service-${n}`, Protocol: 'http', Meta: { text } }
    ],
    remove: n => ['DELETE', `/v1/config/service-defaults/service-${n}`]
  },
  {
    lists: [
      '/v1/kv/?recurse&ns=*',
      '/v1/kv/?keys&ns=*',
      '/v1/kv/?recurse&pretty',
      '/v1/kv/?recurse&limit=150'
    ],
    put: (n, text) => [`/v1/kv/many/${n}`, text],
    remove: n => ['DELETE', `/v1/kv/many/${n}`]
  }
]

const LISTS = KINDS.flatMap(({ lists }) => lists)

/** Calls `work` for all numbers below a count, on several connections. */
const inParallel = async (count: number, work: (n: number) => Promise<unknown>): Promise<void> => {
  let next = 0
  const run = async (): Promise<void> => {
    while (next < count) await work(next++)
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, run))
}

const put = (server: TestServer, { put: write }: Kind, n: number, text: string) => {
  const [path, body] = write(n, text)
  return server.send('PUT', path, { body })
}

const atIndex = (path: string, index: number): string => `${path}${path.includes('?') ? '&' : '?'}at=${index}`

/** The past hides the secrets of tokens that are deleted now, and has no last uses. */
const VARYING = ['SecretID', 'LastUsed']
const rowsOf = ({ text }: TestResponse): unknown =>
  JSON.parse(text, (name, value: unknown) => (VARYING.includes(name) ? undefined : value))

interface Write {
  readonly kind: number
  readonly n: number
  /** Undefined for a deletion. */
  readonly text: string | undefined
}

const write: fc.Arbitrary<Write> = fc.record({
  kind: fc.nat(KINDS.length - 1),
  n: fc.nat(ROWS - 1),
  text: fc.option(fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 20 }), { nil: undefined })
})

test('each list equals the list of the past at its index, whatever is written while it is read', async t => {
  shortenChunks(t)
  const server = await serverInProcess(t)
  await inParallel(ROWS * KINDS.length, n => {
    const kind = KINDS[n % KINDS.length]
    return kind ? put(server, kind, Math.floor(n / KINDS.length), 'first') : Promise.resolve()
  })
  /** Lists that were answered after a commit that they do not contain. */
  let overtaken = 0
  const run = async (writes: readonly Write[]): Promise<void> => {
    let newest = 0
    const reads = LISTS.map(async path => {
      const answer = await server.send('GET', path)
      if (indexOf(answer) < newest) overtaken++
      return { path, answer }
    })
    await inParallel(writes.length, async at => {
      const { kind, n, text } = writes[at] ?? { kind: 0, n: 0, text: '' }
      const one = KINDS[kind]
      if (!one) return
      const answer =
        text === undefined ? await server.send(...one.remove(n)) : await put(server, one, n, text)
      newest = Math.max(newest, indexOf(answer) || 0)
    })
    for (const { path, answer } of await Promise.all(reads)) {
      const past = await server.send('GET', atIndex(path, indexOf(answer)))
      t.deepEqual([answer.status, past.status], [200, 200], past.text.slice(0, 200))
      // A difference of so many rows is not printed.
      t.true(isDeepStrictEqual(rowsOf(answer), rowsOf(past)), path)
    }
  }
  await fc.assert(fc.asyncProperty(fc.array(write, { minLength: 50, maxLength: 150 }), run), {
    numRuns: runs(12)
  })
  t.true(overtaken > 0)
})
