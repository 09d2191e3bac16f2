// The framing of lines on the wire: newline-delimited JSON, or server-sent events.

export type FramingName = 'ndjson' | 'sse'

export interface Framing {
  readonly name: FramingName
  /** The terminator of every line, which occurs nowhere else. */
  readonly end: string
  /** Frames a message, or another line that confirms an index. */
  readonly message: (line: Buffer, index: number) => Buffer
  /** Frames a line that is no position to resume at. */
  readonly control: (line: Buffer) => Buffer
}

export const newlineDelimited: Framing = {
  name: 'ndjson',
  end: '\n',
  message: line => line,
  control: line => line
}

const DATA = Buffer.from('data: ')
const NEWLINE = Buffer.from('\n')

/** The index is the event's id, which browsers send back as `Last-Event-ID`. */
export const serverSentEvents: Framing = {
  name: 'sse',
  end: '\n\n',
  message: (line, index) => Buffer.concat([Buffer.from(`id: ${index}\ndata: `), line, NEWLINE]),
  control: line => Buffer.concat([DATA, line, NEWLINE])
}

export const framingNamed = (name: FramingName): Framing =>
  name === 'sse' ? serverSentEvents : newlineDelimited
