// Reads trusted inputs from outside the log's folder: its public key, checkpoints, witnesses and hashes.
import { rethrowAs } from '../../../events/errors.js'
import { readFile } from 'node:fs/promises'
import { MalformedNote, parseVkey, type NoteKey } from '../../../events/log/evidence/note-keys.js'
import {
  openCheckpoint,
  type OpenedCheckpoint,
  type TrustedKeys
} from '../../../events/log/evidence/signed-checkpoint.js'
import { readBody } from '../../../actors/outgoing/read-body.js'
import type { TrustedRoot } from '../../../events/log/evidence/proofs.js'
import { UsageError } from '../../../clients/cli/console.js'

export interface TrustedInputOptions {
  readonly key?: readonly string[]
  readonly checkpoint?: readonly string[]
  readonly witness?: readonly string[]
  readonly pinned?: readonly string[]
}

/** A trusted checkpoint, signed by all given keys. */
export interface TrustedCheckpoint extends OpenedCheckpoint {
  readonly place: string
  /** For messages: `the checkpoint of 7 commits in old.txt`. */
  readonly source: string
}

export interface TrustedInputs {
  readonly keys: TrustedKeys
  readonly checkpoints: readonly TrustedCheckpoint[]
  readonly pinned: readonly TrustedRoot[]
}

export const NO_TRUSTED_INPUTS: TrustedInputs = { keys: {}, checkpoints: [], pinned: [] }

const TIMEOUT_MS = 10_000
const MAX_BYTES = 1_000_000

const keyOf = (vkey: string): NoteKey =>
  rethrowAs(
    () => parseVkey(vkey),
    MalformedNote,
    message => new UsageError(message)
  )

/** @throws UsageError for an invalid key */
export const keysOf = (vkeys: readonly string[] = []): readonly NoteKey[] => vkeys.map(keyOf)

/** @throws UsageError */
async function download(url: string): Promise<Buffer> {
  let answer: Response
  try {
    answer = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) })
    if (answer.ok && answer.body) return await readBody(answer.body, MAX_BYTES)
  } catch (error) {
    const reason = error instanceof Error && error.cause instanceof Error ? error.cause : error
    throw new UsageError(`${url} cannot be read: ${String(reason)}`)
  }
  throw new UsageError(`${url} answered ${answer.status}`)
}

async function readPlace(place: string): Promise<Buffer> {
  if (/^https?:\/\//iu.test(place)) return download(place)
  return readFile(place)
}

/** @throws MalformedNote naming the place */
export function checkpointIn(place: string, note: Uint8Array, keys: TrustedKeys): TrustedCheckpoint {
  try {
    const opened = openCheckpoint(note, keys)
    return { ...opened, place, source: `the checkpoint of ${opened.head.size} commits in ${place}` }
  } catch (error) {
    if (error instanceof MalformedNote)
      throw new MalformedNote(`${place}: ${error.message}`, { cause: error })
    throw error
  }
}

const pinOf = (text: string): TrustedRoot => {
  const [, hash = '', index] = /^([0-9a-f]{64})@([1-9]\d{0,14})$/iu.exec(text) ?? []
  if (index === undefined)
    throw new UsageError(`${JSON.stringify(text)} is no HASH@INDEX: 64 hex digits, @ and an index`)
  return {
    kind: 'commit',
    index: Number(index),
    hash: Buffer.from(hash, 'hex'),
    source: 'the hash that was given'
  }
}

/** Reads the trusted inputs and verifies their signatures. @throws UsageError MalformedNote, and file system errors */
export async function readTrustedInputs(options: TrustedInputOptions): Promise<TrustedInputs> {
  const keys = {
    log: options.key?.map(keyOf),
    witnesses: keysOf(options.witness)
  }
  const pinned = (options.pinned ?? []).map(pinOf)
  const checkpoints: TrustedCheckpoint[] = []
  for (const place of options.checkpoint ?? [])
    checkpoints.push(checkpointIn(place, await readPlace(place), keys))
  return { keys, checkpoints, pinned }
}

const dateOf = (time: number): string => new Date(time * 1000).toISOString()

/** Returns the signers of a checkpoint, as a clause. */
export function signersOf({ head, isSigned, cosignatures }: OpenedCheckpoint): string {
  const seen = cosignatures.map(({ key, time }) =>
    time === undefined ? `signed by ${key.name}` : `seen by ${key.name} on ${dateOf(time)}`
  )
  const signed = isSigned ? [`signed by ${head.origin}`] : []
  return [...signed, ...seen].join(', ') || 'whose signature was not looked at (no --key was given)'
}
