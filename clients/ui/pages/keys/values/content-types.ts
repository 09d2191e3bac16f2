import { parseJson } from '../../../../../events/values.js'
import { base64Of, bytesOf, hexOf } from '../../../resources/base64.js'

/** `hex` and `base64` represent any bytes; the others are UTF-8. */
export type ContentType = 'text' | 'json' | 'yaml' | 'hcl' | 'xml' | 'hex' | 'base64'

export const contentTypes: Readonly<Record<ContentType, string>> = {
  text: 'Text',
  json: 'JSON',
  yaml: 'YAML',
  hcl: 'HCL',
  xml: 'XML',
  hex: 'Hex',
  base64: 'Base64'
}

export const isContentType = (text: string): text is ContentType => Object.hasOwn(contentTypes, text)

class NotOfType extends Error {}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Decodes UTF-8; undefined for other bytes and for control characters. */
const utf8 = (bytes: Uint8Array): string | undefined => {
  try {
    const text = decoder.decode(bytes)
    // oxlint-disable-next-line no-control-regex -- detects binary values
    return /[\0-\x08\x0e-\x1f]/.test(text) ? undefined : text
  } catch {
    return undefined
  }
}

/** Detects a mixture of line endings. */
const hasMixedEnds = (text: string): boolean => text.includes('\r') && /\r(?!\n)|(?<!\r)\n/.test(text)

export const isJson = (text: string): boolean => /^\s*[[{]/.test(text) && parseJson(text) !== undefined

const GUESSES: readonly (readonly [ContentType, (text: string) => boolean])[] = [
  ['json', isJson],
  ['xml', text => /^\s*<(\?xml\b|[A-Za-z_][^<>]*>)[^]*>\s*$/.test(text)],
  ['hcl', text => /^\s*[\w-]+(\s+("[^"\n]*"|[\w-]+))*\s*\{\s*$/m.test(text) || /^[\w-]+\s*=\s*\S/.test(text)],
  ['yaml', text => /^---\s*$/m.test(text) || /^[\w.-]+:(\s.*)?\n([\w.-]+:|\s+\S|- )/.test(text)]
]

/** The maximum length for the detection of a language. */
const MAX_DETECTED = 1_000_000

/** Detects the content type of a value. */
export const guessed = (bytes: Uint8Array): ContentType => {
  const text = utf8(bytes)
  if (text === undefined || hasMixedEnds(text)) return 'hex'
  if (text.length > MAX_DETECTED) return 'text'
  return GUESSES.find(([, isSo]) => isSo(text))?.[0] ?? 'text'
}

const bytesOfHex = (text: string): Uint8Array<ArrayBuffer> => {
  const digits = text.replaceAll(/\s/g, '')
  if (digits.length % 2 !== 0 || !/^[\da-f]*$/i.test(digits))
    throw new NotOfType('Hex is two digits of 0-9 and a-f for each byte; blanks do not count.')
  return Uint8Array.from(digits.match(/../g) ?? [], pair => Number.parseInt(pair, 16))
}

const bytesOfBase64 = (text: string): Uint8Array<ArrayBuffer> => {
  try {
    return bytesOf(text)
  } catch {
    throw new NotOfType('This is no Base64.')
  }
}

/** Converts a value to text with LF line endings. @throws NotOfType */
export const textOfBytes = (bytes: Uint8Array, type: ContentType): string => {
  if (type === 'hex') return hexOf(bytes)
  if (type === 'base64') return base64Of(bytes)
  const text = utf8(bytes)
  if (text === undefined) throw new NotOfType('The value is not text: it is shown as Hex or Base64.')
  if (hasMixedEnds(text))
    throw new NotOfType(
      'Its lines end in several ways, which an editor would not keep: it is shown as Hex or Base64.'
    )
  return text.replaceAll('\r\n', '\n')
}

export const hasCarriageReturns = (bytes: Uint8Array): boolean => bytes.includes(13)

/** Converts text to a value. @throws NotOfType */
export const bytesOfText = (
  text: string,
  type: ContentType,
  withCarriageReturns: boolean
): Uint8Array<ArrayBuffer> => {
  if (type === 'hex') return bytesOfHex(text)
  if (type === 'base64') return bytesOfBase64(text)
  return new TextEncoder().encode(withCarriageReturns ? text.replaceAll('\n', '\r\n') : text)
}

const PREVIEW = 300

/** Returns the start of a value in one line. */
export const previewOf = (bytes: Uint8Array): string => {
  // The cut may split a UTF-8 character of up to four bytes.
  for (let end = Math.min(bytes.length, PREVIEW); end >= Math.min(bytes.length, PREVIEW) - 3; end--) {
    const text = utf8(bytes.subarray(0, Math.max(0, end)))
    if (text !== undefined) return text.replaceAll(/\s+/g, ' ')
  }
  return hexOf(bytes.subarray(0, 16)).replaceAll('\n', ' ')
}
