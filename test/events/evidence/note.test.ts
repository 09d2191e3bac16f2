// Signed notes and checkpoints, by vectors of Go's checksum database and of public logs and witnesses.
import test from 'ava'
import {
  checkpointText,
  identityOf,
  originOf,
  parseCheckpoint
} from '../../../events/log/evidence/signed-checkpoint.js'
import { noteKey, noteSigner, parseVkey, vkeyOf } from '../../../events/log/evidence/note-keys.js'
import {
  cosignatureLine,
  noteOf,
  openNote,
  parseNote,
  signatureLine,
  signNote
} from '../../../events/log/evidence/note.js'
import * as vectors from './vectors.js'

const { PETER, ENOCH, TEXT } = vectors
const peter = parseVkey(PETER.vkey)
const enoch = parseVkey(ENOCH.vkey)
const bytes = (text: string): Buffer => Buffer.from(text)
const verifiedNames = (note: string, ...keys: Parameters<typeof openNote>[1]): readonly string[] =>
  openNote(bytes(note), keys).verified.map(({ key: { name } }) => name)

test('a key is read from its line, and from no other', t => {
  t.is(peter.name, 'PeterNeumann')
  t.is(vkeyOf(peter), PETER.vkey)
  for (let start = 0; start <= PETER.vkey.length; start++)
    for (let end = start + 1; end <= PETER.vkey.length; end++)
      if (end - start < PETER.vkey.length)
        t.throws(() => parseVkey(PETER.vkey.slice(start, end)), { name: 'MalformedNote' })
  const letters = bytes(PETER.vkey)
  for (let i = 0; i < letters.length; i++) {
    letters[i]!++
    t.throws(() => parseVkey(letters.toString()), { name: 'MalformedNote' })
    letters[i]!--
  }
  for (const bad of [
    // Of another length, and of an unknown type, each with a hash that fits.
    'PeterNeumann+cc469956+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TWBADKEY==',
    'PeterNeumann+173116ae+ZRpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW',
    'bananas.sigstore.dev+12344556',
    'rekor.sigstore.dev+12345678+THIS_IS_NOT_BASE64!',
    'rekor.sigstore.dev+12345678+AwEB'
  ])
    t.throws(() => parseVkey(bad), { name: 'MalformedNote' }, bad)
  for (const key of [vectors.PUBLIC_LOG_KEY, ...vectors.PUBLIC_WITNESS_KEYS])
    t.is(vkeyOf(parseVkey(key)), key)
  // The Base64 of this key has a plus.
  const plus = 'TEST+7997405c+AQcC+FTVKf0jlTdHDY3rbevmnKxxPjigCXlVtGe6RIr6'
  t.is(vkeyOf(parseVkey(plus)), plus)
})

test('a signature is the one that Go makes', t => {
  const signer = noteSigner('PeterNeumann', Buffer.from(PETER.seed, 'base64').subarray(1))
  t.is(vkeyOf(signer.key), PETER.vkey)
  t.is(signNote(TEXT, signer), `${TEXT}\n${PETER.line}`)
  t.throws(() => signNote('abc', signer), { name: 'MalformedNote' })
  t.throws(() => signNote('a\tb\n', signer), { name: 'MalformedNote' })
  t.throws(() => noteKey('a+b', peter.publicKey), { name: 'MalformedNote' })
  t.throws(() => noteKey('a\u00a0b', peter.publicKey), { name: 'MalformedNote' })
})

test('a note is opened by the keys that are known', t => {
  const both = `${TEXT}\n${PETER.line}${ENOCH.line}`
  t.is(parseNote(bytes(both)).text, TEXT)
  t.deepEqual(verifiedNames(both, peter), ['PeterNeumann'])
  t.deepEqual(verifiedNames(both, peter, enoch), ['PeterNeumann', 'EnochRoot'])
  t.deepEqual(verifiedNames(`${TEXT}\n${PETER.line}${PETER.line}${ENOCH.line}`, peter), ['PeterNeumann'])
  t.throws(() => openNote(bytes(both), []), { message: /^no known key has signed/ })
  const changed = `${TEXT}\n${PETER.line.slice(0, 60)}ABCD${PETER.line.slice(60)}`
  t.throws(() => openNote(bytes(changed), [peter]), { message: /signature of PeterNeumann does not hold/ })
  const other = both.replace('think', 'thank')
  t.throws(() => openNote(bytes(other), [enoch]), { message: /signature of EnochRoot does not hold/ })
  // Another name or ID is another key.
  for (const unknown of [
    both.replace('PeterNeumann', 'CarmenSandiego'),
    both.replace('PeterNeumann x08g', 'PeterNeumann xxxx')
  ])
    t.throws(() => openNote(bytes(unknown), [peter]), { message: /^no known key has signed/ })
})

test('what is no note is refused', t => {
  for (const bad of [
    TEXT,
    `${TEXT}\n`,
    `${TEXT}\n${PETER.line.slice(0, -1)}`,
    `\u0001${TEXT}\n${PETER.line}`,
    `${TEXT}\n${PETER.line.replace('PeterNeumann', 'Bad Name')}`,
    `${TEXT}\n${PETER.line}Unexpected line.\n`,
    `${TEXT}\n${PETER.line.repeat(101)}`,
    `${TEXT}\n${PETER.line.replace('=\n', '\n')}`
  ])
    t.throws(() => openNote(bytes(bad), [peter]), { name: 'MalformedNote' }, bad)
  const notUtf8 = Buffer.concat([Buffer.of(0xff), bytes(`${TEXT}\n${PETER.line}`)])
  t.throws(() => openNote(notUtf8, [peter]), { name: 'MalformedNote' })
})

test('the checkpoint of a public log and the cosignatures of its witnesses hold', t => {
  const keys = [vectors.PUBLIC_LOG_KEY, ...vectors.PUBLIC_WITNESS_KEYS].map(parseVkey)
  const { text, verified, signatures } = openNote(bytes(vectors.PUBLIC_CHECKPOINT), keys)
  t.is(signatures.length, 6)
  t.deepEqual(
    verified.map(({ key, time }) => [key.name, time]),
    [
      ['arche2025h1.staging.ct.transparency.dev', undefined],
      ['witness1.smartit.nu/witness1', vectors.PUBLIC_WITNESS_TIME],
      ['remora.n621.de', vectors.PUBLIC_WITNESS_TIME]
    ]
  )
  const head = parseCheckpoint(text)
  t.is(head.size, 1_432_088_532)
  t.is(checkpointText(head), text)
  const changed = vectors.PUBLIC_CHECKPOINT.replace('1432088532', '1432088533')
  for (const key of keys) t.throws(() => openNote(bytes(changed), [key]), { message: /does not hold/ })
})

test('a cosignature covers its time and all lines of the text', t => {
  const log = noteSigner('log', Buffer.alloc(32, 1))
  const witness = noteSigner('witness', Buffer.alloc(32, 2), 'cosignature/v1')
  const text = 'test\n123\nf+7CoKgXKE/tNys9TTXcr/ad6U/K3xvznmzew9y6SP0=\nExtendo\n'
  const line = cosignatureLine(text, witness, 1_679_315_147)
  const note = noteOf(text, [signatureLine(text, log), line])
  t.deepEqual(
    openNote(bytes(note), [witness.key]).verified.map(({ time }) => time),
    [1_679_315_147]
  )
  t.throws(() => openNote(bytes(note.replace('Extendo', 'Extendi')), [witness.key]))
  const later = Buffer.from(line.slice('— witness '.length), 'base64')
  later[11]!++
  const moved = noteOf(text, [`— witness ${later.toString('base64')}\n`])
  t.throws(() => openNote(bytes(moved), [witness.key]), { message: /does not hold/ })
  // A signature of the same key as a log is another key.
  t.not(parseVkey(vkeyOf(witness.key)).id, noteSigner('witness', Buffer.alloc(32, 2)).key.id)
})

test('the text of a checkpoint is read strictly', t => {
  const root = 'f+7CoKgXKE/tNys9TTXcr/ad6U/K3xvznmzew9y6SP0='
  t.like(parseCheckpoint(`log\n0\n${root}\n`), { origin: 'log', size: 0, extensions: [] })
  t.deepEqual(parseCheckpoint(`log\n12\n${root}\none\ntwo\n`).extensions, ['one', 'two'])
  for (const bad of [
    `log\n12\n${root}`,
    `\n12\n${root}\n`,
    `log\n012\n${root}\n`,
    `log\n-1\n${root}\n`,
    `log\n1e3\n${root}\n`,
    `log\n9007199254740993\n${root}\n`,
    `log\n12\n${root.slice(0, -1)}\n`,
    `log\n12\nAAAA\n`,
    `log\n12\n`,
    `log\n12\n${root}\n\none\n`
  ])
    t.throws(() => parseCheckpoint(bad), { name: 'MalformedNote' }, bad)
})

test('an origin names a log and its incarnation', t => {
  const identity = { id: 'c0ffee', incarnation: 7 }
  t.is(originOf(identity), 'annals/c0ffee/7')
  t.deepEqual(identityOf('annals/c0ffee/7'), identity)
  for (const other of ['annals/c0ffee', 'annals//7', 'annals/c0ffee/07', 'example.com/log'])
    t.is(identityOf(other), undefined)
})
