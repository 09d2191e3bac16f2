// Witnesses sign the same checkpoints, however slow or wrong some of them are.
import test, { type ExecutionContext } from 'ava'
import { ClockWatch, Deadlines, Timers } from '../../../actors/clock.js'
import { Destinations, OutgoingTls } from '../../../actors/outgoing/destinations.js'
import { GuardedClient } from '../../../actors/outgoing/guarded-client.js'
import type { SignedCheckpoint } from '../../../actors/processes/checkpoints.js'
import { Witnesses } from '../../../actors/processes/witnesses.js'
import { WitnessHttp } from '../../../actors/witness/witness-http.js'
import { checkpointText } from '../../../events/log/evidence/signed-checkpoint.js'
import { leafHash } from '../../../events/log/evidence/merkle.js'
import { noteSigner, parseVkey, vkeyOf } from '../../../events/log/evidence/note-keys.js'
import { openNote, signNote } from '../../../events/log/evidence/note.js'
import { MerkleTree } from '../../../events/log/tree/tree.js'
import { SetClock } from '../../../library/testing/set-clock.js'
import { silence, status } from '../../support/webhook-receiver.js'
import { until } from '../../support/wait.js'
import { witness, WITNESS_TIME, type TestWitness } from '../../support/witness.js'

const signer = noteSigner('annals/00/1', Buffer.alloc(32, 9))
const LOG_KEY = vkeyOf(signer.key)

/** A log that grows, and what its witnesses do. */
const setUp = async (t: ExecutionContext, required: number, count: number, allow = ['127.0.0.1/32']) => {
  const clock = new SetClock({ runs: false })
  const deadlines = new Deadlines(clock, new ClockWatch(clock))
  const timers = new Timers(deadlines)
  const client = new GuardedClient(
    timers,
    new Destinations({ allow, checks: [], isLocalServer: true }),
    new OutgoingTls()
  )
  const http = new WitnessHttp(client)
  const tree = new MerkleTree()
  const kept: SignedCheckpoint[] = []
  const failures: string[] = []
  const all: TestWitness[] = []
  for (let seed = 1; seed <= count; seed++) {
    const each = await witness(t, seed)
    each.trust(LOG_KEY)
    all.push(each)
  }
  const witnesses = new Witnesses(
    {
      witnesses: all.map(({ url, vkey }) => ({ url, key: parseVkey(vkey) })),
      required,
      submit: (one, submission, ends) => http.add(one, submission, ends),
      consistency: (from, to) => tree.consistency(from, to),
      keep: async checkpoint => void kept.push(checkpoint),
      onFailure: reason => void failures.push(reason)
    },
    { clock: timers }
  )
  t.teardown(async () => {
    await witnesses.stop()
    deadlines.stop()
    await client.close()
  })
  /** Adds commits, and has the log sign what it has then. */
  const grow = async (commits: number): Promise<SignedCheckpoint> => {
    for (let i = 0; i < commits; i++) tree.append(leafHash(Buffer.of(tree.size % 256)))
    const head = { origin: signer.key.name, size: tree.size, root: await tree.rootAt(tree.size) }
    return { size: head.size, text: signNote(checkpointText(head), signer) }
  }
  const advance = (ms: number): void => {
    clock.advance(ms)
    deadlines.look()
  }
  const start = (before: readonly SignedCheckpoint[] = []): Promise<void> =>
    witnesses.start(
      (async function* () {
        yield* before
      })()
    )
  /** Whose signatures the checkpoint that is shown has. */
  const signedBy = (): readonly string[] =>
    witnesses.cosigned === undefined
      ? []
      : openNote(
          Buffer.from(witnesses.cosigned.text),
          all.map(({ vkey }) => parseVkey(vkey))
        ).verified.map(({ key, time }) => {
          t.is(time, WITNESS_TIME)
          return key.name
        })
  return { all, witnesses, kept, failures, grow, advance, start, signedBy }
}

test('a checkpoint is signed by its witnesses, and so is the next, with the proof that it continues', async t => {
  const { all, witnesses, kept, failures, grow, start, signedBy } = await setUp(t, 2, 2)
  await start()
  t.is(witnesses.cosigned, undefined)
  witnesses.take(await grow(5))
  await until('the first one is signed', () => witnesses.cosigned?.size === 5)
  t.deepEqual(signedBy().toSorted(), ['witness.example/1', 'witness.example/2'])
  witnesses.take(await grow(8))
  await until('the next one is signed', () => witnesses.cosigned?.size === 13)
  t.deepEqual(
    all.map(({ seen }) => seen?.size),
    [13, 13]
  )
  t.deepEqual(failures, [])
  await until('it is kept', () => kept.at(-1)?.text === witnesses.cosigned?.text)
})

test('a checkpoint is shown when as many have signed as must, whatever the others do', async t => {
  const { all, witnesses, failures, grow, start, signedBy } = await setUp(t, 1, 2)
  const [first, second] = all
  second?.receiver.answer(silence)
  await start()
  for (const size of [3, 6, 9]) {
    witnesses.take(await grow(3))
    await until(`${size} commits are signed`, () => witnesses.cosigned?.size === size)
    t.deepEqual(signedBy(), ['witness.example/1'])
  }
  t.is(first?.seen?.size, 9)
  t.deepEqual(failures, [])
})

test('without a number that must sign a checkpoint is shown at once, and has their signatures later', async t => {
  const { witnesses, grow, start, signedBy } = await setUp(t, 0, 1)
  await start()
  const checkpoint = await grow(4)
  witnesses.take(checkpoint)
  t.is(witnesses.cosigned?.text, checkpoint.text)
  await until('the witness has signed', () => witnesses.cosigned?.text !== checkpoint.text)
  t.deepEqual(signedBy(), ['witness.example/1'])
})

test('a witness that fails is asked again, later each time, and nothing is shown that it has not signed', async t => {
  const { all, witnesses, failures, grow, advance, start } = await setUp(t, 1, 1)
  const [one] = all
  one?.receiver.answer(status(500))
  await start()
  witnesses.take(await grow(4))
  await until('it has failed', () => failures.length === 1)
  t.regex(failures[0] ?? '', /^witness\.example\/1 did not sign 4 commits: it answered 500/)
  t.is(witnesses.cosigned, undefined)
  one?.behave()
  await until('it is asked again', () => {
    advance(1000)
    return witnesses.cosigned?.size === 4
  })
})

test('what is no signature of the witness is not taken for one', async t => {
  const { all, witnesses, failures, grow, advance, start } = await setUp(t, 1, 1)
  const [one] = all
  const wrong = noteSigner('witness.example/1', Buffer.alloc(32, 77), 'cosignature/v1')
  const answers = [
    'no lines',
    '— witness.example/2 AAAAAAAAAAAAAAAAAAAAAA==\n',
    signNote('another text\n', wrong).slice(14),
    'x'.repeat(100_000)
  ]
  for (const [i, answer] of answers.entries()) {
    one?.receiver.answer(response => void response.writeHead(200).end(answer))
    if (i === 0) {
      await start()
      witnesses.take(await grow(4))
    }
    await until(`answer ${i} is refused`, () => {
      if (i > 0) advance(100_000)
      return failures.length > i
    })
  }
  t.is(witnesses.cosigned, undefined)
})

test('a witness that has seen more than the log has signed says so', async t => {
  const { all, witnesses, failures, grow, start } = await setUp(t, 1, 1)
  const [one] = all
  one?.receiver.answer(
    response => void response.writeHead(409, { 'content-type': 'text/x.tlog.size' }).end('900\n')
  )
  await start()
  witnesses.take(await grow(4))
  await until('it has failed', () => failures.length === 1)
  t.regex(failures[0] ?? '', /it has seen 900 commits of this log, which has signed 4$/)
})

test('a witness is asked only where requests may go', async t => {
  const { all, witnesses, failures, grow, start } = await setUp(t, 1, 1, ['203.0.113.0/24'])
  await start()
  witnesses.take(await grow(4))
  await until('it was not asked', () => failures.length === 1)
  t.regex(failures[0] ?? '', /outgoing\.allow keeps requests from/)
  t.is(all[0]?.receiver.calls.length, 0)
})

test('after a start the newest checkpoint is shown that was kept with as many signatures as it must have', async t => {
  const { witnesses, kept, grow, start } = await setUp(t, 1, 1)
  await start()
  witnesses.take(await grow(4))
  await until('it is kept', () => kept.length === 1)
  await witnesses.stop()
  const bare = await grow(2)
  const next = await setUp(t, 1, 1)
  await next.start([bare, ...kept])
  t.is(next.witnesses.cosigned?.size, 4)
})
