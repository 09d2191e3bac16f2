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

export interface Content {
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

/** Returns the content as text for a comparison. */
export const readable = (content: Content, type: ContentType): string => {
  try {
    return draftOf(content, type).text
  } catch {
    return draftOf(content).text
  }
}
