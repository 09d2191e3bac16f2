// The digest of the read models, written at an orderly shutdown and compared by `annals log verify`.
import { replacePath } from '../../events/files.js'
import { parseJson } from '../../events/values.js'
import { createHash } from 'node:crypto'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import * as Type from 'typebox'
import { Value } from 'typebox/value'
import type { Views } from '../../projections/read-models.js'
import { runAtOnce, type Steps } from '../../projections/steps.js'
import { SNAPSHOT_VERSION } from '../../projections/projection.js'
import { programVersion } from '../../events/version.js'

const FILE = 'checkpoint.json'
/** Characters per call of the hash function, because calls for single lines are slow. */
const PIECE = 65_536

const schema = Type.Object({
  /** Program version, because versions may have different read models. */
  version: Type.String(),
  /** Format of `Views.dump`; absent in the first. */
  form: Type.Optional(Type.Integer({ minimum: 1 })),
  /** Index of the last applied commit. */
  index: Type.Integer({ minimum: 0 }),
  /** SHA-256, hex, over the JSON lines of `Views.dump`. */
  digest: Type.String({ pattern: '^[0-9a-f]{64}$' })
})

export type StateDigest = Readonly<Type.Static<typeof schema>>

/** Computes the digest, which depends only on the log, not on time or order of arrival. 200,000 tokens take about a second. */
export function* stateDigestSteps(views: Views): Steps<StateDigest> {
  const hash = createHash('sha256')
  let lines = ''
  for (const item of views.dump()) {
    lines += `${JSON.stringify(item)}\n`
    if (lines.length < PIECE) continue
    hash.update(lines)
    lines = ''
    yield
  }
  hash.update(lines)
  return { version: programVersion(), form: SNAPSHOT_VERSION, index: views.index, digest: hash.digest('hex') }
}

export const stateDigestOf = (views: Views): StateDigest => runAtOnce(stateDigestSteps(views))

/** Replaces the state digest of a data folder atomically. */
export const writeStateDigest = (dataDir: string, checkpoint: StateDigest): Promise<void> =>
  replacePath(join(dataDir, FILE), `${JSON.stringify(checkpoint)}\n`, { mode: 0o600, flush: true })

/** Returns undefined if there is no digest, and `unreadable` for an invalid file. */
export const readStateDigest = async (dataDir: string): Promise<StateDigest | 'unreadable' | undefined> => {
  let text: string
  try {
    text = await readFile(join(dataDir, FILE), 'utf8')
  } catch {
    return undefined
  }
  const value = parseJson(text)
  return Value.Check(schema, value) ? value : 'unreadable'
}

/** Removes a state digest of a commit that the log no longer has. */
export const removeStateDigestAbove = async (dataDir: string, index: number): Promise<void> => {
  const found = await readStateDigest(dataDir)
  if (found !== undefined && (found === 'unreadable' || found.index > index))
    await rm(join(dataDir, FILE), { force: true })
}
