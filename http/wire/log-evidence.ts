import { inject, Lifecycle, scoped, type InjectionToken } from 'tsyringe'
import type { Logger } from 'pino'
import { Checkpoints } from '../../actors/processes/checkpoints.js'
import { Refusal, invalid } from '../../actors/refusal.js'
import { checkpointText, originOf, parseCheckpoint } from '../../events/log/evidence/signed-checkpoint.js'
import {
  MalformedNote,
  noteSigner,
  vkeyOf,
  type NoteKey,
  type NoteSigner
} from '../../events/log/evidence/note-keys.js'
import {
  keyOfSignature,
  openNote,
  parseNote,
  signNote,
  verifySignature
} from '../../events/log/evidence/note.js'
import type { ProvableLog } from '../../events/log/provable-log.js'
import type { EntryBundles } from '../../events/log/tree/entry-bundles.js'
import type { LogTree } from '../../events/log/tree/log-tree.js'
import type { Settings } from '../../server/settings/settings.js'
import { LOGGER, SETTINGS } from '../../server/settings/ports.js'
import type { IncomingRequest } from './bodies/incoming-request.js'

export interface OpenEvidence {
  readonly log: ProvableLog
  readonly tree: LogTree
  readonly bundles: EntryBundles
  readonly checkpoints: Checkpoints
  readonly vkey: string
}

/** The checkpoints of a log that another server signs. */
export interface CheckpointNotes {
  readonly key: NoteKey
  /** Returns the signed checkpoint of so many commits, if it is known. */
  noteOf(size: number): string | undefined
}

/** Registered on replicas. */
export const CHECKPOINT_NOTES: InjectionToken<CheckpointNotes> = Symbol('CheckpointNotes')

interface CheckpointSigner {
  readonly keyOf: (incarnation: number) => NoteKey
  readonly sign: (size: number, root: Buffer) => string | undefined
}

@scoped(Lifecycle.ContainerScoped)
export class LogEvidence {
  #open: OpenEvidence | undefined

  constructor(
    @inject(SETTINGS) private readonly settings: { readonly signing: Pick<Settings['signing'], 'key'> },
    @inject(LOGGER) private readonly logger: Logger,
    @inject(CHECKPOINT_NOTES, { isOptional: true }) private readonly notes: CheckpointNotes | undefined
  ) {}

  /** Undefined if there is none: see `required`. */
  get opened(): OpenEvidence | undefined {
    return this.#open
  }

  /** @throws Refusal `gone` if commits were pruned before their hashes were stored */
  get required(): OpenEvidence {
    if (this.#open) return this.#open
    throw new Refusal(
      'evidence.gone',
      'Nothing of this log can be proved here: the hashes of all its commits are not kept'
    )
  }

  /**
   * Opens the tree of the log, and creates checkpoints from now on.
   * @throws LogUnusable if a signed checkpoint contradicts the log
   */
  async open(log: ProvableLog): Promise<void> {
    const { keyOf, sign } = await this.#signer(log)
    const {
      tree,
      bundles,
      checkpoints: kept
    } = await log.openTree(
      ({ level, text }) => this.logger[level](`log: ${text}`),
      (text, incarnation) => isDamaged(text, keyOf(incarnation))
    )
    if (!tree || !bundles) {
      this.logger.warn(
        'nothing of the log can be proved: commits went before the hashes of all of them were kept'
      )
      return
    }
    const { incarnation } = log.identity
    const key = keyOf(incarnation)
    const checkpoints = new Checkpoints(log, {
      tree,
      kept,
      incarnation,
      sign,
      isSigned: text => isSignedBy(text, key),
      onFailure: error => this.logger.error({ err: error }, 'no checkpoint of the log could be signed')
    })
    log.useHashes({
      hashOf: index => tree.hashOf(index),
      keep: async upTo => {
        if (!(await checkpoints.covering(upTo)))
          throw new Error('the hashes of the commits that go are not kept')
        await bundles.keep(upTo)
      }
    })
    this.#open = { log, tree, bundles, checkpoints, vkey: vkeyOf(key) }
    await checkpoints.start()
  }

  async close(): Promise<void> {
    await this.#open?.checkpoints.stop()
    await this.#open?.tree.close()
  }

  async #signer(log: ProvableLog): Promise<CheckpointSigner> {
    const { notes } = this
    if (notes) return { keyOf: () => notes.key, sign: size => notes.noteOf(size) }
    const seed = await this.seed(log)
    const signerOf = (incarnation: number): NoteSigner =>
      noteSigner(originOf({ id: log.identity.id, incarnation }), seed)
    const origin = originOf(log.identity)
    const signer = signerOf(log.identity.incarnation)
    return {
      keyOf: incarnation => signerOf(incarnation).key,
      sign: (size, root) => signNote(checkpointText({ origin, size, root }), signer)
    }
  }

  async seed(log: ProvableLog): Promise<Buffer> {
    const { key } = this.settings.signing
    return key === undefined ? log.signingKey() : Buffer.from(key, 'base64')
  }
}

const isDamaged = (text: string, key: NoteKey): boolean => {
  try {
    const { text: signed, signatures } = parseNote(Buffer.from(text))
    parseCheckpoint(signed)
    return signatures.some(
      signature => keyOfSignature(signature, [key]) !== undefined && !verifySignature(signed, signature, key)
    )
  } catch (error) {
    if (error instanceof MalformedNote) return true
    throw error
  }
}

const isSignedBy = (text: string, key: Parameters<typeof openNote>[1][number]): boolean => {
  try {
    openNote(Buffer.from(text), [key])
    return true
  } catch {
    return false
  }
}

export const CHECKPOINT_HEADER = 'X-Service-Checkpoint'
/** The name of the header as it is received. */
export const CHECKPOINT = CHECKPOINT_HEADER.toLowerCase()

/** Validates the header of a write that requests a checkpoint. @throws Refusal `invalid`, naming header and rule */
export const requestsCheckpoint = (request: IncomingRequest): true => {
  if (request.header(CHECKPOINT) === 'true') return true
  throw invalid('evidence.invalid', `Bad request: ${CHECKPOINT_HEADER} must be "true", or left out`)
}

/** Returns the header with a checkpoint of everything durable, in Base64; empty if it cannot be created, since the write is complete. */
export const checkpointHeader = async ({ opened }: LogEvidence): Promise<readonly string[]> => {
  const checkpoint = await opened?.checkpoints.covering(opened.log.durableIndex)
  return checkpoint ? [CHECKPOINT_HEADER, Buffer.from(checkpoint.text).toString('base64')] : []
}
