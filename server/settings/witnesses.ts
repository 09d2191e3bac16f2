import { MalformedNote, parseVkey } from '../../events/log/evidence/note-keys.js'
import type { Witness } from '../../actors/witness/witness-http.js'

/** Parses `KEY URL`; undefined for an invalid text. */
export function parseWitness(text: string): Witness | undefined {
  const [, vkey = '', url = ''] = /^(\S+) (https?:\/\/\S+)$/.exec(text) ?? []
  if (!URL.canParse(url)) return undefined
  try {
    const key = parseVkey(vkey)
    return key.type === 'cosignature/v1' ? { url, key } : undefined
  } catch (error) {
    if (error instanceof MalformedNote) return undefined
    throw error
  }
}

/** Parses validated texts. */
export const witnessesOf = (texts: readonly string[]): readonly Witness[] =>
  texts.map(parseWitness).filter(witness => witness !== undefined)

interface WitnessSettings {
  readonly witnesses: readonly string[]
  readonly required_witnesses: number
}

/** @param refuse throws, with the key and the rule */
export function checkWitnesses(
  { witnesses, required_witnesses }: WitnessSettings,
  refuse: (path: string, rule: string) => never
): void {
  const keys = witnessesOf(witnesses).map(({ key }) =>
    key.publicKey.export({ format: 'der', type: 'spki' }).toString('hex')
  )
  if (new Set(keys).size < keys.length) refuse('signing.witnesses', 'name each witness once')
  if (required_witnesses > keys.length)
    refuse('signing.required_witnesses', 'not exceed the number of signing.witnesses')
}
