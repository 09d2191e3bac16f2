import {
  bytesOfText,
  guessed,
  hasCarriageReturns,
  textOfBytes,
  type ContentType
} from '../values/content-types.js'

export interface Draft {
  readonly text: string
  readonly type: ContentType
  /** Lines end with CRLF. Editors show LF only. */
  readonly withCarriageReturns: boolean
  /** In digits. */
  readonly flags: string
}

interface Content {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly flags: string
}

/** @throws NotOfType */
export const draftOf = ({ bytes, flags }: Content, type: ContentType = guessed(bytes)): Draft => ({
  text: textOfBytes(bytes, type),
  type,
  withCarriageReturns: hasCarriageReturns(bytes),
  flags
})

/** @throws NotOfType */
export const bytesOf = ({ text, type, withCarriageReturns }: Draft): Uint8Array<ArrayBuffer> =>
  bytesOfText(text, type, withCarriageReturns)

/** Converts the content to another type. @throws NotOfType */
export const retyped = (draft: Draft, type: ContentType): Draft =>
  draftOf({ bytes: bytesOf(draft), flags: draft.flags }, type)

/** Returns the content as text of another type, if it can be converted. */
export const readable = (draft: Draft, type: ContentType): string => {
  try {
    return retyped(draft, type).text
  } catch {
    return draft.text
  }
}
