// Lines that only who has the key can read.
import { randomBytes } from 'node:crypto'
import test from 'ava'
import {
  newNonce,
  lineDecryption,
  LineDecryptionFailed,
  lineEncryption
} from '../../../../server/cluster/replication/encrypted-lines.js'

const KEY = randomBytes(32)

test('lines are opened in their order, and hide what they say', t => {
  const nonce = newNonce()
  const [seal, open] = [lineEncryption(KEY, nonce), lineDecryption(KEY, nonce)]
  for (const text of ['{"secret":"ä"}', '', 'x'.repeat(100_000)]) {
    const line = seal(text)
    t.notRegex(line, /\n/)
    t.false(Buffer.from(line, 'base64').includes(text.slice(0, 20) || 'never'))
    t.is(open(line), text)
  }
})

test('one that is changed, left out, moved, sent again, of another conversation or key is refused', t => {
  const nonce = newNonce()
  const refuses = (open: (line: string) => string, line: string): void =>
    void t.throws(() => open(line), { instanceOf: LineDecryptionFailed })
  const seal = lineEncryption(KEY, nonce)
  const [first, second] = [seal('first'), seal('second')]
  refuses(lineDecryption(KEY, nonce), second)
  refuses(lineDecryption(KEY, newNonce()), first)
  refuses(lineDecryption(randomBytes(32), nonce), first)
  const open = lineDecryption(KEY, nonce)
  open(first)
  refuses(open, first)
  const changed = Buffer.from(first, 'base64')
  changed[14] = (changed[14] ?? 0) ^ 1
  refuses(lineDecryption(KEY, nonce), changed.toString('base64'))
  refuses(lineDecryption(KEY, nonce), 'YQ==')
})
