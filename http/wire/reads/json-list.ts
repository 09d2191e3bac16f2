import { BytePieces } from '../../../projections/byte-pieces.js'
import { StepPace, type Steps } from '../../../projections/steps.js'
import { jsonText, type RouteResponse } from '../response.js'
import type { Readable } from './filter.js'

const COMMA = 0x2c
const ARRAY = { open: 0x5b, close: 0x5d }
const OBJECT = { open: 0x7b, close: 0x7d }
/** Maximum UTF-8 bytes per UTF-16 unit. */
const WIDEST = 3
const FIRST_BYTES = 2048
/** Longer pieces would be copied for too long. */
const PIECE_BYTES = 256 * 1024

/**
 * Joins serialized elements or members into the bytes of a JSON array or object. Writing them into buffers costs about half of joining and then encoding the texts,
 * and never copies a long text.
 */
export class JsonList {
  readonly #pieces: Uint8Array[] = []
  #bytes = Buffer.allocUnsafe(FIRST_BYTES)
  #length = 1
  #isEmpty = true
  readonly #brackets: typeof ARRAY

  constructor(kind: 'array' | 'object' = 'array') {
    this.#brackets = kind === 'array' ? ARRAY : OBJECT
    this.#bytes[0] = this.#brackets.open
  }

  get isEmpty(): boolean {
    return this.#isEmpty
  }

  push(text: string): void {
    this.#reserve(text.length * WIDEST + 1)
    this.#separate()
    this.#length += this.#bytes.write(text, this.#length)
  }

  /** Appends one or more elements that are already joined. */
  pushJoined(elements: Buffer): void {
    this.#reserve(1)
    this.#separate()
    this.#append([elements])
  }

  /** Appends a member of an object whose value is serialized. */
  pushMember(name: string, { pieces }: BytePieces): void {
    this.push(`${JSON.stringify(name)}:`)
    this.#append(pieces)
  }

  /** Returns the array or object. The list must not be used afterwards. */
  end(): BytePieces {
    this.#reserve(1)
    this.#bytes[this.#length++] = this.#brackets.close
    return new BytePieces([...this.#pieces, this.#bytes.subarray(0, this.#length)])
  }

  #append(pieces: readonly Uint8Array[]): void {
    this.#pieces.push(this.#bytes.subarray(0, this.#length), ...pieces)
    // The rest of the buffer is used by the next elements.
    this.#bytes = this.#bytes.subarray(this.#length)
    this.#length = 0
  }

  #separate(): void {
    if (this.#isEmpty) this.#isEmpty = false
    else this.#bytes[this.#length++] = COMMA
  }

  #reserve(bytes: number): void {
    if (this.#length + bytes <= this.#bytes.length) return
    const wider = Math.max(FIRST_BYTES, 2 * this.#bytes.length, this.#length + bytes)
    if (wider <= PIECE_BYTES) {
      const copy = Buffer.allocUnsafe(wider)
      this.#bytes.copy(copy, 0, 0, this.#length)
      this.#bytes = copy
    } else {
      this.#pieces.push(this.#bytes.subarray(0, this.#length))
      this.#begin(bytes)
    }
  }

  #begin(bytes: number): void {
    this.#bytes = Buffer.allocUnsafe(Math.max(PIECE_BYTES, bytes))
    this.#length = 0
  }
}

/** Returns the JSON array of rows in chunks. @param textOf returns the JSON of a row */
export function* serializedRows<Row>(rows: Iterable<Row>, textOf: (row: Row) => string): Steps<BytePieces> {
  const list = new JsonList()
  const pace = new StepPace()
  for (const row of rows) {
    const text = textOf(row)
    list.push(text)
    if (pace.isOver(text.length)) yield
  }
  return list.end()
}

/** Creates the response with the array of rows. @param textOf returns the JSON of a row */
export function* readableList<Row>(
  found: Steps<Readable<Row>>,
  textOf: (row: Row) => string
): Steps<RouteResponse> {
  const { entries, headers } = yield* found
  return jsonText(yield* serializedRows(entries, textOf), headers)
}
