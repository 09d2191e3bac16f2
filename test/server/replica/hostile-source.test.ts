// A replica of a source that answers too much, claims too much, or stops in the middle of an answer.
import { truncateSync, writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { Connection } from '../../../clients/typescript/connection.js'
import { noteSigner, parseVkey, vkeyOf } from '../../../events/log/evidence/note-keys.js'
import { signNote } from '../../../events/log/evidence/note.js'
import { checkpointText } from '../../../events/log/evidence/signed-checkpoint.js'
import { recordSource, serverFiles } from '../../../server/commands/server-source.js'
import { PLAIN } from '../../../server/publication/payload-cipher.js'
import { MANIFEST_FILE, payloadPath, signManifest } from '../../../server/publication/payload-manifest.js'
import { folderFiles } from '../../../server/publication/public-files.js'
import { PublishedFolder } from '../../../server/publication/published-folder.js'
import { publishedSource, serverSource, type ReplicaSource } from '../../../server/replica/replica-source.js'
import { startHttpProxy } from '../../support/http-proxy.js'
import { publishing } from '../../support/published-log.js'
import { replicaInProcess } from '../../support/replica.js'
import { temporaryFolder } from '../../support/process.js'
import { ROOT } from '../../support/server.js'
import { until } from '../../support/wait.js'

const MAX_RECORDS = 100_000

type Answer = (response: ServerResponse, body: Buffer) => void

/** Answers without an end, as fast as the reader reads. */
const endless: Answer = response => {
  const chunk = Buffer.alloc(16_384, 7)
  const more = (): void => {
    while (!response.destroyed && response.write(chunk));
  }
  response.on('drain', more)
  more()
}

const half: Answer = (response, body) => {
  response.writeHead(200, { 'content-length': body.length })
  response.write(body.subarray(0, body.length / 2), () => response.destroy())
}

const status =
  (code: number): Answer =>
  response =>
    void response.writeHead(code).end()

/** A server in front of another one, which answers the requests of some paths in its own way. */
const inFrontOf = async (t: ExecutionContext, base: string) => {
  const asked: string[] = []
  let hostile: { readonly path: RegExp; readonly answer: Answer } | undefined
  const address = await startHttpProxy(t, base, (url, response, body) => {
    asked.push(url)
    if (!hostile?.path.test(url)) return false
    hostile.answer(response, body)
    return true
  })
  const connection = new Connection({ address, token: ROOT, retries: 0 })
  const source = serverSource(serverFiles(connection), recordSource(connection, MAX_RECORDS))
  const behave = (path?: RegExp, answer: Answer = endless): void => {
    hostile = path && { path, answer }
  }
  return { source, asked, behave }
}

test('an answer of a source without an end is refused at its limit, with the name of the file', async t => {
  const { server, vkey, growTo } = await publishing(t)
  const { source, behave } = await inFrontOf(t, server.base)
  let size = 5
  for (const [path, message] of [
    [/checkpoint/, /^checkpoint has more than 1000000 bytes$/],
    [/tile/, /^tile\/0\/000\.p\/\d+ has more than 8192 bytes$/],
    [/records/, /^records\?from=\d+ has more than 100000 bytes$/]
  ] as const) {
    const replica = await replicaInProcess(t, { source, vkey, tokens: undefined })
    await replica.shows(size)
    behave(path)
    size += 3
    await growTo(size)
    const { message: reason } = await until(`${path} is refused`, replica.refused)
    t.regex(reason, message)
    t.true(replica.log.durableIndex < size)
    behave()
    await replica.close()
  }
})

test('a source that fails or stops in the middle of an answer is read again', async t => {
  const { server, vkey, growTo } = await publishing(t)
  const { source, asked, behave } = await inFrontOf(t, server.base)
  const replica = await replicaInProcess(t, { source, vkey, tokens: undefined })
  let size = 5
  for (const path of [/checkpoint/, /tile/, /records/])
    for (const answer of [half, status(429), status(503)]) {
      behave(path, answer)
      await growTo(++size)
      const before = asked.length
      await until(
        'it was asked in vain twice',
        () => asked.slice(before).filter(url => path.test(url)).length > 1
      )
      t.is(replica.refused(), undefined)
      behave()
      await replica.shows(size)
    }
})

test('a signed checkpoint of 999,999,999,999,999 commits costs few requests, and is refused', async t => {
  const signer = noteSigner('annals/00112233445566778899aabbccddeeff/1', Buffer.alloc(32, 5))
  const head = { origin: signer.key.name, size: 999_999_999_999_999, root: Buffer.alloc(32, 1) }
  let reads = 0
  const source: ReplicaSource = {
    base: async () => undefined,
    files: {
      place: 'the source',
      read: async path => {
        reads++
        return path === 'checkpoint'
          ? Buffer.from(signNote(checkpointText(head), signer))
          : Buffer.alloc(8192)
      }
    },
    records: () => {
      throw new Error('records are read')
    }
  }
  const replica = await replicaInProcess(t, { source, vkey: vkeyOf(signer.key), tokens: undefined })
  const { message } = await until('the source is refused', replica.refused)
  t.regex(message, /of the source are not those of its checkpoint of 999999999999999 commits|the tree/)
  t.true(reads < 30, `${reads}`)
})

test('sizes that a signed manifest claims are not believed', async t => {
  const { vkey, publish } = await publishing(t)
  const signer = noteSigner(`${parseVkey(vkey).name}/payloads`, Buffer.alloc(32, 7))
  const refused = async (bytes: number, change: (file: string) => void, message: RegExp): Promise<void> => {
    const target = join(temporaryFolder(t), 'published')
    await publish(target)
    const digest = '0'.repeat(64)
    const segment = { last: 999_999_999_999_999, count: 999_999_999_999_999, bytes, digest }
    const manifest = {
      size: segment.last,
      root: Buffer.alloc(32),
      cipher: PLAIN.name,
      erasedUpTo: 0,
      pages: [],
      segments: [segment]
    }
    const file = payloadPath(segment)
    const published = new PublishedFolder(target)
    await published.put(file, Buffer.from('short'))
    await published.replace(MANIFEST_FILE, signManifest(manifest, signer))
    change(join(target, file))
    const source = publishedSource(folderFiles(target), { manifestKey: signer.key, cipher: PLAIN })
    const refusal = async (): Promise<unknown> => {
      const replica = await replicaInProcess(t, { source, vkey, tokens: undefined })
      throw await until('the source is refused', replica.refused)
    }
    // A start without a log needs the manifest.
    await t.throwsAsync(refusal, { message })
  }
  await refused(2 ** 30, () => {}, /commits 1 to 999999999999999, is not what the manifest names/)
  await refused(2 ** 30 + 1, () => {}, /invalid line/)
  await refused(5, file => truncateSync(file, 2 ** 40), /has more than 5 bytes/)
  await refused(
    5,
    file => writeFileSync(join(file, '../../manifest'), Buffer.alloc(2_000_000, 10)),
    /manifest has more than 1000000 bytes/
  )
})
