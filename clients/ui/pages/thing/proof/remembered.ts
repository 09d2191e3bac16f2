// The newest checkpoint that this tab has seen with a signature that holds: what the server shows later has to go on from there.
import { parseExact } from '../../../session/exact-json.js'
import { openCheckpoint, type Checkpoint } from './evidence.js'

const KEPT_AS = 'annals-checkpoint'

export interface Remembered {
  readonly checkpoint: Checkpoint
  /** When it was seen, in milliseconds. */
  readonly seen: number
}

interface Kept {
  readonly note: string
  readonly vkey: string
  readonly seen: number
}

/** Undefined where none was seen, or what is kept is none. */
export const remembered = (): Remembered | undefined => {
  const text = sessionStorage.getItem(KEPT_AS)
  if (text === null) return undefined
  try {
    const { note, vkey, seen }: Kept = parseExact(text)
    return { checkpoint: openCheckpoint(note, vkey), seen }
  } catch {
    sessionStorage.removeItem(KEPT_AS)
    return undefined
  }
}

export const remember = ({ note, vkey }: Checkpoint): void =>
  sessionStorage.setItem(KEPT_AS, JSON.stringify({ note, vkey, seen: Date.now() } satisfies Kept))
