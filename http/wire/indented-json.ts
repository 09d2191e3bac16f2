import { BytePieces } from '../../projections/byte-pieces.js'
import type { Steps } from '../../projections/steps.js'
import type { Body } from './response.js'

const [QUOTE, BACKSLASH, COMMA, COLON, BLANK, NEWLINE] = [0x22, 0x5c, 0x2c, 0x3a, 0x20, 0x0a]
const OPENING: ReadonlySet<number> = new Set([0x5b, 0x7b])
const CLOSING: ReadonlySet<number> = new Set([0x5d, 0x7d])
const WHITESPACE: ReadonlySet<number> = new Set([BLANK, NEWLINE, 0x09, 0x0d])
const INDENT = 4
const PIECE_BYTES = 64 * 1024
/** Bytes of the body per step. */
const STEP_BYTES = 8 * 1024

/** Indents JSON text byte by byte, so that numbers and the order of members stay as they are. */
class Indenter {
  readonly #pieces: Buffer[] = []
  #bytes = Buffer.allocUnsafe(PIECE_BYTES)
  #length = 0
  #depth = 0
  #isInString = false
  #isEscaped = false
  /** True after a bracket that may close at once. */
  #isOpened = false

  add(text: Uint8Array): void {
    for (const byte of text)
      if (this.#isInString) this.#addToString(byte)
      else if (!WHITESPACE.has(byte)) this.#addToken(byte)
  }

  end(): BytePieces {
    this.#put(NEWLINE)
    return new BytePieces([...this.#pieces, this.#bytes.subarray(0, this.#length)])
  }

  #addToString(byte: number): void {
    this.#put(byte)
    if (this.#isEscaped) this.#isEscaped = false
    else if (byte === BACKSLASH) this.#isEscaped = true
    else if (byte === QUOTE) this.#isInString = false
  }

  #addToken(byte: number): void {
    const isClosing = CLOSING.has(byte)
    if (isClosing) this.#depth--
    if (this.#isOpened !== isClosing) this.#breakLine()
    this.#isOpened = false
    this.#put(byte)
    if (byte === QUOTE) this.#isInString = true
    else if (byte === COLON) this.#put(BLANK)
    else if (byte === COMMA) this.#breakLine()
    else if (OPENING.has(byte)) {
      this.#depth++
      this.#isOpened = true
    }
  }

  #breakLine(): void {
    this.#put(NEWLINE)
    for (let i = this.#depth * INDENT; i > 0; i--) this.#put(BLANK)
  }

  #put(byte: number): void {
    if (this.#length === PIECE_BYTES) {
      this.#pieces.push(this.#bytes)
      this.#bytes = Buffer.allocUnsafe(PIECE_BYTES)
      this.#length = 0
    }
    this.#bytes[this.#length++] = byte
  }
}

/** Prints JSON like Consul: four blanks, and a newline at the end. */
export function* indentedJson(body: Body): Steps<BytePieces> {
  const indenter = new Indenter()
  const pieces =
    body instanceof BytePieces ? body.pieces : [typeof body === 'string' ? Buffer.from(body) : body]
  for (const piece of pieces)
    for (let at = 0; at < piece.length; at += STEP_BYTES) {
      indenter.add(piece.subarray(at, at + STEP_BYTES))
      yield
    }
  return indenter.end()
}
