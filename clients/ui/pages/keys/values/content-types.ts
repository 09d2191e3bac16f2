// What the value of a key may be: text of some language, or bytes that are no text.
import { base64Of, bytesOf } from '../../../resources/base64.js'

/** `hex` and `base64` write down any bytes; the others are UTF-8. */
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

/** A value that cannot be shown as text of a type, or text that is no value of it. */
class NotOfType extends Error {}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The bytes as UTF-8; undefined where they are no text. Control characters are none either. */
const utf8 = (bytes: Uint8Array): string | undefined => {
  try {
    const text = decoder.decode(bytes)
    // oxlint-disable-next-line no-control-regex -- what is no text is looked for
    return /[\0-\x08\x0e-\x1f]/.test(text) ? undefined : text
  } catch {
    return undefined
  }
}

/** Whether some lines end with a carriage return, and others do not. */
const hasMixedEnds = (text: string): boolean => text.includes('\r') && /\r(?!\n)|(?<!\r)\n/.test(text)

const isJson = (text: string): boolean => {
  if (!/^\s*[[{]/.test(text)) return false
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

const GUESSES: readonly (readonly [ContentType, (text: string) => boolean])[] = [
  ['json', isJson],
  ['xml', text => /^\s*<(\?xml\b|[A-Za-z_][^<>]*>)[^]*>\s*$/.test(text)],
  ['hcl', text => /^\s*[\w-]+(\s+("[^"\n]*"|[\w-]+))*\s*\{\s*$/m.test(text) || /^[\w-]+\s*=\s*\S/.test(text)],
  ['yaml', text => /^---\s*$/m.test(text) || /^[\w.-]+:(\s.*)?\n([\w.-]+:|\s+\S|- )/.test(text)]
]

/** Text is shown whole as its language looks; what is very long is looked at no further. */
const LONGEST_GUESSED = 1_000_000

/** What a value looks like. */
export const guessed = (bytes: Uint8Array): ContentType => {
  const text = utf8(bytes)
  if (text === undefined || hasMixedEnds(text)) return 'hex'
  if (text.length > LONGEST_GUESSED) return 'text'
  return GUESSES.find(([, isSo]) => isSo(text))?.[0] ?? 'text'
}

const hexOf = (bytes: Uint8Array): string => {
  const lines: string[] = []
  for (let at = 0; at < bytes.length; at += 16)
    lines.push([...bytes.subarray(at, at + 16)].map(byte => byte.toString(16).padStart(2, '0')).join(' '))
  return lines.join('\n')
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

/** A value as it is written down in an editor, whose lines end with a line feed. @throws NotOfType */
export const textOfBytes = (bytes: Uint8Array, type: ContentType): string => {
  if (type === 'hex') return hexOf(bytes)
  if (type === 'base64') return base64Of(bytes)
  const text = utf8(bytes)
  if (text === undefined) throw new NotOfType('The value is no text: it is shown as Hex or Base64.')
  if (hasMixedEnds(text))
    throw new NotOfType(
      'Its lines end in several ways, which an editor would not keep: it is shown as Hex or Base64.'
    )
  return text.replaceAll('\r\n', '\n')
}

/** Whether the lines of a value end with a carriage return and a line feed. */
export const hasCarriageReturns = (bytes: Uint8Array): boolean => bytes.includes(13)

/** The value that is written down so. @throws NotOfType */
export const bytesOfText = (
  text: string,
  type: ContentType,
  withCarriageReturns: boolean
): Uint8Array<ArrayBuffer> => {
  if (type === 'hex') return bytesOfHex(text)
  if (type === 'base64') return bytesOfBase64(text)
  return new TextEncoder().encode(withCarriageReturns ? text.replaceAll('\n', '\r\n') : text)
}

/** Letters of a preview. */
const PREVIEW = 300

/** The beginning of a value in one line. */
export const previewOf = (bytes: Uint8Array): string => {
  // A letter of UTF-8 has at most four bytes, of which the cut may leave some.
  for (let end = Math.min(bytes.length, PREVIEW); end >= Math.min(bytes.length, PREVIEW) - 3; end--) {
    const text = utf8(bytes.subarray(0, Math.max(0, end)))
    if (text !== undefined) return text.replaceAll(/\s+/g, ' ')
  }
  return hexOf(bytes.subarray(0, 16)).replaceAll('\n', ' ')
}
