// What somebody writes of a key before it is saved.
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
  /** Whether lines end with a carriage return too, which no editor shows. */
  readonly withCarriageReturns: boolean
  /** In digits. */
  readonly flags: string
}

/** A value and the flags beside it. */
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

/** The same content as another type. @throws NotOfType where it is none of that type */
export const retyped = (draft: Draft, type: ContentType): Draft =>
  draftOf({ bytes: bytesOf(draft), flags: draft.flags }, type)

/** The content as text for people to compare, whatever it is. */
export const readable = (content: Content, type: ContentType): string => {
  try {
    return draftOf(content, type).text
  } catch {
    return draftOf(content).text
  }
}
