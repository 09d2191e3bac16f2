// Lines that only who has the key can read.
import { randomBytes } from 'node:crypto'
import test from 'ava'
import {
  newNonce,
  opening,
  SealBroken,
  sealing
} from '../../../../server/cluster/replication/sealed-lines.js'

const KEY = randomBytes(32)

test('lines are opened in their order, and hide what they say', t => {
  const nonce = newNonce()
  const [seal, open] = [sealing(KEY, nonce), opening(KEY, nonce)]
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
    void t.throws(() => open(line), { instanceOf: SealBroken })
  const seal = sealing(KEY, nonce)
  const [first, second] = [seal('first'), seal('second')]
  refuses(opening(KEY, nonce), second)
  refuses(opening(KEY, newNonce()), first)
  refuses(opening(randomBytes(32), nonce), first)
  const open = opening(KEY, nonce)
  open(first)
  refuses(open, first)
  const changed = Buffer.from(first, 'base64')
  changed[14] = (changed[14] ?? 0) ^ 1
  refuses(opening(KEY, nonce), changed.toString('base64'))
  refuses(opening(KEY, nonce), 'YQ==')
})
