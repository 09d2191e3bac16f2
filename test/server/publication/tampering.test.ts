// A published folder that was changed: its readers never get another record, and the reason names what was changed.
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { noteSigner, type NoteKey } from '../../../events/log/evidence/note-keys.js'
import { Connection } from '../../../clients/typescript/connection.js'
import { recordSource, serverFiles } from '../../../server/commands/server-source.js'
import { PLAIN } from '../../../server/publication/payload-cipher.js'
import { manifestOrigin } from '../../../server/publication/payload-manifest.js'
import { PayloadPublisher } from '../../../server/publication/payload-publisher.js'
import { folderFiles } from '../../../server/publication/public-files.js'
import { PublishedFolder } from '../../../server/publication/published-folder.js'
import { Publisher } from '../../../server/publication/publisher.js'
import { openSourceTree, readHead } from '../../../server/publication/verified-tree.js'
import { publishedSource, recordsOf } from '../../../server/replica/replica-source.js'
import { publishing } from '../../support/published-log.js'
import { ROOT } from '../../support/server.js'

/** Random changes of each kind in each of six files. */
const EACH = Math.ceil(Number(process.env['ANNALS_TAMPERINGS'] ?? 60) / 12)
const RANDOM: readonly string[] = ['flipped', 'truncated']

interface PublishedLog {
  readonly old: string
  readonly full: string
  readonly key: NoteKey
  readonly manifestKey: NoteKey
}

/** Publishes a log without encryption, which detects changes by itself: once with few commits, and once with more. */
const published = async (t: ExecutionContext): Promise<PublishedLog> => {
  const { server, key, vkey, folder, growTo } = await publishing(t)
  const signer = noteSigner(manifestOrigin(vkey.split('+')[0] ?? ''), Buffer.alloc(32, 7))
  const connection = new Connection({ address: server.base, token: ROOT })
  const [old, full] = [join(folder, 'old'), join(folder, 'full')]
  for (const [size, place] of [
    [20, old],
    [300, full]
  ] as const) {
    await growTo(size)
    const target = new PublishedFolder(place)
    const source = recordSource(connection)
    const payloads = new PayloadPublisher({ source, target, cipher: PLAIN, signerOf: () => signer })
    await new Publisher({ source: serverFiles(connection), target, keys: [key], payloads }).publish()
  }
  await server.close()
  return { old, full, key, manifestKey: signer.key }
}

/** Reads a folder as a replica does. @returns the bytes of the records, and the reason why it ended */
const readAll = async (folder: string, { key, manifestKey }: PublishedLog) => {
  const bytes: Buffer[] = []
  try {
    const source = publishedSource(folderFiles(folder), { manifestKey, cipher: PLAIN })
    const { head } = await readHead(source.files, [key])
    const tree = await openSourceTree(source.files, head)
    for await (const records of recordsOf(source, 1, head, tree))
      bytes.push(...records.map(record => record.bytes))
    return { bytes: Buffer.concat(bytes), size: head.size, reason: undefined }
  } catch (error) {
    return { bytes: Buffer.concat(bytes), size: 0, reason: String(error) }
  }
}

const anyOf = (count: number): number => Math.floor(Math.random() * count)

test('no change of a published folder shows another record, and each change of a needed file is refused', async t => {
  const [log, other] = [await published(t), await published(t)]
  const { bytes: original, reason: fault, size } = await readAll(log.full, log)
  t.is(fault, undefined)
  const all = await new PublishedFolder(log.full).list('.')
  // A reader of all commits needs no leaves, and no partial file of which there is a full one.
  const needed = all.filter(path => !path.startsWith('tile/entries'))
  const [others, before] = await Promise.all(
    [other.full, log.old].map(folder => new PublishedFolder(folder).list('.'))
  )
  const kindOf = (path: string): string => path.replace(/[0-9a-f/]{8,}$/, '').replace(/\d+$/, '')
  const likeIn = (list: readonly string[] | undefined, path: string): string | undefined =>
    list?.includes(path) ? path : list?.find(each => kindOf(each) === kindOf(path) && each !== path)

  const folder = join(log.full, '../changed')
  cpSync(log.full, folder, { recursive: true })
  const changes: Readonly<Record<string, (path: string) => Buffer | undefined | 'removed'>> = {
    flipped: path => {
      const bytes = readFileSync(join(log.full, path))
      const at = anyOf(bytes.length)
      bytes[at] = (bytes[at] ?? 0) ^ (1 << anyOf(8))
      return bytes
    },
    truncated: path => {
      const bytes = readFileSync(join(log.full, path))
      return bytes.subarray(0, anyOf(bytes.length))
    },
    zeroed: path => Buffer.alloc(readFileSync(join(log.full, path)).length),
    removed: () => 'removed',
    'of another log': path => {
      const found = likeIn(others, path)
      return found === undefined ? undefined : readFileSync(join(other.full, found))
    },
    swapped: path => {
      const found = likeIn(
        all.filter(each => each !== path),
        path
      )
      return found === undefined ? undefined : readFileSync(join(log.full, found))
    },
    'an earlier version': path =>
      before?.includes(path) && path !== 'checkpoint' ? readFileSync(join(log.old, path)) : undefined,
    'a file too large': () => Buffer.alloc(2_000_000, 1)
  }
  let count = 0
  for (const path of needed)
    for (const [name, change] of Object.entries(changes))
      for (let round = 0; round < (RANDOM.includes(name) ? EACH : 1); round++) {
        const bytes = change(path)
        if (bytes === undefined || (bytes !== 'removed' && bytes.equals(readFileSync(join(log.full, path)))))
          break
        if (bytes === 'removed') rmSync(join(folder, path))
        else writeFileSync(join(folder, path), bytes)
        const read = await readAll(folder, log)
        count++
        t.true(original.subarray(0, read.bytes.length).equals(read.bytes), `${path} ${name}`)
        t.regex(
          read.reason ?? '',
          /commit|checkpoint|note|manifest|payload|tile|signature/i,
          `${path} ${name}`
        )
        cpSync(join(log.full, path), join(folder, path))
      }
  t.true(count >= 20, `${count}`)
  t.log(`${count} changes of ${needed.length} files`)

  // A folder of earlier files is a valid log with fewer commits, and files that no checkpoint names are not read.
  const earlier = await readAll(log.old, log)
  t.true(earlier.size < size && original.subarray(0, earlier.bytes.length).equals(earlier.bytes))
  writeFileSync(join(folder, 'payload/extra'), 'x')
  writeFileSync(join(folder, 'tile/0/001'), Buffer.alloc(8192))
  t.deepEqual(await readAll(folder, log), { bytes: original, size, reason: undefined })
  t.regex((await readAll(log.full, other)).reason ?? '', /checkpoint/)
})
