// Encrypted files: the content can be read in any pieces, and is not on the disk in plain text.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import test from 'ava'
import {
  encryptedStream,
  fileKey,
  ephemeralKey,
  readEncrypted
} from '../../../../http/wire/bodies/encrypted-file.js'
import { temporaryFolder } from '../../../support/process.js'

const CONFIGURED = Buffer.alloc(32, 1).toString('base64')

test('what was ciphered is read again, also nothing and what is longer than one piece of a file', async t => {
  const path = join(temporaryFolder(t), 'file')
  for (const key of [ephemeralKey(), fileKey(CONFIGURED, 'a'), undefined])
    for (const pieces of [
      [],
      ['a'],
      ['one piece, and ', 'another', ''],
      ['x'.repeat(100_000), 'y'.repeat(100_000)]
    ]) {
      const bytes = Readable.from(pieces.map(piece => Buffer.from(piece)))
      writeFileSync(path, await buffer(encryptedStream(bytes, key)))
      t.is((await buffer(readEncrypted(path, key))).toString(), pieces.join(''))
      // Short texts occur in random bytes occasionally.
      const [beginning] = /^.{20,100}/.exec(pieces.join('')) ?? []
      if (beginning) t.is(readFileSync(path).includes(beginning), !key)
    }
})

test('the same bytes are never the same on disk, and a key of another kind does not read them', async t => {
  const bytes = [Buffer.from('a private secret')]
  const write = (kind: string): Promise<Buffer> =>
    buffer(encryptedStream(Readable.from(bytes), fileKey(CONFIGURED, kind)))
  const path = join(temporaryFolder(t), 'file')
  writeFileSync(path, await write('a'))
  t.notDeepEqual(await write('a'), readFileSync(path))
  t.notDeepEqual(await buffer(readEncrypted(path, fileKey(CONFIGURED, 'b'))), bytes[0])
  t.deepEqual(await buffer(readEncrypted(path, fileKey(CONFIGURED, 'a'))), bytes[0])
})
