// Requests a witness's cosignature of a checkpoint (c2sp.org/tlog-witness, add-checkpoint).
import { Lifecycle, scoped } from 'tsyringe'
import { MalformedNote, type NoteKey } from '../../events/log/evidence/note-keys.js'
import {
  keyOfSignature,
  parseNote,
  parseSignatures,
  verifySignature
} from '../../events/log/evidence/note.js'
import { GuardedClient, reasonOf } from '../outgoing/guarded-client.js'
import { readBody } from '../outgoing/read-body.js'

/** A server that verifies that logs only grow. */
export interface Witness {
  /** Submission prefix: `/add-checkpoint` follows. */
  readonly url: string
  /** Of type `cosignature/v1`. */
  readonly key: NoteKey
}

export interface Submission {
  /** Size of the checkpoint that the witness has signed last; 0 for none. */
  readonly old: number
  /** Consistency proof since that size. */
  readonly hashes: readonly Buffer[]
  readonly note: string
}

export type WitnessResponse =
  | { readonly outcome: 'cosigned'; readonly line: string }
  | { readonly outcome: 'other size'; readonly size: number }
  /** The reason is for the operator. */
  | { readonly outcome: 'failed'; readonly reason: string }

const TIMEOUT_MS = 10_000
const CONFLICT = 409
const MAX_RESPONSE_BYTES = 64 * 1024

@scoped(Lifecycle.ContainerScoped)
export class WitnessHttp {
  constructor(private readonly client: GuardedClient) {}

  /** Makes one attempt. Never throws for failures of the witness or the network. */
  async add(
    { url, key }: Witness,
    { old, hashes, note }: Submission,
    abortSignal: AbortSignal
  ): Promise<WitnessResponse> {
    const lines = hashes.map(hash => `${hash.toString('base64')}\n`).join('')
    const post = {
      url: `${url.replace(/\/$/, '')}/add-checkpoint`,
      headers: { 'content-type': 'text/plain; charset=utf-8' },
      body: Buffer.from(`old ${old}\n${lines}\n${note}`),
      timeout: TIMEOUT_MS
    }
    try {
      return await this.client.post('witness', post, abortSignal, async response => {
        const text = (await readBody(response.body, MAX_RESPONSE_BYTES)).toString()
        if (response.statusCode === 200) return cosignatureIn(text, note, key)
        const size = response.statusCode === CONFLICT ? /^(0|[1-9]\d{0,14})\n$/.exec(text)?.[1] : undefined
        return size === undefined
          ? { outcome: 'failed', reason: `it answered ${response.statusCode}` }
          : { outcome: 'other size', size: Number(size) }
      })
    } catch (error) {
      return { outcome: 'failed', reason: reasonOf(error) }
    }
  }
}

/** Signatures by other keys are ignored. */
function cosignatureIn(lines: string, note: string, key: NoteKey): WitnessResponse {
  const { text } = parseNote(Buffer.from(note))
  try {
    const signature = parseSignatures(lines).find(candidate => keyOfSignature(candidate, [key]))
    const verified = signature && verifySignature(text, signature, key)
    if (verified) return { outcome: 'cosigned', line: verified.line }
    return {
      outcome: 'failed',
      reason: signature ? 'its signature does not hold' : 'it answered without its signature'
    }
  } catch (error) {
    if (!(error instanceof MalformedNote)) throw error
    return { outcome: 'failed', reason: `it answered no signatures: ${error.message}` }
  }
}
