// With the public key of a log and one old checkpoint, an auditor detects every change to the log up to that checkpoint. Later commits
// cannot be changed without the key of the log.
import test, { type ExecutionContext } from 'ava'
import { openCheckpoint, type TreeHead } from '../../../../events/log/evidence/signed-checkpoint.js'
import { MalformedNote, noteSigner, type NoteSigner } from '../../../../events/log/evidence/note-keys.js'
import { ProofFailed, type TrustedRoot } from '../../../../events/log/evidence/proofs.js'
import { RecomputedTree } from '../../../../events/log/evidence/recomputed-tree.js'
import { RecordBuffer } from '../../../../events/log/record-buffer.js'
import { StoredRecord } from '../../../../events/log/record.js'
import { SecretsVault } from '../../../../events/log/secrets.js'
import { verifyChain } from '../../../../events/log/verify.js'
import { NO_HASH } from '../../../../events/codec.js'
import { trailerLine, type BundleSelection } from '../../../../clients/evidence/bundle-lines.js'
import { checkBundle, type BundleReport } from '../../../../clients/evidence/check-bundle.js'
import { nodePlatform, NodeLinesDigest } from '../../../../server/commands/export-lines.js'
import { bundleLines, type ProvingTree } from '../../../../server/commands/evidence/export.js'
import { addRecord, collect, commitOf } from '../../../events/commits.js'
import { draftsOf, recordsOf, tamper } from '../../../support/forged-log.js'
import { seeded } from '../../../support/random.js'
import { RecordLog, type Checkpointed } from '../../../support/signed-log.js'

const ROUNDS = Number(process.env['ANNALS_TAMPERINGS'] ?? 40)
const SEED = Number(process.env['ANNALS_TAMPERING_SEED'] ?? 20_261_122)
const COMMITS = 150
/** So many the log had when the auditor kept a checkpoint. */
const KEPT = 90

const ORIGIN = 'annals/00112233445566778899aabbccddeeff/1'
const signer = noteSigner(ORIGIN, Buffer.alloc(32, 7))
/** Somebody who claims to be the log. */
const impostor = noteSigner(ORIGIN, Buffer.alloc(32, 8))

function genuineRecords(): readonly StoredRecord[] {
  const buffer = new RecordBuffer(0, 1024)
  const vault = new SecretsVault()
  let hash: Uint8Array = NO_HASH
  return Array.from({ length: COMMITS }, (_, i) => {
    const start = buffer.end
    const Time = new Date(Date.UTC(2026, 0, 1) + i * 1000).toISOString()
    const secrets = i % 3 === 0 ? { SecretID: `secret ${i}` } : undefined
    const parts = { key: `resource-${i % 7}`, events: 1 + (i % 2), time: Time, ...(secrets && { secrets }) }
    hash = addRecord(buffer, commitOf(i + 1, parts), hash, vault)
    const record = StoredRecord.at(Buffer.from(buffer.bytes.subarray(start, buffer.end)))
    if (!record) throw new Error('there is no record')
    return record
  })
}

const genuine = new RecordLog(genuineRecords())
const drafts = draftsOf((await collect(genuine.records(1))).flat())
const newest = await genuine.checkpoint(signer)
const kept = await genuine.checkpoint(signer, KEPT)

/** What somebody shows as the log, and how the proofs are made. */
interface Shown {
  readonly log: RecordLog
  readonly tree: ProvingTree
  readonly checkpoint: Checkpointed
}

/** Checks a bundle as `annals evidence verify` does, with the checkpoint that was kept. */
async function check(
  { log, tree, checkpoint }: Shown,
  selection: Partial<BundleSelection> = {}
): Promise<BundleReport> {
  const { size } = checkpoint.head
  const earlier = KEPT < size ? [KEPT] : []
  const lines = bundleLines({
    log,
    tree,
    checkpoint,
    selection: { From: 1, To: size, ...selection },
    earlier
  })
  return checkBundle(lines, {
    platform: nodePlatform,
    openCheckpoint: note => openCheckpoint(Buffer.from(note), { log: [signer.key] }).head,
    known: [pinOf(kept.head)]
  })
}

/** Walks a log as `annals log verify` does. @returns what is wrong with it by itself */
async function walk(log: RecordLog, known: readonly Checkpointed[]): Promise<string | undefined> {
  const tree = await RecomputedTree.begin(0, undefined)
  const { broken } = await verifyChain(log, { onRecord: (_, hash) => tree.add(hash) })
  if (broken) return broken.reason
  for (const { head } of known) await tree.check(pinOf(head))
  return undefined
}

const pinOf = ({ size, root }: TreeHead): TrustedRoot => ({
  kind: 'tree',
  index: size,
  hash: root,
  source: 'what was kept'
})

test('an unchanged log is proved completely', async t => {
  const shown = { log: genuine, tree: genuine.tree, checkpoint: newest }
  t.is(await walk(genuine, [kept, newest]), undefined)
  t.like(await check(shown), { commits: COMMITS, isComplete: true })
  t.like(await check(shown, { From: 5, To: 20 }), { commits: 16, isComplete: true })
  const about = await check(shown, { Topic: 'acltoken', Key: 'resource-3' })
  t.like(about, { commits: 21, isComplete: false })
})

test('a bundle of all commits with another one after those of its checkpoint is not believed', async t => {
  const linesUpTo = (checkpoint: Checkpointed): Promise<readonly string[]> =>
    collect(
      bundleLines({
        log: genuine,
        tree: genuine.tree,
        checkpoint,
        selection: { From: 1, To: checkpoint.head.size },
        earlier: []
      })
    )
  const verify = (lines: readonly string[]): Promise<BundleReport> => {
    const digest = new NodeLinesDigest()
    for (const line of lines) digest.add(line)
    const whole = [...lines, trailerLine({ Commits: lines.length - 1, SHA256: digest.end() })]
    return checkBundle(ReadableStream.from(whole), {
      platform: nodePlatform,
      openCheckpoint: note => openCheckpoint(Buffer.from(note), { log: [signer.key] }).head,
      known: []
    })
  }
  const some = (await linesUpTo(kept)).slice(0, -1)
  const next = (await linesUpTo(newest))[KEPT + 1] ?? ''
  t.like(await verify(some), { commits: KEPT, isComplete: true })
  await t.throwsAsync(verify([...some, next]), { message: /has 90 commits only/ })
  await t.throwsAsync(verify(some.slice(0, -1)), { message: /the end was cut off/ })
})

test('all that was done to a log is found, though its own hashes fit again', async t => {
  for (let round = 0; round < ROUNDS; round++) await find(t, round)
})

async function find(t: ExecutionContext, round: number): Promise<void> {
  const random = seeded(SEED + round)
  const hasKey = random.below(2) === 0
  // An owner of the key can rewrite and sign commits after the kept checkpoint.
  const { what, at, drafts: forged } = tamper(drafts, { upTo: hasKey ? KEPT : COMMITS, kept: KEPT }, random)
  const about = `round ${round} (ANNALS_TAMPERING_SEED=${SEED}): ${what} at commit ${at}, ${hasKey ? 'with' : 'without'} the key`
  const log = new RecordLog(recordsOf(forged))

  // By itself such a log holds.
  t.is(await walk(log, []), undefined, about)
  await t.throwsAsync(walk(log, hasKey ? [kept] : [kept, newest]), { name: 'Unproved' }, about)

  for (const shown of await waysToShow(log, hasKey)) {
    const { size } = shown.checkpoint.head
    const error = await t.throwsAsync(check(shown), undefined, about)
    t.true(isDisproof(error), `${about}: ${String(error)}`)
    const last = Math.min(at + 2, log.durableIndex, size)
    // Of a log whose end was cut off, the commits that are left are the genuine ones.
    if (last < at) continue
    const near = await t.throwsAsync(check(shown, { From: Math.max(1, at - 2), To: last }), undefined, about)
    t.true(isDisproof(near), `${about}: ${String(near)}`)
  }
}

const isDisproof = (error: unknown): boolean =>
  error instanceof MalformedNote || (error instanceof ProofFailed && !error.message.includes('not whole'))

/** How somebody may try to pass a log off as the one that was signed. */
async function waysToShow(log: RecordLog, hasKey: boolean): Promise<readonly Shown[]> {
  const own = async (by: NoteSigner): Promise<Shown> => ({
    log,
    tree: log.tree,
    checkpoint: await log.checkpoint(by)
  })
  if (hasKey) return [await own(signer)]
  // With what the log itself has signed, and proofs of its tree.
  const tree: ProvingTree = {
    leafHash: index => log.tree.leafHash(index),
    inclusion: (index, size) => genuine.tree.inclusion(index, size),
    consistency: (from, to) => genuine.tree.consistency(from, to)
  }
  const size = Math.min(log.durableIndex, COMMITS)
  return [await own(impostor), { log, tree, checkpoint: await genuine.checkpoint(signer, size) }]
}
