// A C2SP tlog-witness: it signs a checkpoint of a known log if it is consistent with the previous one.
import { MalformedNote, noteSigner, parseVkey, vkeyOf } from '../../events/log/evidence/note-keys.js'
import { cosignatureLine, openNote } from '../../events/log/evidence/note.js'
import { parseCheckpoint, type TreeHead } from '../../events/log/evidence/signed-checkpoint.js'
import { isConsistent } from '../../events/log/evidence/merkle.js'
import type { Scope } from './process.js'
import { receiver, type ReceiverBehavior, type Receiver } from './webhook-receiver.js'

/** The time of all signatures, in seconds since 1970. */
export const WITNESS_TIME = 1_790_000_000

export interface TestWitness {
  readonly url: string
  readonly vkey: string
  /** The witness in the format of the settings. */
  readonly setting: string
  /** The requests received, and a response that replaces the regular one. */
  readonly receiver: Receiver
  /** The last signed checkpoint. */
  readonly seen: TreeHead | undefined
  /** Registers a log by its key. */
  trust(vkey: string): void
  /** Restores the regular responses. */
  behave(): void
}

interface Verdict {
  readonly status: number
  readonly text?: string
  readonly type?: string
}

/** Starts a witness. It ends with the scope. @param seed distinguishes witnesses, 1 to 255 */
export async function witness(t: Scope, seed: number): Promise<TestWitness> {
  const signer = noteSigner(`witness.example/${seed}`, Buffer.alloc(32, seed), 'cosignature/v1')
  const vkey = vkeyOf(signer.key)
  const trusted = new Map<string, string>()
  let seen: TreeHead | undefined

  const judge = (body: string): Verdict => {
    const [, old, lines = '', note = ''] = /^old (\d+)\n((?:[^\n]+\n)*)\n([^]*)$/u.exec(body) ?? []
    const head = parseCheckpoint(note.slice(0, note.lastIndexOf('\n\n') + 1))
    const key = trusted.get(head.origin)
    if (key === undefined) return { status: 404 }
    const { text } = openNote(Buffer.from(note), [parseVkey(key)])
    if (Number(old) > head.size) return { status: 400 }
    const before = seen?.size ?? 0
    if (Number(old) !== before || (seen?.size === head.size && !seen.root.equals(head.root)))
      return { status: 409, text: `${before}\n`, type: 'text/x.tlog.size' }
    const hashes = lines
      .split('\n')
      .slice(0, -1)
      .map(line => Buffer.from(line, 'base64'))
    if (seen ? !isConsistent(seen, head, hashes) : hashes.length > 0) return { status: 422 }
    seen = head
    return { status: 200, text: cosignatureLine(text, signer, WITNESS_TIME) }
  }

  const behaving: ReceiverBehavior = (response, call) => {
    let verdict: Verdict
    try {
      verdict = judge(call.text)
    } catch (error) {
      if (!(error instanceof MalformedNote)) throw error
      verdict = { status: 403 }
    }
    response.writeHead(verdict.status, { 'content-type': verdict.type ?? 'text/plain' }).end(verdict.text)
  }
  const own = await receiver(t)
  own.answer(behaving)
  return {
    url: own.url,
    vkey,
    setting: `${vkey} ${own.url}`,
    receiver: own,
    get seen() {
      return seen
    },
    trust: log => void trusted.set(parseVkey(log).name, log),
    behave: () => own.answer(behaving)
  }
}
